/** The example of `plans/mcp` by its one command: a plan run against an MCP server, by the catalog that was imported from it. */
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { folder, sequitur } from "../cli/sequitur.ts"

const at = (file: string): string => resolve("plans/mcp", file)
const cwd = folder()
const run = (plan: string, ...who: readonly string[]) => {
  const modules = ["--catalog", at("catalog.ts"), "--tools", at("tools.ts"), "--store", "runs.db"]
  return sequitur(["run", plan, ...modules, ...who, "--format", "json"], { cwd })
}
const asClerk = ["--subject", "ada", "--roles", "clerk"]

test("the plan is run by the server", async () => {
  const { code, out, err } = await run(at("redirect.json"), ...asClerk)
  expect({ code, err }).toEqual({ code: 0, err: "" })
  const last = JSON.parse(out.trim().split("\n").at(-1) ?? "") as { run: object }
  expect(last.run).toMatchObject({
    status: "succeeded",
    results: { redirect: { arrives: "tomorrow, at Main Station" } },
  })
})

test("a number that was not looked up is refused, and so is whoever is no clerk", async () => {
  const guess = join(cwd, "guess.json")
  const plan = readFileSync(at("redirect.json"), "utf8")
  writeFileSync(guess, plan.replace('{ "$from": "find", "path": "/parcelId" }', '"P-1042"'))
  const guessed = await run(guess, ...asClerk)
  expect(guessed).toMatchObject({ code: 1, out: expect.stringContaining("SEQ601") })
  expect(await run(at("redirect.json"), "--subject", "eve")).toMatchObject({
    code: 1,
    out: expect.stringContaining("SEQ502"),
  })
})

test("the catalog is of the server as it is", async () => {
  const command = `"${process.execPath}" "${at("server.ts")}"`
  expect(await sequitur(["mcp", "diff", at("catalog.ts"), "--command", command])).toMatchObject({ code: 0, err: "" })
})
