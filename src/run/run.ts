/** Two ways to begin: a new run of a compiled plan, or an old one where its journal ends. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CatalogSpec } from "../catalog/catalog.ts"
import { changedParts } from "../catalog/slice.ts"
import type { CompiledPlan } from "../check/compiled.ts"
import { isCompiledPlan } from "../check/seal.ts"
import { definePlan } from "../define-plan.ts"
import { JournalDiverged } from "../journal/failure.ts"
import { Journal, type JournalService } from "../journal/journal.ts"
import { begin, isTerminal, type RunState, replay } from "../journal/state.ts"
import { admitRun, type RunOptions } from "./admit.ts"
import { Book, type OnEvent } from "./book.ts"
import { drive } from "./drive.ts"
import {
  InputsRefused,
  RunEnded,
  type RunFailure,
  RunInDoubt,
  RunNotFound,
  StalePlan,
  type StoreFailure,
} from "./failure.ts"
import { Ids } from "./ids.ts"
import { prepare, type ReadyPlan } from "./next/prepare.ts"
import { type RunReport, report } from "./report.ts"
import type { Toolbox } from "./toolbox.ts"

export interface Listening {
  readonly onEvent?: OnEvent | undefined
}

export interface ExecuteOptions<Spec extends CatalogSpec = CatalogSpec> extends RunOptions, Listening {
  readonly toolbox: Toolbox<Spec>
}

export interface ResumeOptions<Spec extends CatalogSpec = CatalogSpec> extends Listening {
  readonly toolbox: Toolbox<Spec>
  /** Only a run of this tenant is found. */
  readonly tenant?: string | undefined
}

/** Runs a compiled plan until it ends or must wait for a person. Every refusal comes before anything is called. */
export const execute = <Spec extends CatalogSpec, Results>(
  plan: CompiledPlan<Results>,
  { toolbox, onEvent, ...options }: ExecuteOptions<Spec>,
): Effect.Effect<RunReport<Spec, Results>, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    if (!isCompiledPlan(plan)) {
      return yield* new InputsRefused({
        field: "the plan",
        problem: "is not compiled",
        expected: "Give what `compile` made.",
      })
    }
    if (toolbox.fault !== undefined) return yield* toolbox.fault
    const ready = prepare(plan, toolbox.catalog)
    if (ready instanceof StalePlan) return yield* ready
    const started = admitRun(plan, toolbox.catalog, options)
    if (started instanceof InputsRefused) return yield* started
    const runId = options.runId ?? (yield* Ids).make("run")
    const first = { seq: 0, atMs: (yield* Clock).currentTimeMillisUnsafe(), event: started }
    const state = begin(runId, first)
    if (state instanceof Error) return yield* state
    const book = new Book(yield* Journal, state, [first], onEvent)
    return report<Spec, Results>(yield* drive(ready, toolbox, book))
  })

/** Takes up a run where its journal ends, in this or any other process. */
export const resume = <Spec extends CatalogSpec>(
  runId: string,
  { toolbox, tenant, onEvent }: ResumeOptions<Spec>,
): Effect.Effect<RunReport<Spec>, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    const state = yield* readState(yield* Journal, runId, tenant)
    const { status } = state
    if (isTerminal(status)) return yield* new RunEnded({ runId, status })
    if (status === "in_doubt") return yield* new RunInDoubt({ runId, stepId: state.failure?.stepId ?? "" })
    if (toolbox.fault !== undefined) return yield* toolbox.fault
    const ready = recompile(state, toolbox)
    if (ready instanceof Error) return yield* ready
    const book = new Book(yield* Journal, state, [], onEvent)
    return report<Spec, unknown>(yield* drive(ready, toolbox, book))
  })

/** What a run has come to, from its journal alone. */
export const readState = (
  journal: JournalService,
  runId: string,
  tenant: string | undefined,
): Effect.Effect<RunState, RunNotFound | StoreFailure> =>
  Effect.flatMap(journal.read(runId, { tenant }), (entries): Effect.Effect<RunState, RunNotFound | StoreFailure> => {
    if (entries.length === 0) return Effect.fail(new RunNotFound({ runId }))
    const state = replay(runId, entries)
    return state instanceof Error ? Effect.fail(state) : Effect.succeed(state)
  })

/** The plan of a run, compiled anew from its document: nothing but the document is believed, and the catalog must still be the same. */
function recompile({ runId, started }: RunState, { catalog }: Toolbox): ReadyPlan | StalePlan | JournalDiverged {
  const compiled = definePlan(catalog, started.document as never)
  if (!compiled.ok) {
    const codes = [...new Set(compiled.diagnostics.map(({ code }) => code))].join(", ")
    return new StalePlan({ changed: `it is refused now (${codes})` })
  }
  const { plan } = compiled
  if (plan.planHash !== started.planHash)
    return new JournalDiverged({ runId, seq: 0, problem: "its plan is not the one it names" })
  const changed = changedParts(started.slice, plan.slice)
  return changed.length > 0 ? new StalePlan({ changed: changed.join(", ") }) : prepare(plan, catalog)
}
