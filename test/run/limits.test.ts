/** Limits and budgets: at the limit is allowed, past it nothing is called; over all runs in their scope, and given back. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type CompiledPlan, compile } from "sequitur"
import { execute, notApplied, reconciled } from "sequitur/run"
import { describe, expect } from "vitest"
import { boxOn, catalog, catalogWith, makeOutside, openStore, settle } from "./counter.ts"
import { accepted, principal } from "./desk.ts"

const planOf = (of: typeof catalog, ...steps: readonly (readonly [string, object])[]): CompiledPlan =>
  accepted(
    compile(
      of,
      JSON.stringify({ version: 1, steps: steps.map(([tool, args], index) => ({ id: `s${index}`, tool, args })) }),
    ),
  )

const office = Effect.gen(function* () {
  const { provide, journal } = yield* openStore
  const outside = makeOutside()
  const run = (runId: string, plan: CompiledPlan, of = catalog, more: object = {}, tools = boxOn(outside, {}, of)) =>
    provide(execute(plan, { principal, sessionId: "s", taskId: runId, runId, catalog: of, tools, ...more }))
  return { outside, run, journal }
})

const pay = (cents: number, invoice = `i${cents}`) => planOf(catalog, ["counted", { invoice, cents }])

describe("A105: a limit per session", () => {
  for (const [cents, status] of [
    [399, "succeeded"],
    [400, "succeeded"],
    [401, "exhausted"],
  ] as const) {
    it.effect(`600 of 1,000 are used: ${cents} more are ${status}`, () =>
      Effect.gen(function* () {
        const { outside, run } = yield* office
        yield* run("a", pay(600))
        const report = yield* run("b", pay(cents))
        expect(report.status).toBe(status)
        expect(outside.calls).toHaveLength(status === "succeeded" ? 2 : 1)
        if (report.status === "exhausted") {
          expect(report.failure).toMatchObject({ tag: "LimitExhausted" })
          expect(report.failure.message).toBe(
            "step `s0` would take `cents` of this session to 1001: 600 are used of 1000",
          )
        }
      }),
    )
  }

  it.effect("another session and another tenant have their own", () =>
    Effect.gen(function* () {
      const { run } = yield* office
      yield* run("a", pay(1_000))
      expect((yield* run("b", pay(1), catalog, { sessionId: "other" })).status).toBe("succeeded")
      expect((yield* run("c", pay(1), catalog, { principal: { ...principal, tenant: "other" } })).status).toBe(
        "succeeded",
      )
      expect((yield* run("d", pay(1))).status).toBe("exhausted")
    }),
  )

  it.effect("is given back where it was proved not to have happened", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      const failing = (error: () => Error) =>
        boxOn(outside, {
          call: {
            counted: () => {
              throw error()
            },
          },
        })
      yield* run(
        "a",
        pay(1_000),
        catalog,
        {},
        failing(() => notApplied("no")),
      )
      expect((yield* run("b", pay(900))).status).toBe("succeeded")
      expect((yield* run("c", pay(101))).status).toBe("exhausted")
    }),
  )

  it.effect("runs that race for it take no more than there is", () =>
    Effect.gen(function* () {
      const { outside, run } = yield* office
      const runs = Array.from({ length: 12 }, (_, index) => [`r${index}`, pay(300, `i${index}`)] as const)
      const reports = yield* Effect.forEach(runs, ([id, plan]) => run(id, plan), { concurrency: "unbounded" })
      expect(reports.filter(({ status }) => status === "succeeded")).toHaveLength(3)
      expect(reports.filter(({ status }) => status === "exhausted")).toHaveLength(9)
      expect(outside.calls).toHaveLength(3)
    }),
  )

  it.effect("what is replayed counts once", () =>
    Effect.gen(function* () {
      const { run } = yield* office
      yield* run("a", pay(600), catalog, { taskId: "t" })
      expect((yield* run("b", pay(600), catalog, { taskId: "t" })).effects[0]?.state).toBe("replayed")
      expect((yield* run("c", pay(400))).status).toBe("succeeded")
    }),
  )
})

describe("A105: budgets of one run", () => {
  it.effect("tokens that the planner has used: at the budget allowed, past it nothing is called", () =>
    Effect.gen(function* () {
      const of = catalogWith({ budgets: { tokens: 100 } })
      for (const [tokens, status] of [
        [99, "succeeded"],
        [100, "succeeded"],
        [101, "exhausted"],
      ] as const) {
        const { outside, run } = yield* office
        const plan = planOf(of, ["keyed", { invoice: "i1" }])
        const report = yield* run("a", plan, of, { spent: { tokens } })
        expect(report.status).toBe(status)
        expect(outside.calls).toHaveLength(status === "succeeded" ? 1 : 0)
        if (report.status === "exhausted")
          expect(report.failure.message).toContain("`tokens` is used up at step `s0`: 101 of 100")
      }
    }),
  )

  it.effect("money: what the planner and the calls cost together", () =>
    Effect.gen(function* () {
      const { tools } = catalog.spec
      const dear = { ...tools, look: { ...tools.look, cost: { microUsd: 50 } } }
      const of = catalogWith({ budgets: { microUsd: 150 }, tools: dear as never })
      for (const [microUsd, status] of [
        [50, "succeeded"],
        [51, "exhausted"],
      ] as const) {
        const { outside, run } = yield* office
        const plan = planOf(of, ["look", { invoice: "i1" }], ["look", { invoice: "i2" }])
        expect((yield* run("a", plan, of, { spent: { microUsd } })).status).toBe(status)
        expect(outside.calls).toHaveLength(status === "succeeded" ? 2 : 1)
      }
    }),
  )

  for (const [budgets, calls] of [
    [{ retries: 0 }, 1],
    [{ retries: 1 }, 2],
    [{ microUsd: 100 }, 1],
    [{ microUsd: 299 }, 2],
    [{}, 3],
  ] as const) {
    it.effect(`calls made again to settle count too: ${JSON.stringify(budgets)} allows ${calls} in all`, () =>
      Effect.gen(function* () {
        const dear = Object.fromEntries(
          Object.entries(catalog.spec.tools).map(([name, tool]) => [name, { ...tool, cost: { microUsd: 100 } }]),
        )
        const of = catalogWith({ budgets, tools: dear as never })
        const lose = () => {
          throw new Error("no connection")
        }
        for (const tool of ["natural", "keyed", "asked"] as const) {
          const { outside, run, journal } = yield* office
          let answers = 0
          const reconcile = () => (++answers < 20 ? reconciled.notApplied() : reconciled.unknown())
          const tools = boxOn(outside, { call: { [tool]: lose }, reconcile }, of)
          const fiber = yield* Effect.forkChild(run("a", planOf(of, [tool, { invoice: "i1" }]), of, {}, tools))
          for (let times = 0; times < 60; times++) yield* Effect.andThen(settle, TestClock.adjust(5_000))
          const report = yield* Fiber.join(fiber)
          expect(report.status).toBe("in_doubt")
          if (tool !== "asked" || calls < 3) expect(outside.calls).toHaveLength(calls)
          const spent = (yield* journal.read("a")).map(({ event }) => (event.kind === "intent" ? event.microUsd : 0))
          expect(spent.reduce((sum: number, each = 0) => sum + each, 0)).toBe(100 * outside.calls.length)
          const cause = report.status === "in_doubt" ? report.failure.cause : undefined
          if (calls < 3) expect(cause).toMatchObject({ tag: "BudgetExhausted" })
          else expect(cause).toBeUndefined()
        }
      }),
    )
  }
})
