/** A gate goes by its session: what another run of it was shown, whoever writes here has seen. */
import { compile } from "sequitur"
import type { Gate, GateOptions } from "sequitur/gate"
import { createRunner } from "sequitur/run"
import { expect, test } from "vitest"
import { makeWorld, openShop, type Shop, sharedStore, shop, who } from "./shop.ts"

async function posts(gate: Gate<Shop>): Promise<string> {
  const verdict = await gate.call("post", { text: "boss" }, { callId: "post" })
  await gate.leave()
  return verdict.kind === "refused" ? verdict.diagnostics.map(({ code }) => code).join() : verdict.kind
}

async function secondAfter(before: string, more: Partial<GateOptions<Shop>> = {}): Promise<string> {
  const world = makeWorld()
  const { store } = await sharedStore()
  const first = await openShop(world, { store })
  await first.call(before, before === "find" ? { customerId: "c1" } : {}, { callId: "a" })
  await first.leave()
  return posts(await openShop(world, { store, ids: undefined as never, runId: "second", ...more }))
}

test.each([
  ["after the mail was read", "SEQ602", "mail", {}],
  ["after orders were looked up", "accepted", "find", {}],
  ["in another session", "accepted", "mail", { session: "s2" }],
  ["of another tenant", "accepted", "mail", { principal: { tenant: "other", subject: "ann", roles: ["agent"] } }],
  ["whose host says what its literals are", "accepted", "mail", { literals: "trusted" }],
] as const)("a second gate %s: %s", async (_, expected, before, more) => {
  expect(await secondAfter(before, more)).toBe(expected)
})

test("a gate behind a plan that read the mail", async () => {
  const world = makeWorld()
  const { store } = await sharedStore()
  const runner = createRunner({ catalog: shop, tools: world.tools, store } as never)
  const compiled = compile(shop, JSON.stringify({ version: 1, steps: [{ id: "m", tool: "mail", args: {} }] }))
  if (!compiled.ok) throw new Error("refused")
  const { principal, session: sessionId, task: taskId, inputs } = who
  await runner.run(compiled.plan as never, { principal, sessionId, taskId, inputs } as never)
  expect(await posts(await openShop(world, { store }))).toBe("SEQ602")
  await runner.close()
})

test("a gate that goes on with its own run", async () => {
  const world = makeWorld()
  const { store } = await sharedStore()
  const first = await openShop(world, { store, runId: "first" })
  await first.call("mail", {}, { callId: "a" })
  await first.leave()
  expect(await posts(await openShop(world, { store, runId: "first" }))).toBe("SEQ602")
})
