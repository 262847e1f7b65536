/** What is being undone is nobody's to use; what is undone with wrong arguments is not called; a word is held to the tool it is about. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { compile } from "sequitur"
import { notApplied, reconciled, requestCancel, resolve, resume } from "sequitur/run"
import { describe, expect } from "vitest"
import { z } from "zod"
import { replay } from "../../src/journal/state.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { boxOn, catalog, catalogWith, settle, silence, tools } from "./counter.ts"
import { accepted } from "./desk.ts"
import { office, planOf, refuse } from "./office.ts"

const twoSteps = planOf(["keyed", "i1"], ["bare", "i2"])

describe("an effect that is being undone", () => {
  it.effect("is not used by another run: not while the undo is under way, nor while it is in doubt", () =>
    Effect.gen(function* () {
      let calls = 0
      const { run, provide, box } = yield* office({
        call: { bare: refuse, unpay: () => (++calls > 3 ? null : silence()) },
      })
      const undoing = yield* Effect.forkChild(run("a", twoSteps))
      yield* TestClock.adjust(10)
      const same = planOf(["keyed", "i1"])
      expect(yield* run("b", same)).toMatchObject({ status: "failed", failure: { tag: "KeyInDoubt" } })
      for (let times = 0; times < 20; times++) yield* Effect.andThen(settle, TestClock.adjust(10_000))
      expect(yield* Fiber.join(undoing)).toMatchObject({ status: "in_doubt" })
      expect(yield* run("c", same)).toMatchObject({ status: "failed", failure: { tag: "KeyInDoubt" } })
      // A person says that it was not undone: then it still stands, until it is undone after all.
      const word = { by: "bob", reason: "looked", notApplied: true } as const
      const resolved = yield* Effect.forkChild(provide(resolve("a", "s0", { ...word, ...box })))
      for (let times = 0; times < 5; times++) yield* Effect.andThen(settle, TestClock.adjust(10_000))
      expect(yield* Fiber.join(resolved)).toMatchObject({ status: "failed" })
      expect(yield* run("d", same)).toMatchObject({ status: "succeeded", effects: [{ state: "done" }] })
    }),
  )

  it.effect("is left as it is where another run goes by its result, and that is told with the other's name", () =>
    Effect.gen(function* () {
      let answer: (value: unknown) => void = () => {}
      const wait = () => new Promise((resolve) => (answer = resolve))
      const { run, provide, journal, outside } = yield* office({ call: { bare: wait } })
      const first = yield* Effect.forkChild(run("a", planOf(["natural", "i0"], ["keyed", "i1"], ["bare", "i2"])))
      yield* settle
      expect(yield* run("b", planOf(["keyed", "i1"]))).toMatchObject({ effects: [{ state: "replayed" }] })
      yield* provide(requestCancel("a", { by: "carol" }))
      answer({ id: "p" })
      for (let times = 0; times < 10; times++) yield* Effect.andThen(settle, TestClock.adjust(1_000))
      const report = yield* Fiber.join(first)
      expect(report).toMatchObject({
        status: "cancelled",
        effects: [{ state: "undone" }, { state: "undo-failed", failure: { tag: "UndoFailed" } }, { state: "undone" }],
      })
      expect(report.effects[1]?.failure?.message).toContain("run `b` goes by its result")
      expect(outside.calls.filter(({ tool }) => tool === "unpay")).toHaveLength(2)
      // It stands, and whoever asks for it next is answered.
      expect(yield* run("c", planOf(["keyed", "i1"]))).toMatchObject({ effects: [{ state: "replayed" }] })
      expect(yield* journal.inspect((whole) => verifyStore(whole).findings)).toEqual([])
    }),
  )

  it.effect("that could not be undone stands, and is used", () =>
    Effect.gen(function* () {
      const { run } = yield* office({ call: { bare: refuse, unpay: refuse } })
      expect(yield* run("a", twoSteps)).toMatchObject({ effects: [{ stepId: "s0", state: "undo-failed" }] })
      expect(yield* run("b", planOf(["keyed", "i1"]))).toMatchObject({ effects: [{ state: "replayed" }] })
    }),
  )

  it.effect("and whose first call answers only after that is told as a contradiction", () =>
    Effect.gen(function* () {
      let answer: (value: unknown) => void = () => {}
      let calls = 0
      const natural = () => (++calls === 1 ? new Promise((resolve) => (answer = resolve)) : { id: "p" })
      const { run, journal } = yield* office({ call: { natural, bare: refuse } })
      const fiber = yield* Effect.forkChild(run("a", planOf(["natural", "i1"], ["bare", "i2"])))
      yield* TestClock.adjust(5_000)
      expect(yield* Fiber.join(fiber)).toMatchObject({ effects: [{ state: "undone" }], contradictions: [] })
      answer({ id: "late" })
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      const state = replay("a", yield* journal.read("a"))
      if (state instanceof Error) throw state
      expect(state.observations).toMatchObject([{ event: { answer: "answered" }, contradicts: true }])
    }),
  )
})

it.effect(
  "that a call was not applied says nothing of another by its key; of the one that was settled as applied it does",
  () =>
    Effect.gen(function* () {
      for (const [tool, contradicts] of [
        ["natural", false],
        ["asked", true],
      ] as const) {
        let reject: (error: unknown) => void = () => {}
        let calls = 0
        const way = () => (++calls === 1 ? new Promise((_, no) => (reject = no)) : { id: "p" })
        const { run, journal } = yield* office({
          call: { [tool]: way },
          reconcile: () => reconciled.applied({ id: "p" }),
        })
        const fiber = yield* Effect.forkChild(run("a", planOf([tool, "i1"])))
        yield* TestClock.adjust(5_000)
        expect(yield* Fiber.join(fiber)).toMatchObject({ status: "succeeded" })
        reject(notApplied("it was not sent"))
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
        const state = replay("a", yield* journal.read("a"))
        expect(state).toMatchObject({ observations: [{ event: { answer: "not-applied", attempt: 1 }, contradicts }] })
      }
    }),
)

it.effect("an undo whose arguments its tool does not take is not called", () =>
  Effect.gen(function* () {
    const unpay = { ...tools.unpay, params: z.strictObject({ id: z.uuid(), invoice: z.string() }) }
    const strict = catalogWith({ tools: { ...tools, unpay } as never })
    const { run, outside } = yield* office({ call: { bare: refuse } }, strict)
    const plan = accepted(compile(strict, JSON.stringify(twoSteps.plan.document)))
    const report = yield* run("a", plan)
    expect(report).toMatchObject({ status: "failed", effects: [{ stepId: "s0", state: "undo-failed" }] })
    expect(report.effects[0]?.failure?.message).toContain("its arguments are refused")
    expect(outside.calls.filter(({ tool }) => tool === "unpay")).toEqual([])
  }),
)

describe("a person's word", () => {
  const lost = { bare: () => silence() }
  const inDoubt = Effect.gen(function* () {
    const made = yield* office({ call: lost })
    const fiber = yield* Effect.forkChild(made.run("a", planOf(["bare", "i1"])))
    yield* TestClock.adjust(2_000)
    expect(yield* Fiber.join(fiber)).toMatchObject({ status: "in_doubt" })
    return made
  })
  const other = catalogWith({
    tools: { ...tools, bare: { ...tools.bare, result: z.object({ other: z.string() }) } } as never,
  })
  const by = { by: "bob", reason: "looked" } as const

  it.effect(
    "by a catalog with another result is refused before anything is written; that it was not applied is taken",
    () =>
      Effect.gen(function* () {
        const { provide, journal, outside, box } = yield* inDoubt
        const length = (yield* journal.read("a")).length
        const of = { catalog: other, tools: boxOn(outside, {}, other) }
        const applied = resolve("a", "s0", { ...by, applied: { other: "x" }, ...of })
        expect(yield* Effect.flip(provide(applied))).toMatchObject({ _tag: "StalePlan" })
        expect(yield* journal.read("a")).toHaveLength(length)
        const refused = resolve("a", "s0", { ...by, applied: { other: "x" }, ...box })
        expect(yield* Effect.flip(provide(refused))).toMatchObject({ _tag: "ResolutionRefused" })
        yield* Effect.flip(provide(resolve("a", "s0", { ...by, notApplied: true, ...of })))
        expect((yield* journal.read("a")).map(({ event }) => event.kind)).toContain("resolved")
        const working = boxOn(outside, {}, catalog)
        expect(yield* provide(resume("a", { catalog, tools: working }))).toMatchObject({ status: "succeeded" })
      }),
  )
})
