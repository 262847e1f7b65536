/** What a gate tells its host: how it was made, what it gave up, and of calls that no id names. */

import { defineCatalog, tool } from "sequitur"
import { createGate, type GateOptions, verdictText } from "sequitur/gate"
import { memory } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { makeWorld, openShop, type Shop, sharedStore, who } from "./shop.ts"

test("whether the run was begun or was there", async () => {
  const world = makeWorld()
  const { store } = await sharedStore()
  const first = await openShop(world, { store, runId: "r" })
  expect(first.began).toBe(true)
  await first.leave()
  const second = await openShop(world, { store, runId: "r" })
  expect(second.began).toBe(false)
  await second.leave()
})

const noted = (more: object, spec: object = {}) => {
  const pay = tool({
    description: "Pay.",
    effect: "write",
    params: z.strictObject({}),
    idempotency: { key: { retentionMs: 86_400_000 } },
    compensate: "none",
    ...spec,
  } as never)
  const catalog = defineCatalog({ name: "c", version: "1", tools: { pay }, ...more } as never)
  return async (options: Partial<GateOptions> = {}): Promise<readonly string[]> => {
    const { inputs: _, ...whose } = who
    const gate = await createGate({
      catalog,
      tools: { pay: () => null },
      store: memory(),
      ...whose,
      ...options,
    } as never)
    await gate.leave()
    return gate.notices
  }
}

test("that nobody's signature can be held against a key here", async () => {
  const asking = noted({}, { authority: { approval: "always" } })
  expect(await asking()).toEqual([
    expect.stringMatching(/^`pay` may wait for a person, and this gate has no `approvers`/),
  ])
  expect(await asking({ approvers: [] })).toEqual([])
  expect(await asking({ mode: "observe" })).toEqual([])
  expect(await noted({})()).toEqual([])
  expect(await noted({ approvals: "unsigned" }, { authority: { approval: "always" } })()).toEqual([])
})

test("what still waited when it was closed", async () => {
  const gate = await openShop(makeWorld())
  const waiting = await gate.call("grant", { right: "r" }, { callId: "g" })
  if (waiting.kind !== "waiting") throw new Error(waiting.kind)
  const { stepId, requestId } = waiting
  expect(await gate.close()).toMatchObject({ status: "succeeded", gaveUp: { stepId, requestId, name: "grant" } })
  const other = await openShop(makeWorld())
  await other.call("mail", {}, { callId: "m" })
  expect((await other.close()).gaveUp).toBeUndefined()
})

test("a call in doubt keeps it from being closed, and lets it be left", async () => {
  const world = makeWorld()
  world.next.set("post", () => {
    throw new Error("connection reset")
  })
  const gate = await openShop(world)
  expect(await gate.call("post", { text: "x" }, { callId: "p" })).toMatchObject({ kind: "in-doubt" })
  await expect(gate.close()).rejects.toMatchObject({ code: "RUN206" })
  await gate.leave()
})

test.each([
  ["empty", ""],
  ["ill-formed", "\ud800"],
  ["with a zero", "a\0"],
  ["over long", "x".repeat(1_001)],
])("an id that is %s is refused, and its neighbours are made", async (_, callId) => {
  const world = makeWorld()
  const gate = await openShop(world)
  const mail = { tool: "mail", args: {} }
  const verdicts = await gate.turn([
    { callId: "a", ...mail },
    { callId, ...mail },
    { callId: "b", ...mail },
  ])
  expect(verdicts.map(({ kind }) => kind)).toEqual(["accepted", "refused", "accepted"])
  expect(verdicts.map((verdict) => verdict.callId)).toEqual(["a", callId, "b"])
  expect(world.count("mail")).toBe(2)
  expect(verdictText(verdicts[1] as never)).toContain("SEQ101")
  await gate.leave()
})

test("while it is only watched, a call without an id is made as ever, each time", async () => {
  const world = makeWorld()
  const gate = await openShop(world, { mode: "observe" } as Partial<GateOptions<Shop>>)
  for (let time = 0; time < 2; time++)
    expect(await gate.call("mail", {}, { callId: "" })).toMatchObject({ kind: "accepted", callId: "", replayed: false })
  expect(world.count("mail")).toBe(2)
  await gate.leave()
})

test("refusals of a gate speak of a gate", async () => {
  const said = async (more: object) => openShop(makeWorld(), more as never).catch((error: Error) => error.message)
  expect(await said({ mode: "look" })).toContain("`mode` of this gate is neither")
  expect(await said({ expiresMs: 0 })).toContain("`expiresMs` of this gate must be")
  expect(await said({ inputs: {} })).toContain("of this gate")
})
