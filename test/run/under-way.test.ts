/** Two processes and one run: what one is at work on, the other leaves alone, until it can no longer be at work or somebody says so. */
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Handlers, Journal, JournalConflict, memory, StoreUnavailable } from "sequitur/run"
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

/** `cancel` may take 1 s, `look` too, and a store its 10 s. */
const heldMs = 21_000

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
      const until = new Date(1_000_000 + heldMs).toISOString()
      expect(refused.message).toBe(`run \`run\` may be under way in another process at step \`cancel\`, until ${until}`)
      expect(refused.hint).toContain("`takeOver: true`")
      expect(yield* b.kinds).toEqual(before)
      yield* TestClock.adjust(500)
      expect(yield* Fiber.join(run)).toMatchObject({ status: "succeeded" })
      expect(b.calls.made).toEqual([])
      expect(yield* Effect.flip(b.resume)).toMatchObject({ _tag: "RunEnded" })
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

  const dead = { cancel: () => Effect.never, look: () => Effect.never }

  /** A process that ends within its call. */
  const left = (plan?: Parameters<World["run"]>[0]) =>
    Effect.gen(function* () {
      const [a, b] = yield* processes(dead, {})
      if (!a || !b) throw new Error("no processes")
      yield* TestClock.setTime(1_000_000)
      const run = yield* Effect.forkChild(a.run(plan))
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(run)
      return b
    })

  it.effect("is taken up once its call can no longer be under way: an effect is in doubt, a read is made again", () =>
    Effect.gen(function* () {
      const effect = yield* left()
      yield* TestClock.setTime(1_000_000 + heldMs)
      expect(yield* Effect.flip(effect.resume)).toMatchObject({ _tag: "RunUnderWay" })
      yield* TestClock.setTime(1_000_001 + heldMs)
      expect(yield* effect.resume).toMatchObject({ status: "in_doubt", failure: { stepId: "cancel" } })
      expect(effect.calls.count("cancel")).toBe(0)
      const read = yield* left(planOf([steps.find, steps.look]))
      yield* TestClock.setTime(1_000_001 + heldMs)
      expect(yield* read.resume).toMatchObject({ status: "succeeded" })
      expect(read.calls.count("look")).toBe(1)
    }),
  )

  it.effect("is taken over at once by whoever knows that the process has ended", () =>
    Effect.gen(function* () {
      expect(yield* (yield* left()).takeOver).toMatchObject({ status: "in_doubt" })
      expect(yield* (yield* left(planOf([steps.find, steps.look]))).takeOver).toMatchObject({ status: "succeeded" })
    }),
  )

  it.effect("A089: is not held for ever by a clock that was set back", () =>
    Effect.gen(function* () {
      const world = yield* left()
      // A little: it may still be under way, and how long is still told.
      yield* TestClock.setTime(1_000_000 - heldMs)
      expect((yield* Effect.flip(world.resume)).message).toContain("until 1970-01-01T00:17:01.000Z")
      // Far: the journal's time says nothing, and somebody must.
      yield* TestClock.setTime(1_000_000 - heldMs - 1)
      const refused = yield* Effect.flip(world.resume)
      expect(refused).toMatchObject({ _tag: "RunUnderWay" })
      expect(refused.message).toContain("at step `cancel`, which began in the future by the clock of this one")
      expect(refused.hint).toContain("`takeOver: true`")
      expect(yield* world.takeOver).toMatchObject({ status: "in_doubt" })
    }),
  )
})

describe("what came of an effect that can no longer be recorded is not lost", () => {
  const hostile = `\u001b[31m\u202e${"x".repeat(5_000)}`

  it.effect("where another process has taken the run over meanwhile", () =>
    Effect.gen(function* () {
      const [a, b] = yield* processes({ cancel: slow({ ...cancelled, more: hostile }, 500) }, {})
      if (!a || !b) return
      const run = yield* Effect.forkChild(a.run())
      yield* TestClock.adjust(100)
      expect(yield* b.takeOver).toMatchObject({ status: "in_doubt" })
      yield* TestClock.adjust(500)
      const lost = yield* Effect.flip(Fiber.join(run))
      expect(lost).toMatchObject({ _tag: "OutcomeNotRecorded", code: "RUN506", again: false })
      expect(lost.fields).toMatchObject({ runId: "run", stepId: "cancel" })
      expect(lost.message).toMatch(
        /^what came of the effect of step `cancel` in run `run` is not recorded \(another process wrote entry 4 of run `run` first\): it answered \{"id":"w2","proratedCents":2450,"more":"/,
      )
      // Bounded, and safe to print.
      expect(lost.message.length).toBeLessThan(800)
      expect(lost.message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
    }),
  )

  it.effect("where the store has failed meanwhile: what it answered, or how it failed", () =>
    Effect.gen(function* () {
      const cases: Record<string, Handlers<Desk>["cancel"]> = {
        'it answered {"id":"w2","proratedCents":2450}': () => cancelled,
        "it answered, but the result of step `cancel` holds": () => ({ at: () => 1 }) as never,
        'it answered {"id":7}': () => ({ id: 7 }) as never,
        "whether step `cancel` took effect is not known: `cancel` said: the line went dead": () => {
          throw new Error("the line went dead")
        },
      }
      for (const [said, cancel] of Object.entries(cases)) {
        const journal = yield* Effect.provide(Journal, memory())
        const failing = Layer.succeed(Journal, {
          ...journal,
          append: (runId, records) =>
            records.some(({ event }) => "stepId" in event && event.stepId === "cancel" && event.kind !== "intent")
              ? Effect.fail(new StoreUnavailable({ store: "runs.db", reason: "the disk is full" }))
              : journal.append(runId, records),
        })
        const world = yield* makeWorld({ cancel }, catalog, failing)
        const lost = yield* Effect.flip(world.run())
        expect(lost).toMatchObject({ _tag: "OutcomeNotRecorded", again: false })
        expect(lost.message).toContain("the journal at `runs.db` cannot be used: the disk is full): ")
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
      expect(yield* Effect.flip(Fiber.join(run))).toBeInstanceOf(JournalConflict)
    }),
  )
})
