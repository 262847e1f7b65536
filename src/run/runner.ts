/** The same with promises: one runner holds a catalog, its handlers and a store. */
import * as Cause from "effect/Cause"
import type { Effect } from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Catalog, CatalogSpec } from "../catalog/catalog.ts"
import type { CompiledPlan } from "../check/compiled.ts"
import type { Entry } from "../journal/entry.ts"
import { type JournalNewer, StoreUnavailable } from "../journal/failure.ts"
import { Journal, type RunSummary } from "../journal/journal.ts"
import type { RunOptions } from "./admit.ts"
import { type Decision, decide } from "./approval.ts"
import type { OnEvent } from "./book.ts"
import { HandlerMissing, RunNotFound } from "./failure.ts"
import { type Ids, live } from "./ids.ts"
import { type RunReport, report } from "./report.ts"
import { execute, readState, resume } from "./run.ts"
import { type Handlers, isToolbox, type Toolbox, toolbox } from "./toolbox.ts"

export interface RunnerOptions<Spec extends CatalogSpec> {
  readonly catalog: Catalog<Spec>
  /** The handlers, or a toolbox made of them. */
  readonly tools: Handlers<NoInfer<Spec>> | Toolbox<NoInfer<Spec>>
  /** `memory()` or `sqlite(file)`. */
  readonly store: Layer.Layer<Journal, StoreUnavailable | JournalNewer>
  readonly ids?: Layer.Layer<Ids>
  readonly onEvent?: OnEvent
}

export interface Tenanted {
  /** Only runs of this tenant are found. */
  readonly tenant?: string | undefined
}

export type PlainDecision = Omit<Decision, "decision">

/** Promises of reports; they reject, with a typed error, only where a run could not be started, found or taken up. */
export interface Runner<Spec extends CatalogSpec = CatalogSpec> {
  readonly run: <Results>(plan: CompiledPlan<Results>, options: RunOptions) => Promise<RunReport<Spec, Results>>
  readonly resume: (runId: string, options?: Tenanted) => Promise<RunReport<Spec>>
  /** Records the decision and takes the run up again. */
  readonly approve: (runId: string, stepId: string, decision: PlainDecision) => Promise<RunReport<Spec>>
  readonly deny: (runId: string, stepId: string, decision: PlainDecision) => Promise<RunReport<Spec>>
  /** Only records it: some process resumes the run later. */
  readonly decide: (runId: string, stepId: string, decision: Decision) => Promise<void>
  readonly status: (runId: string, options?: Tenanted) => Promise<RunReport<Spec>>
  readonly entries: (runId: string, options?: Tenanted) => Promise<readonly Entry[]>
  readonly runs: (options?: Tenanted) => Promise<readonly RunSummary[]>
  /** Stops what is under way, as a process that ends would, and closes the store. */
  readonly close: () => Promise<void>
}

export function createRunner<Spec extends CatalogSpec>(options: RunnerOptions<Spec>): Runner<Spec> {
  const { catalog, store, ids = live, onEvent } = options
  const box = toolsOf(catalog, options.tools)
  const runtime = ManagedRuntime.make(Layer.merge(store, ids))
  const ask = async <A, E>(effect: Effect<A, E, Journal | Ids>): Promise<A> => {
    const exit = await runtime.runPromiseExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    if (!Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause)
    throw new StoreUnavailable({ store: "this runner", reason: "it was closed" })
  }
  const take = (runId: string, { tenant }: Tenanted = {}): Promise<RunReport<Spec>> =>
    ask(resume(runId, { tenant, toolbox: box, onEvent }))
  const decideAndResume = async (runId: string, stepId: string, decision: Decision): Promise<RunReport<Spec>> => {
    await ask(decide(runId, stepId, decision))
    return take(runId, decision)
  }
  return {
    run: (plan, runOptions) => ask(execute(plan, { ...runOptions, toolbox: box, onEvent })),
    resume: take,
    approve: (runId, stepId, decision) => decideAndResume(runId, stepId, { ...decision, decision: "approved" }),
    deny: (runId, stepId, decision) => decideAndResume(runId, stepId, { ...decision, decision: "denied" }),
    decide: (runId, stepId, decision) => ask(decide(runId, stepId, decision)),
    status: async (runId, { tenant } = {}) =>
      report(await ask(Journal.use((journal) => readState(journal, runId, tenant)))),
    entries: async (runId, tenanted = {}) => {
      const entries = await ask(Journal.use((journal) => journal.read(runId, tenanted)))
      if (entries.length === 0) throw new RunNotFound({ runId })
      return entries
    },
    runs: (tenanted = {}) => ask(Journal.use((journal) => journal.list(tenanted))),
    close: () => runtime.dispose(),
  }
}

function toolsOf<Spec extends CatalogSpec>(
  catalog: Catalog<Spec>,
  tools: Handlers<Spec> | Toolbox<Spec>,
): Toolbox<Spec> {
  if (!isToolbox(tools)) return toolbox(catalog, tools as Handlers<Spec>)
  if ((tools as Toolbox<Spec>).catalog === catalog) return tools as Toolbox<Spec>
  return { ...(tools as Toolbox<Spec>), fault: new HandlerMissing({ problem: "it was made for another catalog" }) }
}
