/** Cancelling, at any moment: no new step starts, what is under way is settled, what was done is undone, and the end tells so. */
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type CompiledPlan, compile } from "sequitur"
import { cancel, execute, requestCancel, resume } from "sequitur/run"
import { describe, expect } from "vitest"
import { boxOn, catalog, type Instead, makeOutside, openStore, settle, silence } from "./counter.ts"
import { accepted, guarded, principal } from "./desk.ts"

const planOf = (...tools: readonly string[]): CompiledPlan =>
  accepted(
    compile(
      catalog,
      JSON.stringify({
        version: 1,
        steps: tools.map((tool, index) => ({ id: `s${index}`, tool, args: { invoice: `i${index}` } })),
      }),
    ),
  )

const pass = (ms: number) => Effect.andThen(TestClock.adjust(ms), settle)

const office = (instead: Instead = {}) =>
  Effect.gen(function* () {
    const { provide, journal } = yield* openStore
    const outside = makeOutside()
    const equipment = { catalog, tools: boxOn(outside, instead) }
    return {
      outside,
      journal,
      run: (plan: CompiledPlan) =>
        provide(execute(plan, { principal, sessionId: "s", taskId: "t", runId: "run", ...equipment })),
      cancel: (by = "eve") => provide(cancel("run", { by, reason: "no more", ...equipment })),
      resume: (takeOver = false) => provide(resume("run", { ...equipment, takeOver })),
      request: provide(requestCancel("run", { by: "eve" })),
    }
  })

/** Answers when it is told to. */
const gate = () => {
  let open = (): void => {}
  const waits = new Promise<void>((done) => {
    open = done
  })
  return { open: () => open(), waits }
}

describe("A103: cancelled at every scheduling point of plans of up to 4 steps", () => {
  const plans = [["bare"], ["natural", "look"], ["look", "keyed", "natural"], ["natural", "look", "keyed", "bare"]]
  for (const tools of plans) {
    for (const at of tools.keys()) {
      it.effect(`${tools.join(", ")}: while call ${at} is under way`, () =>
        Effect.gen(function* () {
          const { open, waits } = gate()
          let count = 0
          const slow = async (key: string | undefined, { invoice }: { readonly invoice: string }) => {
            if (count++ === at) await waits
            if (key !== undefined) outside.applied.set(key, 1)
            return { id: `p_${invoice}` }
          }
          const { run, cancel, outside } = yield* office({
            call: Object.fromEntries(tools.map((tool) => [tool, slow])),
          })
          const running = yield* Effect.forkChild(run(planOf(...tools)))
          yield* settle
          // Another holds it: that one stops it.
          const asked = yield* cancel()
          expect(asked.status).toBe("running")
          yield* pass(400)
          open()
          yield* pass(1_000)
          const report = yield* Fiber.join(running)
          const last = tools.length - 1
          const whole = at === last && tools[at] !== "look"
          expect(["cancelled", ...(whole ? ["succeeded"] : [])]).toContain(report.status)
          // No step started behind the one under way.
          expect(outside.calls.filter(({ tool }) => tool !== "unpay")).toHaveLength(at + 1)
          if (report.status === "cancelled") {
            expect(report.failure).toMatchObject({ tag: "RunCancelled", message: "`eve` cancelled the run: no more" })
            const effects = tools.slice(0, at + 1).filter((tool) => tool !== "look").length
            expect(report.effects.map(({ state }) => state)).toEqual(Array(effects).fill("undone"))
            expect(outside.calls.filter(({ tool }) => tool === "unpay")).toHaveLength(effects)
          }
        }),
      )
    }
  }
})

describe("what is under way", () => {
  it.effect("a read is cut off within a second or so", () =>
    Effect.gen(function* () {
      const { run, cancel, outside } = yield* office({ call: { look: silence } })
      const running = yield* Effect.forkChild(run(planOf("natural", "look", "keyed")))
      yield* settle
      yield* cancel()
      for (let tick = 0; tick < 6; tick++) yield* pass(250)
      const report = yield* Fiber.join(running)
      expect(report).toMatchObject({ status: "cancelled", effects: [{ stepId: "s0", state: "undone" }] })
      expect(outside.calls.map(({ tool }) => tool)).toEqual(["natural", "look", "unpay"])
    }),
  )

  it.effect(
    "an effect that is never answered and cannot be asked after ends in doubt, with nothing undone behind its back",
    () =>
      Effect.gen(function* () {
        const { run, cancel, outside } = yield* office({ call: { bare: silence } })
        const running = yield* Effect.forkChild(run(planOf("natural", "bare")))
        yield* settle
        yield* cancel()
        for (let tick = 0; tick < 8; tick++) yield* pass(500)
        const report = yield* Fiber.join(running)
        expect(report.status).toBe("in_doubt")
        expect(outside.calls.map(({ tool }) => tool)).toEqual(["natural", "bare"])
      }),
  )

  it.effect("a run whose process has died is cancelled by whoever takes it up, its effect settled first", () =>
    Effect.gen(function* () {
      const { outside, run, request, resume, journal } = yield* office({
        call: {
          natural: (key) => {
            if (outside.calls.length === 1) return silence()
            outside.applied.set(key ?? "", 1)
            return { id: "p" }
          },
        },
      })
      const dying = yield* Effect.forkChild(run(planOf("natural", "keyed")))
      yield* settle
      dying.interruptUnsafe()
      yield* settle
      expect((yield* request).status).toBe("running")
      const report = yield* resume(true)
      expect(report).toMatchObject({ status: "cancelled", effects: [{ stepId: "s0", state: "undone" }] })
      expect(outside.calls.map(({ tool }) => tool)).toEqual(["natural", "natural", "unpay"])
      expect((yield* journal.read("run")).at(-1)?.event).toMatchObject({ kind: "run-ended", status: "cancelled" })
    }),
  )
})

describe("is refused", () => {
  it.effect("of a run that has ended, that is not there, that is being cancelled, and by nobody", () =>
    Effect.gen(function* () {
      const { run, cancel, request } = yield* office()
      expect(yield* Effect.flip(cancel())).toMatchObject({ code: "RUN204" })
      yield* run(planOf("natural"))
      expect(yield* Effect.flip(cancel())).toMatchObject({ code: "RUN205" })
      expect(yield* Effect.flip(cancel(""))).toMatchObject({ code: "RUN201" })
      expect(yield* Effect.flip(request)).toMatchObject({ code: "RUN205" })
      const other = yield* office({ call: { bare: silence } })
      const running = yield* Effect.forkChild(other.run(planOf("bare")))
      yield* settle
      yield* other.cancel("eve")
      expect(yield* Effect.flip(other.cancel("bob"))).toMatchObject({ code: "RUN305" })
      yield* Fiber.interrupt(running)
    }),
  )
})

it.effect("a run that waits for a person, and has done nothing, ends at once, by the store alone", () =>
  Effect.gen(function* () {
    const { provide } = yield* openStore
    const steps = [{ id: "open", transition: "CHANGING" }]
    const plan = accepted(compile(guarded, JSON.stringify({ version: 1, steps })))
    const handlers = { find: silence, look: silence, cancel: silence, refund: silence, note: silence }
    const inputs = { accountId: "acc_1" }
    yield* provide(
      execute(plan, {
        principal,
        sessionId: "s",
        taskId: "t",
        runId: "run",
        inputs,
        catalog: guarded,
        tools: handlers,
      }),
    )
    expect((yield* provide(requestCancel("run", { by: "eve" }))).status).toBe("cancelled")
  }),
)
