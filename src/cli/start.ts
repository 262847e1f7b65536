/** Runs one command in this process, and ends the process with its exit code. */
import { existsSync } from "node:fs"
import { makeProgram } from "./program.ts"
import { complain, exit, reasonOf } from "./terminal.ts"
import { tellError, tellTrouble } from "./trouble.ts"
import { fromClone } from "./typed.ts"

export async function start(argv: readonly string[]): Promise<void> {
  hushWarnings()
  const unwritten = watchStreams()
  const finish = watchExit()
  // Seen before it is parsed: what is wrong with the options is an error too.
  const json = /\0--format[=\0]json(\0|$)/.test(argv.join("\0"))
  // Paths are meant from where they were typed.
  const { INIT_CWD = "" } = process.env
  if (fromClone() && existsSync(INIT_CWD)) process.chdir(INIT_CWD)
  process.once("uncaughtException", (error) => {
    const message = `nobody caught this, and it ended sequitur: ${reasonOf(error)}`
    tellError({ code: "uncaught", message, hint: null }, json)
    finish(exit.refused)
  })
  let code: number = exit.fine
  try {
    await makeProgram((result) => {
      code = result
    }).parseAsync(argv)
  } catch (error) {
    code = tellTrouble(error, json)
  }
  // The host's modules may hold the process open (a pool, a timer): what was written is let out first.
  process.stdout.write("", () => setImmediate(() => finish(unwritten() ? Math.max(code, exit.refused) : code)))
}

/**
 * `| head` closes the pipe when it has seen enough. A run goes on all the same: it must not stop between two effects. Nor
 * does it for a full disk, but then not everything was said, and the exit code must tell.
 */
function watchStreams(): () => boolean {
  let lost = false
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || lost) return
    lost = true
    complain(`standard output could not be written: ${reasonOf(error)}`)
  })
  process.stderr.on("error", () => undefined)
  return () => lost
}

/** The host's own code may end the process, or wait for what never comes: that must not look like a command that went well. */
function watchExit(): (code: number) => void {
  let finished = false
  process.on("exit", (code) => {
    if (finished || code > signalled) return
    complain(`sequitur was ended by the code it had loaded (exit code ${code}), before it was done`)
    if (code === 0 || code === unsettled) process.exitCode = exit.refused
  })
  return (code) => {
    finished = true
    process.exit(code)
  }
}

/** Exit codes above it are signals'. */
const signalled = 128

/** Node's exit code where a module waits at its top level for what never comes. */
const unsettled = 13

/** Node 22 says that SQLite and type stripping are experimental, and any Node that a folder without a package.json is slow to
 *  load from: neither is for the reader of a plan. */
function hushWarnings(): void {
  process.removeAllListeners("warning")
  process.on("warning", (warning: Error & { readonly code?: string }) => {
    if (warning.name === "ExperimentalWarning" || warning.code === "MODULE_TYPELESS_PACKAGE_JSON") return
    complain(`${warning.name}: ${reasonOf(warning)}`)
  })
}
