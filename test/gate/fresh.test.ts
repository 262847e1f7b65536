/** Stale worlds at a gate, and behind the values of an earlier run: what a call rests on is read again, or the call is not made. */
import { setTimeout as pause } from "node:timers/promises"
import { type Compiled, compile, defineCatalog, tool } from "sequitur"
import { createGate } from "sequitur/gate"
import { earlierFrom } from "sequitur/planner"
import { createRunner, memory } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { accepted } from "../run/desk.ts"

const catalog = defineCatalog({
  name: "bank",
  version: "1",
  tools: {
    look: tool({
      description: "Look at an account.",
      effect: "read",
      params: z.strictObject({ id: z.string() }),
      result: z.strictObject({ iban: z.string(), other: z.string() }),
    }),
    note: tool({ description: "Note.", effect: "read", params: z.strictObject({ id: z.string() }) }),
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ iban: z.string(), memo: z.string().optional() }),
      rules: { iban: { from: ["look#/iban"] } },
      idempotency: "natural",
      compensate: "none",
      authority: { freshness: { pointers: ["/iban"], maxAgeMs: 1 } },
    }),
  },
})
const principal = { tenant: "acme", subject: "ada" }

function world() {
  const made: string[] = []
  const now: Record<string, string> = { a: "DE1", b: "DE1" }
  const tools = {
    look: ({ id }: { readonly id: string }) => {
      made.push(`look ${id}`)
      return { iban: `${now[id]}`, other: "DE1" }
    },
    note: () => ({ iban: "DE1" }),
    pay: ({ iban }: { readonly iban: string }) => {
      made.push(`pay ${iban}`)
      return null
    },
  }
  return { made, now, tools }
}

const gateOn = (tools: ReturnType<typeof world>["tools"]) =>
  createGate({ catalog, tools, store: memory(), principal, session: "s", task: "t" })

test("what a single call names by its value is read again", async () => {
  const { made, tools } = world()
  const gate = await gateOn(tools)
  await gate.call("look", { id: "a" }, { callId: "1" })
  await gate.call("note", { id: "a" }, { callId: "2" })
  await pause(5)
  expect(await gate.call("pay", { iban: "DE1", memo: "x" }, { callId: "3" })).toMatchObject({ kind: "accepted" })
  expect(made).toEqual(["look a", "look a", "pay DE1"])
  await gate.close()
})

test.each(["a", "b"])("and where one that said so says otherwise by now, nothing is called: %s", async (changed) => {
  const { made, now, tools } = world()
  const gate = await gateOn(tools)
  await gate.call("look", { id: "a" }, { callId: "1" })
  await gate.call("look", { id: "b" }, { callId: "2" })
  await pause(5)
  now[changed] = "DE2"
  const verdict = await gate.call("pay", { iban: "DE1" }, { callId: "3" })
  expect(verdict).toMatchObject({ kind: "failed", failure: { code: "RUN315" } })
  expect(JSON.stringify(verdict)).toContain("does not say any more what stands at")
  expect(made.filter((one) => one.startsWith("pay"))).toEqual([])
  // The run goes on, by what is so now.
  await gate.call("look", { id: changed }, { callId: "4" })
  await gate.close()
})

test("a value that an earlier run has read is refused, before anybody is asked: it cannot be read again", async () => {
  const { made, tools } = world()
  const runner = createRunner({ catalog, tools, store: memory() })
  const scope = { principal, sessionId: "s", taskId: "t" }
  const planOf = (steps: readonly object[], options = {}) =>
    accepted(compile(catalog, JSON.stringify({ version: 1, steps }), options) as Compiled)
  const first = planOf([{ id: "look", tool: "look", args: { id: "a" } }])
  const report = await runner.run(first, { ...scope, runId: "r1" })
  const earlier = earlierFrom(first, report)
  const pay = { id: "pay", tool: "pay", args: { iban: { $from: "r1/look", path: "/iban" } } }
  expect(await runner.run(planOf([pay], { earlier }), scope)).toMatchObject({
    status: "failed",
    failure: { code: "RUN315", message: expect.stringContaining("`r1/look`, and that cannot be read once more here") },
  })
  expect(made).toEqual(["look a"])
  await runner.close()
})
