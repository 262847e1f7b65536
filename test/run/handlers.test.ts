/** Handlers that misbehave: whatever one returns, throws or never does, one true event is written and the process lives. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Catalog, type CompiledPlan, defineCatalog, tool } from "sequitur"
import { type Handlers, notApplied, type RunReport } from "sequitur/run"
import { afterAll, beforeAll, describe, expect } from "vitest"
import { catalog, type Desk, planOf, refundPlan, calls as steps } from "./desk.ts"
import { makeWorld } from "./world.ts"

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

const readPlan = planOf([steps.find, steps.note])

/** The desk, where a cancellation may be asked for again by its key. */
const { tools } = catalog.spec
const keyed = defineCatalog({
  ...catalog.spec,
  tools: { ...tools, cancel: tool({ ...tools.cancel, idempotency: { key: { retentionMs: 86_400_000 } } }) },
})
const keyedPlan = planOf([steps.find, steps.cancel, steps.refund, steps.note], keyed)

/** Runs a plan and lets as much time pass as it wants. */
const finish = (instead: Partial<Handlers<Desk>>, plan: CompiledPlan = refundPlan) =>
  Effect.gen(function* () {
    const of: Catalog = plan === keyedPlan ? keyed : catalog
    const world = yield* makeWorld(instead, of)
    const fiber = yield* Effect.forkChild(world.run(plan))
    yield* TestClock.adjust("1 minute")
    const report = yield* Fiber.join(fiber)
    return { ...world, report, kinds: yield* world.kinds, entries: yield* world.entries }
  })

const failureOf = (report: RunReport) => ("failure" in report ? report.failure : undefined)

const thrower = (error: unknown) => () => {
  throw error
}

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic
const hostileProxy = new Proxy(
  {},
  {
    get: thrower(new Error("trap")),
    has: thrower(new Error("trap")),
    ownKeys: thrower(new Error("trap")),
    getPrototypeOf: thrower(new Error("trap")),
    getOwnPropertyDescriptor: thrower(new Error("trap")),
  },
)

describe("A095: whatever is thrown", () => {
  const thrown: Record<string, unknown> = {
    null: null,
    undefined: undefined,
    "a string": "plain words",
    "a number": 7,
    "an object whose toString throws": { toString: thrower(1) },
    "an error whose message throws": Object.defineProperty(new Error("x"), "message", {
      get: thrower(new Error("no")),
    }),
    "a proxy that throws": hostileProxy,
    "a frozen error": Object.freeze(new Error("frozen")),
    "an error with a cyclic cause": Object.assign(new Error("cyclic"), { cause: cyclic }),
    "a symbol": Symbol("x"),
  }
  for (const [name, error] of Object.entries(thrown)) {
    it.effect(`${name}, by a read: the step has failed`, () =>
      Effect.gen(function* () {
        for (const find of [thrower(error), () => Promise.reject(error), () => Effect.fail(error) as never]) {
          const { report, calls } = yield* finish({ find })
          expect(report.status).toBe("failed")
          expect(failureOf(report)).toMatchObject({ tag: "StepFailed", code: "RUN101", stepId: "find" })
          expect(calls.count("find")).toBe(3)
          expect(calls.count("cancel")).toBe(0)
        }
      }),
    )
    it.effect(`${name}, by an effect: it is in doubt, and never called again`, () =>
      Effect.gen(function* () {
        for (const cancel of [thrower(error), () => Promise.reject(error), () => Effect.die(error) as never]) {
          const { report, calls, kinds } = yield* finish({ cancel })
          expect(report.status).toBe("in_doubt")
          expect(failureOf(report)).toMatchObject({ tag: "EffectInDoubt", stepId: "cancel" })
          expect(kinds.at(-1)).toBe("in-doubt")
          expect(calls.count("cancel")).toBe(1)
        }
      }),
    )
  }

  it.effect("an effect with a key is called again by that key alone, and then in doubt", () =>
    Effect.gen(function* () {
      const { report, calls, kinds } = yield* finish({ cancel: thrower(null) }, keyedPlan)
      expect(report.status).toBe("in_doubt")
      expect(kinds.at(-1)).toBe("in-doubt")
      expect(calls.count("cancel")).toBeGreaterThan(1)
      const keys = calls.made.filter((one) => one.tool === "cancel").map(({ context }) => context.idempotencyKey)
      expect(new Set(keys).size).toBe(1)
    }),
  )

  it.effect("what it says is cut, and control characters in it are written out", () =>
    Effect.gen(function* () {
      const said = `\u001b[31mline\nline\u202e\ud800${"x".repeat(10_000)}`
      const { report } = yield* finish({ find: thrower(new Error(said)) })
      const message = failureOf(report)?.message ?? ""
      expect(message).toContain("\\u001b[31mline\\u000aline\\u202e\\ud800x")
      expect(message.length).toBeLessThan(700)
    }),
  )
})

it.effect("an effect that says nothing was applied has failed, and is not in doubt", () =>
  Effect.gen(function* () {
    for (const cancel of [
      thrower(notApplied("card declined")),
      () => Promise.reject(notApplied("card declined")),
      () => Effect.fail(notApplied("card declined")) as never,
    ]) {
      const { report, kinds, calls } = yield* finish({ cancel })
      expect(report.status).toBe("failed")
      expect(calls.count("cancel")).toBe(1)
      expect(failureOf(report)).toMatchObject({ tag: "StepFailed", stepId: "cancel" })
      expect(failureOf(report)?.message).toContain("card declined")
      expect(kinds.slice(-2)).toEqual(["attempt-failed", "run-ended"])
    }
  }),
)

describe("A091: a call that never answers", () => {
  const never = () => new Promise<never>(() => {})

  it.effect("of a read is called again, then has timed out", () =>
    Effect.gen(function* () {
      const signals: AbortSignal[] = []
      const { report, calls } = yield* finish(
        {
          look: (_, { signal }) => {
            signals.push(signal)
            return never()
          },
        },
        planOf([steps.find, steps.look]),
      )
      expect(report.status).toBe("failed")
      expect(failureOf(report)).toMatchObject({ tag: "StepTimedOut", code: "RUN102", stepId: "look" })
      expect(failureOf(report)?.message).toContain("1000 ms")
      expect(calls.count("look")).toBe(3)
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
    }),
  )

  it.effect("D17: of an effect is in doubt, and is not called again", () =>
    Effect.gen(function* () {
      let aborted = false
      const { report, calls, resume } = yield* finish(
        {
          cancel: (_, { signal }) => {
            signal.addEventListener("abort", () => {
              aborted = true
            })
            return never()
          },
        },
        refundPlan,
      )
      expect(report.status).toBe("in_doubt")
      expect(failureOf(report)?.message).toContain("did not answer within 1000 ms")
      expect(aborted).toBe(true)
      expect(yield* Effect.flip(resume)).toMatchObject({ _tag: "RunInDoubt", code: "RUN206" })
      expect(calls.count("cancel")).toBe(1)
    }),
  )

  it.effect("that is an Effect is interrupted", () =>
    Effect.gen(function* () {
      let interrupted = false
      const onInterrupt = Effect.sync(() => {
        interrupted = true
      })
      const { report } = yield* finish({ cancel: () => Effect.onInterrupt(Effect.never, () => onInterrupt) })
      expect(report.status).toBe("in_doubt")
      expect(interrupted).toBe(true)
    }),
  )
})

it.effect("A090, A093: a call that answers after it was given up changes nothing, and does not end the process", () =>
  Effect.gen(function* () {
    for (const late of [() => Promise.reject(new Error("late")), () => Promise.resolve({ name: "late" })]) {
      let calls = 0
      const later: (() => void)[] = []
      const { report } = yield* finish(
        {
          look: () => {
            calls++
            if (calls > 1) return { name: "in time" }
            return new Promise((resolve) => later.push(() => resolve(late() as never)))
          },
        },
        planOf([steps.find, steps.look, steps.note]),
      )
      expect(report).toMatchObject({ status: "succeeded", steps: { look: { name: "in time" } } })
      for (const answer of later) answer()
      yield* Effect.promise(() => new Promise((done) => setTimeout(done, 5)))
    }
  }),
)

it.effect("A094: of two answers the first counts", () =>
  Effect.gen(function* () {
    const twice = {
      // biome-ignore lint/suspicious/noThenProperty: a handler may return any thenable
      then: (answer: (value: unknown) => void, refuse: (error: unknown) => void) => {
        answer({ workspaces: [] })
        answer({ workspaces: "other" })
        refuse(new Error("third"))
      },
    }
    const { report } = yield* finish({ find: () => twice as never }, readPlan)
    expect(report).toMatchObject({ status: "succeeded", steps: { find: { workspaces: [] } } })
  }),
)

describe("A098: a result that is no plain JSON", () => {
  const results: Record<string, () => unknown> = {
    cyclic: () => cyclic,
    "a BigInt": () => ({ id: 1n }),
    "a Date": () => new Date(0),
    "a Map": () => new Map(),
    "a function": () => () => 1,
    "a symbol": () => Symbol("x"),
    "a getter": () => Object.defineProperty({}, "id", { get: thrower(new Error("called")), enumerable: true }),
    toJSON: () => ({ toJSON: thrower(new Error("called")) }),
    "a proxy": () => hostileProxy,
    "a key that is undefined": () => ({ id: undefined }),
    "not a number": () => ({ cents: Number.NaN }),
    infinity: () => Number.POSITIVE_INFINITY,
    "an array with holes": () => new Array(2),
    "a class": () => new (class Answer {})(),
    ["__proto__"]: () => JSON.parse('{"__proto__": {"admin": true}}'),
  }
  for (const [name, result] of Object.entries(results)) {
    it.effect(`${name}, of a read: the step has failed, and is not tried again`, () =>
      Effect.gen(function* () {
        const { report, calls } = yield* finish({ find: result as never })
        expect(report.status).toBe("failed")
        expect(failureOf(report)).toMatchObject({ tag: "ResultNotPlain", code: "RUN104" })
        expect(calls.count("find")).toBe(1)
      }),
    )
    it.effect(`${name}, of an effect: it is committed, and the run has failed`, () =>
      Effect.gen(function* () {
        const { report, entries, calls } = yield* finish({ cancel: () => result() as never })
        expect(report.status).toBe("failed")
        expect(failureOf(report)).toMatchObject({ tag: "ResultNotPlain", stepId: "cancel" })
        const outcome = entries.find(({ event }) => event.kind === "outcome" && event.stepId === "cancel")?.event
        expect(outcome).toMatchObject({ failure: { tag: "ResultNotPlain" } })
        expect(outcome).not.toHaveProperty("result")
        expect(calls.count("refund")).toBe(0)
      }),
    )
  }
})

it.effect("D21: half a character and U+0000 are kept as they stand, and stop nothing", () =>
  Effect.gen(function* () {
    const workspaces = [{ id: "w2", role: "secondary", cents: 1, note: "\ud83d\0\ude00" }]
    const { report, entries } = yield* finish({ find: () => ({ workspaces }), note: () => ({ "\ud83d\0": "\udc00" }) })
    expect(report).toMatchObject({ status: "succeeded", steps: { note: { "\ud83d\0": "\udc00" } } })
    const outcome = entries.find(({ event }) => event.kind === "outcome")?.event
    expect(outcome).toMatchObject({ result: { workspaces } })
  }),
)

it.effect("A097: a result beyond the bound is counted, not kept", () =>
  Effect.gen(function* () {
    for (const result of ["x".repeat(2_000_000), Array.from({ length: 200_000 }, () => 0)]) {
      const read = yield* finish({ find: () => result as never })
      expect(failureOf(read.report)).toMatchObject({ tag: "ResultTooLarge", code: "RUN103" })
      const effect = yield* finish({ cancel: () => result as never })
      expect(effect.report.status).toBe("failed")
      expect(JSON.stringify(effect.entries).length).toBeLessThan(10_000)
    }
  }),
)

describe("A039: a result of the wrong shape", () => {
  it.effect("of a read fails the step", () =>
    Effect.gen(function* () {
      const { report, calls } = yield* finish({ find: () => ({ workspaces: [{ id: 5 }] }) as never })
      expect(failureOf(report)).toMatchObject({ tag: "ResultMismatch", code: "RUN105", stepId: "find" })
      expect(failureOf(report)?.message).toContain("/workspaces/0")
      expect(calls.count("find")).toBe(1)
    }),
  )

  it.effect("is told with the first three misfits, a missing key among them, and how many more there are", () =>
    Effect.gen(function* () {
      const said = (result: unknown) =>
        Effect.map(finish({ find: () => result as never }), ({ report }) => failureOf(report)?.message)
      expect(yield* said({ workspace: [] })).toBe(
        "the result of step `find` is not what `find` declares: at `/`: `workspaces` is missing: expected an array",
      )
      const two = [
        { id: 5, role: "r", cents: 1 },
        { role: "r", cents: -1 },
      ]
      expect(yield* said({ workspaces: two })).toBe(
        "the result of step `find` is not what `find` declares: " +
          "at `/workspaces/1`: `id` is missing: expected a string; " +
          "at `/workspaces/0/id`: expected a string, found 5; " +
          "at `/workspaces/1/cents`: expected an integer from 0 to 90000, found -1",
      )
      const many = Array.from({ length: 40 }, () => ({ id: "w", role: "r", cents: "no" }))
      const message = (yield* said({ workspaces: many })) ?? ""
      expect(message).toMatch(/cents`: .*; at .*cents`: .*; at .*cents`: [^;]*; and 37 more$/)
    }),
  )

  it.effect("of an effect is kept as committed, and then the run has failed", () =>
    Effect.gen(function* () {
      const result = { id: "w2", proratedCents: "24.50" }
      const { report, entries, calls } = yield* finish({ cancel: () => result as never })
      expect(report.status).toBe("failed")
      expect(failureOf(report)).toMatchObject({ tag: "ResultMismatch", stepId: "cancel" })
      const outcome = entries.find(({ event }) => event.kind === "outcome" && event.stepId === "cancel")?.event
      expect(outcome).toMatchObject({ result, failure: { tag: "ResultMismatch" } })
      expect(calls.count("refund")).toBe(0)
      // What does not have its declared type is not given out under it.
      expect(report.of("cancel", "cancel")).toBeUndefined()
    }),
  )

  it.effect("undeclared fields are kept, and refused nowhere", () =>
    Effect.gen(function* () {
      const { report } = yield* finish({ cancel: ({ id }) => ({ id, proratedCents: 5, extra: [1] }) })
      expect(report.status).toBe("succeeded")
    }),
  )

  it.effect("a handler that returns nothing has returned null", () =>
    Effect.gen(function* () {
      const fine = yield* finish({ note: () => undefined })
      expect(fine.report.status).toBe("succeeded")
      const declared = yield* finish({ refund: () => undefined as never })
      expect(failureOf(declared.report)).toMatchObject({ tag: "ResultMismatch", stepId: "refund" })
    }),
  )
})

it.effect("A099: a handler that changes its arguments changes nothing of ours, then or later", () =>
  Effect.gen(function* () {
    const kept: Record<string, unknown>[] = []
    const { report, entries } = yield* finish({
      refund: (args) => {
        kept.push(args)
        args.cents = 90_000
        return { refundId: "r1" }
      },
    })
    for (const args of kept) args.id = "w9"
    expect(report.status).toBe("succeeded")
    const intent = entries.find(({ event }) => event.kind === "intent" && event.stepId === "refund")?.event
    expect(intent).toMatchObject({ args: { id: "w2", cents: 2_450 } })
  }),
)

it.effect("a handler keeps no hold on its result or on who acts", () =>
  Effect.gen(function* () {
    const held: { workspaces: { id: string; role: string; cents: number }[] } = { workspaces: [] }
    const world = yield* makeWorld({
      find: (_, { principal }) => {
        expect(() => Object.assign(principal, { tenant: "other" })).toThrow()
        held.workspaces.push({ id: "w2", role: "secondary", cents: 1 })
        return held
      },
      cancel: async ({ id }) => {
        held.workspaces.length = 0
        return { id, proratedCents: 5 }
      },
    })
    const report = yield* world.run()
    expect(report.of("find", "find")).toEqual({ workspaces: [{ id: "w2", role: "secondary", cents: 1 }] })
  }),
)

it.effect("handlers are told who acts, which call it is, and the key of an effect only", () =>
  Effect.gen(function* () {
    const { calls, entries } = yield* finish({})
    const keys = entries.flatMap(({ event }) => (event.kind === "intent" ? [event.idempotencyKey] : []))
    expect(calls.made.map(({ context }) => context.idempotencyKey)).toEqual(keys)
    expect(keys[0]).toBeUndefined()
    expect(keys.slice(1).every((key) => /^k1:[0-9a-f]{64}$/.test(key ?? ""))).toBe(true)
    expect(calls.made[1]?.context).toMatchObject({
      attempt: 1,
      runId: "run",
      stepId: "cancel",
      principal: { tenant: "acme", subject: "ann", roles: ["agent"] },
    })
    expect(calls.made[1]?.context.signal.aborted).toBe(false)
  }),
)

it.effect("handlers may be plain functions, promises and Effects alike", () =>
  Effect.gen(function* () {
    const { report } = yield* finish({
      find: () => Effect.delay(Effect.succeed({ workspaces: [{ id: "w2", role: "secondary", cents: 1 }] }), "1 second"),
      cancel: ({ id }) => Effect.succeed({ id, proratedCents: 7 }),
      refund: async () => ({ refundId: "r2" }),
      note: () => "written",
    })
    expect(report).toMatchObject({ status: "succeeded", steps: { refund: { refundId: "r2" }, note: "written" } })
  }),
)
