/** Retries, time-outs and budgets of time, on a test clock: at the limit allowed, past it exhausted, before the next effect. */
import { it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type CatalogSpec, defineCatalog } from "sequitur"
import { type Handlers, notApplied, type RunReport } from "sequitur/run"
import { describe, expect } from "vitest"
import { retryOf } from "../../src/catalog/policy.ts"
import { backoffMs } from "../../src/run/next/retry.ts"
import { catalog, type Desk, planOf, calls as steps } from "./desk.ts"
import { makeWorld } from "./world.ts"

type BudgetSpec = NonNullable<CatalogSpec["budgets"]>

const within = (budgets: BudgetSpec) => defineCatalog({ ...catalog.spec, budgets })

const flaky = (failures: number) => {
  let calls = 0
  return () => {
    if (++calls <= failures) throw new Error(`no ${calls}`)
    return { workspaces: [] }
  }
}

/** Runs a plan under budgets, while as much time passes as it wants. */
const finish = (steps: readonly unknown[], budgets: BudgetSpec, instead: Partial<Handlers<Desk>> = {}) =>
  Effect.gen(function* () {
    const of = within(budgets)
    const world = yield* makeWorld(instead, of)
    const fiber = yield* Effect.forkChild(world.run(planOf(steps, of)))
    yield* TestClock.adjust("1 hour")
    const report: RunReport<Desk> = yield* Fiber.join(fiber)
    return { ...world, report, entries: yield* world.entries }
  })

const note = (id: string) => ({ id, tool: "note", args: { text: id } })

describe("a read that fails", () => {
  it.effect("is called again, later each time, and each failure is written down", () =>
    Effect.gen(function* () {
      const { report, calls, entries } = yield* finish([steps.find], {}, { find: flaky(2) })
      expect(report.status).toBe("succeeded")
      expect(calls.made.map(({ context }) => context.attempt)).toEqual([1, 2, 3])
      const failures = entries.flatMap(({ event }) => (event.kind === "attempt-failed" ? [event] : []))
      expect(failures.map(({ failure }) => failure.message)).toEqual([
        expect.stringContaining("no 1"),
        expect.stringContaining("no 2"),
      ])
      const [first, second] = failures.map(({ again }) => again?.afterMs ?? 0)
      expect(first).toBeGreaterThanOrEqual(50)
      expect(first).toBeLessThanOrEqual(100)
      expect(second).toBeGreaterThanOrEqual(100)
      expect(second).toBeLessThanOrEqual(200)
      const intents = entries.filter(({ event }) => event.kind === "intent")
      expect((intents[1]?.atMs ?? 0) - (intents[0]?.atMs ?? 0)).toBe(first)
      expect((intents[2]?.atMs ?? 0) - (intents[1]?.atMs ?? 0)).toBe(second)
    }),
  )

  it.effect("three times has failed", () =>
    Effect.gen(function* () {
      const { report, calls } = yield* finish([steps.find, note("a")], {}, { find: flaky(9) })
      expect(report).toMatchObject({ status: "failed", failure: { tag: "StepFailed", stepId: "find" } })
      expect(calls.made.map(({ tool }) => tool)).toEqual(["find", "find", "find"])
    }),
  )

  it.effect("A101: an effect is not called again, whatever it throws", () =>
    Effect.gen(function* () {
      const retryable = Object.assign(new Error("try again"), { retryable: true, again: true, code: "ECONNRESET" })
      const thrower = () => {
        throw retryable
      }
      const { report, calls } = yield* finish([note("a")], {}, { note: thrower })
      expect(report.status).toBe("in_doubt")
      expect(calls.count("note")).toBe(1)
    }),
  )

  it("backs off up to a limit, within a half of it by chance: of a read by doubling, of an effect for longer", () => {
    const pauses = (mutates: boolean, random: number, said = {}) =>
      [1, 2, 3, 4, 60].map((failures) => backoffMs(retryOf(mutates, said), failures, random))
    expect(pauses(false, 1)).toEqual([100, 200, 400, 800, 5_000])
    expect(pauses(false, 0)).toEqual([50, 100, 200, 400, 2_500])
    expect(pauses(true, 1)).toEqual([1_000, 4_000, 16_000, 60_000, 60_000])
    expect(pauses(true, 1, { backoffMs: 10, maxBackoffMs: 50 })).toEqual([10, 40, 50, 50, 50])
    expect(pauses(true, 1, { backoffMs: 90_000 })).toEqual([90_000, 90_000, 90_000, 90_000, 90_000])
  })
})

describe("A105: budgets", () => {
  it.effect("retries: as many as allowed, then exhausted, naming the counter, before the next effect", () =>
    Effect.gen(function* () {
      const twice = [steps.find, { ...steps.find, id: "more" }, note("a")]
      const fails = (times: number) => flaky(times)
      for (const [failures, max, status] of [
        [2, 2, "succeeded"],
        [2, 1, "exhausted"],
        [1, 0, "exhausted"],
        [0, 0, "succeeded"],
      ] as const) {
        const { report, calls } = yield* finish(twice, { retries: max }, { find: fails(failures) })
        expect(report.status).toBe(status)
        if (status === "succeeded") continue
        // Which step it was and what it said, in words and as data.
        const said = `step \`find\` failed: \`find\` said: no ${max + 1}`
        expect(report).toMatchObject({
          failure: {
            tag: "BudgetExhausted",
            code: "RUN401",
            stepId: "find",
            message: `\`retries\` is used up at step \`find\`: ${max} of ${max}, because ${said}`,
            cause: { tag: "StepFailed", code: "RUN101", stepId: "find", message: said },
          },
        })
        expect(calls.count("note")).toBe(0)
      }
    }),
  )

  const slow = (ms: number) => () => Effect.delay(Effect.succeed({ name: "slow" }), ms)

  it.effect("wallMs: an effect is not begun once the time to work is used up", () =>
    Effect.gen(function* () {
      for (const [wallMs, status] of [
        [801, "succeeded"],
        [800, "exhausted"],
      ] as const) {
        const plan = [steps.find, steps.look, { ...steps.look, id: "more" }, note("a")]
        const { report, calls } = yield* finish(plan, { wallMs }, { look: slow(400) })
        expect(report.status).toBe(status)
        expect(calls.count("note")).toBe(status === "succeeded" ? 1 : 0)
        if (status === "exhausted") {
          expect("failure" in report && report.failure).toMatchObject({
            message: "`wallMs` is used up at step `more`: 800 of 800",
            stepId: "more",
          })
        }
      }
    }),
  )

  it.effect("wallMs: a read is cut off where the time ends, an effect is waited for", () =>
    Effect.gen(function* () {
      const read = yield* finish([steps.find, steps.look, note("a")], { wallMs: 300 }, { look: slow(900) })
      expect(read.report).toMatchObject({
        status: "exhausted",
        failure: { tag: "BudgetExhausted", stepId: "look", message: "`wallMs` is used up at step `look`: 300 of 300" },
      })
      expect(read.calls.made.at(-1)?.context.signal.aborted).toBe(true)
      expect(read.calls.count("note")).toBe(0)
      const effect = yield* finish([note("a")], { wallMs: 300 }, { note: slow(900) })
      expect(effect.report.status).toBe("succeeded")
    }),
  )

  it.effect("deadlineMs: everything counts, waiting between tries too", () =>
    Effect.gen(function* () {
      const late = yield* finish([steps.find, note("a")], { deadlineMs: 40 }, { find: flaky(1) })
      expect(late.report).toMatchObject({ status: "exhausted", failure: { tag: "BudgetExhausted" } })
      expect(late.report.failure?.message).toMatch(/^`deadlineMs` is used up at step `find`: \d+ of 40$/)
      expect(late.calls.count("note")).toBe(0)
      const cut = yield* finish([steps.find, steps.look], { deadlineMs: 300 }, { look: slow(900) })
      expect(cut.report.status).toBe("exhausted")
      const intime = yield* finish([steps.find, note("a")], { deadlineMs: 101 }, { find: flaky(1) })
      expect(intime.report.status).toBe("succeeded")
    }),
  )

  it.effect("survive a restart: what was spent before counts", () =>
    Effect.gen(function* () {
      const of = within({ retries: 2 })
      let calls = 0
      const world = yield* makeWorld(
        {
          find: () => {
            calls++
            return calls < 3 ? Effect.never : { workspaces: [] }
          },
        },
        of,
      )
      const plan = planOf([steps.find, note("a")], of)
      const first = yield* Effect.forkChild(world.run(plan))
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(first)
      const second = yield* Effect.forkChild(world.takeOver)
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(second)
      expect((yield* world.takeOver).status).toBe("succeeded")
      expect(calls).toBe(3)
      const again = yield* makeWorld({ find: () => Effect.never }, of)
      for (const go of [again.run(plan), again.takeOver, again.takeOver]) {
        const fiber = yield* Effect.forkChild(go)
        yield* TestClock.adjust(1)
        yield* Fiber.interrupt(fiber)
      }
      const ended = yield* again.takeOver
      expect(ended).toMatchObject({
        status: "exhausted",
        failure: { tag: "BudgetExhausted", stepId: "find", cause: { tag: "CallInterrupted" } },
      })
      expect(ended.failure?.message).toBe(
        "`retries` is used up at step `find`: 2 of 2, because step `find` was begun 3 times and never answered",
      )
    }),
  )
})

/** Time worked as it is; the time of day as it is told. */
const tornClock = (real: Clock.Clock, walls: number[], onSleep?: (ms: number) => void): Clock.Clock => ({
  currentTimeMillis: real.currentTimeMillis,
  currentTimeNanos: real.currentTimeNanos,
  currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe(),
  monotonicTimeNanos: real.monotonicTimeNanos,
  monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
  currentTimeMillisUnsafe: () => walls.shift() ?? 0,
  sleep: (duration) => {
    onSleep?.(Duration.toMillis(duration))
    return onSleep === undefined ? real.sleep(duration) : Effect.void
  },
})

it.effect("A089: a call is made again after the time that was meant, however the clock was set meanwhile", () =>
  Effect.gen(function* () {
    const slept: number[] = []
    const days = Array.from({ length: 20 }, (_, index) => (20 - index) * 86_400_000)
    const clock = tornClock(yield* Clock.Clock, days, (ms) => slept.push(ms))
    const world = yield* makeWorld({ find: flaky(2) })
    const report = yield* Effect.provideService(world.run(planOf([steps.find])), Clock.Clock, clock)
    expect(report.status).toBe("succeeded")
    // Beside it sleep those who keep hold of the run, and look out for others.
    const pauses = slept.filter((ms) => ms < 1_000)
    expect(pauses).toHaveLength(2)
    for (const ms of pauses) expect(ms).toBeLessThanOrEqual(200)
  }),
)

it.effect(
  "A089: a long pause is no longer than was meant, though the clock is set back while nobody holds the run",
  () =>
    Effect.gen(function* () {
      for (const backMs of [1, 119_000, 86_400_000, 3_650 * 86_400_000]) {
        let calls = 0
        let offsetMs = backMs
        const world = yield* makeWorld({
          note: () => {
            if (++calls === 1) throw notApplied("busy", { retryAfterMs: 120_000 })
            return null
          },
        })
        const real = yield* Clock.Clock
        const clock: Clock.Clock = {
          ...real,
          currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + offsetMs,
          monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
          sleep: (duration) => real.sleep(duration),
        }
        const under = <A, E>(effect: Effect.Effect<A, E>) => Effect.provideService(effect, Clock.Clock, clock)
        const begun = yield* under(world.run(planOf([note("a")])))
        expect([begun.status, calls]).toEqual(["running", 1])
        offsetMs = 0
        yield* TestClock.adjust(1_000)
        yield* under(world.resume)
        expect(calls, `${backMs}`).toBe(1)
        yield* TestClock.adjust(120_000)
        expect(yield* under(world.resume), `${backMs}`).toMatchObject({ status: "succeeded" })
        expect(calls).toBe(2)
      }
    }),
)

it.effect("A089: a clock that is set back, or leaps ten years, changes no order and no time worked", () =>
  Effect.gen(function* () {
    const day = 86_400_000
    const walls = Array.from({ length: 40 }, (_, index) => (index % 7 === 4 ? 3_750 - index : 100 - index) * day)
    const torn = tornClock(yield* Clock.Clock, walls)
    const of = within({ wallMs: 2_000 })
    const world = yield* makeWorld({}, of)
    const run = world.run(planOf([steps.find, note("a"), note("b")], of))
    const report = yield* Effect.provideService(run, Clock.Clock, torn)
    expect(report.status).toBe("succeeded")
    const entries = yield* world.entries
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index))
    expect(new Set(entries.map(({ atMs }) => atMs)).size).toBeGreaterThan(5)
    expect(entries.flatMap(({ event }) => (event.kind === "outcome" ? [event.tookMs] : []))).toEqual([0, 0, 0])
  }),
)

it.effect("a read that brings its process down each time is given up in the end", () =>
  Effect.gen(function* () {
    const world = yield* makeWorld({ find: () => Effect.never })
    let go = world.run()
    for (let times = 0; times < 10; times++) {
      const fiber = yield* Effect.forkChild(go)
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(fiber)
      go = world.takeOver
    }
    expect(yield* go).toMatchObject({ status: "failed", failure: { tag: "CallInterrupted", stepId: "find" } })
    expect(world.calls.count("find")).toBe(10)
  }),
)
