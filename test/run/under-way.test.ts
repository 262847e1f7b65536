/** Two processes and one run: what one is at work on, the other leaves alone, until it can no longer be at work or somebody says so. */
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { defineCatalog, tool } from "sequitur"
import { type Handlers, Journal, type JournalService, LeaseLost, memory, StoreUnavailable } from "sequitur/run"
import { describe, expect } from "vitest"
import { catalog, type Desk, planOf, calls as steps } from "./desk.ts"
import { makeWorld, type World } from "./world.ts"

/** One store, seen by as many processes as there are handlers. */
const processes = (...handlers: readonly Partial<Handlers<Desk>>[]): Effect.Effect<readonly World[]> =>
  Effect.gen(function* () {
    const journal = yield* Effect.provide(Journal, memory())
    return yield* Effect.forEach(handlers, (instead) =>
      makeWorld(instead, catalog, Layer.succeed(Journal, { ...journal })),
    )
  })

const slow =
  <Result>(result: Result, ms: number) =>
  () =>
    Effect.delay(Effect.succeed(result), ms)
const cancelled = { id: "w2", proratedCents: 2_450 }

const leaseMs = 30_000

describe("a run that another process is at work on", () => {
  it.effect("is left alone while its effect is under way, and goes on to its end", () =>
    Effect.gen(function* () {
      const [a, b] = yield* processes({ cancel: slow(cancelled, 900) }, {})
      if (!a || !b) return
      yield* TestClock.setTime(1_000_000)
      const run = yield* Effect.forkChild(a.run())
      yield* TestClock.adjust(500)
      const before = yield* b.kinds
      const refused = yield* Effect.flip(b.resume)
      expect(refused).toMatchObject({ _tag: "RunUnderWay", code: "RUN208", again: true })
      const until = new Date(1_000_000 + leaseMs).toISOString()
      expect(refused.message).toMatch(/^run `run` is held by `own_[0-9a-f]+` until /)
      expect(refused.message).toContain(until)
      expect(refused.hint).toContain("`takeOver: true`")
      expect(yield* b.kinds).toEqual(before)
      yield* TestClock.adjust(500)
      expect(yield* Fiber.join(run)).toMatchObject({ status: "succeeded" })
      expect(b.calls.made).toEqual([])
      expect(yield* Effect.flip(b.resume)).toMatchObject({ _tag: "RunEnded" })
    }),
  )

  it.effect("is left alone for as long as that takes, for its process says that it is there", () =>
    Effect.gen(function* () {
      const patient = defineCatalog({
        ...catalog.spec,
        tools: { ...catalog.spec.tools, look: tool({ ...catalog.spec.tools.look, timeoutMs: 1_000_000 }) },
      })
      const journal = yield* Effect.provide(Journal, memory())
      const store = () => Layer.succeed(Journal, { ...journal })
      const a = yield* makeWorld({ look: slow({ name: "n" }, 10 * leaseMs) }, patient, store())
      const b = yield* makeWorld({}, patient, store())
      const run = yield* Effect.forkChild(a.run(planOf([steps.find, steps.look], patient)))
      for (let times = 0; times < 9; times++) {
        yield* TestClock.adjust(leaseMs)
        expect(yield* Effect.flip(b.resume)).toMatchObject({ _tag: "RunUnderWay" })
      }
      yield* TestClock.adjust(2 * leaseMs)
      expect(yield* Fiber.join(run)).toMatchObject({ status: "succeeded" })
    }),
  )

  it.effect("is left alone while it reads, and while it waits to read again", () =>
    Effect.gen(function* () {
      let calls = 0
      const look = () => {
        if (++calls === 1) throw new Error("no")
        return Effect.delay(Effect.succeed({ name: "n" }), 900)
      }
      const [a, b] = yield* processes({ look }, {})
      if (!a || !b) return
      const run = yield* Effect.forkChild(a.run(planOf([steps.find, steps.look])))
      yield* TestClock.adjust(1)
      expect((yield* a.kinds).at(-1)).toBe("attempt-failed")
      expect(yield* Effect.flip(b.resume)).toMatchObject({ _tag: "RunUnderWay" })
      yield* TestClock.adjust(500)
      expect((yield* a.kinds).at(-1)).toBe("intent")
      expect(yield* Effect.flip(b.resume)).toMatchObject({ _tag: "RunUnderWay" })
      yield* TestClock.adjust(1_000)
      expect(yield* Fiber.join(run)).toMatchObject({ status: "succeeded" })
      expect(b.calls.made).toEqual([])
    }),
  )

  const hanging = { cancel: () => Effect.never, look: () => Effect.never }

  /** A process that ends within its call, without a word: it says nothing of its lease any more. */
  const left = (plan?: Parameters<World["run"]>[0]) =>
    Effect.gen(function* () {
      const journal = yield* Effect.provide(Journal, memory())
      let dead = false
      const silent: JournalService = {
        ...journal,
        renew: (...given) => (dead ? Effect.never : journal.renew(...given)),
        append: (...given) => (dead ? Effect.never : journal.append(...given)),
      }
      const a = yield* makeWorld(hanging, catalog, Layer.succeed(Journal, silent))
      const b = yield* makeWorld({}, catalog, Layer.succeed(Journal, { ...journal }))
      yield* TestClock.setTime(1_000_000)
      yield* Effect.forkDetach(a.run(plan))
      yield* TestClock.adjust(1)
      dead = true
      return b
    })

  it.effect("is taken up once its lease has run out: an effect is in doubt, a read is made again", () =>
    Effect.gen(function* () {
      const effect = yield* left()
      yield* TestClock.setTime(999_999 + leaseMs)
      expect(yield* Effect.flip(effect.resume)).toMatchObject({ _tag: "RunUnderWay" })
      yield* TestClock.setTime(1_000_000 + leaseMs)
      expect(yield* effect.resume).toMatchObject({ status: "in_doubt", failure: { stepId: "cancel" } })
      expect(effect.calls.count("cancel")).toBe(0)
      const read = yield* left(planOf([steps.find, steps.look]))
      yield* TestClock.setTime(1_000_000 + leaseMs)
      expect(yield* read.resume).toMatchObject({ status: "succeeded" })
      expect(read.calls.count("look")).toBe(1)
    }),
  )

  it.effect("is taken up at once where its process said that it stops", () =>
    Effect.gen(function* () {
      const [a, b] = yield* processes(hanging, {})
      if (!a || !b) return
      const run = yield* Effect.forkChild(a.run())
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(run)
      expect(yield* b.resume).toMatchObject({ status: "in_doubt", failure: { stepId: "cancel" } })
    }),
  )

  it.effect("is taken over at once by whoever knows that the process has ended", () =>
    Effect.gen(function* () {
      expect(yield* (yield* left()).takeOver).toMatchObject({ status: "in_doubt" })
      expect(yield* (yield* left(planOf([steps.find, steps.look]))).takeOver).toMatchObject({ status: "succeeded" })
    }),
  )

  it.effect("A089: a clock that was set back holds it longer, and whoever knows better takes it over", () =>
    Effect.gen(function* () {
      const world = yield* left()
      yield* TestClock.setTime(500_000)
      expect((yield* Effect.flip(world.resume)).message).toContain("until 1970-01-01T00:17:10.000Z")
      expect(yield* world.takeOver).toMatchObject({ status: "in_doubt" })
    }),
  )
})

describe("what came of an effect that can no longer be recorded is not lost", () => {
  it.effect(
    "where another process has taken the run over meanwhile, it is kept as an observation, and settles it",
    () =>
      Effect.gen(function* () {
        const [a, b] = yield* processes({ cancel: slow(cancelled, 500) }, {})
        if (!a || !b) return
        const run = yield* Effect.forkChild(a.run())
        yield* TestClock.adjust(100)
        expect(yield* b.takeOver).toMatchObject({ status: "in_doubt" })
        yield* TestClock.adjust(500)
        expect(yield* Effect.flip(Fiber.join(run))).toMatchObject({ _tag: "LeaseLost", code: "RUN507" })
        expect((yield* b.entries).at(-1)?.event).toMatchObject({
          kind: "observed",
          answer: "answered",
          result: cancelled,
        })
        expect(yield* b.resume).toMatchObject({ status: "succeeded", steps: { cancel: cancelled } })
        expect([a, b].map(({ calls }) => calls.count("cancel"))).toEqual([1, 0])
      }),
  )

  it.effect("where the store has failed meanwhile: what it answered, or how it failed", () =>
    Effect.gen(function* () {
      const cases: Record<string, Handlers<Desk>["cancel"]> = {
        'it answered {"id":"w2","proratedCents":2450}': () => cancelled,
        "it answered, but the result of step `cancel` holds": () => ({ at: () => 1 }) as never,
        'it answered {"id":7}': () => ({ id: 7 }) as never,
        "whether `cancel` of step `cancel` took effect is not known: `cancel` said: the line went dead": () => {
          throw new Error("the line went dead")
        },
      }
      for (const [said, cancel] of Object.entries(cases)) {
        const journal = yield* Effect.provide(Journal, memory())
        const failing = Layer.succeed(Journal, {
          ...journal,
          append: (runId, records, as) =>
            records.some(({ event }) => "stepId" in event && event.stepId === "cancel" && event.kind !== "intent")
              ? Effect.fail(new StoreUnavailable({ store: "runs.db", reason: "the disk is full" }))
              : journal.append(runId, records, as),
        })
        const world = yield* makeWorld({ cancel }, catalog, failing)
        const lost = yield* Effect.flip(world.run())
        expect(lost).toMatchObject({ _tag: "OutcomeNotRecorded", again: false })
        expect(lost.message).toContain("the journal cannot be used: runs.db: the disk is full): ")
        expect(lost.message).toContain(said)
      }
    }),
  )

  it.effect("but a read that is not recorded is nothing lost", () =>
    Effect.gen(function* () {
      const [a, b] = yield* processes({ look: slow({ name: "n" }, 500) }, {})
      if (!a || !b) return
      const run = yield* Effect.forkChild(a.run(planOf([steps.find, steps.look])))
      yield* TestClock.adjust(100)
      expect(yield* b.takeOver).toMatchObject({ status: "succeeded" })
      yield* TestClock.adjust(500)
      expect(yield* Effect.flip(Fiber.join(run))).toBeInstanceOf(LeaseLost)
    }),
  )
})
