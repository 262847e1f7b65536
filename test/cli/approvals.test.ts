/** `keygen`, `approvals`, `approve --key`, `deny --key`: signed decisions from the command line, each its own process. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { defineCatalog, tool } from "sequitur"
import { createGate } from "sequitur/gate"
import { sqlite } from "sequitur/sqlite"
import { expect, test } from "vitest"
import { z } from "zod"
import { folder, sequitur } from "./sequitur.ts"

const catalog = `
import { defineCatalog, tool } from "${resolve("src/index.ts")}"
import { z } from "${resolve("node_modules/zod/index.js")}"
export default defineCatalog({
  name: "doors", version: "1",
  tools: {
    unlock: tool({
      description: "Unlock a door.", effect: "write", params: z.strictObject({ door: z.string() }),
      authority: { approval: "always" }, idempotency: "natural", compensate: "none",
    }),
  },
})
`
const tools = `
import { appendFileSync } from "node:fs"
import { toolbox } from "${resolve("src/run/index.ts")}"
import catalog from "./catalog.ts"
export default toolbox(catalog, { unlock: ({ door }) => { appendFileSync(new URL("doors.log", import.meta.url), door + "\\n"); return null } })
`
const plan = JSON.stringify({
  version: 1,
  goal: "Let them in.",
  steps: [{ id: "in", tool: "unlock", args: { door: "front" } }],
})

test("a key is made, the request shown, signed and acted on; other keys, and names alone, are refused", async () => {
  const path = folder({ "catalog.ts": catalog, "tools.ts": tools, "plan.json": plan })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const log = join(path, "doors.log")
  const keys = await call("keygen", "--out", "eve.key.json", "--subject", "eve", "--roles", "guard, lead")
  expect([keys.code, keys.err]).toEqual([0, expect.stringContaining("whoever has it can approve")])
  const approver = JSON.parse(keys.out)
  expect(approver).toMatchObject({ subject: "eve", tenant: "local", roles: ["guard", "lead"] })
  expect(statSync(join(path, "eve.key.json")).mode & 0o777).toBe(0o600)
  expect(keys.out).not.toContain(JSON.parse(readFileSync(join(path, "eve.key.json"), "utf8")).key.d)
  const [again, other] = await Promise.all([
    call("keygen", "--out", "eve.key.json", "--subject", "eve"),
    call("keygen", "--out", "mallory.key.json", "--subject", "mallory"),
  ])
  expect([again.code, other.code]).toEqual([2, 0])
  writeFileSync(join(path, "approvers.json"), JSON.stringify([approver]))

  const run = await call("run", "plan.json", "--store", "runs.db", "--subject", "ada")
  expect(run.code).toBe(3)
  const runId = /run_[0-9a-f]{32}/.exec(run.out)?.[0] ?? ""
  expect(run.out).toContain("its tool is never called unasked")
  const listed = await call("approvals", "--store", "runs.db")
  expect(listed.out).toContain(`run ${runId}: asked by ada of local`)
  expect(listed.out).toContain("goal: Let them in.")
  expect(listed.out).toContain('"door": "front"')
  const json = JSON.parse((await call("approvals", "--store", "runs.db", "--format", "json")).out)
  expect(json.approvals[0].bound).toMatchObject({ run: runId, step: "in", tenant: "local" })

  const approve = (...how: readonly string[]) => call("approve", runId, "in", "--store", "runs.db", ...how)
  const [named, strange, none, both] = await Promise.all([
    approve("--by", "eve"),
    approve("--key", "mallory.key.json"),
    approve("--key", "approvers.json"),
    approve("--key", "eve.key.json", "--token", "x"),
  ])
  expect([named.code, named.err]).toEqual([1, expect.stringMatching(/^error RUN312/)])
  expect([strange.code, strange.err]).toEqual([1, expect.stringMatching(/^error RUN307/)])
  expect([none.code, none.err]).toEqual([2, expect.stringContaining("no private key that can sign")])
  expect(both.code).toBe(2)
  expect(existsSync(log)).toBe(false)
  const approved = await approve("--key", "eve.key.json", "--reason", "they are expected")
  expect([approved.code, approved.err]).toEqual([0, ""])
  expect(approved.out).toContain("approved by eve: they are expected")
  expect(readFileSync(log, "utf8")).toBe("front\n")
  expect((await call("approvals", "--store", "runs.db")).out).toBe("nothing waits for anybody\n")
  const replayed = await call("replay", runId, "--store", "runs.db")
  expect([replayed.code, replayed.err]).toEqual([0, ""])
}, 120_000)

test("a denial is signed too; key sets that cannot be read are told before anything is done", async () => {
  const path = folder({ "catalog.ts": catalog, "tools.ts": tools, "plan.json": plan })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const keys = await call("keygen", "--out", "eve.key.json", "--subject", "eve")
  writeFileSync(join(path, "keys.json"), JSON.stringify([JSON.parse(keys.out)]))
  const run = await call("run", "plan.json", "--store", "runs.db")
  const runId = /run_[0-9a-f]{32}/.exec(run.out)?.[0] ?? ""
  const deny = (...how: readonly string[]) =>
    call("deny", runId, "in", "--store", "runs.db", "--key", "eve.key.json", ...how)
  const without = await deny()
  expect([without.code, without.err]).toEqual([
    2,
    expect.stringMatching(/^error RUN201: `approvers`.*\nhint: .*approvers\.json.*--approvers/),
  ])
  writeFileSync(join(path, "broken.json"), "{")
  const broken = await deny("--approvers", "broken.json")
  expect([broken.code, broken.err]).toEqual([2, expect.stringContaining("broken.json cannot be read")])
  const denied = await deny("--approvers", "keys.json", "--reason", "no")
  expect([denied.code, denied.out]).toEqual([0, expect.stringContaining("`eve` denied step `in`: no")])
  expect(existsSync(join(path, "doors.log"))).toBe(false)
}, 120_000)

test("a run, and the approval of a whole plan, are compiled for whoever acts: what they may not do is refused, and nothing is written", async () => {
  const clerks = catalog.replace("authority: {", 'authority: { roles: ["clerk"], approverRoles: ["head", "lead"],')
  const path = folder({ "catalog.ts": clerks, "tools.ts": tools, "plan.json": plan })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const [run, approve] = await Promise.all([
    call("run", "plan.json", "--store", "runs.db", "--roles", "guest"),
    call("approve", "--plan", "plan.json", "--run", "r", "--key", "none.json"),
  ])
  expect([run.code, run.out]).toEqual([1, expect.stringContaining("error SEQ502")])
  expect([approve.code, approve.out]).toEqual([1, expect.stringContaining("error SEQ502")])
  expect(existsSync(join(path, "runs.db"))).toBe(false)
  expect((await call("run", "plan.json", "--store", "runs.db", "--roles", "guest,clerk")).code).toBe(3)
  expect((await call("approvals", "--store", "runs.db")).out).toContain("\n  for somebody with the role head or lead\n")
}, 120_000)

test("a decision about a call of a gate that holds its run is a success: the gate goes on with it", async () => {
  const path = folder({ "catalog.ts": catalog, "tools.ts": tools })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const keys = await call("keygen", "--out", "eve.key.json", "--subject", "eve")
  writeFileSync(join(path, "approvers.json"), `[${keys.out}]`)
  const { kid, publicKey } = JSON.parse(keys.out)
  const opened = () => readFileSync(join(path, "doors.log"), "utf8")
  const doors = defineCatalog({
    name: "doors",
    version: "1",
    tools: {
      unlock: tool({
        description: "Unlock a door.",
        effect: "write",
        params: z.strictObject({ door: z.string() }),
        authority: { approval: "always" },
        idempotency: "natural",
        compensate: "none",
      }),
    },
  })
  const gate = await createGate({
    catalog: doors,
    tools: {
      unlock: () => {
        throw new Error("made by whoever approves")
      },
    },
    store: sqlite(join(path, "runs.db")),
    approvers: [{ kid, publicKey, subject: "eve", tenant: "local", roles: [] }],
    principal: { tenant: "local", subject: "ada" },
    session: "s",
    task: "t",
  })
  const decide = async (callId: string, how: string) => {
    expect((await gate.turn([{ callId, tool: "unlock", args: { door: callId } }]))[0]?.kind).toBe("waiting")
    const waiting = JSON.parse((await call("approvals", "--store", "runs.db", "--format", "json")).out).approvals[0]
    const said = await call(how, gate.runId, waiting.request.stepId, "--store", "runs.db", "--key", "eve.key.json")
    const [verdict] = await gate.turn([{ callId, tool: "unlock", args: { door: callId } }])
    return { said, verdict: verdict?.kind }
  }
  const approved = await decide("front", "approve")
  expect(approved.said.err).toBe("")
  expect([approved.said.code, approved.verdict, opened()]).toEqual([0, "accepted", "front\n"])
  const denied = await decide("back", "deny")
  expect([denied.said.code, denied.verdict, opened()]).toEqual([0, "failed", "front\n"])
  await gate.close()
}, 120_000)

test("half a surrogate pair that a tool answers is shown as its escape, and hides nobody's request", async () => {
  const odd = catalog.replace(
    "tools: {",
    `tools: {
    look: tool({ description: "Look.", effect: "read", params: z.strictObject({}), result: z.strictObject({ door: z.string() }) }),`,
  )
  const answers = tools.replace("toolbox(catalog, {", `toolbox(catalog, { look: () => ({ door: "x\\ud800y" }),`)
  const through = JSON.stringify({
    version: 1,
    steps: [
      { id: "look", tool: "look", args: {} },
      { id: "in", tool: "unlock", args: { door: { $from: "look", path: "/door" } } },
    ],
  })
  const path = folder({ "catalog.ts": odd, "tools.ts": answers, "plan.json": through })
  const run = await sequitur(["run", "plan.json", "--store", "runs.db"], { cwd: path })
  expect([run.code, run.err]).toEqual([3, ""])
  const listed = await sequitur(["approvals", "--store", "runs.db"], { cwd: path })
  expect([listed.code, listed.out]).toEqual([0, expect.stringContaining(String.raw`"door": "x\ud800y"`)])
}, 30_000)

test("a key says itself whose word it is; what people have said so far is told wherever the run waits", async () => {
  const two = catalog.replace('approval: "always"', 'approval: "always", approvers: 2').replace(
    "unlock: tool",
    `ring: tool({ description: "Ring.", effect: "write", params: z.strictObject({}), idempotency: "natural", compensate: "none" }),
    unlock: tool`,
  )
  const steps = [
    { id: "ring", tool: "ring", args: {} },
    { id: "in", tool: "unlock", args: { door: "front" }, why: "They stand outside." },
  ]
  const path = folder({
    "catalog.ts": two,
    "tools.ts": tools.replace("toolbox(catalog, {", "toolbox(catalog, { ring: () => null,"),
    "plan.json": JSON.stringify({ version: 1, steps }),
  })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const eve = await call("keygen", "--out", "eve.key.json", "--subject", "eve")
  writeFileSync(join(path, "approvers.json"), `[${eve.out}]`)
  const named = await call(
    "run",
    "plan.json",
    "--store",
    "runs.db",
    "--subject",
    "ada",
    "--run",
    "r",
    "--literals",
    "untrusted",
  )
  expect([named.code, named.out]).toEqual([
    3,
    expect.stringContaining("if denied, ring (ring) stays done: nothing undoes it"),
  ])
  expect(named.out).toContain("why, says the plan: They stand outside.")
  const since = async () =>
    JSON.parse((await call("approvals", "--store", "runs.db", "--format", "json")).out).approvals[0].sinceMs
  const before = await since()
  const both = await call("approve", "r", "in", "--store", "runs.db", "--key", "eve.key.json", "--by", "mallory")
  expect([both.code, both.err]).toEqual([2, expect.stringContaining("--by")])
  const one = await call("approve", "r", "in", "--store", "runs.db", "--key", "eve.key.json")
  expect([one.code, one.out]).toEqual([3, expect.stringContaining("agreed so far: eve")])
  expect(await since()).toBe(before)
}, 30_000)
