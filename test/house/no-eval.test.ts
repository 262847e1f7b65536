/** The compiler's door works where code may not be made from strings: at the edge, under a strict CSP. */
import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"

const script = `
import { compile } from "sequitur"
import desk from "./plans/invalid/catalog.ts"
try { new Function("return 1")(); process.exit(9) } catch {}
const good = JSON.stringify({ version: 1, steps: [{ id: "find", tool: "find_order", args: { orderId: "A-1" } }] })
const bad = good.replace("A-1", "")
console.log(JSON.stringify([compile(desk, good), compile(desk, bad)].map(({ ok, diagnostics }) => [ok, diagnostics.map((d) => d.code)])))
`

test("compiles and refuses under --disallow-code-generation-from-strings", () => {
  const flags = [
    "--disallow-code-generation-from-strings",
    "--conditions=@sequitur/source",
    "--input-type=module-typescript",
  ]
  const said = execFileSync(process.execPath, [...flags, "-e", script], { encoding: "utf8" })
  expect(JSON.parse(said)).toEqual([
    [true, []],
    [false, ["SEQ123"]],
  ])
})
