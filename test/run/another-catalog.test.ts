/** What was begun is settled, undone and ended by its journal, whatever has become of its catalog; and late truths are told. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { compile } from "sequitur"
import { cancel, deny, execute, type RunEntry, reconciled, resume } from "sequitur/run"
import { describe, expect } from "vitest"
import { promptMs } from "../../src/run/next/settle.ts"
import {
  boxOn,
  catalogWith,
  finalAfterMs,
  type Instead,
  makeOutside,
  openStore,
  silence,
  spec,
  tools,
} from "./counter.ts"
import { accepted, principal } from "./desk.ts"

const machine = {
  initial: "A",
  transitions: { A: { B: { guard: "approval" } }, B: { A: {} } },
} as const
const states = { states: ["A", "B"] } as const
const staged = Object.fromEntries(Object.entries(tools).map(([name, one]) => [name, { ...one, ...states }]))

const before = catalogWith({ approvals: "unsigned", machine, tools: staged as never, budgets: { deadlineMs: 60_000 } })
const after = catalogWith({ approvals: "unsigned", machine, tools: staged as never, budgets: { deadlineMs: 60_001 } })

const steps = [
  { id: "pay", tool: "keyed", args: { invoice: "i1" } },
  { id: "open", transition: "B" },
  { id: "more", tool: "keyed", args: { invoice: "i2" } },
]
const plan = accepted(compile(before, JSON.stringify({ version: 1, steps })))

/** A run that has paid, and waits for a person. */
const waiting = Effect.gen(function* () {
  const { provide, journal } = yield* openStore
  const outside = makeOutside()
  const old = { catalog: before, tools: boxOn(outside, {}, before) }
  const now = { catalog: after, tools: boxOn(outside, {}, after) }
  const run = provide(execute(plan, { principal, sessionId: "s", taskId: "t", runId: "a", ...old }))
  expect(yield* run).toMatchObject({ status: "awaiting_approval" })
  return { provide, journal, outside, now }
})

const paidAndBack = { effects: [{ stepId: "pay", tool: "keyed", state: "undone" }] } as const

describe("a run whose catalog has changed", () => {
  it.effect("is denied, undone and ended", () =>
    Effect.gen(function* () {
      const { provide, now } = yield* waiting
      const denied = yield* provide(deny("a", "open", { by: "bob", ...now }))
      expect(denied).toMatchObject({ status: "failed", failure: { tag: "ApprovalDenied" }, ...paidAndBack })
    }),
  )

  it.effect("is cancelled, undone and ended", () =>
    Effect.gen(function* () {
      const { provide, now } = yield* waiting
      const cancelled = yield* provide(cancel("a", { by: "bob", ...now }))
      expect(cancelled).toMatchObject({ status: "cancelled", ...paidAndBack })
    }),
  )

  it.effect("ends at its deadline, which is that of the catalog it began with", () =>
    Effect.gen(function* () {
      const { provide, now } = yield* waiting
      yield* TestClock.adjust(60_000)
      expect(yield* Effect.flip(provide(resume("a", now)))).toMatchObject({ _tag: "StalePlan" })
      yield* TestClock.adjust(1)
      const late = yield* provide(resume("a", now))
      expect(late).toMatchObject({ status: "exhausted", failure: { tag: "BudgetExhausted" }, ...paidAndBack })
    }),
  )
})

describe("a call that answers after it was settled otherwise", () => {
  /** The first call hangs until it is told to answer; whoever is asked calls its key barred. */
  const run = (instead: Instead) =>
    Effect.gen(function* () {
      const { provide, journal } = yield* openStore
      const outside = makeOutside()
      const heard: RunEntry[] = []
      const of = catalogWith({ ...spec })
      const asked = accepted(
        compile(of, JSON.stringify({ version: 1, steps: [{ id: "pay", tool: "asked", args: { invoice: "i1" } }] })),
      )
      const onEvent = (entry: RunEntry): void => void heard.push(entry)
      const box = { catalog: of, tools: boxOn(outside, instead, of), onEvent }
      const go = provide(execute(asked, { principal, sessionId: "s", taskId: "t", runId: "a", ...box }))
      return { go, outside, heard, entries: journal.read("a") }
    })

  it.effect("is told to whoever listens, and reported; and nothing more is called", () =>
    Effect.gen(function* () {
      let answer: (value: unknown) => void = () => {}
      let calls = 0
      const call = () => (++calls === 1 ? new Promise((resolve) => (answer = resolve)) : silence())
      const { go, outside, heard, entries } = yield* run({
        call: { asked: call },
        reconcile: () => reconciled.barred(),
      })
      const fiber = yield* Effect.forkChild(go)
      // It is late, called barred, and called anew; then the first one answers.
      yield* TestClock.adjust(2_200)
      expect(outside.calls).toHaveLength(2)
      answer({ id: "late" })
      yield* TestClock.adjust(3 * (finalAfterMs + promptMs))
      const report = yield* Fiber.join(fiber)
      expect(report).toMatchObject({ status: "failed", failure: { code: "RUN114" } })
      expect(outside.calls).toHaveLength(2)
      expect(report.contradictions).toMatchObject([{ stepId: "pay", attempt: 1 }])
      expect(report.effects).toEqual([{ stepId: "pay", tool: "asked", state: "done" }])
      const kept = (yield* entries).map(({ seq, event }) => [seq, event.kind])
      expect(heard.map(({ seq, event }) => [seq, event.kind])).toEqual(kept)
    }),
  )

  it.effect("barred again and again, it is not called for ever, and not at once", () =>
    Effect.gen(function* () {
      const { go, outside } = yield* run({
        call: {
          asked: () => {
            throw new Error("the line went dead")
          },
        },
        reconcile: () => reconciled.barred(),
      })
      const fiber = yield* Effect.forkChild(go)
      yield* TestClock.adjust(1)
      expect(outside.calls).toHaveLength(1)
      yield* TestClock.adjust(60_000)
      const report = yield* Fiber.join(fiber)
      expect(report).toMatchObject({ status: "failed", failure: { tag: "CallInterrupted" } })
      expect(outside.calls).toHaveLength(3)
      expect(new Set(outside.calls.map(({ key }) => key)).size).toBe(3)
    }),
  )
})
