/** Asking what became of an effect: each answer as it is, and every misbehaviour as not knowing. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Reconciliation, reconciled } from "sequitur/run"
import { afterAll, beforeAll, describe, expect } from "vitest"
import { performReconcile } from "../../src/run/call/reconcile.ts"
import { call, idempotencyKey, makeStation, pause } from "./calling.ts"

const escaped: unknown[] = []
const note = (error: unknown): void => {
  escaped.push(error)
}
beforeAll(() => {
  process.on("unhandledRejection", note)
})
afterAll(() => {
  process.off("unhandledRejection", note)
  expect(escaped).toEqual([])
})

const thrower = (error: unknown) => () => {
  throw error
}
const trap = thrower(new Error("trap"))

const settle = (reconcile: ((...given: never[]) => unknown) | undefined, more = {}) =>
  Effect.gen(function* () {
    const { worker, observed } = yield* makeStation({ set: { call: trap, reconcile } })
    const calling = { ...call("set", { attempt: 2, args: { n: 4 }, ...more }), idempotencyKey }
    const fiber = yield* Effect.forkChild(performReconcile(worker, calling))
    yield* pause()
    yield* TestClock.adjust("1 minute")
    const event = yield* Fiber.join(fiber)
    expect(observed).toEqual([])
    return event
  })

const waysOf = (answer: () => unknown) => [answer, async () => answer(), () => Effect.sync(answer)]

describe("an answer", () => {
  const answers: readonly (readonly [Reconciliation, object])[] = [
    [reconciled.applied({ n: 4 }), { answer: "applied", result: { n: 4 } }],
    [reconciled.notApplied(), { answer: "not-applied" }],
    [reconciled.barred(), { answer: "barred" }],
    [reconciled.unknown("it is down"), { answer: "unknown", said: "`reconcile` of `set` said: it is down" }],
    [reconciled.unknown(), { answer: "unknown", said: "`reconcile` of `set` said: it cannot tell" }],
  ]
  for (const [answer, expected] of answers) {
    it.effect(`${answer.kind}, as a value, a promise and an Effect`, () =>
      Effect.gen(function* () {
        for (const reconcile of waysOf(() => answer)) {
          const event = yield* settle(reconcile)
          expect(event).toEqual({ kind: "reconciled", stepId: "set", tookMs: expect.any(Number), ...expected })
        }
        expect(yield* settle(() => answer, { undoes: true, stepId: "pay" })).toMatchObject({
          undoes: true,
          stepId: "pay",
        })
      }),
    )
  }

  it.effect("is given for the key, the arguments and who asks", () =>
    Effect.gen(function* () {
      const asked: unknown[] = []
      yield* settle((...given: unknown[]) => {
        asked.push(...given)
        return reconciled.barred()
      })
      expect(asked.slice(0, 2)).toEqual([idempotencyKey, { n: 4 }])
      expect(asked[2]).toMatchObject({ idempotencyKey, attempt: 2, runId: "run", stepId: "set" })
    }),
  )

  it.effect("applied, with a result that cannot be used, happened all the same", () =>
    Effect.gen(function* () {
      const results: readonly (readonly [unknown, string, unknown])[] = [
        [reconciled.applied({ n: "4" }), "ResultMismatch", { n: "4" }],
        [reconciled.applied(undefined), "ResultMismatch", null],
        [{ kind: "applied" }, "ResultMismatch", null],
        [reconciled.applied(4n), "ResultNotPlain", undefined],
        [Object.defineProperty({ kind: "applied" }, "result", { get: trap }), "ResultNotPlain", undefined],
        [reconciled.applied("x".repeat(20_000)), "ResultTooLarge", undefined],
      ]
      for (const [answer, tag, result] of results) {
        const event = yield* settle(() => answer)
        expect(event).toMatchObject({ answer: "applied", failure: { tag } })
        expect(event.result).toEqual(result)
      }
    }),
  )
})

describe("a misbehaviour tells nothing of the effect", () => {
  const misbehaving: Record<string, ((...given: never[]) => unknown) | undefined> = {
    "throws null": thrower(null),
    "throws a proxy": thrower(new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap })),
    rejects: () => Promise.reject(new Error("no")),
    fails: () => Effect.fail("no"),
    "never answers": () => new Promise(() => {}),
    "never ends": () => Effect.never,
    "returns nothing": () => undefined,
    "returns a bare word": () => "applied",
    "returns true": () => true,
    "returns another kind": () => ({ kind: "done" }),
    "hides its kind behind a getter": () => Object.defineProperty({}, "kind", { get: () => "applied" }),
    "has its kind from a prototype": () => Object.create({ kind: "applied" }),
    "returns a proxy": () => new Proxy({}, { getOwnPropertyDescriptor: trap }),
    "is not there": undefined,
  }
  for (const [name, reconcile] of Object.entries(misbehaving)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const event = yield* settle(reconcile)
        expect(event).toMatchObject({ kind: "reconciled", answer: "unknown", stepId: "set" })
        expect(event.said).toMatch(/^`reconcile` of `set` (said: .|did not answer within 1000 ms)/)
        expect(event).not.toHaveProperty("failure")
      }),
    )
  }

  it.effect("and what it says after its time is not heard", () =>
    Effect.gen(function* () {
      const event = yield* settle(() => new Promise((_, reject) => setTimeout(reject, 20, new Error("late"))))
      yield* pause(40)
      expect(event.answer).toBe("unknown")
    }),
  )
})
