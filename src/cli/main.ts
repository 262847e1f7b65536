#!/usr/bin/env node
/** The command line's first file: it looks at the Node it runs on before anything loads that an old one could not read. */
import * as nodeModule from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`sequitur needs Node 22.19 or later; this is ${process.versions.node}\n`)
  process.exitCode = 2
} else {
  // Halves the time to the first word. Node keeps it in the temporary folder; NODE_DISABLE_COMPILE_CACHE=1 turns it off.
  nodeModule.enableCompileCache()
  // Not awaited: where a module of the host never comes to an end, Node would print a trace of this file.
  import("./start.ts").then(({ start }) => start(process.argv))
}
