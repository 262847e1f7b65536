/** Random runs: plans of a few steps, handlers that work or do not, people who say yes or no. */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Arbitrary, constantFrom, record, subarray } from "fast-check"
import { type CatalogSpec, type CompiledPlan, defineCatalog } from "sequitur"
import {
  decide,
  type Entry,
  execute,
  type Handlers,
  type Ids,
  Journal,
  memory,
  notApplied,
  type RunFailure,
  resume,
  seededIds,
  toolbox,
} from "sequitur/run"
import { countCalls, type Desk, guarded, handlersOf, planOf, scope, calls as steps } from "./desk.ts"

type Manner = "works" | "fails-once" | "throws" | "not-applied" | "hangs" | "wrong-shape" | "not-plain"

export interface Journey {
  readonly steps: readonly unknown[]
  readonly manners: Readonly<Record<string, Manner>>
  readonly decision: "approved" | "denied"
  readonly budgets: NonNullable<CatalogSpec["budgets"]>
}

const note = (id: string) => ({
  id,
  tool: "note",
  args: { text: { $concat: [id, " for ", { $from: "input", path: "/accountId" }] } },
})

const look = (id: string, index: number) => ({
  id,
  tool: "look",
  args: { id: { $from: "find", path: `/workspaces/${index}/id` } },
})

/** In this order, whichever are drawn: what needs another comes after it, and `find` and the guards are always there. */
const pool = [
  look("first", 0),
  look("guessed", 2),
  { id: "open", transition: "CHANGING" },
  note("before"),
  steps.cancel,
  steps.refund,
  note("between"),
  { id: "close", transition: "LOOKING" },
  look("last", 1),
]

const manner = constantFrom<Manner>(
  "works",
  "works",
  "works",
  "fails-once",
  "throws",
  "not-applied",
  "hangs",
  "wrong-shape",
  "not-plain",
)

export const journeys: Arbitrary<Journey> = record({
  steps: subarray(pool).map((drawn) => [
    steps.find,
    ...pool.filter(
      (step) => drawn.includes(step) || "transition" in step || (step.id === "cancel" && drawn.includes(steps.refund)),
    ),
  ]),
  manners: record({ find: manner, look: manner, cancel: manner, refund: manner, note: manner }),
  decision: constantFrom("approved", "approved", "denied"),
  budgets: constantFrom<Journey["budgets"]>({}, { retries: 1 }, { wallMs: 1_500 }, { deadlineMs: 2_500 }),
})

function behave(manner: Manner, working: (...all: never[]) => unknown): (...all: never[]) => unknown {
  let calls = 0
  return (...all) => {
    calls++
    switch (manner) {
      case "works":
        return working(...all)
      case "fails-once":
        if (calls === 1) throw new Error("only once")
        return working(...all)
      case "throws":
        throw new Error("no")
      case "not-applied":
        throw notApplied("refused")
      case "hangs":
        return Effect.never
      case "wrong-shape":
        return { unexpected: true }
      case "not-plain":
        return { at: new Date(0) }
    }
  }
}

export const catalogOf = ({ budgets }: Journey) => defineCatalog({ ...guarded.spec, budgets })

export const planOfJourney = (journey: Journey): CompiledPlan => planOf(journey.steps, catalogOf(journey))

/** Takes a journey to its end, on a test clock. The same journey with the same seed is the same journal. */
export const travel = (
  journey: Journey,
  store: Layer.Layer<Journal, unknown> = memory(),
  seed = 1,
  stepMs = 1_000,
): Promise<readonly Entry[]> =>
  Effect.gen(function* () {
    const of = catalogOf(journey)
    const handlers = Object.fromEntries(
      Object.entries(handlersOf(countCalls())).map(([name, working]) => [
        name,
        behave(journey.manners[name] ?? "works", working as (...all: never[]) => unknown),
      ]),
    ) as unknown as Handlers<Desk>
    const box = toolbox(of as never, handlers as never)
    const runId = "run"
    const go = (life: Effect.Effect<{ readonly status: string }, RunFailure, Journal | Ids>) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(life)
        // A file is written in its own turn, and no time may pass before that is done: then only small steps are exact.
        const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        while (fiber.pollUnsafe() === undefined) {
          if (stepMs === 1) yield* Effect.andThen(turn, Effect.andThen(turn, turn))
          yield* TestClock.adjust(stepMs)
        }
        return yield* Fiber.join(fiber)
      })
    const { status } = yield* go(
      execute(planOf(journey.steps, of), { ...scope, runId, catalog: box.catalog, tools: box }),
    )
    if (status === "awaiting_approval") {
      const decided = yield* decide(runId, "open", { decision: journey.decision, by: "bob" })
      if (decided.status === "running") yield* go(resume(runId, { catalog: box.catalog, tools: box }))
    }
    return yield* Journal.use((journal) => journal.read(runId))
  }).pipe(Effect.provide(Layer.mergeAll(store, seededIds(seed), TestClock.layer())), Effect.scoped, Effect.runPromise)
