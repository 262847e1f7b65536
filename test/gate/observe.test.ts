/** Observing: the host's tools are called as ever, and what the gates would have refused is written down and told. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { defineCatalog } from "sequitur"
import { createGate } from "sequitur/gate"
import { createRunner, notApplied, toolbox } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, expect, test } from "vitest"
import { z } from "zod"
import { observedIn } from "../../src/explain/observed.ts"
import { replay } from "../../src/journal/state.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { rederive } from "../../src/run/rederive.ts"
import { footingFor } from "../../src/run/run.ts"
import { makeWorld, openShop, sharedStore, shop, throws } from "./shop.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-observe-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const story = [
  ["find", { customerId: "c2" }],
  ["refund", { orderId: "o1", cents: 5 }],
  ["find", '{"customerId": "c1", "customerId": "c1"}'],
  ["find", { customerId: "c1" }],
  ["mail", "{}"],
  ["grant", { right: "r" }],
  ["post", { text: "x" }],
] as const

test("every tool is called as ever, and what would have been refused is told by tool and code", async () => {
  const { store, journal } = await sharedStore()
  const world = makeWorld()
  const gate = await openShop(world, { store, mode: "observe", maxConsecutiveFailures: 1 })
  for (const [index, [tool, args]] of story.entries()) {
    const verdict = await gate.call(tool, args, { callId: `${index}` })
    expect(verdict).toMatchObject({ kind: "accepted", callId: `${index}`, replayed: false })
  }
  expect(world.made.map(({ tool }) => tool)).toEqual(story.map(([tool]) => tool))
  // The same again is not made again; nor is what nothing could be called with.
  expect(await gate.call("grant", { right: "r" }, { callId: "5" })).toMatchObject({ kind: "accepted", replayed: true })
  // By another tool's id, or with other arguments, it is another call.
  expect(await gate.call("grant", { right: "w" }, { callId: "5" })).toMatchObject({ kind: "accepted", replayed: false })
  expect(await gate.call("delete_all", {}, { callId: "6b" })).toMatchObject({ kind: "refused" })
  world.next.set("mail", throws)
  expect(await gate.call("mail", {}, { callId: "8" })).toMatchObject({ kind: "failed", observed: true })
  expect(world.count("grant")).toBe(2)
  await gate.close()
  const entries = await Effect.runPromise(journal.read(gate.runId))
  expect(observedIn(entries)).toEqual([
    { tool: "delete_all", calls: 1, passed: 0, refused: 1, waited: 0, failing: 0, failed: 0, codes: { SEQ108: 1 } },
    {
      tool: "find",
      calls: 3,
      passed: 1,
      refused: 2,
      waited: 0,
      failing: 0,
      failed: 0,
      codes: { SEQ601: 1, SEQ003: 1 },
    },
    { tool: "grant", calls: 2, passed: 0, refused: 0, waited: 2, failing: 0, failed: 0, codes: {} },
    { tool: "mail", calls: 2, passed: 2, refused: 0, waited: 0, failing: 0, failed: 1, codes: {} },
    { tool: "post", calls: 1, passed: 0, refused: 1, waited: 0, failing: 0, failed: 0, codes: { SEQ602: 1 } },
    {
      tool: "refund",
      calls: 1,
      passed: 0,
      refused: 1,
      waited: 0,
      failing: 0,
      failed: 0,
      codes: { SEQ301: 1, SEQ601: 1 },
    },
  ])
  const state = replay(gate.runId, entries)
  const ready = footingFor(state as never, { catalog: shop as never, handlers: new Map(), fault: undefined })
  expect(rederive(ready as never, gate.runId, entries)).toMatchObject({ status: "succeeded" })
  expect((await Effect.runPromise(journal.inspect((whole) => verifyStore(whole)))).findings).toEqual([])
})

test("a tool that is enforced is held while the others are watched", async () => {
  const world = makeWorld()
  const gate = await openShop(world, { mode: "observe", enforce: ["refund"] })
  expect(await gate.call("refund", { orderId: "o1", cents: 5 }, { callId: "1" })).toMatchObject({ kind: "refused" })
  expect(await gate.call("wipe", {}, { callId: "2" })).toMatchObject({ kind: "accepted" })
  await gate.call("find", { customerId: "c1" }, { callId: "3" })
  await gate.enter("SELLING")
  // What was watched and would have passed went before it.
  expect(await gate.call("refund", { orderId: "o1", cents: 5 }, { callId: "4" })).toMatchObject({ kind: "accepted" })
  expect(await gate.call("nothing", {}, { callId: "5" })).toMatchObject({ kind: "refused" })
  await gate.close()
})

test("what a watched call has shown counts, though it would have been refused, or failed", async () => {
  const world = makeWorld()
  const watched = async (args: unknown) => {
    const gate = await openShop(world, { mode: "observe", enforce: ["post"] })
    const shown = await gate.call("mail", args as never, { callId: "1" })
    const posted = await gate.call("post", { text: "x" }, { callId: "2" })
    await gate.close()
    return [shown.kind, posted.kind === "refused" ? posted.diagnostics.map(({ code }) => code) : posted.kind]
  }
  expect(await watched({ bogus: 1 })).toEqual(["accepted", ["SEQ602"]])
  world.next.set("mail", throws)
  expect(await watched({})).toEqual(["failed", ["SEQ602"]])
})

test("what is made while the run waits is written down, and made once", async () => {
  const { store, journal } = await sharedStore()
  const world = makeWorld()
  const gate = await openShop(world, { store, mode: "observe", enforce: ["grant"] })
  expect(await gate.call("grant", { right: "r" }, { callId: "g" })).toMatchObject({ kind: "waiting" })
  const wipe = () => gate.call("wipe", {}, { callId: "2" })
  expect(await wipe()).toMatchObject({ kind: "accepted", replayed: false })
  expect(await wipe()).toMatchObject({ kind: "accepted", replayed: true })
  expect(await gate.call("mail", {}, { callId: "2" })).toMatchObject({ kind: "accepted", callId: "2", replayed: false })
  expect(world.count("wipe")).toBe(1)
  const entries = await Effect.runPromise(journal.read(gate.runId))
  expect(entries.slice(-2).map(({ event }) => event)).toMatchObject([
    { kind: "call-observed", callId: "2" },
    { kind: "call-observed", callId: "2#2" },
  ])
  expect((await Effect.runPromise(journal.inspect((whole) => verifyStore(whole)))).findings).toEqual([])
  const runner = createRunner({ catalog: shop, tools: world.tools, store })
  await runner.decide(gate.runId, "g", { decision: "approved", by: "eve" })
  expect(await gate.call("grant", { right: "r" }, { callId: "g" })).toMatchObject({ kind: "accepted" })
  // Of what has ended nothing can be written down.
  await runner.cancel(gate.runId, { by: "eve" })
  const late = () => gate.call("wipe", {}, { callId: "3" })
  expect(await late()).toMatchObject({ kind: "accepted", replayed: false })
  expect(await late()).toMatchObject({ kind: "accepted", replayed: true })
  expect(world.count("wipe")).toBe(2)
  await gate.close()
  await runner.close()
})

test("while the run is in doubt, likewise", async () => {
  const { store, journal } = await sharedStore()
  const world = makeWorld()
  const gate = await openShop(world, { store, mode: "observe", enforce: ["post"] })
  world.next.set("post", throws)
  expect(await gate.call("post", { text: "x" }, { callId: "1" })).toMatchObject({ kind: "in-doubt" })
  for (const replayed of [false, true])
    expect(await gate.call("wipe", {}, { callId: "2" })).toMatchObject({ kind: "accepted", replayed })
  expect(world.count("wipe")).toBe(1)
  const entries = await Effect.runPromise(journal.read(gate.runId))
  expect(entries.at(-1)?.event).toMatchObject({ kind: "call-observed", callId: "2" })
  await gate.leave()
})

test("`sequitur observe` tells it of a store", async () => {
  const file = join(folder, "runs.db")
  const gate = await openShop(makeWorld(), { store: sqlite(file), mode: "observe" })
  for (const [index, [tool, args]] of story.entries()) await gate.call(tool, args, { callId: `${index}` })
  await gate.close()
  const node = join(process.cwd(), "node_modules/.bin/node")
  const told = execFileSync(node, ["--conditions=@sequitur/source", "src/cli/main.ts", "observe", file], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  })
  expect(told).toMatchSnapshot()
}, 60_000)

test("whatever a tool gives is handed on as it is, and kept as far as it is JSON", async () => {
  const { store, journal } = await sharedStore()
  const world = makeWorld()
  const gate = await openShop(world, { store, mode: "observe" })
  const at = new Date(0)
  world.next.set("mail", () => ({ at, more: undefined }))
  const first = await gate.call("mail", {}, { callId: "1" })
  expect(first).toMatchObject({ kind: "accepted", result: { at: at.toJSON() }, raw: { at } })
  const round: { self?: unknown } = {}
  round.self = round
  world.next.set("mail", () => round)
  const second = await gate.call("mail", {}, { callId: "2" })
  expect(second.kind === "accepted" && second.raw === round && second.result === null).toBe(true)
  const long = "x".repeat(3_000_000)
  world.next.set("mail", () => ({ text: long }))
  expect(await gate.call("mail", {}, { callId: "3" })).toMatchObject({ kind: "accepted", result: { text: long } })
  await gate.close()
  const observed = (await Effect.runPromise(journal.read(gate.runId))).map(({ event }) => event)
  expect(observed.filter(({ kind }) => kind === "call-observed")).toMatchObject([
    { callId: "1", result: { at: at.toJSON() } },
    { callId: "2" },
    { callId: "3" },
  ])
  expect((await Effect.runPromise(journal.inspect((whole) => verifyStore(whole)))).findings).toEqual([])
})

test("what enforcing would have made of a tool's answer is foreseen", async () => {
  const none = { idempotency: "none", compensate: "none" } as const
  const [write, read] = ["write", "read"] as const
  const params = z.strictObject({})
  const catalog = defineCatalog({
    name: "post",
    version: "1",
    tools: {
      send: { description: "Send.", effect: write, params, result: z.strictObject({ sent: z.boolean() }), ...none },
      note: { description: "Note.", effect: write, params, ...none },
      look: { description: "Look.", effect: read, params },
    },
  })
  class Told {
    at = 1
  }
  const answers: readonly (readonly ["send" | "note" | "look", () => unknown, string?])[] = [
    ["send", () => ({ sent: true })],
    ["send", () => ({ sent: "yes" }), "RUN105"],
    ["note", () => ({ at: new Date(0) }), "RUN104"],
    ["note", () => ({ more: undefined }), "RUN104"],
    ["note", () => new Told(), "RUN104"],
    ["note", () => Buffer.from("x"), "RUN104"],
    ["note", () => ({ n: 1n }), "RUN104"],
    ["note", () => ({ text: "x".repeat(2_000_000) }), "RUN103"],
    ["look", () => ({ at: new Date(0) }), "RUN104"],
    ["note", throws, "RUN109"],
    [
      "note",
      () => {
        throw notApplied("nothing was written")
      },
    ],
    ["look", throws],
  ]
  for (const [index, [name, answer, code]] of answers.entries()) {
    const tools = toolbox(catalog, { send: answer, note: answer, look: answer } as never)
    const who = { principal: { tenant: "acme", subject: "ada" }, session: `s${index}`, task: "t" }
    const { store, journal } = await sharedStore()
    const watching = await createGate({ catalog, tools, store, mode: "observe", ...who })
    expect((await watching.call(name, {}, { callId: "1" })).kind).toMatch(/accepted|failed/)
    await watching.close()
    const [told] = observedIn(await Effect.runPromise(journal.read(watching.runId)))
    expect(told).toMatchObject({ calls: 1, refused: 0, failing: code === undefined ? 0 : 1 })
    expect(told?.codes).toEqual(code === undefined ? {} : { [code]: 1 })
    expect(told?.passed).toBe(code === undefined ? 1 : 0)
    // As it comes, when it is enforced.
    const { store: other } = await sharedStore()
    const held = await createGate({ catalog, tools, store: other, ...who })
    const verdict = await held.call(name, {}, { callId: "1" })
    if (code !== undefined) expect(verdict).toMatchObject({ failure: { code } })
    expect(verdict.kind === "in-doubt").toBe(code === "RUN109")
    await held.leave()
  }
}, 30_000)

test("a call that nobody can read counts among those that would be refused; one without any arguments has none", async () => {
  const { store, journal } = await sharedStore()
  const world = makeWorld()
  const gate = await openShop(world, { store, mode: "observe", enforce: ["wipe"] })
  expect(await gate.call("mail", '{"text":', { callId: "1" })).toMatchObject({ kind: "refused" })
  expect(await gate.call("mail", "", { callId: "2" })).toMatchObject({ kind: "accepted" })
  expect(world.made).toMatchObject([{ tool: "mail", args: {} }])
  // Of what is held nothing is only watched.
  expect(await gate.call("wipe", "{", { callId: "3" })).toMatchObject({ kind: "refused" })
  await gate.close()
  const entries = await Effect.runPromise(journal.read(gate.runId))
  expect(observedIn(entries)).toMatchObject([{ tool: "mail", calls: 2, passed: 1, refused: 1, codes: { SEQ002: 1 } }])
  expect((await Effect.runPromise(journal.inspect((whole) => verifyStore(whole)))).findings).toEqual([])
})

test("a call without any arguments, of a tool that needs some, is told which", async () => {
  const gate = await openShop(makeWorld(), {})
  const verdict = await gate.call("find", "", { callId: "1" })
  expect(verdict).toMatchObject({ kind: "refused" })
  expect(JSON.stringify(verdict)).toContain("customerId")
  await gate.close()
})

test("a name that is none among those to be enforced is the host's mistake", async () => {
  const opening = openShop(makeWorld(), { mode: "observe", enforce: ["refnd"] })
  await expect(opening).rejects.toMatchObject({
    message: "`enforce` of this gate names `refnd`, which is no tool of the catalog",
    hint: "Did you mean `refund`?",
  })
})

test("arguments of any size are handed on, and what would have been said of them is kept", async () => {
  const { store, journal } = await sharedStore()
  const world = makeWorld()
  const gate = await openShop(world, { store, mode: "observe" })
  const text = "x".repeat(100_000)
  for (const [callId, args] of [
    ["1", { text }],
    ["2", JSON.stringify({ text })],
    ["3", { text, at: new Date(0) }],
  ] as const)
    expect(await gate.call("post", args, { callId })).toMatchObject({ kind: "accepted" })
  expect(world.made.map(({ args }) => (args as { text: string }).text.length)).toEqual([100_000, 100_000, 100_000])
  await gate.close()
  const entries = await Effect.runPromise(journal.read(gate.runId))
  expect(observedIn(entries)).toMatchObject([{ tool: "post", calls: 3, refused: 3 }])
})

test("calls are made at once, and one that hangs holds up nobody but its own turn", async () => {
  const world = makeWorld()
  const gate = await openShop(world, { mode: "observe", enforce: ["post"] })
  const { promise, resolve } = Promise.withResolvers<object>()
  world.next.set("mail", () => promise)
  const hangs = gate.turn([
    { callId: "1", tool: "mail", args: {} },
    { callId: "2", tool: "wipe", args: {} },
  ])
  expect(await gate.call("find", { customerId: "c1" }, { callId: "3" })).toMatchObject({ kind: "accepted" })
  expect(await gate.call("post", { text: "x" }, { callId: "4" })).toMatchObject({ kind: "accepted" })
  expect(world.made.map(({ tool }) => tool)).toEqual(["mail", "wipe", "find", "post"])
  const again = gate.call("mail", {}, { callId: "1" })
  expect(world.count("mail")).toBe(1)
  resolve({ text: "at last" })
  expect(await hangs).toMatchObject([{ kind: "accepted", result: { text: "at last" } }, { kind: "accepted" }])
  expect(await again).toMatchObject({ kind: "accepted", replayed: true })
  world.next.set("mail", () => new Promise((give) => setTimeout(give, 20, { text: "late" })))
  const late = gate.call("mail", {}, { callId: "5" })
  await gate.close()
  expect(await late).toMatchObject({ kind: "accepted", result: { text: "late" } })
})
