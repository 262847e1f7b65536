/** Two ways to begin: a new run of a compiled plan, or an old one where its journal ends. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CatalogSpec } from "../catalog/catalog.ts"
import { changedParts } from "../catalog/slice.ts"
import type { CompiledPlan } from "../check/compiled.ts"
import { isCompiledPlan } from "../check/seal.ts"
import { definePlan } from "../define-plan.ts"
import type { Entry } from "../journal/entry.ts"
import { JournalDiverged } from "../journal/failure.ts"
import { Journal, type JournalService } from "../journal/journal.ts"
import { begin, isTerminal, type RunState, replay } from "../journal/state.ts"
import { admitName, admitRun, admitTenant, type RunOptions, readOptions } from "./admit.ts"
import { Book, type OnEvent } from "./book.ts"
import { drive } from "./drive.ts"
import {
  type HandlerMissing,
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
import { type Equipment, equip, type Toolbox, type Tools } from "./toolbox.ts"
import { checkUnderWay } from "./under-way.ts"

export interface Listening {
  readonly onEvent?: OnEvent | undefined
}

export interface ExecuteOptions<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>>
  extends RunOptions,
    Equipment<Spec, Written>,
    Listening {}

export interface TakingUp {
  /** Only a run of this tenant is found. */
  readonly tenant?: string | undefined
  /**
   * Takes the run also from a process that may still be at work on it. For when you know that none is: a call that another
   * process is waiting for is called in doubt (an effect) or made again (a read), and its answer is lost to the run.
   */
  readonly takeOver?: boolean | undefined
}

export interface ResumeOptions<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>>
  extends TakingUp,
    Equipment<Spec, Written>,
    Listening {}

/**
 * Runs a compiled plan until it ends or must wait for a person: `execute(plan, { catalog, tools, principal, sessionId, taskId })`.
 * `tools` are handlers or a toolbox, as for `createRunner`. Every refusal comes before anything is written or called.
 */
export const execute = <
  Spec extends CatalogSpec,
  Results,
  const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>,
>(
  plan: CompiledPlan<Results>,
  given: ExecuteOptions<Spec, Written>,
): Effect.Effect<RunReport<Spec, Results>, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    const refused = admitPlan(plan)
    if (refused !== undefined) return yield* refused
    const options = readOptions(given)
    if (options instanceof InputsRefused) return yield* options
    const toolbox = equip(options)
    if (toolbox.fault !== undefined) return yield* toolbox.fault
    const ready = prepare(plan, toolbox.catalog)
    if (ready instanceof StalePlan) return yield* ready
    const started = admitRun(plan, toolbox.catalog, options)
    if (started instanceof InputsRefused) return yield* started
    const runId = options.runId ?? (yield* Ids).make("run")
    const first = { seq: 0, atMs: (yield* Clock).currentTimeMillisUnsafe(), event: started }
    const state = begin(runId, first)
    if (state instanceof Error) return yield* state
    const book = new Book(yield* Journal, state, [first], options.onEvent)
    return report<Spec, Results>(yield* drive(ready, toolbox, book))
  })

/** Takes up a run where its journal ends, in this or any other process: `resume(runId, { catalog, tools })`. */
export const resume = <Spec extends CatalogSpec, const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>>(
  runId: string,
  given: ResumeOptions<Spec, Written>,
): Effect.Effect<RunReport<Spec>, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    const options = readOptions(given)
    if (options instanceof InputsRefused) return yield* options
    const { tenant, takeOver = false, onEvent } = options
    const toolbox = equip(options)
    const state = yield* readState(yield* Journal, runId, tenant)
    const { status } = state
    if (isTerminal(status)) return yield* new RunEnded({ runId, status })
    if (status === "in_doubt") return yield* new RunInDoubt({ runId, stepId: state.failure?.stepId ?? "" })
    const ready = readyFor(state, toolbox)
    if (ready instanceof Error) return yield* ready
    const underWay = checkUnderWay(ready, state, (yield* Clock).currentTimeMillisUnsafe())
    if (underWay !== undefined && takeOver !== true) return yield* underWay
    const book = new Book(yield* Journal, state, [], onEvent)
    return report<Spec, unknown>(yield* drive(ready, toolbox, book))
  })

const admitPlan = (plan: unknown): InputsRefused | undefined =>
  isCompiledPlan(plan)
    ? undefined
    : new InputsRefused({
        field: "the plan",
        problem: "is not compiled",
        expected: "Give the `plan` of what `compile` or `definePlan` gave back.",
      })

/** The entries of a run; there are some. */
export const readEntries = (
  journal: JournalService,
  runId: string,
  tenant: string | undefined,
): Effect.Effect<readonly Entry[], InputsRefused | RunNotFound | StoreFailure> =>
  Effect.gen(function* () {
    const refused = admitName("runId", runId) ?? admitTenant(tenant)
    if (refused !== undefined) return yield* refused
    const entries = yield* journal.read(runId, { tenant })
    return entries.length === 0 ? yield* new RunNotFound({ runId }) : entries
  })

/** What a run has come to, from its journal alone. */
export const readState = (
  journal: JournalService,
  runId: string,
  tenant: string | undefined,
): Effect.Effect<RunState, InputsRefused | RunNotFound | StoreFailure> =>
  Effect.flatMap(readEntries(journal, runId, tenant), (entries): Effect.Effect<RunState, StoreFailure> => {
    const state = replay(runId, entries)
    return state instanceof Error ? Effect.fail(state) : Effect.succeed(state)
  })

/**
 * The plan of a run, ready to go on with: compiled anew from its document, for nothing but the document is believed, and the
 * catalog must still be the same.
 */
export function readyFor(
  { runId, status, started }: RunState,
  { catalog, fault }: Toolbox,
): ReadyPlan | HandlerMissing | StalePlan | JournalDiverged {
  if (fault !== undefined) return fault
  const remedy =
    status === "awaiting_approval"
      ? "Deny it (`deny`), which ends this run, and run a newly compiled plan; or go on with the catalog of before."
      : "Go on with the catalog of before; or leave this run as it stands, and run a newly compiled plan."
  const compiled = definePlan(catalog, started.document as never)
  if (!compiled.ok) {
    const codes = [...new Set(compiled.diagnostics.map(({ code }) => code))].join(", ")
    return new StalePlan({ changed: `it is refused now (${codes})`, remedy })
  }
  const { plan } = compiled
  if (plan.planHash !== started.planHash)
    return new JournalDiverged({ runId, seq: 0, problem: "its plan is not the one it names" })
  const changed = changedParts(started.slice, plan.slice)
  return changed.length > 0 ? new StalePlan({ changed: changed.join(", "), remedy }) : prepare(plan, catalog)
}
