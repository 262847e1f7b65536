/** The same with promises: one runner holds a catalog, its handlers and a store. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { CompiledPlan } from "../check/compiled.ts"
import type { Entry } from "../journal/entry.ts"
import { type JournalNewer, StoreUnavailable } from "../journal/failure.ts"
import { Journal, type JournalService, type RunSummary } from "../journal/journal.ts"
import { isObject } from "../text/json.ts"
import {
  admitTenant,
  type OptionNames,
  type RunOptions,
  readOptions,
  refuseCount,
  refuseUnknown,
  sayFound,
} from "./admit.ts"
import {
  answerWith,
  approve,
  type Decision,
  deny,
  type PlainDecision,
  type SignedDecision,
  write,
} from "./approval/decide.ts"
import { type Approvals, findWaiting, listWaiting } from "./approval/waiting.ts"
import { type Cancellation, cancel } from "./cancel.ts"
import { InputsRefused } from "./failure.ts"
import { type Ids, live } from "./ids.ts"
import type { OnEvent } from "./listener.ts"
import { type OnRequested, Outbox } from "./outbox.ts"
import { type RunReport, report } from "./report.ts"
import { type Resolution, resolve } from "./resolution.ts"
import { type Driving, execute, readEntries, readState, resume, type TakingUp } from "./run.ts"
import { type Spending, spentIn } from "./spent.ts"
import { listen, type TelemetryLayer } from "./telemetry.ts"
import { type Equipment, equip, type Tools } from "./toolbox.ts"

export interface RunnerOptions<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>>
  extends Equipment<Spec, Written>,
    Driving {
  /** `memory()` or `sqlite(file)`. */
  readonly store: Layer.Layer<Journal, StoreUnavailable | JournalNewer>
  readonly ids?: Layer.Layer<Ids>
  /** How long `close` waits for what is under way, in milliseconds. Default 10,000. */
  readonly graceMs?: number | undefined
  /** Told of what waits for a person: at least once for each request, tried again until it has answered. */
  readonly onRequested?: OnRequested | undefined
  /** Where spans and metrics go: `otlp({ url })` of sequitur/otel. Left out, nothing is measured. */
  readonly telemetry?: TelemetryLayer | undefined
}

const optionNames: OptionNames<RunnerOptions> = {
  catalog: true,
  tools: true,
  store: true,
  ids: true,
  graceMs: true,
  onRequested: true,
  telemetry: true,
  onEvent: true,
  leaseMs: true,
  onTakeUp: true,
  approvers: true,
  credentials: true,
  keySecret: true,
  stopping: true,
}

export interface Tenanted {
  /** Only runs of this tenant are found. */
  readonly tenant?: string | undefined
}

/** Of its doors. */
const names: {
  readonly run: OptionNames<RunOptions>
  readonly resume: OptionNames<TakingUp>
  readonly approve: OptionNames<PlainDecision | SignedDecision>
  readonly decide: OptionNames<Decision>
  readonly cancel: OptionNames<Cancellation>
  readonly resolve: OptionNames<Resolution>
  readonly spent: OptionNames<Spending>
  readonly tenanted: OptionNames<Tenanted>
} = {
  run: {
    principal: true,
    sessionId: true,
    taskId: true,
    inputs: true,
    origin: true,
    spent: true,
    approval: true,
    approvedPlan: true,
    runId: true,
  },
  resume: { tenant: true, takeOver: true },
  approve: { by: true, reason: true, token: true, tenant: true },
  decide: { by: true, reason: true, token: true, tenant: true, decision: true },
  cancel: { by: true, reason: true, tenant: true },
  resolve: {
    by: true,
    reason: true,
    attempt: true,
    takeOver: true,
    tenant: true,
    applied: true,
    notApplied: true,
    retry: true,
    giveUp: true,
  },
  spent: { tenant: true, sessionId: true, taskId: true },
  tenanted: { tenant: true },
}

/** Promises of reports; they reject, with a typed error, only where a run could not be started, found or taken further. */
export interface Runner<Spec extends CatalogSpec = CatalogSpec> {
  /** A method, so that a runner of one catalog still counts as a runner of any. */
  run<Results>(plan: CompiledPlan<Results>, options: RunOptions<Spec>): Promise<RunReport<Spec, Results>>
  readonly resume: (runId: string, options?: TakingUp) => Promise<RunReport<Spec>>
  /** Records the decision and takes the run up again. Where this runner could not go on with it, nothing is recorded. */
  readonly approve: (
    runId: string,
    stepId: string,
    decision: PlainDecision | SignedDecision,
  ) => Promise<RunReport<Spec>>
  /** Records the decision, undoes what the run has done, and ends it; whatever has become of its catalog. */
  readonly deny: (runId: string, stepId: string, decision: PlainDecision | SignedDecision) => Promise<RunReport<Spec>>
  /** What waits for people, and taking their signed answers. */
  readonly approvals: Approvals
  /** Only records it: some process resumes an approved run later. Held to what this runner could go on with, as `approve`. */
  readonly decide: (runId: string, stepId: string, decision: Decision) => Promise<RunReport<Spec>>
  /**
   * Stops a run, at any moment: no new step starts, what is under way is settled, what was done is undone. Where another process
   * holds the run, that one does so, and the report still says `running`.
   */
  readonly cancel: (runId: string, cancellation: Cancellation) => Promise<RunReport<Spec>>
  /** Settles an effect that is in doubt by a person's word, and goes on with the run. */
  readonly resolve: (runId: string, stepId: string, resolution: Resolution) => Promise<RunReport<Spec>>
  /** What is committed or in doubt of the limits that reach beyond one run: for `compile`'s option `spent`. */
  readonly spent: (scope: Spending) => Promise<{ readonly [dimension: string]: number }>
  readonly status: (runId: string, options?: Tenanted) => Promise<RunReport<Spec>>
  readonly entries: (runId: string, options?: Tenanted) => Promise<readonly Entry[]>
  readonly runs: (options?: Tenanted) => Promise<readonly RunSummary[]>
  /**
   * Begins nothing new, waits for the calls under way, lets go of their runs (`running`: others may go on with them at once), and
   * closes the store. What is still under way after `graceMs` (default: the runner's) is left as a process that ends would leave
   * it; called again with less, it is waited for no longer than that.
   */
  readonly close: (options?: { readonly graceMs?: number | undefined }) => Promise<void>
}

export function createRunner<
  Spec extends CatalogSpec,
  const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>,
>(options: RunnerOptions<Spec, Written>): Runner<Spec> {
  const {
    catalog,
    store,
    ids = live,
    leaseMs,
    stopping,
    graceMs,
    telemetry,
    approvers,
    credentials,
    keySecret,
    onRequested,
  } = given(options)
  const listening = listen(telemetry, given(options))
  const { onTakeUp } = listening
  // What follows from an entry is begun before anybody else hears of it.
  let outbox: Outbox | undefined
  const onEvent: OnEvent = (entry) => {
    outbox?.note(entry)
    return listening.onEvent?.(entry)
  }
  const tools = equip(given(options))
  const drain = new Drain(graceMs, refuseUnknown(given(options), optionNames, "runner"))
  const equipment = {
    catalog,
    tools,
    onEvent,
    leaseMs,
    stopping: () => drain.closed || stopping?.() === true,
    onTakeUp,
    approvers,
    credentials,
    keySecret,
  }
  const runtime = ManagedRuntime.make(Layer.mergeAll(usable(store), ids, listening.layer))
  if (onRequested !== undefined) outbox = new Outbox(runtime.runPromise, { onRequested, onEvent })
  const ask = async <A, E>(effect: Effect.Effect<A, E, Journal | Ids>): Promise<A> => {
    if (drain.refused !== undefined) throw drain.refused
    const exit = drain.closed ? Exit.interrupt() : await drain.hold(runtime.runPromiseExit(effect))
    if (Exit.isSuccess(exit)) return exit.value
    if (!Cause.hasInterruptsOnly(exit.cause)) {
      const error = Cause.squash(exit.cause)
      listening.onRefused(error)
      throw error
    }
    throw new StoreUnavailable({ store: "this runner", reason: "it was closed" })
  }
  return {
    run: (plan, runOptions) => ask(taken(names.run, runOptions, (given) => execute(plan, { ...given, ...equipment }))),
    resume: (runId, options) =>
      ask(scoped(names.resume, options, (given) => resume(runId, { ...given, ...equipment }))),
    approve: (runId, stepId, decision) =>
      ask(taken(names.approve, decision, (given) => approve(runId, stepId, { ...given, ...equipment }))),
    deny: (runId, stepId, decision) =>
      ask(taken(names.approve, decision, (given) => deny(runId, stepId, { ...given, ...equipment }))),
    decide: async (runId, stepId, decision) =>
      report(
        await ask(
          taken(names.decide, decision, (given) =>
            write(runId, stepId, { ...given, onEvent, approvers, keySecret }, tools),
          ),
        ),
      ),
    approvals: {
      list: (options) => ask(scoped(names.tenanted, options, ({ tenant }, journal) => listWaiting(journal, tenant))),
      get: (requestId, options) => ask(scoped(names.tenanted, options, ({ tenant }) => findWaiting(requestId, tenant))),
      answer: async (token, options) =>
        report(
          await ask(
            scoped(names.tenanted, options, ({ tenant }) =>
              answerWith(token, { tenant, onEvent, approvers, keySecret }, tools),
            ),
          ),
        ),
    },
    cancel: (runId, cancellation) =>
      ask(taken(names.cancel, cancellation, (given) => cancel(runId, { ...given, ...equipment }))),
    resolve: (runId, stepId, resolution) =>
      ask(taken(names.resolve, resolution, (given) => resolve(runId, stepId, { ...given, ...equipment }))),
    spent: (scope) =>
      ask(Journal.use((journal) => taken(names.spent, scope, (given) => spentIn(journal, tools.catalog, given)))),
    status: async (runId, options) =>
      report(await ask(scoped(names.tenanted, options, ({ tenant }, journal) => readState(journal, runId, tenant)))),
    entries: (runId, options) =>
      ask(scoped(names.tenanted, options, ({ tenant }, journal) => readEntries(journal, runId, tenant))),
    runs: (options) => ask(scoped(names.tenanted, options, ({ tenant }, journal) => journal.list({ tenant }))),
    close: async (options) => {
      await drain.close(options?.graceMs)
      await outbox?.close(options?.graceMs ?? graceMs ?? graceMsUnsaid)
      await runtime.dispose()
    },
  }
}

/** What is under way, and until when it is waited for. */
class Drain {
  readonly refused: InputsRefused | undefined
  readonly #graceMs: number
  readonly #underWay = new Set<Promise<unknown>>()
  closed = false

  constructor(graceMs = graceMsUnsaid, refused?: InputsRefused) {
    this.refused = isGrace(graceMs) ? refused : refuseCount("`graceMs`", graceMs, 0, "runner")
    this.#graceMs = isGrace(graceMs) ? graceMs : 0
  }

  hold<A>(asked: Promise<A>): Promise<A> {
    this.#underWay.add(asked)
    return asked.finally(() => this.#underWay.delete(asked))
  }

  async close(graceMs = this.#graceMs): Promise<void> {
    if (!isGrace(graceMs)) throw refuseCount("`graceMs`", graceMs, 0, "runner")
    this.closed = true
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, Math.min(graceMs, longestTimerMs))
    await Promise.race([Promise.allSettled(this.#underWay), over])
    clearTimeout(timer)
  }
}

const graceMsUnsaid = 10_000

const isGrace = (ms: number): boolean => Number.isSafeInteger(ms) && ms >= 0

/** Timers count in 32 bits: more would fire at once. */
const longestTimerMs = 2_147_483_647

/** What a host hands over is looked at where it is used: there a typed error tells of it. */
const given = <Options extends object>(options: Options): Options => (isObject(options) ? options : ({} as Options))

/** Options that may be left out, but not be something else: without its tenant a question would be about everybody's runs. */
const scoped = <Options extends Tenanted, A, E, R>(
  known: OptionNames<Options>,
  options: Options | undefined,
  use: (options: Options, journal: JournalService) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | InputsRefused, R | Journal> =>
  Journal.use((journal) =>
    taken(known, options, (given): Effect.Effect<A, E | InputsRefused, R> => {
      const refused = admitTenant(given.tenant)
      return refused === undefined ? use(given, journal) : Effect.fail(refused)
    }),
  )

/** Options as they are now; what is missing is told one by one where they were left out. */
const taken = <Options extends object, A, E, R>(
  known: OptionNames<Options>,
  options: Options | undefined,
  use: (options: Options) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | InputsRefused, R> =>
  Effect.suspend((): Effect.Effect<A, E | InputsRefused, R> => {
    const given = readOptions(options === undefined ? ({} as Options) : options)
    const refused = given instanceof InputsRefused ? given : refuseUnknown(given, known, "run")
    return refused === undefined ? use(given as Options) : Effect.fail(refused)
  })

/** Whoever forgets the store is told so by whatever they ask. */
const usable = (store: RunnerOptions["store"]): RunnerOptions["store"] =>
  Layer.isLayer(store)
    ? store
    : Layer.effect(
        Journal,
        new StoreUnavailable({
          store: "this runner",
          reason: `\`store\` must be \`memory()\` or \`sqlite(file)\`, but ${sayFound(store)}`,
        }),
      )
