/** What becomes of an effect whose answer was lost, for each way that a tool can be settled; each rule with what it must not do. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { compile } from "sequitur"
import { execute, type RunReport, reconciled, resume } from "sequitur/run"
import { describe, expect } from "vitest"
import { replay } from "../../src/journal/state.ts"
import { next } from "../../src/run/next/next.ts"
import { prepare, type ReadyPlan } from "../../src/run/next/prepare.ts"
import { promptMs } from "../../src/run/next/settle.ts"
import {
  boxOn,
  catalog,
  finalAfterMs,
  type Instead,
  kindsOf,
  makeOutside,
  openStore,
  retentionMs,
  settle,
  silence,
} from "./counter.ts"
import { accepted, principal } from "./desk.ts"

const scope = { principal, sessionId: "s", taskId: "t", runId: "run" }

const planOf = (tool: string) =>
  accepted(compile(catalog, JSON.stringify({ version: 1, steps: [{ id: "pay", tool, args: { invoice: "i1" } }] })))

const pass = (ms: number) => Effect.andThen(TestClock.adjust(ms), settle)

/** A process that dies in its call (`applied` or not), and another that takes the run up `afterMs` later. */
const crash = (tool: string, applied: boolean, afterMs: number, instead: Instead = {}) =>
  Effect.gen(function* () {
    const outside = makeOutside()
    const { provide, journal } = yield* openStore
    const dies = boxOn(outside, {
      call: {
        [tool]: (key = "") => {
          if (applied) outside.applied.set(key, 1)
          return silence()
        },
      },
    })
    const dying = yield* Effect.forkChild(provide(execute(planOf(tool), { ...scope, catalog, tools: dies })))
    yield* settle
    dying.interruptUnsafe()
    yield* settle
    yield* pass(afterMs)
    const begun = provide(resume("run", { catalog, tools: boxOn(outside, instead), takeOver: true }))
    const fiber = yield* Effect.forkChild(begun)
    for (let tick = 0; tick < 12; tick++) yield* pass(tick < 4 ? 500 : 5_000)
    const report: RunReport | undefined =
      fiber.pollUnsafe() === undefined ? undefined : ((yield* Fiber.join(fiber)) as RunReport)
    const entries = yield* journal.read("run")
    const keys = new Set(outside.calls.map(({ key }) => key))
    return { report, outside, keys, kinds: kindsOf(entries), entries }
  })

describe("A082: a crash between the effect and its outcome", () => {
  for (const applied of [true, false]) {
    it.effect(`natural: it is called again (${applied ? "done" : "not done"})`, () =>
      Effect.gen(function* () {
        const { report, outside, keys } = yield* crash("natural", applied, 31_000)
        expect(report?.status).toBe("succeeded")
        expect([outside.calls.length, keys.size]).toEqual([2, 1])
      }),
    )

    it.effect(
      `key, within its retention: it is called again with the recorded key (${applied ? "done" : "not done"})`,
      () =>
        Effect.gen(function* () {
          const { report, outside, keys } = yield* crash("keyed", applied, 0)
          expect(report?.status).toBe("succeeded")
          expect([outside.calls.length, keys.size]).toEqual([2, 1])
        }),
    )

    it.effect(`none: it is not called again, and a person is asked (${applied ? "done" : "not done"})`, () =>
      Effect.gen(function* () {
        const { report, outside } = yield* crash("bare", applied, 0)
        expect(report?.status).toBe("in_doubt")
        expect(outside.calls).toHaveLength(1)
      }),
    )
  }
})

describe("A077, D20: the outside has forgotten the key, for its retention has passed", () => {
  // The call itself must end within the retention: a timeout of 1,000.
  for (const [afterMs, status, calls] of [
    [retentionMs - 1_001, "succeeded", 2],
    [retentionMs - 999, "in_doubt", 1],
    [retentionMs * 24, "in_doubt", 1],
  ] as const) {
    it.effect(`key alone: ${afterMs} ms after its first dispatch it is ${status}`, () =>
      Effect.gen(function* () {
        const { report, outside } = yield* crash("keyed", true, afterMs)
        expect([report?.status, outside.calls.length]).toEqual([status, calls])
      }),
    )
  }

  it.effect("key and reconcile: it is asked after, and not called again where it was applied", () =>
    Effect.gen(function* () {
      const { report, outside } = yield* crash("both", true, retentionMs, {
        reconcile: () => reconciled.applied({ id: "p_i1" }),
      })
      expect([report?.status, outside.calls.length, outside.asked.length]).toEqual(["succeeded", 1, 1])
    }),
  )

  it.effect(
    "a clock that was set back since the call was made does not tell how old the key is: it is not trusted again",
    () =>
      Effect.gen(function* () {
        for (const [tool, then] of [
          ["natural", "call-again"],
          ["keyed", "mark-in-doubt"],
          ["both", "reconcile"],
        ] as const) {
          const { entries } = yield* crash(tool, true, 0)
          const planned = prepare(planOf(tool), catalog as never) as ReadyPlan
          const decide = (...timesMs: readonly number[]) => {
            const [started, intent] = entries
            const taken = { kind: "taken-up", owner: "b", takeOver: false } as const
            const later = timesMs.map((atMs, index) => ({
              seq: index + 2,
              atMs,
              event: { ...taken, epoch: index + 2 },
            }))
            const state = replay("run", [started, { ...intent, atMs: 50_000 }, ...later] as never)
            return state instanceof Error ? state : next(planned, state).kind
          }
          expect(decide(50_000)).toBe(tool === "natural" ? then : "call-again")
          expect(decide(49_999)).toBe(then)
          // By the time that it shows again, it may be much older.
          expect(decide(1_000, 51_000)).toBe(then)
        }
      }),
  )

  it.effect("a clock that was set back since the call was made: what must have passed since passes from then on", () =>
    Effect.gen(function* () {
      const year = 365 * 86_400_000
      const { entries } = yield* crash("asked", true, 0)
      const [started, intent] = entries
      const planned = prepare(planOf("asked"), catalog as never) as ReadyPlan
      const takenUp = (epoch: number, atMs: number) => ({
        atMs,
        event: { kind: "taken-up", epoch, owner: "b", takeOver: false },
      })
      const answered = (askedAtMs: number, atMs = askedAtMs + 1) => ({
        atMs,
        event: { kind: "reconciled", stepId: "pay", answer: "not-applied", tookMs: 1, askedAtMs },
      })
      const decide = (...later: readonly object[]) => {
        const numbered = later.map((entry, index) => ({ seq: index + 2, ...entry }))
        const state = replay("run", [started, { ...intent, atMs: year }, ...numbered] as never)
        return state instanceof Error ? state : next(planned, state)
      }
      const finalMs = 1_000 + promptMs + finalAfterMs
      const took = takenUp(2, 1_000)
      expect(decide(took)).toMatchObject({ kind: "reconcile", notBeforeMs: undefined })
      expect(decide(took, answered(finalMs - 1))).toMatchObject({ kind: "reconcile", notBeforeMs: finalMs })
      expect(decide(took, answered(finalMs))).toMatchObject({ kind: "call-again" })
      // What was answered before the clock was right again says nothing of any later time, ...
      const early = takenUp(2, year)
      expect(decide(early, answered(year * 2), takenUp(3, 1_000))).toMatchObject({
        kind: "reconcile",
        notBeforeMs: finalMs,
      })
      // ... nor does what was asked before that, and answered after it.
      expect(decide(early, answered(year * 2, 1_000))).toMatchObject({ kind: "reconcile", notBeforeMs: finalMs })
    }),
  )

  it.effect("D20: no time alone turns a lost answer into `not done`", () =>
    Effect.gen(function* () {
      const { report, outside } = yield* crash("bare", true, 365 * 86_400_000)
      expect([report?.status, outside.calls.length]).toEqual(["in_doubt", 1])
    }),
  )
})

describe("reconcile", () => {
  it.effect("applied: its result stands, and nothing is called", () =>
    Effect.gen(function* () {
      const { report, outside } = yield* crash("asked", true, 0, {
        reconcile: () => reconciled.applied({ id: "mine" }),
      })
      expect(report).toMatchObject({ status: "succeeded", steps: { pay: { id: "mine" } } })
      expect([outside.calls.length, outside.asked.length]).toEqual([1, 1])
    }),
  )

  it.effect("A102: not applied so far: it is asked again once that is final, and then called by the same key", () =>
    Effect.gen(function* () {
      const { report, outside, keys } = yield* crash("asked", false, 0, { reconcile: () => reconciled.notApplied() })
      expect(report?.status).toBe("succeeded")
      expect([outside.calls.length, keys.size, outside.asked.length]).toEqual([2, 1, 2])
    }),
  )

  it.effect("A102: it says not applied, and the effect shows up before that is final: it is not called again", () =>
    Effect.gen(function* () {
      const { report, outside } = yield* crash("asked", true, 0, {
        reconcile: (_, asked) => (asked === 1 ? reconciled.notApplied() : reconciled.applied({ id: "late" })),
      })
      expect(report).toMatchObject({ status: "succeeded", steps: { pay: { id: "late" } } })
      expect([outside.calls.length, outside.asked.length]).toEqual([1, 2])
    }),
  )

  it.effect(
    "not applied, asked before that was final and heard after it: it is asked again, and finds what came meanwhile",
    () =>
      Effect.gen(function* () {
        const slowly = Effect.delay(Effect.succeed(reconciled.notApplied()), 900) as never
        const { report, outside, entries } = yield* crash("asked", true, finalAfterMs + promptMs - 500, {
          reconcile: (_, asked) => (asked === 1 ? slowly : reconciled.applied({ id: "late" })),
        })
        expect(report).toMatchObject({ status: "succeeded", steps: { pay: { id: "late" } } })
        expect([outside.calls.length, outside.asked.length]).toEqual([1, 2])
        const asked = entries.flatMap(({ atMs, event }) => (event.kind === "reconciled" ? [{ atMs, event }] : []))
        expect(asked.map(({ atMs, event }) => atMs - (event.askedAtMs ?? 0))).toEqual([900, 0])
      }),
  )

  it.effect("not applied, asked after it was final: it is called at once", () =>
    Effect.gen(function* () {
      const { report, outside } = yield* crash("asked", false, finalAfterMs + promptMs, {
        reconcile: () => reconciled.notApplied(),
      })
      expect([report?.status, outside.calls.length, outside.asked.length]).toEqual(["succeeded", 2, 1])
    }),
  )

  it.effect("barred: it never happens by that key, so it is called under a new one", () =>
    Effect.gen(function* () {
      const { report, outside, keys } = yield* crash("asked", false, 0, { reconcile: () => reconciled.barred() })
      expect([report?.status, outside.calls.length, keys.size]).toEqual(["succeeded", 2, 2])
    }),
  )

  it.effect("A102: unknown, or no answer at all, three times: a person is asked", () =>
    Effect.gen(function* () {
      for (const reconcile of [() => reconciled.unknown("down"), silence]) {
        const { report, outside } = yield* crash("asked", true, 0, { reconcile })
        expect([report?.status, outside.calls.length, outside.asked.length]).toEqual(["in_doubt", 1, 3])
      }
    }),
  )

  it.effect("a result of the wrong shape: it happened, is kept as done, and fails the run", () =>
    Effect.gen(function* () {
      const { report } = yield* crash("asked", true, 0, { reconcile: () => reconciled.applied({ id: 7 } as never) })
      expect(report).toMatchObject({ status: "failed", failure: { tag: "ResultMismatch" } })
    }),
  )
})
