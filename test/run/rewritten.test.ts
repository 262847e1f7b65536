/** A run that is taken up believes nothing of its journal but the plan, and that only as it compiles now: each call is judged anew,
 *  right before it is made. Found by rewriting a result in the file, and every hash after it. */
import { Context, Effect, Layer } from "effect"
import { arg, defineCatalog, tool } from "sequitur"
import { createRunner, Journal, memory } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import type { Recorded } from "../../src/journal/entry.ts"
import type { Json } from "../../src/text/json.ts"
import { planOf, scope } from "./desk.ts"

const effect = { effect: "write", states: ["B"], idempotency: "natural", compensate: "none" } as const
const params = z.strictObject({ cents: z.int().min(0).max(900) })
const bank = defineCatalog({
  name: "bank",
  version: "1",
  inputs: z.strictObject({ accountId: z.string() }),
  blastRadius: { cents: { max: 1_000 } },
  approvals: "unsigned",
  machine: { initial: "A", transitions: { A: { B: { guard: "approval" } }, B: {} } },
  tools: {
    due: tool({
      description: "What is due.",
      effect: "read",
      params: z.strictObject({}),
      result: z.object({ cents: z.int().min(0).max(50), other: z.int().min(0).max(50) }),
    }),
    look: tool({ description: "Look.", effect: "read", params: z.strictObject({}) }),
    check: tool({ ...effect, description: "Check.", params }),
    pay: tool({
      ...effect,
      description: "Pay.",
      params,
      blast: { cents: arg("cents") },
      requires: [{ tool: "check", same: ["cents"] }],
    }),
  },
})

const cents = { $from: "due", path: "/cents" }
const plan = planOf(
  [
    { id: "due", tool: "due", args: {} },
    // Between the two: what `due` has answered is not looked at again for having just become known.
    { id: "look", tool: "look", args: {} },
    { id: "open", transition: "B" },
    { id: "check", tool: "check", args: { cents: { $from: "due", path: "/other" } } },
    { id: "pay", tool: "pay", args: { cents } },
  ],
  bank,
)

/** Runs it to its approval, rewrites what `due` has answered, and approves. */
async function paidAfter(result: unknown) {
  const called: string[] = []
  const call = (name: string, answer: unknown) => () => {
    called.push(name)
    return answer as never
  }
  const tools = {
    due: call("due", { cents: 5, other: 5 }),
    look: call("look", null),
    check: call("check", null),
    pay: call("pay", null),
  }
  const journal = Context.get(await Effect.runPromise(Effect.scoped(Layer.build(memory()))), Journal)
  const runner = createRunner({ catalog: bank, tools, store: Layer.succeed(Journal, journal) })
  await runner.run(plan, { ...scope, runId: "first" })
  const rewritten = (await runner.entries("first")).map(({ seq, atMs, event }): Recorded => {
    if (event.kind === "outcome" && event.stepId === "due")
      return { seq, atMs, event: { ...event, result: result as Json } }
    return { seq, atMs, event }
  })
  await Effect.runPromise(journal.append("second", rewritten))
  called.length = 0
  const asked = await runner.approve("second", "open", { by: "eve" })
  // Other than what was shown to them: they are asked anew.
  expect(asked.status).toBe("awaiting_approval")
  const report = await runner.approve("second", "open", { by: "eve" })
  await runner.close()
  return { called, failure: "failure" in report ? report.failure : undefined }
}

test("a result of before is taken for what it is now", async () => {
  expect(await paidAfter({ cents: 7, other: 7 })).toEqual({ called: ["check", "pay"], failure: undefined })
})

test("arguments that do not fit their tool are not handed to it", async () => {
  for (const found of [999_999, -1, "5", null, 0.5]) {
    const { called, failure } = await paidAfter({ cents: found, other: found })
    expect(called).toEqual([])
    expect(failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "check" })
  }
  expect((await paidAfter({})).failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "check" })
})

test("nor what its blast was not bounded for, or no predecessor was about", async () => {
  const blast = await paidAfter({ cents: 51, other: 51 })
  expect(blast.called).toEqual(["check"])
  expect(blast.failure).toMatchObject({ tag: "BlastExceeded", stepId: "pay" })
  const same = await paidAfter({ cents: 5, other: 6 })
  expect(same.called).toEqual(["check"])
  expect(same.failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "pay" })
  expect(same.failure?.message).toContain("no earlier `check` was about the same `cents` 5")
})
