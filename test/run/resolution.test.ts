/** A person's word on an effect in doubt: held to the tool's result, journalled with who and how, refused where nothing is in doubt. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { compile } from "sequitur"
import { cancel, execute, type Resolution, resolve } from "sequitur/run"
import { describe, expect } from "vitest"
import { boxOn, catalog, type Instead, makeOutside, openStore, settle, silence } from "./counter.ts"
import { accepted, principal } from "./desk.ts"

const steps = [
  { id: "first", tool: "natural", args: { invoice: "i1" } },
  { id: "pay", tool: "bare", args: { invoice: "i2" } },
  { id: "last", tool: "keyed", args: { invoice: { $from: "pay", path: "/id" } } },
]
const plan = accepted(compile(catalog, JSON.stringify({ version: 1, steps })))

const throws = () => {
  throw new Error("the line went dead")
}

const doubtful = (instead: Instead = {}) =>
  Effect.gen(function* () {
    const { provide, journal } = yield* openStore
    const outside = makeOutside()
    const broken = boxOn(outside, { call: { bare: throws } })
    const report = yield* provide(
      execute(plan, { principal, sessionId: "s", taskId: "t", runId: "run", catalog, tools: broken }),
    )
    expect(report.status).toBe("in_doubt")
    const equipment = { catalog, tools: boxOn(outside, instead) }
    return {
      outside,
      journal,
      resolve: (said: object, stepId = "pay") =>
        provide(
          resolve("run", stepId, { by: "eve", reason: "seen", ...said, ...equipment } as Resolution & typeof equipment),
        ),
      cancel: provide(cancel("run", { by: "eve", ...equipment })),
    }
  })

describe("applied", () => {
  it.effect("its result stands for the call, and later steps get it", () =>
    Effect.gen(function* () {
      const { outside, resolve, journal } = yield* doubtful()
      const report = yield* resolve({ applied: { id: "by hand" } })
      expect(report).toMatchObject({ status: "succeeded", steps: { pay: { id: "by hand" } } })
      expect(outside.calls.map(({ tool }) => tool)).toEqual(["natural", "bare", "keyed"])
      expect(outside.calls.at(-1)?.args).toEqual({ invoice: "by hand" })
      const said = (yield* journal.read("run")).find(({ event }) => event.kind === "resolved")?.event
      expect(said).toMatchObject({ answer: "applied", by: "eve", reason: "seen", result: { id: "by hand" } })
    }),
  )

  it.effect("of another shape, or no JSON, it is refused, and nothing is written", () =>
    Effect.gen(function* () {
      const { resolve, journal } = yield* doubtful()
      const before = (yield* journal.read("run")).length
      for (const applied of [{ id: 7 }, {}, null, 4n, new Date()])
        expect(yield* Effect.flip(resolve({ applied }))).toMatchObject({ code: "RUN210" })
      expect(yield* journal.read("run")).toHaveLength(before)
    }),
  )
})

describe("not applied", () => {
  it.effect("it is called again, under another key", () =>
    Effect.gen(function* () {
      const { outside, resolve } = yield* doubtful()
      expect((yield* resolve({ notApplied: true })).status).toBe("succeeded")
      const keys = outside.calls.flatMap(({ tool, key }) => (tool === "bare" ? [key] : []))
      expect([keys.length, new Set(keys).size]).toEqual([2, 2])
    }),
  )

  it.effect("it may come to be in doubt again", () =>
    Effect.gen(function* () {
      const { resolve } = yield* doubtful({ call: { bare: throws } })
      expect((yield* resolve({ notApplied: true })).status).toBe("in_doubt")
    }),
  )
})

describe("is refused", () => {
  it.effect(
    "of another step, of a run that is in doubt no more, with both answers or none, from nobody and without a reason",
    () =>
      Effect.gen(function* () {
        const { resolve } = yield* doubtful()
        const wrong: readonly (readonly [object, string, string])[] = [
          [{ notApplied: true }, "first", "RUN209"],
          [{ notApplied: true }, "none", "RUN209"],
          [{}, "pay", "RUN201"],
          [{ notApplied: true, applied: { id: "x" } }, "pay", "RUN201"],
          [{ notApplied: false }, "pay", "RUN201"],
          [{ notApplied: true, by: "" }, "pay", "RUN201"],
          [{ notApplied: true, reason: "" }, "pay", "RUN201"],
          [{ notApplied: true, tenant: "other" }, "pay", "RUN204"],
        ]
        for (const [said, stepId, code] of wrong)
          expect(yield* Effect.flip(resolve(said, stepId)), code).toMatchObject({ code })
        yield* resolve({ notApplied: true })
        expect(yield* Effect.flip(resolve({ notApplied: true }))).toMatchObject({ code: "RUN205" })
      }),
  )

  it.effect("while an owner is at work on the run", () =>
    Effect.gen(function* () {
      const { provide } = yield* openStore
      const tools = boxOn(makeOutside(), { call: { bare: silence } })
      const options = { principal, sessionId: "s", taskId: "t", runId: "run", catalog, tools }
      const running = yield* Effect.forkChild(provide(execute(plan, options)))
      yield* settle
      const word = { by: "eve", reason: "seen", notApplied: true, catalog, tools } as const
      expect(yield* Effect.flip(provide(resolve("run", "pay", word)))).toMatchObject({ code: "RUN209" })
      yield* Fiber.interrupt(running)
    }),
  )

  it.effect("of two people one is heard", () =>
    Effect.gen(function* () {
      const { resolve, outside } = yield* doubtful()
      const words = [{ applied: { id: "x" } }, { notApplied: true }].map((word) => Effect.exit(resolve(word)))
      const heard = yield* Effect.all(words, { concurrency: 2 })
      expect(heard.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
      expect(outside.calls.filter(({ tool }) => tool === "keyed").length).toBeLessThanOrEqual(1)
    }),
  )
})

it.effect(
  "cancelled while in doubt: it stays so until somebody says what became of it, then what was done is undone",
  () =>
    Effect.gen(function* () {
      const { cancel, resolve, outside } = yield* doubtful()
      expect((yield* cancel).status).toBe("in_doubt")
      const report = yield* resolve({ applied: { id: "x" } })
      expect(report.status).toBe("cancelled")
      expect(report.effects.map(({ state }) => state)).toEqual(["undone", "undone"])
      expect(outside.calls.filter(({ tool }) => tool === "unpay")).toHaveLength(2)
      expect(outside.calls.filter(({ tool }) => tool === "keyed")).toHaveLength(0)
    }),
)
