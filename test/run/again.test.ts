/**
 * Once more: how often and when a lost answer is asked for again, what a handler may ask for itself, and what a person may when
 * all that is used up. Found by somebody whose payment service was down for a minute.
 */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type CatalogSpec, type CompiledPlan, compile } from "sequitur"
import {
  execute,
  notApplied,
  type Resolution,
  type RunFailure,
  type RunReport,
  reconciled,
  resolve,
  resume,
} from "sequitur/run"
import { describe, expect } from "vitest"
import type { Event } from "../../src/journal/entry.ts"
import { misshapen } from "../../src/journal/event-shape.ts"
import { replay } from "../../src/journal/state.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { rederive } from "../../src/run/rederive.ts"
import { footingFor } from "../../src/run/run.ts"
import {
  boxOn,
  catalog,
  catalogWith,
  type Instead,
  makeOutside,
  openStore,
  retentionMs,
  settle,
  tools,
} from "./counter.ts"
import { accepted, principal } from "./desk.ts"

const fail = (said = "503") => {
  throw new Error(said)
}

const planOf = (of: typeof catalog, names: readonly string[]): CompiledPlan =>
  accepted(
    compile(
      of,
      JSON.stringify({
        version: 1,
        steps: names.map((tool, index) => ({ id: `s${index}`, tool, args: { invoice: `i${index}` } })),
      }),
    ),
  )

/** A store, an outside and a clock of their own; each door is waited for, second by second. */
const office = (of = catalog) =>
  Effect.gen(function* () {
    const { provide, journal } = yield* openStore
    const outside = makeOutside()
    const through = <A, E>(effect: Effect.Effect<A, E>, seconds = 200) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(effect)
        yield* settle
        for (let tick = 0; tick < seconds && fiber.pollUnsafe() === undefined; tick++)
          yield* Effect.andThen(TestClock.adjust(1_000), settle)
        return yield* Fiber.join(fiber)
      })
    const doors = (instead: Instead = {}) => {
      const box = { catalog: of, tools: boxOn(outside, instead, of) }
      return {
        box,
        run: (...names: readonly string[]): Effect.Effect<RunReport, RunFailure> =>
          through(
            provide(
              execute(planOf(of, names), { principal, sessionId: "s", taskId: "t", runId: "run", ...box }),
            ) as Effect.Effect<RunReport, RunFailure>,
          ),
        resume: () => through(provide(resume("run", box))),
        resolve: (stepId: string, word: object) =>
          through(
            provide(
              resolve("run", stepId, { by: "bob", reason: "looked", ...word, ...box } as Resolution & typeof box),
            ),
          ),
      }
    }
    const entries = journal.read("run")
    const events = Effect.map(entries, (all) => all.map(({ event }) => event))
    /** It verifies with its tables, and follows from its plan. */
    const sound = (instead: Instead = {}) =>
      Effect.gen(function* () {
        expect((yield* journal.inspect((whole) => verifyStore(whole))).findings).toEqual([])
        const all = yield* entries
        const started = only(yield* events, "run-started")[0]
        for (const { seq, event } of all)
          expect(misshapen(event, seq === 0 ? undefined : started), event.kind).toBeUndefined()
        const state = replay("run", all)
        if (state instanceof Error) throw state
        const ready = footingFor(state, doors(instead).box.tools)
        if (ready instanceof Error) throw ready
        expect(rederive(ready, "run", all)).toMatchObject({ status: state.status })
      })
    return { outside, doors, entries, events, sound, journal }
  })

type Kind<K extends Event["kind"]> = Extract<Event, { kind: K }>
const only = <K extends Event["kind"]>(events: readonly Event[], kind: K): readonly Kind<K>[] =>
  events.filter((event): event is Kind<K> => event.kind === kind)
const pausesIn = (events: readonly Event[]): readonly (number | undefined)[] =>
  events.flatMap((event) =>
    event.kind === "answer-lost" || event.kind === "attempt-failed" || event.kind === "reconciled"
      ? [event.again?.afterMs]
      : [],
  )

const word = (answer: object) => answer

describe("a lost answer", () => {
  it.effect("is asked for again after a second or so, then after four: an outage outlasts milliseconds", () =>
    Effect.gen(function* () {
      for (const tool of ["natural", "keyed"]) {
        const { doors, events, outside, sound } = yield* office()
        expect(yield* doors({ call: { [tool]: () => fail() } }).run(tool)).toMatchObject({ status: "in_doubt" })
        const [first = 0, second = 0, third] = pausesIn(yield* events)
        expect(first).toBeGreaterThanOrEqual(500)
        expect(first).toBeLessThanOrEqual(1_000)
        expect(second).toBeGreaterThanOrEqual(2_000)
        expect(second).toBeLessThanOrEqual(4_000)
        expect(third).toBeUndefined()
        expect(outside.calls).toHaveLength(3)
        yield* sound()
      }
    }),
  )

  const withRetry = (retry: object, budgets: CatalogSpec["budgets"] = {}) =>
    catalogWith({
      budgets,
      tools: {
        ...tools,
        look: { ...tools.look, retry },
        keyed: { ...tools.keyed, retry },
        asked: { ...tools.asked, retry },
        bare: { ...tools.bare, retry },
        unpay: { ...tools.unpay, retry },
      } as never,
    })

  it.effect("is asked for as often as the tool says, with its pauses, and the journal keeps what it said", () =>
    Effect.gen(function* () {
      for (const times of [1, 2, 5]) {
        const made = yield* office(withRetry({ times, backoffMs: 10, maxBackoffMs: 20 }))
        expect(yield* made.doors({ call: { keyed: () => fail() } }).run("keyed")).toMatchObject({ status: "in_doubt" })
        expect(made.outside.calls).toHaveLength(times)
        const events = yield* made.events
        for (const pause of pausesIn(events).slice(0, -1)) expect(pause).toBeLessThanOrEqual(20)
        const [started] = only(events, "run-started")
        expect(started?.tools.keyed?.retry).toEqual({ times, backoffMs: 10, maxBackoffMs: 20 })
        yield* made.sound()
      }
    }),
  )

  it.effect("so are a read, and the question what became of it", () =>
    Effect.gen(function* () {
      const reads = yield* office(withRetry({ times: 5, backoffMs: 10 }))
      expect(yield* reads.doors({ call: { look: () => fail() } }).run("look")).toMatchObject({ status: "failed" })
      expect(reads.outside.calls).toHaveLength(5)
      const asks = yield* office(withRetry({ times: 4, backoffMs: 10 }))
      expect(yield* asks.doors({ call: { asked: () => fail() } }).run("asked")).toMatchObject({ status: "in_doubt" })
      expect([asks.outside.calls.length, asks.outside.asked.length]).toEqual([1, 4])
      yield* asks.sound()
    }),
  )

  it.effect("while its key is still good: a pause that would outlast it is cut short", () =>
    Effect.gen(function* () {
      const { doors, outside, entries, sound } = yield* office(withRetry({ times: 3, backoffMs: 120_000 }))
      expect(yield* doors({ call: { keyed: () => fail() } }).run("keyed")).toMatchObject({ status: "in_doubt" })
      expect(outside.calls).toHaveLength(3)
      const atMs = (yield* entries).flatMap(({ event, atMs }) => (event.kind === "intent" ? [atMs] : []))
      const [first = 0, second = 0, third = 0] = atMs
      expect(second - first).toBeGreaterThan(retentionMs - 10_000)
      expect(third - first).toBeLessThanOrEqual(retentionMs - 1_000)
      yield* sound()
    }),
  )

  it.effect("is not sat out for longer than a minute: the run is let go of until it is due", () =>
    Effect.gen(function* () {
      const made = yield* office(
        catalogWith({
          tools: { ...tools, natural: { ...tools.natural, retry: { backoffMs: 120_000 } } } as never,
        }),
      )
      const down = made.doors({ call: { natural: () => fail() } })
      expect(yield* down.run("natural")).toMatchObject({ status: "running" })
      expect(made.outside.calls).toHaveLength(1)
      const nowMs = yield* Effect.clockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
      expect(yield* made.journal.due(nowMs, 10)).toEqual([])
      // Whoever takes it up before that finds nothing to do.
      expect(yield* down.resume()).toMatchObject({ status: "running" })
      yield* TestClock.adjust(120_000)
      expect(yield* made.journal.due(nowMs + 120_000, 10)).toEqual(["run"])
      expect(yield* made.doors().resume()).toMatchObject({ status: "succeeded" })
      expect(new Set(made.outside.calls.map(({ key }) => key)).size).toBe(1)
    }),
  )
})

describe("a person has it asked for once more", () => {
  for (const tool of ["natural", "keyed"]) {
    it.effect(`${tool}: called at once, by the recorded key, and as often again`, () =>
      Effect.gen(function* () {
        const { doors, outside, events, sound } = yield* office()
        const down = doors({ call: { [tool]: () => fail() } })
        expect(yield* down.run(tool)).toMatchObject({ status: "in_doubt" })
        for (let round = 1; round <= 4; round++) {
          expect(yield* down.resolve("s0", { retry: true })).toMatchObject({ status: "in_doubt" })
          expect(outside.calls).toHaveLength(3 + 3 * round)
        }
        const report = yield* doors().resolve("s0", { retry: true, reason: "it is back" })
        expect(report).toMatchObject({ status: "succeeded", steps: { s0: { id: "p_i0" } } })
        expect(new Set(outside.calls.map(({ key }) => key)).size).toBe(1)
        expect([...outside.applied.values()]).toEqual([1])
        expect(only(yield* events, "resolved").at(-1)).toMatchObject({
          answer: "again",
          by: "bob",
          reason: "it is back",
        })
        yield* sound()
      }),
    )
  }

  it.effect("and however often that was, a later word is acted on all the same", () =>
    Effect.gen(function* () {
      const { doors, outside, sound } = yield* office()
      const down = doors({ call: { keyed: () => fail() } })
      expect(yield* down.run("keyed")).toMatchObject({ status: "in_doubt" })
      for (let round = 1; round <= 3; round++)
        expect(yield* down.resolve("s0", { retry: true })).toMatchObject({ status: "in_doubt" })
      expect(outside.calls).toHaveLength(12)
      expect(yield* doors().resolve("s0", { notApplied: true })).toMatchObject({ status: "succeeded" })
      expect(new Set(outside.calls.map(({ key }) => key)).size).toBe(2)
      yield* sound()
    }),
  )

  it.effect("asked: it is asked after again", () =>
    Effect.gen(function* () {
      const { doors, outside, sound } = yield* office()
      const lost = { call: { asked: () => fail() } }
      expect(yield* doors(lost).run("asked")).toMatchObject({ status: "in_doubt" })
      expect(yield* doors(lost).resolve("s0", { retry: true })).toMatchObject({ status: "in_doubt" })
      expect(outside.asked).toHaveLength(6)
      const told = doors({ ...lost, reconcile: () => reconciled.applied({ id: "mine" }) })
      expect(yield* told.resolve("s0", { retry: true })).toMatchObject({ status: "succeeded" })
      expect([outside.asked.length, outside.calls.length]).toEqual([7, 1])
      yield* sound()
    }),
  )

  it.effect("not where its key may be forgotten by the end of the call, nor where there is none", () =>
    Effect.gen(function* () {
      for (const [tool, elapsedMs, why] of [
        ["bare", 0, "`bare` takes no key, and cannot be asked"],
        ["keyed", retentionMs, "`keyed` would have forgotten its key before another call were over"],
      ] as const) {
        const { doors, events, outside } = yield* office()
        const lost = doors({ call: { [tool]: () => fail() } })
        expect(yield* lost.run(tool)).toMatchObject({ status: "in_doubt" })
        yield* TestClock.adjust(elapsedMs)
        const [before, calls] = [(yield* events).length, outside.calls.length]
        const refused = yield* Effect.flip(doors().resolve("s0", { retry: true }))
        expect(refused).toMatchObject({
          _tag: "WordRefused",
          code: "RUN211",
          message: `step \`s0\` of run \`run\` cannot be called again: ${why}`,
        })
        expect(refused.hint).toContain("`notApplied`")
        expect([(yield* events).length, outside.calls.length]).toEqual([before, calls])
      }
    }),
  )

  it.effect("a key past its retention whose tool can be asked is asked after", () =>
    Effect.gen(function* () {
      const { doors, outside } = yield* office()
      const lost = { call: { both: () => fail() } }
      expect(yield* doors(lost).run("both")).toMatchObject({ status: "in_doubt" })
      yield* TestClock.adjust(retentionMs)
      const told = doors({ ...lost, reconcile: () => reconciled.applied({ id: "mine" }) })
      const calls = outside.calls.length
      expect(yield* told.resolve("s0", { retry: true })).toMatchObject({ status: "succeeded" })
      expect(outside.calls).toHaveLength(calls)
    }),
  )

  it.effect("one answer, and a clear one", () =>
    Effect.gen(function* () {
      const { doors, events } = yield* office()
      expect(yield* doors({ call: { bare: () => fail() } }).run("bare")).toMatchObject({ status: "in_doubt" })
      const before = (yield* events).length
      for (const [answer, said] of [
        [word({}), "are all missing"],
        [
          word({ retry: true, notApplied: true }),
          "`notApplied` and `retry` of this run are given, and are no one answer",
        ],
        [word({ retry: "yes" }), "`retry` of this run must be `true`, but is a string"],
        [word({ giveUp: false }), "`giveUp` of this run must be `true`, but is a boolean"],
      ] as const) {
        const refused = yield* Effect.flip(doors().resolve("s0", answer))
        expect(refused).toMatchObject({ _tag: "InputsRefused" })
        expect(refused.message).toContain(said)
      }
      expect(yield* events).toHaveLength(before)
    }),
  )
})

describe("an undo that cannot succeed", () => {
  const stuck: Instead = {
    call: {
      bare: () => {
        throw notApplied("no funds")
      },
      unpay: () => fail("410 gone"),
    },
  }

  it.effect("is left undone by a person's word: told as such, and the run undoes the rest and ends", () =>
    Effect.gen(function* () {
      const { doors, events, sound } = yield* office()
      let undos = 0
      // The first of two undos, of the later step, is the one that never works.
      const once = doors({ call: { ...stuck.call, unpay: () => (++undos > 3 ? null : fail("410 gone")) } })
      expect(yield* once.run("natural", "keyed", "bare")).toMatchObject({ status: "in_doubt" })
      const report = yield* once.resolve("s1", { giveUp: true, reason: "the endpoint is gone" })
      expect(report).toMatchObject({
        status: "failed",
        failure: { tag: "StepFailed" },
        effects: [
          { stepId: "s0", state: "undone" },
          { stepId: "s1", state: "undo-failed", failure: { tag: "UndoFailed", code: "RUN113" } },
        ],
      })
      expect(report.effects[1]?.failure?.message).toContain("`bob` gave it up: the endpoint is gone")
      expect(only(yield* events, "resolved")).toMatchObject([{ answer: "given-up", undoes: true }])
      yield* sound()
    }),
  )

  it.effect("and what it would undo stands, and is used", () =>
    Effect.gen(function* () {
      const { doors, journal } = yield* office()
      const broken = doors(stuck)
      expect(yield* broken.run("keyed", "bare")).toMatchObject({ status: "in_doubt" })
      expect(yield* broken.resolve("s0", { giveUp: true })).toMatchObject({ status: "failed" })
      const [first] = (yield* journal.read("run")).flatMap(({ event }) => (event.kind === "intent" ? [event] : []))
      const row = yield* journal.effect("acme", first?.idempotencyKey ?? "")
      expect(row).toMatchObject({ state: "applied" })
    }),
  )

  it.effect("may be tried again too, by its own key", () =>
    Effect.gen(function* () {
      const { doors, outside, sound } = yield* office()
      expect(yield* doors(stuck).run("keyed", "bare")).toMatchObject({ status: "in_doubt" })
      const back = doors({ call: { bare: stuck.call?.bare ?? (() => null) } })
      expect(yield* back.resolve("s0", { retry: true })).toMatchObject({ effects: [{ state: "undone" }] })
      const undos = outside.calls.filter(({ tool }) => tool === "unpay")
      expect([undos.length, new Set(undos.map(({ key }) => key)).size]).toEqual([4, 1])
      yield* sound()
    }),
  )

  it.effect("and what is no undo is not given up", () =>
    Effect.gen(function* () {
      const { doors } = yield* office()
      expect(yield* doors({ call: { bare: () => fail() } }).run("bare")).toMatchObject({ status: "in_doubt" })
      const refused = yield* Effect.flip(doors().resolve("s0", { giveUp: true }))
      expect(refused).toMatchObject({ _tag: "WordRefused", code: "RUN211" })
      expect(refused.message).toContain("cannot be given up: `bare` undoes nothing there")
    }),
  )
})

describe("notApplied(…, { retryAfterMs })", () => {
  const busy = (times: number, retryAfterMs: unknown = 7_000): Instead["call"] => {
    let calls = 0
    const way = () => {
      if (++calls <= times) throw notApplied("busy", { retryAfterMs: retryAfterMs as number })
      return { id: "p" }
    }
    return { bare: way, keyed: way, look: way }
  }

  for (const tool of ["bare", "keyed", "look"]) {
    it.effect(`${tool}: the step is tried again, not before that`, () =>
      Effect.gen(function* () {
        const { doors, events, outside, sound } = yield* office()
        expect(yield* doors({ call: busy(2) ?? {} }).run(tool)).toMatchObject({ status: "succeeded" })
        expect(outside.calls).toHaveLength(3)
        const failed = only(yield* events, "attempt-failed")
        expect(failed).toHaveLength(2)
        for (const { again, retryAfterMs } of failed) {
          expect(retryAfterMs).toBe(7_000)
          expect(again?.afterMs).toBeGreaterThanOrEqual(7_000)
        }
        // A proved non-application frees the key: each call has one of its own.
        if (tool !== "look") expect(new Set(outside.calls.map(({ key }) => key)).size).toBe(3)
        yield* sound()
      }),
    )
  }

  it.effect("as often as the tool says, and then it fails as without", () =>
    Effect.gen(function* () {
      const { doors, outside, sound } = yield* office()
      const report = yield* doors({ call: busy(9) ?? {} }).run("natural", "bare")
      expect(report).toMatchObject({ status: "failed", effects: [{ stepId: "s0", state: "undone" }] })
      expect(outside.calls.filter(({ tool }) => tool === "bare")).toHaveLength(3)
      yield* sound()
    }),
  )

  it.effect("within `budgets.retries`, which is named where it is used up", () =>
    Effect.gen(function* () {
      const { doors, outside, sound } = yield* office(catalogWith({ budgets: { retries: 1 } }))
      const report = yield* doors({ call: busy(9) ?? {} }).run("bare")
      expect(report).toMatchObject({ status: "exhausted", failure: { tag: "BudgetExhausted" } })
      expect(outside.calls).toHaveLength(2)
      yield* sound()
    }),
  )

  it.effect("within the run's deadline: what would come after it is not waited for", () =>
    Effect.gen(function* () {
      const { doors, outside, sound } = yield* office(catalogWith({ budgets: { deadlineMs: 10_000 } }))
      const report = yield* doors({ call: busy(9) ?? {} }).run("bare")
      expect(report).toMatchObject({ status: "failed", failure: { tag: "StepFailed" } })
      expect(outside.calls).toHaveLength(2)
      yield* sound()
    }),
  )

  it.effect("of an undo: it is undone later", () =>
    Effect.gen(function* () {
      const { doors, outside, sound } = yield* office()
      let undos = 0
      const report = yield* doors({
        call: {
          bare: () => {
            throw notApplied("no funds")
          },
          unpay: () => {
            if (++undos === 1) throw notApplied("busy", { retryAfterMs: 7_000 })
            return null
          },
        },
      }).run("keyed", "bare")
      expect(report).toMatchObject({ status: "failed", effects: [{ stepId: "s0", state: "undone" }] })
      expect(outside.calls.filter(({ tool }) => tool === "unpay")).toHaveLength(2)
      yield* sound()
    }),
  )

  it.effect("of a second call by the same key says nothing of the first, but is waited for", () =>
    Effect.gen(function* () {
      const { doors, events, outside, sound } = yield* office()
      let calls = 0
      const report = yield* doors({
        call: {
          keyed: () => {
            calls += 1
            if (calls === 1) return fail()
            if (calls === 2) throw notApplied("busy", { retryAfterMs: 9_000 })
            return { id: "p" }
          },
        },
      }).run("keyed")
      expect(report).toMatchObject({ status: "succeeded" })
      expect(new Set(outside.calls.map(({ key }) => key)).size).toBe(1)
      const lost = only(yield* events, "answer-lost")
      expect(lost[1]?.again?.afterMs).toBeGreaterThanOrEqual(9_000)
      yield* sound()
    }),
  )

  it.effect("that is no time is told, and taken for none", () =>
    Effect.gen(function* () {
      for (const strange of [-1, 1.5, Number.NaN, "soon", null, 86_400_001]) {
        const { doors, outside } = yield* office()
        const report = yield* doors({ call: busy(9, strange) ?? {} }).run("bare")
        expect(report).toMatchObject({ status: "failed" })
        if (report.status !== "failed") continue
        expect(report.failure.message).toContain("busy (its `retryAfterMs` is no time")
        expect(outside.calls).toHaveLength(1)
      }
    }),
  )
})

describe("what is told of a doubt", () => {
  it.effect("names a `reconcile` that throws, or answers with nonsense", () =>
    Effect.gen(function* () {
      for (const [reconcile, said] of [
        [() => fail("ENOTFOUND"), "asked what became of it: `reconcile` of `asked` said: ENOTFOUND"],
        [() => true as never, "`reconcile` of `asked` said: what it gave back is none of what `reconciled` makes"],
      ] as const) {
        const { doors, sound } = yield* office()
        const report = yield* doors({ call: { asked: () => fail("gone") }, reconcile }).run("asked")
        if (report.status !== "in_doubt") throw new Error(report.status)
        expect(report.failure.message).toContain("`asked` said: gone; ")
        expect(report.failure.message).toContain(said)
        yield* sound()
      }
    }),
  )

  it.effect("says that a run was taken from a process that may still be at work, not that it has ended", () =>
    Effect.gen(function* () {
      for (const [takeOver, said] of [
        [true, "the run was taken from the process that made the call, which may still be at work on it"],
        [false, "the process ended during the call"],
      ] as const) {
        const { provide } = yield* openStore
        const outside = makeOutside()
        const plan = planOf(catalog, ["bare"])
        const silent = boxOn(outside, { call: { bare: () => new Promise(() => {}) } })
        const scope = { principal, sessionId: "s", taskId: "t", runId: "run", catalog }
        const begun = yield* Effect.forkChild(provide(execute(plan, { ...scope, tools: silent })))
        yield* settle
        // What was interrupted lets go of its run.
        if (!takeOver) begun.interruptUnsafe()
        yield* settle
        const report = yield* provide(resume("run", { catalog, tools: boxOn(outside), takeOver: true }))
        if (report.status !== "in_doubt") throw new Error(report.status)
        expect(report.failure.message).toContain(said)
      }
    }),
  )
})
