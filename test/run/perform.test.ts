/** One call, whatever its handler does: one true event, and late truths after that; nothing escapes into the process. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { notApplied } from "sequitur/run"
import { afterAll, beforeAll, describe, expect } from "vitest"
import type { Calling } from "../../src/run/call/call.ts"
import { perform } from "../../src/run/call/perform.ts"
import { call, idempotencyKey, makeStation, pause } from "./calling.ts"

const escaped: unknown[] = []
const note = (error: unknown): void => {
  escaped.push(error)
}
beforeAll(() => {
  process.on("unhandledRejection", note)
  process.on("uncaughtException", note)
})
afterAll(() => {
  process.off("unhandledRejection", note)
  process.off("uncaughtException", note)
  expect(escaped).toEqual([])
})

type Handler = (args: { n: number }, context: { readonly signal: AbortSignal }) => unknown

const limit = { ms: 1_000 }
const never = () => new Promise<never>(() => {})
const thrower = (error: unknown) => () => {
  throw error
}

/** Makes one call and lets as much time pass as it wants, then a little more. */
const make = (handler: Handler, calling: Calling = call("set"), within = limit) =>
  Effect.gen(function* () {
    const { worker, observed } = yield* makeStation({ [calling.tool.name]: { call: handler } })
    const fiber = yield* Effect.forkChild(perform(worker, calling, within))
    yield* pause()
    yield* TestClock.adjust("1 minute")
    const event = yield* Fiber.join(fiber)
    yield* pause()
    return { event, observed }
  })

/** The same answer, in each way that a handler may give it. */
const waysOf = (answer: () => unknown): readonly Handler[] => [answer, async () => answer(), () => Effect.sync(answer)]

describe("an answer", () => {
  it.effect("of a read or an effect is its outcome", () =>
    Effect.gen(function* () {
      for (const handler of waysOf(() => ({ n: 2 }))) {
        for (const tool of ["get", "set"] as const) {
          const { event, observed } = yield* make(handler, call(tool))
          const outcome = { kind: "outcome", stepId: tool, attempt: 1, tookMs: expect.any(Number), result: { n: 2 } }
          expect(event).toEqual(outcome)
          expect(observed).toEqual([])
        }
      }
    }),
  )

  it.effect("that cannot be used fails a read, and leaves an effect done", () =>
    Effect.gen(function* () {
      const unusable: Record<string, readonly [() => unknown, unknown]> = {
        ResultMismatch: [() => ({ n: "2" }), { n: "2" }],
        ResultNotPlain: [() => ({ n: 2n }), undefined],
        ResultTooLarge: [() => "x".repeat(20_000), undefined],
      }
      for (const [tag, [answer, result]] of Object.entries(unusable)) {
        for (const handler of waysOf(answer)) {
          expect((yield* make(handler, call("get"))).event).toMatchObject({ kind: "attempt-failed", failure: { tag } })
          const { event } = yield* make(handler)
          expect(event).toMatchObject({ kind: "outcome", failure: { tag, stepId: "set" } })
          expect("result" in event ? event.result : undefined).toEqual(result)
        }
      }
    }),
  )

  it.effect("of an undo says so", () =>
    Effect.gen(function* () {
      const undo = call("set", { stepId: "pay", undoes: true, attempt: 2 })
      const about = { stepId: "pay", attempt: 2, undoes: true }
      expect((yield* make(() => ({ n: 2 }), undo)).event).toMatchObject({ kind: "outcome", ...about })
      expect((yield* make(thrower(notApplied("no")), undo)).event).toMatchObject({ kind: "attempt-failed", ...about })
      expect((yield* make(thrower(null), undo)).event).toMatchObject({ kind: "answer-lost", ...about })
    }),
  )

  it.effect("of a tool that only the journal knows is held to nothing", () =>
    Effect.gen(function* () {
      const tool = { name: "old", mutates: true, timeoutMs: 1_000, result: undefined }
      const { event } = yield* make(() => "anything", call("set", { tool }))
      expect(event).toMatchObject({ kind: "outcome", result: "anything" })
    }),
  )
})

describe("A095: whatever is thrown", () => {
  const trap = thrower(new Error("trap"))
  const cyclic = Object.assign(new Error("cyclic"), { cause: {} })
  cyclic.cause = cyclic
  const thrown: Record<string, unknown> = {
    null: null,
    undefined: undefined,
    "a string": "x",
    "an object whose toString throws": { toString: thrower(1) },
    "a proxy": new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap }),
    "a proxy of a function": new Proxy(() => {}, { get: trap, getPrototypeOf: trap }),
    "a frozen error": Object.freeze(new Error("frozen")),
    "an error with a cyclic cause": cyclic,
    "an error of another realm's shape": { name: "NotApplied", message: "it says so itself" },
  }
  for (const [name, error] of Object.entries(thrown)) {
    it.effect(`${name}: a read has failed, an effect is lost`, () =>
      Effect.gen(function* () {
        for (const handler of [thrower(error), () => Promise.reject(error), () => Effect.fail(error)]) {
          const read = yield* make(handler, call("get"))
          expect(read.event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed", stepId: "get" } })
          const effect = yield* make(handler)
          expect(effect.event).toMatchObject({ kind: "answer-lost", failure: { tag: "EffectInDoubt", stepId: "set" } })
          expect(effect.event).not.toHaveProperty("result")
        }
      }),
    )
  }

  it.effect("`notApplied` alone says that an effect has not happened", () =>
    Effect.gen(function* () {
      const error = notApplied("card declined")
      for (const handler of [thrower(error), () => Promise.reject(error), () => Effect.fail(error)]) {
        const { event } = yield* make(handler)
        expect(event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed" } })
        expect(event).toHaveProperty("failure.message", expect.stringContaining("card declined"))
      }
    }),
  )

  it.effect("without a handler nothing has happened", () =>
    Effect.gen(function* () {
      const { worker } = yield* makeStation({})
      const event = yield* perform(worker, call("set"), limit)
      expect(event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed" } })
    }),
  )
})

describe("A091: silence", () => {
  const silent: readonly Handler[] = [never, () => Effect.never]

  it.effect("of a read has timed out, of an effect is an answer lost; the signal is aborted", () =>
    Effect.gen(function* () {
      for (const answer of silent) {
        const signals: AbortSignal[] = []
        const handler: Handler = (args, context) => {
          signals.push(context.signal)
          return answer(args, context)
        }
        const read = yield* make(handler, call("get"))
        expect(read.event).toMatchObject({ kind: "attempt-failed", tookMs: 1_000, failure: { tag: "StepTimedOut" } })
        const effect = yield* make(handler)
        expect(effect.event).toMatchObject({ kind: "answer-lost", tookMs: 1_000, failure: { tag: "EffectInDoubt" } })
        expect(effect.event).toHaveProperty("failure.message", expect.stringContaining("within 1000 ms"))
        expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
        expect(effect.observed).toEqual([])
      }
    }),
  )

  it.effect("whatever its listeners do when they are told that it is aborted", () =>
    Effect.gen(function* () {
      const told: string[] = []
      const hear = (what: string) => {
        told.push(what)
        throw new Error(what)
      }
      const handler: Handler = (_, { signal }) => {
        const removed = () => told.push("removed")
        signal.addEventListener("abort", removed)
        signal.removeEventListener("abort", removed)
        signal.addEventListener("abort", () => hear("function"))
        signal.addEventListener("abort", { handleEvent: () => hear("object") }, { once: true })
        signal.addEventListener("abort", async () => hear("promise"))
        signal.onabort = () => hear("not any more")
        signal.onabort = () => hear("property")
        return never()
      }
      expect((yield* make(handler)).event).toMatchObject({ kind: "answer-lost" })
      yield* pause(20)
      expect(told).toEqual(["function", "object", "promise", "property"])
    }),
  )

  it.effect("of a read when the run's own time ends is a budget used up", () =>
    Effect.gen(function* () {
      const within = { ms: 500, exhausts: { budget: "wallMs", max: 2_000 } } as const
      const { event } = yield* make(never, call("get"), within)
      expect(event).toMatchObject({ kind: "attempt-failed", tookMs: 500, failure: { tag: "BudgetExhausted" } })
    }),
  )

  it.effect("a read is cut off from outside, at once; an effect cannot be", () =>
    Effect.gen(function* () {
      let signal: AbortSignal | undefined
      const handler: Handler = (_, context) => {
        signal = context.signal
        return never()
      }
      const { worker } = yield* makeStation({ get: { call: handler }, set: { call: handler } })
      const read = yield* Effect.forkChild(perform(worker, call("get"), limit))
      yield* pause()
      worker.cutOff?.()
      const event = yield* Fiber.join(read)
      expect(event).toMatchObject({ kind: "attempt-failed", failure: { tag: "CallInterrupted", stepId: "get" } })
      expect(signal?.aborted).toBe(true)
      expect(worker.cutOff).toBeUndefined()
      const effect = yield* Effect.forkChild(perform(worker, call("set"), limit))
      yield* pause()
      expect(worker.cutOff).toBeUndefined()
      yield* Fiber.interrupt(effect)
    }),
  )
})

describe("A093: what an effect says after it was given up is a late truth", () => {
  const about = { kind: "observed", stepId: "set", attempt: 1, idempotencyKey }
  const answers: Record<string, readonly [() => unknown, object]> = {
    "its result": [() => ({ n: 2 }), { ...about, answer: "answered", result: { n: 2 } }],
    "a result of the wrong shape": [
      () => ({ n: "2" }),
      { ...about, answer: "answered", result: { n: "2" }, failure: { tag: "ResultMismatch" } },
    ],
    "that nothing was applied": [
      thrower(notApplied("declined")),
      { ...about, answer: "not-applied", failure: { tag: "StepFailed" } },
    ],
    "an error": [thrower(new Error("reset")), { ...about, answer: "threw", failure: { tag: "EffectInDoubt" } }],
  }
  for (const [name, [answer, expected]] of Object.entries(answers)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const later: (() => void)[] = []
        const handler = () => new Promise((resolve) => later.push(() => resolve(null))).then(answer)
        for (const givenUp of ["late", "interrupted"]) {
          const { worker, observed } = yield* makeStation({ set: { call: handler } })
          const fiber = yield* Effect.forkChild(perform(worker, call("set"), limit))
          yield* pause()
          if (givenUp === "late") {
            yield* TestClock.adjust("1 second")
            expect((yield* Fiber.join(fiber)).kind).toBe("answer-lost")
          } else yield* Fiber.interrupt(fiber)
          expect(observed).toEqual([])
          for (const say of later.splice(0)) say()
          yield* pause()
          expect(observed).toHaveLength(1)
          expect(observed[0]).toMatchObject(expected)
        }
      }),
    )
  }

  it.effect("of an Effect, unless all it says is that it was interrupted", () =>
    Effect.gen(function* () {
      const interrupted = yield* make(() => Effect.delay(Effect.succeed({ n: 2 }), "3 seconds"))
      expect(interrupted.event.kind).toBe("answer-lost")
      expect(interrupted.observed).toEqual([])
      const failing = yield* make(() => Effect.onInterrupt(Effect.never, () => Effect.die(new Error("half done"))))
      expect(failing.event.kind).toBe("answer-lost")
      expect(failing.observed).toMatchObject([{ ...about, answer: "threw" }])
    }),
  )

  it.effect("of a read is not heard, and its rejection kills nobody", () =>
    Effect.gen(function* () {
      for (const late of [() => Promise.reject(new Error("late")), () => ({ n: 2 })]) {
        const later: (() => void)[] = []
        const handler = () => new Promise((resolve) => later.push(() => resolve(late())))
        const { event, observed } = yield* make(handler, call("get"))
        for (const say of later) say()
        yield* pause()
        expect(event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepTimedOut" } })
        expect(observed).toEqual([])
      }
    }),
  )
})

it.effect("A090: a rejection after its step has ended is not another step's", () =>
  Effect.gen(function* () {
    let reject: (error: unknown) => void = () => {}
    const { worker, observed } = yield* makeStation({
      set: {
        call: () =>
          new Promise((_, refuse) => {
            reject = refuse
          }),
      },
      get: { call: () => new Promise((resolve) => setTimeout(resolve, 20, { n: 3 })) },
    })
    const lost = yield* Effect.forkChild(perform(worker, call("set"), limit))
    yield* pause()
    yield* TestClock.adjust("1 second")
    expect((yield* Fiber.join(lost)).kind).toBe("answer-lost")
    const next = yield* Effect.forkChild(perform(worker, call("get"), limit))
    yield* pause()
    reject(new Error("late"))
    expect(yield* Fiber.join(next)).toMatchObject({ kind: "outcome", stepId: "get", result: { n: 3 } })
    expect(observed).toMatchObject([{ stepId: "set", answer: "threw" }])
  }),
)

describe("A094: of two answers the first counts", () => {
  const thenable = (then: (answer: (value: unknown) => void, refuse: (error: unknown) => void) => void) => ({ then })
  const twice: Record<string, () => unknown> = {
    "a thenable": () =>
      thenable((answer, refuse) => {
        answer({ n: 2 })
        answer({ n: 3 })
        refuse(new Error("third"))
      }),
    "one that throws after it has answered": () =>
      thenable((answer) => {
        answer({ n: 2 })
        throw new Error("after")
      }),
    "a promise with a `then` of its own": () =>
      Object.assign(
        Promise.resolve(0),
        thenable((answer) => [{ n: 2 }, { n: 3 }].forEach(answer)),
      ),
    "an Effect's callback": () =>
      Effect.callback((resume) => {
        resume(Effect.succeed({ n: 2 }))
        resume(Effect.succeed({ n: 3 }))
        resume(Effect.die("third"))
      }),
  }
  for (const [name, handler] of Object.entries(twice)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { event, observed } = yield* make(handler)
        expect(event).toMatchObject({ kind: "outcome", result: { n: 2 } })
        expect(observed).toEqual([])
      }),
    )
  }
})

describe("what is returned may be hostile", () => {
  const trap = thrower(new Error("trap"))
  /** Answers to everything with itself, as mocks do. */
  const universal: object = new Proxy(() => {}, { get: () => universal, has: () => true, apply: () => universal })
  const endless = (times: number): object => {
    const self = {
      // biome-ignore lint/suspicious/noThenProperty: a handler may return any thenable
      then(answer: (value: unknown) => void) {
        for (let time = 0; time < times; time++) answer(self)
      },
    }
    return self
  }
  const returned: Record<string, readonly [() => unknown, string]> = {
    "a proxy that throws": [
      () => new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap }),
      "outcome",
    ],
    "a promise whose constructor throws": [
      () => Object.defineProperty(Promise.resolve({ n: 2 }), "constructor", { get: trap }),
      "answer-lost",
    ],
    // biome-ignore lint/suspicious/noThenProperty: a handler may return any thenable
    "a `then` that throws when it is read": [() => Object.defineProperty({}, "then", { get: trap }), "outcome"],
    // biome-ignore lint/suspicious/noThenProperty: a handler may return any thenable
    "a `then` that throws when it is called": [() => ({ then: trap }), "answer-lost"],
    "a proxy that is everything": [() => universal, "answer-lost"],
    "a promise that comes to itself": [() => endless(1), "outcome"],
    "a promise that comes to itself, and says so again and again": [() => endless(20), "outcome"],
  }
  for (const [name, [handler, kind]] of Object.entries(returned)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        expect((yield* make(handler)).event).toMatchObject({ kind, failure: { stepId: "set" } })
      }),
    )
  }
})

describe("results", () => {
  const kept: Record<string, unknown> = {
    "half a pair": "\ud83d",
    "the other half": ["a\ude00b"],
    "U+0000": "a\0b",
    "both, in keys": { "\ud83d": 1, "a\0": 2 },
  }
  for (const [name, result] of Object.entries(kept)) {
    it.effect(`D21: ${name} is kept as it stands`, () =>
      Effect.gen(function* () {
        const { event } = yield* make(() => result, call("any"))
        expect(event).toMatchObject({ kind: "outcome" })
        expect("result" in event && event.result).toEqual(result)
      }),
    )
  }

  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const exotic: Record<string, unknown> = {
    cyclic,
    "a BigInt": 1n,
    "a Date": new Date(0),
    "a Map": new Map(),
    "a function": () => 1,
    "a symbol": Symbol("x"),
    "a getter": Object.defineProperty({}, "n", { get: thrower(new Error("called")), enumerable: true }),
    toJSON: { toJSON: thrower(new Error("called")) },
    __proto__: JSON.parse('{"__proto__": {"admin": true}}'),
    "an endless stream": (function* () {
      for (;;) yield "x"
    })(),
    "not a number": { n: Number.NaN },
    "an array with holes": new Array(2),
  }
  for (const [name, result] of Object.entries(exotic)) {
    it.effect(`A098: ${name} is no plain JSON`, () =>
      Effect.gen(function* () {
        const { event } = yield* make(() => result)
        expect(event).toMatchObject({ kind: "outcome", failure: { tag: "ResultNotPlain" } })
        expect(event).not.toHaveProperty("result")
      }),
    )
  }

  it.effect("A097: what is too large is counted, not kept", () =>
    Effect.gen(function* () {
      const large: readonly (() => unknown)[] = [
        () => new Array(10_000_000).fill(0),
        () => "x".repeat(2 ** 29 - 100),
        () => ({ deep: Array.from({ length: 100 }, () => "y".repeat(1_000)) }),
        () => new Proxy([], { getOwnPropertyDescriptor: () => ({ value: 2 ** 32 - 1, writable: true }) }),
      ]
      for (const result of large) {
        const { event } = yield* make(result)
        expect(event).toMatchObject({ kind: "outcome", failure: { tag: "ResultTooLarge" } })
        expect(JSON.stringify(event).length).toBeLessThan(1_000)
      }
    }),
  )

  it.effect("A099: a handler that changes its arguments, then or later, changes nothing of ours", () =>
    Effect.gen(function* () {
      const args = { n: 1, list: [{ x: 1 }] }
      const held: { n: number; list?: unknown[] }[] = []
      const { event } = yield* make(
        (mine) => {
          held.push(mine)
          mine.n = 9
          return { n: 2 }
        },
        call("set", { args }),
      )
      for (const mine of held) mine.list?.push(7)
      expect(event.kind).toBe("outcome")
      expect(args).toEqual({ n: 1, list: [{ x: 1 }] })
    }),
  )
})
