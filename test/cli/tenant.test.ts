/** `--tenant` of commands about runs that are there: a run of another tenant is told of as one that never was. */
import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { folder, type Said, sequitur } from "./sequitur.ts"

const catalog = `
import { defineCatalog, tool } from "${resolve("src/index.ts")}"
import { z } from "${resolve("node_modules/zod/index.js")}"
export default defineCatalog({
  name: "doors", version: "1", approvals: "unsigned",
  tools: {
    unlock: tool({
      description: "Unlock a door.", effect: "write", params: z.strictObject({ door: z.string() }),
      authority: { approval: "always" }, idempotency: "natural", compensate: "none",
    }),
  },
})
`
const tools = `
import { toolbox } from "${resolve("src/run/index.ts")}"
import catalog from "./catalog.ts"
export default toolbox(catalog, { unlock: () => null })
`
const plan = JSON.stringify({
  version: 1,
  steps: [{ id: "in", tool: "unlock", args: { door: "front" } }],
})

test("a run of another tenant is as one that never was, by every command that takes an id", async () => {
  const path = folder({ "catalog.ts": catalog, "tools.ts": tools, "plan.json": plan })
  const call = (...args: readonly string[]) => sequitur([...args, "--store", "runs.db"], { cwd: path })
  const begun = await call("run", "plan.json", "--run", "r-acme", "--tenant", "acme", "--subject", "ada")
  expect(begun.code).toBe(3)
  const reason = ["--reason", "seen"]
  const commands: readonly (readonly [string, ...(readonly string[])])[] = [
    ["log"],
    ["export"],
    ["replay"],
    ["resume"],
    ["cancel"],
    ["approve", "in", "--by", "eve"],
    ["deny", "in", "--by", "eve"],
    ["resolve", "in", "--not-applied", ...reason],
  ]
  const spoken = ({ code, out, err }: Said, id: string): string =>
    JSON.stringify([code, out, err]).replaceAll(id, "<id>")
  const told = await Promise.all(
    commands.map(async ([name, ...more]) => {
      const [other, never] = await Promise.all(
        ["r-acme", "r-none"].map((id) => call(name, id, ...more, "--tenant", "other")),
      )
      return [name, spoken(other as Said, "r-acme"), spoken(never as Said, "r-none")] as const
    }),
  )
  for (const [name, other, never] of told) {
    expect([name, other]).toEqual([name, never])
    expect(other).toMatch(/there is no run /)
    expect(other).not.toMatch(/ada|acme|front|awaiting/)
  }
  for (const list of ["runs", "approvals"]) {
    const [theirs, ours] = await Promise.all(["acme", "other"].map((tenant) => call(list, "--tenant", tenant)))
    expect(theirs?.out).toContain("r-acme")
    expect(ours?.out).not.toContain("r-acme")
  }
  const exported = await Promise.all(
    [[], ["--tenant", "acme"], ["--tenant", "other"]].map((of) => call("export", ...of)),
  )
  expect(exported.map(({ out }) => out.split("\n").length > 2)).toEqual([true, true, false])
  expect(exported.map(({ code }) => code)).toEqual([0, 0, 0])
  const whole = await call("log", "--verify", "--tenant", "acme")
  expect([whole.code, whole.err]).toEqual([2, expect.stringContaining("of the whole store")])
  // Nothing of it has touched the run; their own name, or none, finds it.
  const replayed = await Promise.all([call("replay", "r-acme"), call("replay", "r-acme", "--tenant", "acme")])
  expect(replayed.map(({ code }) => code)).toEqual([0, 0])
  expect(new Set(replayed.map(({ out }) => out)).size).toBe(1)
  const cancelled = await call("cancel", "r-acme", "--tenant", "acme", ...reason)
  expect(cancelled.code).toBe(5)
}, 120_000)

test("what is printed to be typed next has what the command was given", async () => {
  const path = folder({
    "catalog.ts": catalog.replace('approvals: "unsigned",', ""),
    "tools.ts": tools,
    "plan.json": plan,
  })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const keys = await call("keygen", "--out", "eve.key.json", "--subject", "eve", "--tenant", "acme")
  writeFileSync(join(path, "keys.json"), `[${keys.out}]`)
  const run = await call(
    ...["run", "plan.json", "--run", "r-1", "--tenant", "acme", "--subject", "ada"],
    ...["--store", "runs.db", "--approvers", "keys.json"],
  )
  const line = /^to let it go on: +sequitur (.*)$/m.exec(run.out)?.[1] ?? ""
  expect(line).toBe("approve r-1 in --key '<your key file>' --store runs.db --approvers keys.json")
  const listed = await call("approvals", "--store", "runs.db", "--tenant", "acme")
  expect(listed.out).toContain("approve r-1 in --key '<your key file>' --store runs.db --tenant acme")
  // Without what is printed it says what is missing, and where that goes.
  const bare = ["approve", "r-1", "in", "--store", "runs.db"]
  const [byName, keySetless] = await Promise.all([call(...bare, "--by", "eve"), call(...bare, "--key", "eve.key.json")])
  expect([byName.code, byName.err]).toEqual([
    1,
    expect.stringMatching(/^error RUN312.*\nhint: Sign it with --key .*keygen.*approvers\.json.*--approvers/),
  ])
  expect([keySetless.code, keySetless.err]).toEqual([
    2,
    expect.stringMatching(/^error RUN201.*\nhint: .*keygen.*approvers\.json.*--approvers.*--key/),
  ])
  const elsewhere = await call(
    ...["approve", "r-1", "out", "--store", "runs.db", "--tenant", "acme"],
    ...["--key", "eve.key.json", "--approvers", "keys.json"],
  )
  expect(elsewhere.err).toMatch(/^error RUN302/)
  expect(elsewhere.err).toContain(
    "approve r-1 in --key '<your key file>' --store runs.db --tenant acme --approvers keys.json",
  )
  // As it is printed, with one's own key in the place that is left for it.
  const typed = line.replace("'<your key file>'", "eve.key.json").split(" ")
  const approved = await call(...typed)
  expect([approved.code, approved.err]).toEqual([0, ""])
}, 120_000)
