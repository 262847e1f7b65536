/**
 * Any calls, in any turns, of tools that do anything: every call has exactly one verdict, no effect is made twice, the machine and
 * the limits hold, and the journal derives anew. Found so far: a call that was taken by another run was asked for for ever.
 */
import { Effect } from "effect"
import fc from "fast-check"
import type { Verdict } from "sequitur/gate"
import { createRunner, type Entry, notApplied, seededIds } from "sequitur/run"
import { expect, test } from "vitest"
import { replay } from "../../src/journal/state.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { rederive } from "../../src/run/rederive.ts"
import { footingFor } from "../../src/run/run.ts"
import { makeWorld, openShop, sharedStore, shop } from "./shop.ts"

const args: { readonly [tool: string]: fc.Arbitrary<unknown> } = {
  find: fc.constantFrom({ customerId: "c1" }, { customerId: "c2" }, '{"customerId":"c1"}'),
  mail: fc.constantFrom({}, "{}", "{", { more: 1 }),
  refund: fc.record({
    orderId: fc.constantFrom("o1", "o2", "o3"),
    cents: fc.constantFrom(1, 900, 5_000, 9_000, 9_001),
  }),
  ship: fc.record({ to: fc.constantFrom("a", "b", "c") }),
  post: fc.record({ text: fc.constantFrom("x", "y") }),
  grant: fc.record({ right: fc.constantFrom("r", "w") }),
  wipe: fc.constant({}),
  other: fc.constant({}),
}

type Deed =
  | { readonly kind: "turn"; readonly calls: readonly { callId: string; tool: string; args: unknown }[] }
  | { readonly kind: "enter"; readonly to: string }
  | { readonly kind: "decide"; readonly decision: "approved" | "denied" }
  | { readonly kind: "resolve"; readonly applied: boolean }
  | { readonly kind: "again" }
  | { readonly kind: "behave"; readonly tool: string; readonly how: string }

const call = fc.constantFrom(...Object.keys(args)).chain((tool) =>
  fc.record({
    callId: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"),
    tool: fc.constant(tool),
    args: args[tool] ?? fc.constant({}),
  }),
)

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("turn" as const), calls: fc.array(call, { minLength: 1, maxLength: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("enter" as const), to: fc.constantFrom("SELLING", "LOOKING", "ADMIN") }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("decide" as const),
      decision: fc.constantFrom("approved" as const, "denied" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("resolve" as const), applied: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("again" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("behave" as const),
      tool: fc.constantFrom("find", "refund", "ship", "post"),
      how: fc.constantFrom("well", "not applied", "throws", "wrong"),
    }),
  },
)

const behaviours: { readonly [how: string]: (() => unknown) | undefined } = {
  "not applied": () => {
    throw notApplied("no")
  },
  throws: () => {
    throw new Error("reset")
  },
  wrong: () => ({ wrong: true }),
}

test("any sequence of calls", async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(deed, { minLength: 1, maxLength: 12 }), async (warm, deeds) => {
      const { store, journal } = await sharedStore()
      const world = makeWorld()
      let gates = 0
      const breaker = { maxConsecutiveFailures: { tool: 3, session: 6 } }
      const open = () => openShop(world, { store, runId: "run", ids: seededIds(gates++), ...breaker })
      let gate = await open()
      const runner = createRunner({ catalog: shop, tools: world.tools, store })
      const final = new Map<string, object>()
      if (warm) {
        await gate.call("find", { customerId: "c1" }, { callId: "found" })
        await gate.enter("SELLING")
      }
      for (const one of deeds) {
        if (one.kind === "behave") {
          const behave = behaviours[one.how]
          if (behave === undefined) world.next.delete(one.tool)
          else world.next.set(one.tool, behave as never)
        } else if (one.kind === "enter") await gate.enter(one.to)
        else if (one.kind === "again") {
          await gate.leave()
          gate = await open()
        } else if (one.kind === "decide") {
          const [asked] = await runner.approvals.list()
          if (asked !== undefined)
            await runner.decide("run", asked.request.stepId, { decision: one.decision, by: "eve" })
        } else if (one.kind === "resolve") {
          const state = replay("run", await Effect.runPromise(journal.read("run")))
          if (!(state instanceof Error) && state.status === "in_doubt") {
            const word = one.applied ? { applied: resultOf(state.step.open?.tool) } : { notApplied: true }
            await runner.resolve("run", state.step.open?.stepId ?? "", { by: "eve", reason: "seen", ...word } as never)
          }
        } else {
          const verdicts = await gate.turn(one.calls)
          expect(verdicts.map(({ callId, tool }) => [callId, tool])).toEqual(
            one.calls.map(({ callId, tool }) => [callId, tool]),
          )
          for (const verdict of verdicts) holdFinal(final, verdict)
        }
      }
      const entries = await Effect.runPromise(journal.read("run"))
      const state = replay("run", entries)
      if (state instanceof Error) throw state
      const ready = footingFor(state, { catalog: shop as never, handlers: new Map(), fault: undefined })
      const derived = rederive(ready as never, "run", entries)
      if (derived instanceof Error) throw derived
      expect((await Effect.runPromise(journal.inspect((whole) => verifyStore(whole)))).findings).toEqual([])
      holdLimits(entries)
      await gate.leave()
      await runner.close()
    }),
    { numRuns: 120 },
  )
}, 60_000)

const resultOf = (tool: string | undefined): object =>
  tool === "refund" ? { refundId: "r" } : tool === "ship" ? { parcel: "p" } : {}

/** What was told of a call once as its end is told of it always. */
function holdFinal(final: Map<string, object>, verdict: Verdict): void {
  if (!["accepted", "failed", "refused"].includes(verdict.kind)) return
  const told = { ...verdict, replayed: undefined }
  const before = final.get(verdict.callId)
  if (before !== undefined) expect(told).toEqual(before)
  final.set(verdict.callId, told)
}

/** By the journal alone: the state in which each effect was begun, each key once, and no more in all than the limits allow. */
function holdLimits(entries: readonly Entry[]): void {
  let state = "LOOKING"
  const cents = new Map<string, number>()
  const begun = new Set<string>()
  for (const { event } of entries) {
    if (event.kind === "state-entered") state = event.to
    if (event.kind === "step-given-up") cents.delete(event.stepId)
    if (event.kind !== "intent") continue
    if (event.tool === "refund" || event.tool === "ship") expect(state).toBe("SELLING")
    if (event.tool === "wipe") expect(state).toBe("ADMIN")
    if (event.tool === "refund") cents.set(event.stepId, Number(event.args.cents))
    if (event.idempotencyKey === undefined || event.again !== undefined) continue
    expect(begun.has(event.idempotencyKey)).toBe(false)
    begun.add(event.idempotencyKey)
  }
  expect([...cents.values()].reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(10_000)
}
