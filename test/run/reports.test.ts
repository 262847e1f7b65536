/** Public reports of runs that asked a person and went wrong, by their ids; and that each attack and report on runs has its test. */
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { defineCatalog } from "sequitur"
import { decide, execute, type Ids, Journal, memory, resume, seededIds } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { namedIds } from "../conformance/ids.ts"
import { hasData, readData } from "../data.ts"
import { countCalls, guarded, handlersOf, planOf, scope, calls as steps } from "./desk.ts"

/** Two guarded stretches: each is asked for by itself. */
const twice = defineCatalog({
  ...guarded.spec,
  approvals: "unsigned",
  machine: {
    initial: "LOOKING",
    transitions: { LOOKING: { CHANGING: { guard: "approval" } }, CHANGING: { LOOKING: {} } },
  },
}) as unknown as typeof guarded

const open = (id: string) => ({ id, transition: "CHANGING" })
const close = (id: string) => ({ id, transition: "LOOKING" })
const note = (id: string, text: string) => ({ id, tool: "note", args: { text } })

const office = Effect.gen(function* () {
  const services = yield* Effect.scoped(Layer.build(Layer.merge(memory(), seededIds("reports"))))
  const calls = countCalls()
  const equipment = { catalog: twice, tools: handlersOf(calls) as never }
  const within = <A, E>(effect: Effect.Effect<A, E, Journal | Ids>) => Effect.provideContext(effect, services)
  return {
    calls,
    journal: Context.get(services, Journal),
    run: (runId: string, written: readonly unknown[]) =>
      within(execute(planOf(written, twice as never), { ...scope, taskId: runId, runId, ...equipment })),
    decide: (runId: string, wanted: string) => within(decide(runId, wanted, { decision: "approved", by: "eve" })),
    resume: (runId: string) => within(resume(runId, equipment)),
  }
})

describe("an approval", () => {
  it.effect("D03: of one guarded step lets no later call of the same tool through", () =>
    Effect.gen(function* () {
      const { run, decide, resume, calls } = yield* office
      yield* run("a", [open("one"), note("n1", "x"), close("shut"), open("two"), note("n2", "y")])
      yield* decide("a", "one")
      const report = yield* resume("a")
      expect(report).toMatchObject({
        status: "awaiting_approval",
        awaiting: { stepId: "two", follows: [{ stepId: "n2", tool: "note", args: { text: "y" } }] },
      })
      expect(calls.made.map(({ args }) => args)).toEqual([{ text: "x" }])
    }),
  )

  it.effect(
    "D04: given for one run does not count for a re-plan of it, with the same step ids and other arguments",
    () =>
      Effect.gen(function* () {
        const { run, decide, resume, calls } = yield* office
        const asked = yield* run("a", [open("one"), note("n1", "small")])
        if (asked.status !== "awaiting_approval") throw new Error("it waits")
        yield* run("b", [open("one"), note("n1", "large")])
        expect(yield* Effect.flip(decide("b", asked.awaiting.requestId))).toMatchObject({ _tag: "ApprovalNotFound" })
        expect((yield* resume("b")).status).toBe("awaiting_approval")
        expect(calls.made).toEqual([])
        // It was not used up.
        yield* decide("a", asked.awaiting.requestId)
        expect((yield* resume("a")).status).toBe("succeeded")
      }),
  )

  it.effect(
    "D01, D05: once given it is asked for no more, however often the run is taken up; what came before is not done again",
    () =>
      Effect.gen(function* () {
        const { run, decide, resume, calls, journal } = yield* office
        yield* run("a", [steps.find, open("one"), note("n1", "x"), close("shut"), open("two"), note("n2", "y")])
        for (let time = 0; time < 3; time++) expect((yield* resume("a")).status).toBe("awaiting_approval")
        yield* decide("a", "one")
        yield* resume("a")
        yield* decide("a", "two")
        expect((yield* resume("a")).status).toBe("succeeded")
        expect([calls.count("find"), calls.count("note")]).toEqual([1, 2])
        const kinds = (yield* journal.read("a")).map(({ event }) => event.kind)
        expect(kinds.filter((kind) => kind === "approval-requested")).toHaveLength(2)
      }),
  )
})

const areas = ["crash", "idempotency", "tool", "authority", "leak", "dataflow"]
const kinds =
  /approval|resume|duplicate-effect|timeout|recovery|double-worker|reconcile|authority|annotation|shadowing|mcp/

interface Listed {
  readonly id: string
  readonly area?: string
  readonly tags?: readonly string[]
}

const listed = (file: string): readonly Listed[] =>
  readData(file)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

test.skipIf(!hasData)(
  "each attack on runs, authority and data, and each report of them, of names and of annotations, has a test that is named for it",
  () => {
    const attacks = listed("attacks.jsonl").filter(({ area = "" }) => areas.includes(area))
    const reports = listed("reports.jsonl").filter(({ tags = [] }) => tags.some((tag) => kinds.test(tag)))
    expect(attacks.length).toBeGreaterThan(20)
    expect(reports.length).toBeGreaterThan(5)
    const named = namedIds()
    expect([...attacks, ...reports].map(({ id }) => id).filter((id) => !named.has(id))).toEqual([])
  },
)
