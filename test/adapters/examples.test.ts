/** The examples run, each by its one command, at the real gate: a right call, a wrong one that is told, the mended one, the end. */
import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { expect, test } from "vitest"

const examples = readdirSync("plans/adapters").filter((file) => file !== "desk.ts")

test("there is one for each provider", () => expect(examples).toHaveLength(7))

test.each(examples)("%s", (file) => {
  const said = execFileSync(process.execPath, ["--conditions=@sequitur/source", `plans/adapters/${file}`])
  expect(said.toString()).toMatch(
    /^[\w-]+\n {2}find_customer: accepted\n {2}mail\/send: refused\n {2}\(a mail goes to ada@example.org\)\n {2}mail\/send: accepted\n {2}Ada has been told.\n {2}\d messages, the run has succeeded\n$/,
  )
})
