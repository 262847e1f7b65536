/** One effect across runs: the same call of a task, the same business of a tenant, whatever run, spelling or process asks. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type CompiledPlan, compile } from "sequitur"
import { execute, Journal, type JournalService, notApplied } from "sequitur/run"
import { describe, expect } from "vitest"
import { boxOn, catalog, makeOutside, openStore, settle, silence } from "./counter.ts"
import { accepted, principal } from "./desk.ts"

const planOf = (tool: string, args: object, id = "pay"): CompiledPlan =>
  accepted(compile(catalog, JSON.stringify({ version: 1, steps: [{ id, tool, args }] })))

const office = Effect.gen(function* () {
  const { provide, journal } = yield* openStore
  const outside = makeOutside()
  const run = (runId: string, plan: CompiledPlan, more: object = {}, tools = boxOn(outside)) =>
    provide(execute(plan, { principal, sessionId: "s", taskId: "t", runId, catalog, tools, ...more }))
  return { outside, run, journal, provide }
})

describe("the same call of one task", () => {
  it.effect("D01: is made once; the second run gets the recorded result, and says whose it is", () =>
    Effect.gen(function* () {
      const { outside, run, journal } = yield* office
      const first = yield* run("a", planOf("keyed", { invoice: "i1" }))
      const second = yield* run("b", planOf("keyed", { invoice: "i1" }, "again"))
      expect(second).toMatchObject({ status: "succeeded", steps: { again: { id: "p_i1" } } })
      expect(first.effects).toEqual([{ stepId: "pay", tool: "keyed", state: "done" }])
      expect(second.effects).toEqual([{ stepId: "again", tool: "keyed", state: "replayed" }])
      expect(outside.calls).toHaveLength(1)
      expect((yield* journal.read("b"))[1]?.event).toMatchObject({
        kind: "replayed",
        from: { runId: "a", stepId: "pay" },
      })
    }),
  )

  it.effect("is another one for another task, session, subject, tenant, tool or argument", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      yield* run("a", planOf("keyed", { invoice: "i1" }))
      const others = [
        { taskId: "u" },
        { sessionId: "u" },
        { principal: { ...principal, subject: "u" } },
        { principal: { ...principal, tenant: "u" } },
      ]
      for (const [index, more] of others.entries())
        expect((yield* run(`b${index}`, planOf("keyed", { invoice: "i1" }), more)).effects[0]?.state).toBe("done")
      expect((yield* run("c", planOf("natural", { invoice: "i1" }))).effects[0]?.state).toBe("done")
      expect((yield* run("d", planOf("keyed", { invoice: "i2" }))).effects[0]?.state).toBe("done")
      expect(new Set(outside.calls.map(({ key }) => key)).size).toBe(7)
    }),
  )

  it.effect("reads are not shared", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      yield* run("a", planOf("look", { invoice: "i1" }))
      yield* run("b", planOf("look", { invoice: "i1" }))
      expect(outside.calls).toHaveLength(2)
    }),
  )

  it.effect("A075, D18: while it is in flight elsewhere, `KeyInDoubt`, and no second effect", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      const plan = planOf("keyed", { invoice: "i1" })
      const slow = yield* Effect.forkChild(run("a", plan, {}, boxOn(outside, { call: { keyed: silence } })))
      yield* settle
      expect(yield* run("b", plan)).toMatchObject({ status: "failed", failure: { tag: "KeyInDoubt" } })
      expect(outside.calls).toHaveLength(1)
      yield* Fiber.interrupt(slow)
    }),
  )

  it.effect("A075: of many that begin it at once, one calls", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      const plan = planOf("keyed", { invoice: "i1" })
      const ids = Array.from({ length: 20 }, (_, index) => `r${index}`)
      const reports = yield* Effect.forEach(ids, (id) => run(id, plan), { concurrency: "unbounded" })
      expect(outside.calls).toHaveLength(1)
      for (const report of reports)
        expect(
          report.status === "succeeded" || (report.status === "failed" && report.failure.tag === "KeyInDoubt"),
        ).toBe(true)
      expect(reports.filter(({ effects }) => effects[0]?.state === "done")).toHaveLength(1)
    }),
  )

  it.effect("a plan made again reads the run that answers for it once, and no effect before it is refused", () =>
    Effect.gen(function* () {
      const { provide, journal } = yield* openStore
      const asked: string[] = []
      const counting: JournalService = {
        ...journal,
        read: (...given) => {
          asked.push("read")
          return journal.read(...given)
        },
        effect: (...given) => {
          asked.push("effect")
          return journal.effect(...given)
        },
      }
      const steps = Array.from({ length: 20 }, (_, n) => ({ id: `p${n}`, tool: "keyed", args: { invoice: `i${n}` } }))
      const plan = accepted(compile(catalog, JSON.stringify({ version: 1, steps })))
      const outside = makeOutside()
      const run = (runId: string) =>
        execute(plan, { principal, sessionId: "s", taskId: "t", runId, catalog, tools: boxOn(outside) }).pipe(
          Effect.provideService(Journal, counting),
          provide,
        )
      yield* run("a")
      expect(asked).toEqual([])
      const second = yield* run("b")
      expect(new Set(second.effects.map(({ state }) => state))).toEqual(new Set(["replayed"]))
      expect(outside.calls).toHaveLength(20)
      expect(asked.filter((one) => one === "read")).toHaveLength(1)
      expect(asked.filter((one) => one === "effect")).toHaveLength(20)
    }),
  )

  it.effect("proved not to have happened, it is begun anew, under another key", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      const refusing = boxOn(outside, {
        call: {
          keyed: () => {
            throw notApplied("no funds")
          },
        },
      })
      const plan = planOf("keyed", { invoice: "i1" })
      expect((yield* run("a", plan, {}, refusing)).status).toBe("failed")
      expect((yield* run("b", plan)).effects[0]?.state).toBe("done")
      expect(new Set(outside.calls.map(({ key }) => key)).size).toBe(2)
    }),
  )
})

describe("the same business (`once`)", () => {
  it.effect("A073: a cosmetic change of a re-planned payment is a conflict, and pays nothing twice", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      yield* run("a", planOf("once", { invoice: "i1", memo: "lunch" }))
      const second = yield* run("b", planOf("once", { invoice: "i1", memo: "Lunch" }))
      expect(second).toMatchObject({ status: "failed", failure: { tag: "OnceConflict" } })
      expect(second.effects).toEqual([])
      expect(outside.calls).toHaveLength(1)
    }),
  )

  it.effect("A074: with other arguments, or by somebody else, the recorded result is not given away", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      yield* run("a", planOf("once", { invoice: "i1" }))
      const others: readonly (readonly [object, object])[] = [
        [{ invoice: "i1", cents: 5 }, {}],
        [{ invoice: "i1" }, { principal: { ...principal, subject: "mallory" } }],
      ]
      for (const [index, [args, more]] of others.entries()) {
        const report = yield* run(`b${index}`, planOf("once", args), { taskId: "u", ...more })
        expect(report).toMatchObject({ status: "failed", failure: { tag: "OnceConflict" }, steps: {} })
      }
      expect(outside.calls).toHaveLength(1)
    }),
  )

  it.effect("the very same call in another task and session is answered with what was recorded", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      yield* run("a", planOf("once", { invoice: "i1" }))
      const second = yield* run("b", planOf("once", { invoice: "i1" }), { taskId: "u", sessionId: "v" })
      expect(second).toMatchObject({ status: "succeeded", effects: [{ state: "replayed" }] })
      expect(outside.calls).toHaveLength(1)
    }),
  )

  it.effect("in another tenant it is another business", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      yield* run("a", planOf("once", { invoice: "i1", memo: "x" }))
      const other = { principal: { ...principal, tenant: "other" } }
      expect((yield* run("b", planOf("once", { invoice: "i1", memo: "y" }), other)).status).toBe("succeeded")
      expect(outside.calls).toHaveLength(2)
    }),
  )

  it.effect("proved not to have happened, its claim is free again", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      const refusing = boxOn(outside, {
        call: {
          once: () => {
            throw notApplied("no funds")
          },
        },
      })
      yield* run("a", planOf("once", { invoice: "i1", memo: "x" }), {}, refusing)
      expect((yield* run("b", planOf("once", { invoice: "i1", memo: "y" }))).status).toBe("succeeded")
    }),
  )
})
