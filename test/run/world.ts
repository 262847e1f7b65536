/** A run under a test clock: everything that a test wants to see of it, in one place. */
import { type Context, Effect, Layer } from "effect"
import type { Catalog, CatalogSpec, CompiledPlan } from "sequitur"
import {
  approve,
  type Decision,
  decide,
  type Entry,
  execute,
  type Handlers,
  type Ids,
  Journal,
  memory,
  type PlainDecision,
  type RunFailure,
  type RunReport,
  resume,
  seededIds,
} from "sequitur/run"
import type { Recorded } from "../../src/journal/entry.ts"
import { type Calls, catalog, countCalls, type Desk, handlersOf, refundPlan, scope } from "./desk.ts"

export interface World {
  readonly calls: Calls
  readonly run: (plan?: CompiledPlan) => Effect.Effect<RunReport<Desk>, RunFailure>
  readonly resume: Effect.Effect<RunReport<Desk>, RunFailure>
  readonly takeOver: Effect.Effect<RunReport<Desk>, RunFailure>
  readonly approve: (stepId: string, decision: PlainDecision) => Effect.Effect<RunReport<Desk>, RunFailure>
  readonly decide: (stepId: string, decision: Decision) => Effect.Effect<RunReport, RunFailure>
  readonly append: (entries: readonly Recorded[]) => Effect.Effect<void, RunFailure>
  readonly entries: Effect.Effect<readonly Entry[], RunFailure>
  readonly kinds: Effect.Effect<readonly string[], RunFailure>
}

/** A store, seeded ids and the handlers of the desk, some of them replaced. One run, `run`. */
export const makeWorld = (
  instead: Partial<Handlers<Desk>> = {},
  of: Catalog<CatalogSpec> = catalog,
  store: Layer.Layer<Journal> = memory(),
): Effect.Effect<World> =>
  Effect.map(Effect.scoped(Layer.build(Layer.merge(store, seededIds("world")))), (services) =>
    worldIn(services, instead, of),
  )

function worldIn(
  services: Context.Context<Journal | Ids>,
  instead: Partial<Handlers<Desk>>,
  of: Catalog<CatalogSpec>,
): World {
  const calls = countCalls()
  const equipment = { catalog: of as Catalog<Desk>, tools: handlersOf(calls, instead) }
  const runId = "run"
  const provide = <A, E>(effect: Effect.Effect<A, E, Journal | Ids>) => Effect.provideContext(effect, services)
  const entries = provide(Journal.use((journal) => journal.read(runId)))
  return {
    calls,
    run: (plan = refundPlan) => provide(execute(plan, { ...scope, runId, ...equipment })),
    resume: provide(resume(runId, equipment)),
    takeOver: provide(resume(runId, { ...equipment, takeOver: true })),
    approve: (stepId, decision) => provide(approve(runId, stepId, { ...decision, ...equipment })),
    decide: (stepId, decision) => provide(decide(runId, stepId, decision)),
    append: (records) =>
      Effect.catchTag(provide(Journal.use((journal) => journal.append(runId, records))), "Taken", () =>
        Effect.die("nothing was asked for"),
      ),
    entries,
    kinds: Effect.map(entries, (all) => all.map(({ event }) => event.kind)),
  }
}
