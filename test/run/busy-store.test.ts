/** A store that cannot be written for a while: what an effect has answered is kept until it can be, and nobody is kept from reading. */
import { DatabaseSync } from "node:sqlite"
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { createRunner, Journal, type JournalService, memory, StoreUnavailable } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { describe, expect, test } from "vitest"
import { JournalConflict } from "../../src/journal/failure.ts"
import { newFile } from "../journal/stores.ts"
import { catalog, countCalls, guarded, guardedPlan, handlersOf, planOf, scope, calls as steps } from "./desk.ts"
import { makeWorld } from "./world.ts"

const plan = planOf([steps.find, steps.cancel])

/** Fails what it is asked to append for as long as `fails` says so. */
const failing = (
  fails: (
    ...asked: Parameters<JournalService["append"]>
  ) => Effect.Error<ReturnType<JournalService["append"]>> | undefined,
) =>
  Effect.map(Effect.provide(Journal, memory()), (journal) =>
    Layer.succeed(Journal, {
      ...journal,
      append: (...asked) =>
        Effect.suspend(() => {
          const error = fails(...asked)
          return error === undefined ? journal.append(...asked) : Effect.fail(error)
        }),
    }),
  )

const busy = (trouble: "busy" | "full") =>
  new StoreUnavailable({ store: "runs.db", trouble, reason: "another is at it" })

describe("what came of an effect is written down when it can be", () => {
  for (const trouble of ["busy", "full"] as const) {
    it.effect(`the store is ${trouble} for a while`, () =>
      Effect.gen(function* () {
        let called = false
        const cancel = () => {
          called = true
          return { id: "w2", proratedCents: 1 }
        }
        let locked = true
        const world = yield* makeWorld(
          { cancel },
          catalog,
          yield* failing(() => (called && locked ? busy(trouble) : undefined)),
        )
        const run = yield* Effect.forkChild(world.run(plan))
        yield* TestClock.adjust(60_000)
        expect(run.pollUnsafe()).toBeUndefined()
        locked = false
        yield* TestClock.adjust(1_000)
        expect(yield* Fiber.join(run)).toMatchObject({ status: "succeeded" })
        expect(world.calls.count("cancel")).toBe(1)
      }),
    )

    it.effect(`the store is ${trouble} for good: at last it goes with the error`, () =>
      Effect.gen(function* () {
        let called = false
        const cancel = () => {
          called = true
          return { id: "w2", proratedCents: 1 }
        }
        const world = yield* makeWorld({ cancel }, catalog, yield* failing(() => (called ? busy(trouble) : undefined)))
        const run = yield* Effect.forkChild(Effect.flip(world.run(plan)))
        yield* TestClock.adjust(400_000)
        const error = yield* Fiber.join(run)
        expect(error).toMatchObject({ _tag: "OutcomeNotRecorded", code: "RUN506" })
        expect(error.message).toContain('it answered {"id":"w2","proratedCents":1}')
      }),
    )
  }

  it.effect("another takes the run over meanwhile: it is an observation, and settles the call", () =>
    Effect.gen(function* () {
      let called = false
      const cancel = () => {
        called = true
        return { id: "w2", proratedCents: 1 }
      }
      let locked = true
      const store = yield* failing((_runId, _records, as) =>
        called && locked && as?.epoch === 1 ? busy("busy") : undefined,
      )
      const world = yield* makeWorld({ cancel }, catalog, store)
      const run = yield* Effect.forkChild(Effect.flip(world.run(plan)))
      yield* TestClock.adjust(10_000)
      expect(yield* world.takeOver).toMatchObject({ status: "in_doubt" })
      locked = false
      yield* TestClock.adjust(1_000)
      expect(yield* Fiber.join(run)).toMatchObject({ _tag: "LeaseLost" })
      expect((yield* world.entries).at(-1)?.event).toMatchObject({ kind: "observed", answer: "answered" })
      expect(yield* world.resume).toMatchObject({ status: "succeeded" })
      expect(world.calls.count("cancel")).toBe(1)
    }),
  )

  it.effect("a person's decision is heard, however often others are first", () =>
    Effect.gen(function* () {
      let refused = 0
      const store = yield* failing((runId, [first]) =>
        first?.event.kind === "approval-decided" && refused++ < 20
          ? new JournalConflict({ runId, seq: first.seq })
          : undefined,
      )
      const world = yield* makeWorld({}, guarded, store)
      yield* world.run(guardedPlan)
      expect(yield* world.approve("open", { by: "bob" })).toMatchObject({ status: "succeeded" })
      expect(refused).toBe(21)
    }),
  )
})

test("another process locks the file for longer than a lease: nothing is lost, and the runs are listed meanwhile", async () => {
  const file = newFile()
  const calls = countCalls()
  let unlocked: Promise<void> | undefined
  const lock = () => {
    const other = new DatabaseSync(file)
    other.exec("BEGIN IMMEDIATE")
    unlocked = new Promise((done) => {
      setTimeout(() => {
        other.exec("COMMIT")
        other.close()
        done()
      }, 6_500)
    })
  }
  const tools = handlersOf(calls, {
    cancel: () => {
      lock()
      return { id: "w2", proratedCents: 1 }
    },
  })
  const runner = createRunner({ catalog, tools, store: sqlite(file), leaseMs: 1_000 })
  const run = runner.run(plan, { ...scope, runId: "run" })
  while (unlocked === undefined) await new Promise((done) => setTimeout(done, 10))
  for (const create of [true, false]) {
    const reader = createRunner({ catalog, tools, store: sqlite(file, { create }) })
    const begunMs = performance.now()
    expect(await reader.runs()).toMatchObject([{ runId: "run", status: "running" }])
    expect(performance.now() - begunMs).toBeLessThan(4_000)
    await reader.close()
  }
  expect(await run).toMatchObject({ status: "succeeded" })
  await unlocked
  expect(calls.count("cancel")).toBe(1)
  await runner.close()
}, 30_000)
