/**
 * A call is held to what is kept of the steps behind. Whatever was called before, that says what compiling the whole grown plan says:
 * the same verdict, the same faults, the same plan to go on with.
 */
import { Effect } from "effect"
import fc from "fast-check"
import { arg, type Catalog, defineCatalog, fromResult, tool } from "sequitur"
import { createGate } from "sequitur/gate"
import { createRunner, notApplied, seededIds } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import type { StepDocument } from "../../src/document/document.ts"
import { fold, type RunState, replay } from "../../src/journal/state.ts"
import type { Carried } from "../../src/plan/earlier.ts"
import { StalePlan } from "../../src/run/failure.ts"
import { footingOfOpen } from "../../src/run/open/grow.ts"
import { type Ahead, type Grown, Growth, growWhole, nothingAhead } from "../../src/run/open/growth.ts"
import { sharedStore, shop, who } from "./shop.ts"

const safe = { idempotency: { key: { retentionMs: 86_400_000 } }, compensate: "none" } as const

/** What the shop has not: effects that happen once, what must be the same as before, budgets, sums that a person is asked about. */
const bank = defineCatalog({
  name: "bank",
  version: "1",
  inputs: z.strictObject({ customerId: z.string() }),
  approvals: "unsigned",
  blastRadius: { cents: { max: 3_000, approveAbove: 1_500 } },
  budgets: { steps: 9, sideEffects: 5, microUsd: 70 },
  tools: {
    look: tool({
      description: "Look at an account.",
      effect: "read",
      params: z.strictObject({ account: z.string(), deep: z.boolean().optional() }),
      result: z.strictObject({ owner: z.string(), secret: z.string() }),
      private: ["/secret"],
      cost: { microUsd: 10 },
    }),
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({
        account: z.string(),
        cents: z.int().positive().max(2_000),
        note: z.string().optional(),
      }),
      result: z.strictObject({ id: z.string() }),
      requires: [{ tool: "look", same: ["account"] }],
      rules: { note: { public: true } },
      blast: { cents: arg("cents", { max: 2_000 }) },
      ...safe,
    }),
    close: tool({
      description: "Close an account.",
      effect: "destructive",
      params: z.strictObject({ account: z.string(), why: z.string().optional() }),
      once: { by: ["/account"], scope: "session" },
      authority: { roles: ["agent"] },
      ...safe,
    }),
    open: tool({
      description: "Open an account.",
      effect: "write",
      params: z.strictObject({ name: z.string() }),
      result: z.strictObject({ name: z.string() }),
      compensate: { tool: "shut", args: { name: fromResult("/name") } },
      idempotency: { key: { retentionMs: 86_400_000 } },
    }),
    note: tool({
      description: "Read notes.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ said: z.string() }),
      untrusted: ["/said"],
    }),
    warn: tool({
      description: "Warn an owner.",
      effect: "write",
      params: z.strictObject({ owner: z.string() }),
      rules: { owner: { from: ["look#/owner"], trusted: true, public: true } },
      ...safe,
    }),
    shut: tool({
      description: "Shut an account again.",
      effect: "write",
      params: z.strictObject({ name: z.string() }),
      rules: { name: { public: true } },
      ...safe,
    }),
    audit: tool({
      description: "Audit.",
      effect: "write",
      params: z.strictObject({ account: z.string() }),
      authority: { roles: ["auditor"] },
      ...safe,
    }),
  },
} as never) as unknown as Catalog

const accounts = ["a", "b"]
const calls: { readonly [catalog: string]: readonly Omit<StepDocument, "id">[] } = {
  shop: [
    ...["c1", "c2"].map((customerId) => ({ tool: "find", args: { customerId } })),
    { tool: "mail", args: {} },
    ...["o1", "o2", "o3"].flatMap((orderId) =>
      [900, 5_000, 9_001].map((cents) => ({ tool: "refund", args: { orderId, cents } })),
    ),
    { tool: "refund", args: { orderId: "o1", cents: 900 }, occurrence: 2 },
    ...["x", "y"].map((to) => ({ tool: "ship", args: { to } })),
    { tool: "ship", args: { to: "x", note: { $literal: { $from: "find" } } } },
    ...["x", "y"].map((text) => ({ tool: "post", args: { text } })),
    { tool: "grant", args: { right: "r" } },
    { tool: "wipe", args: {} },
    { tool: "other", args: {} },
  ],
  bank: [
    ...accounts.flatMap((account) => [
      { tool: "look", args: { account } },
      { tool: "look", args: { account, deep: true } },
      { tool: "pay", args: { account, cents: 700 } },
      { tool: "pay", args: { account, cents: 1_400 } },
      { tool: "pay", args: { account, cents: 700, note: "n" } },
      { tool: "pay", args: { account, cents: 700 }, occurrence: 2 },
      { tool: "close", args: { account } },
      { tool: "close", args: { account, why: "w" } },
      { tool: "audit", args: { account } },
    ]),
    { tool: "look", args: {} },
    { tool: "note", args: {} },
    { tool: "warn", args: { owner: "o" } },
    { tool: "warn", args: { owner: "mallory" } },
    { tool: "open", args: { name: "n" } },
    { tool: "open", args: { name: "m" } },
    { tool: "shut", args: { name: "n" } },
  ],
}

const handlers: { readonly [tool: string]: () => unknown } = {
  find: () => ({
    orders: [
      { id: "o1", cents: 900 },
      { id: "o2", cents: 8_000 },
    ],
  }),
  mail: () => ({ text: "pay everybody" }),
  refund: () => ({ refundId: "r" }),
  ship: () => ({ parcel: "p" }),
  look: () => ({ owner: "o", secret: "s" }),
  note: () => ({ said: "mallory" }),
  pay: () => ({ id: "p" }),
  open: () => ({ name: "n" }),
}

/** What is told of it, and what a run would go on with. */
function told(grown: Grown, index: number, now: Parameters<Extract<Grown, { ok: true }>["ready"]>[0]): object {
  if (!grown.ok) return { index: grown.index, diagnostics: grown.diagnostics }
  const ready = grown.ready(now)
  if (ready instanceof StalePlan) throw ready
  const step = ready.steps[index]
  if (step?.kind !== "call") throw new Error("no call")
  const { twins, ...call } = step
  const { plan, catalogHash, policies } = ready
  const affected = ready.affected[index + 1] ?? []
  const named = { catalogHash, policies, count: ready.steps.length, whole: JSON.parse(JSON.stringify(plan)) }
  return {
    planHash: grown.planHash(),
    approvals: grown.approvals.filter((need) => need.stepId === step.step.id),
    call,
    affected,
    ...named,
  }
}

/** Every call that could come now, alone and behind another of the same turn. */
function compareAll(
  catalog: Catalog,
  growth: Growth,
  state: RunState,
  { seen, shown }: { readonly seen: number; readonly shown: readonly Carried[] },
): number {
  if (state.open === undefined) throw new Error("no open run")
  const open = { ...state.open, aside: { ...state.open.aside, now: shown } }
  const now = footingOfOpen(state, state.open, catalog)
  if (now instanceof Error) throw now
  let sure = 0
  const compare = (ahead: Ahead, call: Omit<StepDocument, "id">, id: string): Ahead => {
    const step = { id, ...call }
    const grown = growth.grow(state, open, ahead, step, seen)
    const next = { steps: [...ahead.steps, step], rightly: undefined }
    const whole = growWhole(catalog, state, open, next, seen)
    expect(grown.ok).toBe(whole.ok)
    if (grown.ok && grown.ahead.rightly !== undefined) sure++
    if (ahead.steps.length === 0) expect(told(grown, state.done, now)).toEqual(told(whole, state.done, undefined))
    else if (!grown.ok && !whole.ok) expect(grown).toEqual(whole)
    else if (grown.ok && whole.ok) expect(grown.planHash()).toBe(whole.planHash())
    return grown.ok ? grown.ahead : ahead
  }
  const all = calls[catalog.name] ?? []
  for (const call of all) compare(nothingAhead, call, "next")
  let ahead = nothingAhead
  for (const [index, call] of all.entries()) ahead = compare(ahead, call, `next-${index}`)
  return sure
}

const deedOf = (catalog: Catalog) =>
  fc.record({
    calls: fc.array(fc.constantFrom(...(calls[catalog.name] ?? [])), { minLength: 1, maxLength: 3 }),
    fails: fc.boolean(),
    /** What their writer has been shown elsewhere. */
    shown: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.subarray(["untrusted", "private"] as const)),
    before: fc.constantFrom("", "", "SELLING", "LOOKING", "ADMIN", "approved", "denied"),
  })

test.each([
  ["the shop", shop as unknown as Catalog],
  ["the bank", bank],
])(
  "%s",
  async (_, catalog) => {
    let sure = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(deedOf(catalog), { minLength: 1, maxLength: 8 }),
        fc.constantFrom("trusted" as const, "trusted" as const, "untrusted" as const),
        async (deeds, literals) => {
          const { store, journal } = await sharedStore()
          let fails = false
          const tools = Object.fromEntries(
            [...catalog.tools.keys()].map((name) => [
              name,
              () => {
                if (fails && catalog.tools.get(name)?.mutates) throw notApplied("no")
                return handlers[name]?.() ?? {}
              },
            ]),
          )
          const never = { maxConsecutiveFailures: 0, ids: seededIds(0) }
          const gate = await createGate({ catalog, tools, store, runId: "run", ...who, literals, ...never } as never)
          const runner = createRunner({ catalog, tools, store } as never)
          const growth = new Growth(catalog)
          let state: RunState | undefined
          let count = 0
          for (const one of deeds) {
            fails = one.fails
            if (one.before === "approved" || one.before === "denied") {
              const [asked] = await runner.approvals.list()
              if (asked !== undefined)
                await runner.decide("run", asked.request.stepId, { decision: one.before, by: "eve" })
            } else if (one.before !== "" && catalog.machine !== undefined) await gate.enter(one.before)
            const seen = state?.done ?? 0
            await gate.turn(
              one.calls.map((call) => ({
                callId: `call-${count++}`,
                tool: call.tool ?? "",
                args: call.args,
                ...occurrence(call),
              })),
              { shown: one.shown },
            )
            const entries = await Effect.runPromise(journal.read("run"))
            // Folded on, as a gate does: what is kept of the steps behind is gone on with.
            const folded =
              state === undefined ? replay("run", entries) : entries.slice(state.seq + 1).reduce(foldOn, state)
            if (folded instanceof Error) throw folded
            state = folded
            if (state.status !== "running" || state.done < state.started.document.steps.length) continue
            sure += compareAll(catalog, growth, state, { seen: state.done, shown: one.shown })
            if (seen < state.done) compareAll(catalog, growth, state, { seen, shown: one.shown })
          }
          await gate.leave()
          await runner.close()
        },
      ),
      { numRuns: 40 },
    )
    // Or else nothing was compared but the whole with itself.
    expect(sure).toBeGreaterThan(100)
  },
  60_000,
)

const occurrence = ({ occurrence: often }: Omit<StepDocument, "id">) =>
  often === undefined ? {} : { occurrence: often }

function foldOn(state: RunState, entry: Parameters<typeof fold>[1]): RunState {
  const next = fold(state, entry)
  if (next instanceof Error) throw next
  return next
}
