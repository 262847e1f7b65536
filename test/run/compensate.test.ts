/** Undoing: what a run has done is taken back, last first, when it ends in anything but success. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { compile } from "sequitur"
import { execute } from "sequitur/run"
import { describe, expect } from "vitest"
import { boxOn, catalogWith, makeOutside, openStore } from "./counter.ts"
import { accepted, principal } from "./desk.ts"
import { office, planOf, refuse } from "./office.ts"

const undone = ({ calls }: { readonly calls: readonly { readonly tool: string; readonly args: unknown }[] }) =>
  calls.filter(({ tool }) => tool === "unpay").map(({ args }) => args)

describe("a run that fails", () => {
  it.effect(
    "undoes its effects in reverse, each with arguments from its call and its result, under keys of their own",
    () =>
      Effect.gen(function* () {
        const { outside, run, journal } = yield* office({ call: { bare: refuse } })
        const report = yield* run("a", planOf(["natural", "i1"], ["look", "i1"], ["keyed", "i2"], ["bare", "i3"]))
        expect(report).toMatchObject({ status: "failed", failure: { code: "RUN101" } })
        expect(undone(outside)).toEqual([
          { id: "p_i2", invoice: "i2" },
          { id: "p_i1", invoice: "i1" },
        ])
        expect(report.effects.map(({ stepId, state }) => [stepId, state])).toEqual([
          ["s0", "undone"],
          ["s2", "undone"],
        ])
        const keys = outside.calls.flatMap(({ tool, key }) => (tool === "unpay" ? [key] : []))
        expect(new Set(keys).size).toBe(2)
        const kinds = (yield* journal.read("a")).map(({ event }) => event.kind)
        expect(kinds.indexOf("winding-down")).toBeGreaterThan(kinds.indexOf("attempt-failed"))
        expect(kinds.at(-1)).toBe("run-ended")
      }),
  )

  it.effect("does not undo what cannot be, and says that it remains", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office({ call: { bare: refuse } })
      const report = yield* run("a", planOf(["both", "i1"], ["bare", "i2"]))
      expect(report.effects).toEqual([{ stepId: "s0", tool: "both", state: "done" }])
      expect(undone(outside)).toEqual([])
    }),
  )

  it.effect("does not undo what another run has done", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office({ call: { bare: refuse } })
      yield* run("a", planOf(["keyed", "i1"]))
      const report = yield* run("b", planOf(["keyed", "i1"], ["bare", "i2"]))
      expect(report).toMatchObject({ status: "failed", effects: [{ state: "replayed" }] })
      expect(undone(outside)).toEqual([])
    }),
  )

  it.effect("undoes nothing while an effect is in doubt", () =>
    Effect.gen(function* () {
      const throws = () => {
        throw new Error("the line went dead")
      }
      const { outside, run } = yield* office({ call: { bare: throws } })
      const report = yield* run("a", planOf(["natural", "i1"], ["bare", "i2"]))
      expect(report.status).toBe("in_doubt")
      expect(undone(outside)).toEqual([])
    }),
  )

  it.effect("an undo that fails is told, never hidden, and the others are made all the same", () =>
    Effect.gen(function* () {
      const unpay = (_: unknown, { invoice }: { readonly invoice: string }) => (invoice === "i2" ? refuse() : null)
      const { run } = yield* office({ call: { bare: refuse, unpay } })
      const report = yield* run("a", planOf(["natural", "i1"], ["natural", "i2"], ["bare", "i3"]))
      expect(report.status).toBe("failed")
      expect(report.effects).toMatchObject([
        { stepId: "s0", state: "undone" },
        { stepId: "s1", state: "undo-failed", failure: { message: expect.stringContaining("no funds") } },
      ])
    }),
  )

  it.effect("what was undone can be done again, under another key", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office({ call: { bare: refuse } })
      yield* run("a", planOf(["keyed", "i1"], ["bare", "i2"]))
      const again = yield* run("b", planOf(["keyed", "i1"]), boxOn(outside))
      expect(again).toMatchObject({ status: "succeeded", effects: [{ state: "done" }] })
      const keys = outside.calls.flatMap(({ tool, key }) => (tool === "keyed" ? [key] : []))
      expect(new Set(keys).size).toBe(2)
    }),
  )

  it.effect("undoing is not held to spent budgets", () =>
    Effect.gen(function* () {
      const of = catalogWith({ budgets: { sideEffects: 2, retries: 0 } })
      const { provide } = yield* openStore
      const outside = makeOutside()
      const steps = ["natural", "bare"].map((tool, index) => ({
        id: `s${index}`,
        tool,
        args: { invoice: `i${index}` },
      }))
      const plan = accepted(compile(of, JSON.stringify({ version: 1, steps })))
      const tools = boxOn(outside, { call: { bare: refuse } }, of)
      const report = yield* provide(
        execute(plan, { principal, sessionId: "s", taskId: "t", runId: "a", catalog: of, tools }),
      )
      expect(report).toMatchObject({ status: "failed", effects: [{ state: "undone" }] })
    }),
  )
})

describe("a run that succeeds", () => {
  it.effect("undoes nothing", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office()
      expect((yield* run("a", planOf(["natural", "i1"], ["keyed", "i2"]))).status).toBe("succeeded")
      expect(undone(outside)).toEqual([])
    }),
  )
})
