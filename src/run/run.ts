/** Two ways to begin: a new run of a compiled plan, or an old one where its journal ends. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Catalog, CatalogSpec } from "../catalog/catalog.ts"
import { changedParts } from "../catalog/slice.ts"
import type { CompiledPlan } from "../check/compiled.ts"
import { isCompiledPlan } from "../check/seal.ts"
import { definePlan } from "../define-plan.ts"
import type { Entry, Event, RunStarted, TakenUp } from "../journal/entry.ts"
import { JournalDiverged, LeaseLost } from "../journal/failure.ts"
import { Journal, type JournalService } from "../journal/journal.ts"
import { leaseMsMax } from "../journal/lease.ts"
import { begin, type RunState, replay } from "../journal/state.ts"
import { isTerminal } from "../journal/status.ts"
import { admitFlag, admitName, admitRun, admitTenant, type RunOptions, readOptions, refuseCount } from "./admit.ts"
import { endUnproved, holdToPlan, proveWords } from "./adopted.ts"
import { withoutSecrets } from "./approval/bound.ts"
import { carry, type Signed } from "./approval/carry.ts"
import type { KeySet } from "./approval/key-set.ts"
import { admitApproval, runOf } from "./approval/plan.ts"
import type { CredentialsProvider } from "./call/credentials.ts"
import { Book, type Holder } from "./drive/book.ts"
import { drive, type Footing } from "./drive/drive.ts"
import {
  ApprovalMismatch,
  type HandlerMissing,
  InputsRefused,
  type KeySecretRefused,
  RunEnded,
  type RunFailure,
  RunInDoubt,
  RunNotFound,
  StalePlan,
  type StoreFailure,
} from "./failure.ts"
import { Ids, type IdsService } from "./ids.ts"
import { type KeySecret, noteOf, secretFor, secretOf } from "./key-secret.ts"
import { type OnEvent, tell } from "./listener.ts"
import { next } from "./next/next.ts"
import { prepare, type ReadyPlan } from "./next/prepare.ts"
import { footingOfOpen } from "./open/grow.ts"
import { type RunReport, report } from "./report.ts"
import { type Equipment, equip, type Toolbox, type Tools } from "./toolbox.ts"

/** How a run is driven. */
export interface Driving {
  readonly onEvent?: OnEvent | undefined
  /**
   * How long others leave a run alone that its process says nothing of, in milliseconds; it says something three times as often.
   * Default 30,000.
   */
  readonly leaseMs?: number | undefined
  /** Told of a run that this process takes up, as it stands then. What it throws is ignored. */
  readonly onTakeUp?: ((state: RunState) => void) | undefined
  /** Those who may approve, by their keys: needed where decisions are signed. */
  readonly approvers?: KeySet | undefined
  /** Gives handlers what they may show the outside, as `ctx.credentials`: asked right before each call, and kept nowhere. */
  readonly credentials?: CredentialsProvider | undefined
  /** A secret of the tenant that its idempotency keys are made with: then nobody can guess arguments by their keys. */
  readonly keySecret?: KeySecret | undefined
  /** From when it says so, a run is let go of before its next step: others may take it up at once. */
  readonly stopping?: (() => boolean) | undefined
}

export interface ExecuteOptions<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>>
  extends RunOptions<NoInfer<Spec>>,
    Equipment<Spec, Written>,
    Driving {}

export interface TakingUp {
  /** Only a run of this tenant is found. */
  readonly tenant?: string | undefined
  /**
   * Takes the run also from a process whose lease has not run out. It writes nothing more to the run, but for what its last call
   * says late; that call is settled here, or in doubt.
   */
  readonly takeOver?: boolean | undefined
}

export interface ResumeOptions<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>>
  extends TakingUp,
    Equipment<Spec, Written>,
    Driving {}

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
    const read = readOptions(given)
    if (read instanceof InputsRefused) return yield* read
    const options = withRunId(read)
    const toolbox = equip(options)
    if (toolbox.fault !== undefined) return yield* toolbox.fault
    const ready = prepare(plan, toolbox.catalog)
    if (ready instanceof StalePlan) return yield* ready
    const ids = yield* Ids
    const admitted = admitRun(ready, options, ids.make("salt"))
    if (admitted instanceof InputsRefused) return yield* admitted
    const { tenant } = admitted
    const keySecret = secretOf(options.keySecret, tenant)
    if (keySecret instanceof InputsRefused) return yield* keySecret
    const holder = holderOf(options, ids)
    if (holder instanceof InputsRefused) return yield* holder
    const runId = options.runId ?? ids.make("run")
    const clock = yield* Clock
    const noted = { ...admitted, ...noteOf(keySecret, tenant) }
    const started = yield* approved(runId, noted, ready, options, clock.currentTimeMillisUnsafe())
    const first = { seq: 0, atMs: clock.currentTimeMillisUnsafe(), event: started }
    const state = begin(runId, first)
    if (state instanceof Error) return yield* state
    const book = new Book(yield* Journal, holder, clock, state, [first], options.onEvent)
    return report<Spec, Results>(yield* drive({ ...ready, keySecret }, toolbox, book, holder.leaseMs, options))
  })

/** What was approved beforehand was approved for one run, which it names. */
function withRunId<Options extends Pick<RunOptions, "approval" | "runId">>(options: Options): Options {
  const { approval, runId = runOf(approval) } = options
  return runId === undefined ? options : { ...options, runId }
}

/** With what people have agreed to beforehand. */
const approved = (
  runId: string,
  started: RunStarted,
  { plan, catalog }: ReadyPlan,
  { approval, approvedPlan, approvers }: Pick<RunOptions, "approval" | "approvedPlan"> & Driving,
  nowMs: number,
): Effect.Effect<RunStarted, RunFailure> =>
  Effect.gen(function* () {
    if (approval === undefined)
      return approvedPlan === undefined ? started : yield* refuseSigned("is given without an `approval`")
    if (approvedPlan !== undefined && !isCompiledPlan(approvedPlan)) return yield* refuseSigned("is not compiled")
    const signed = approvedPlan && carry(approvedPlan, plan, catalog)
    if (typeof signed === "string")
      return yield* new ApprovalMismatch({ runId, stepId: "*", field: "plan", difference: `: ${signed}` })
    const found = yield* Effect.promise(() => admitApproval(approval, runId, started, approvers, nowMs, signed))
    if (!(found instanceof Error)) return { ...started, approved: found }
    const first = begin(runId, { seq: 0, atMs: nowMs, event: started })
    return yield* first instanceof Error ? found : withoutSecrets(found, first)
  })

const refuseSigned = (problem: string): InputsRefused =>
  new InputsRefused({
    field: "`approvedPlan`",
    problem,
    expected: "Give the compiled plan that was signed, with its `approval`.",
  })

/** Takes up a run where its journal ends, in this or any other process: `resume(runId, { catalog, tools })`. */
export const resume = <Spec extends CatalogSpec, const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>>(
  runId: string,
  given: ResumeOptions<Spec, Written>,
): Effect.Effect<RunReport<Spec>, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    const options = readOptions(given)
    if (options instanceof InputsRefused) return yield* options
    const refused = admitFlag("takeOver", options.takeOver)
    if (refused !== undefined) return yield* refused
    const toolbox = equip(options)
    const state = yield* readState(yield* Journal, runId, options.tenant)
    const { status } = state
    if (isTerminal(status)) return yield* new RunEnded({ runId, status })
    if (status === "in_doubt") return yield* new RunInDoubt({ runId, stepId: state.failure?.stepId ?? "" })
    return report<Spec, unknown>(yield* goOn(state, toolbox, options))
  })

/** Goes on with a run that has not ended: takes hold of it, and drives it as far as it goes. `say` is what is to be said first. */
export const goOn = (
  state: RunState,
  toolbox: Toolbox,
  options: Driving & Pick<TakingUp, "takeOver">,
  say?: (held: RunState) => Event | RunFailure,
): Effect.Effect<RunState, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    const footing = keyedFooting(state, toolbox, options.keySecret)
    if (footing instanceof Error && !(footing instanceof StalePlan)) return yield* footing
    // Without its plan a run can only be settled and undone.
    const clock = yield* Clock
    const nowMs = clock.currentTimeMillisUnsafe()
    const waits = rests(footing, state, nowMs)
    if (footing instanceof StalePlan && (waits || next(undefined, state).kind === "needs-plan")) return yield* footing
    const journal = yield* Journal
    const takeOver = options.takeOver === true
    const adopts = takeOver && (yield* journal.look(state.runId))?.adopted === true
    // A person's answer would find a run of another store held there.
    if (waits && !adopts) return state
    const holder = holderOf(options, yield* Ids)
    if (holder instanceof InputsRefused) return yield* holder
    const { owner, leaseMs } = holder
    let windUp: ReturnType<typeof endUnproved>
    if (adopts) {
      const entries = yield* journal.read(state.runId)
      const strange = holdToPlan(footing, state.runId, state.started, entries)
      if (strange !== undefined) return yield* strange
      const refused = yield* Effect.promise(() => proveWords(footing, state.runId, entries, options.approvers))
      if (refused !== undefined && !(refused instanceof InputsRefused || refused instanceof JournalDiverged))
        windUp = endUnproved(footing instanceof Error ? undefined : footing, state, refused)
      if (refused !== undefined && windUp === undefined) return yield* withoutSecrets(refused, state)
    }
    const taken = yield* journal.takeUp(state.runId, { owner, untilMs: nowMs + leaseMs, nowMs, takeOver })
    const held = yield* readState(journal, state.runId, undefined)
    if (held.epoch !== (taken.event as TakenUp).epoch) return yield* new LeaseLost({ runId: state.runId })
    const book = new Book(journal, holder, clock, held, [], options.onEvent)
    tellTakeUp(options.onTakeUp, held)
    tell(options.onEvent, state.runId, [taken])
    const said = say?.(held)
    const refused = said === undefined || said instanceof Error ? said : book.add(said)
    if (refused !== undefined) {
      yield* book.flush({ dueMs: undefined })
      return yield* refused
    }
    if (windUp !== undefined) {
      for (const event of windUp(held)) {
        const diverged = book.add(event)
        if (diverged !== undefined) return yield* diverged
      }
      yield* book.flush({ dueMs: undefined })
      return book.state
    }
    return yield* drive(footing, toolbox, book, leaseMs, options)
  })

export function tellTakeUp(onTakeUp: Driving["onTakeUp"], state: RunState): void {
  try {
    onTakeUp?.(state)
  } catch {
    // As of OnEvent.
  }
}

/** Whether it waits for a person, and still may. */
function rests(footing: Footing, state: RunState, nowMs: number): boolean {
  const action = next(footing instanceof Error ? undefined : footing, state)
  return action.kind === "wait" && (action.notAfterMs === undefined || nowMs <= action.notAfterMs)
}

export function holderOf({ leaseMs = defaultLeaseMs }: Driving, ids: IdsService): Holder | InputsRefused {
  if (Number.isSafeInteger(leaseMs) && leaseMs > 0 && leaseMs <= leaseMsMax) return { owner: ids.make("own"), leaseMs }
  if (Number.isSafeInteger(leaseMs) && leaseMs > 0) return refuseLong(leaseMs)
  return refuseCount("`leaseMs`", leaseMs, 1)
}

const refuseLong = (leaseMs: number): InputsRefused =>
  new InputsRefused({
    field: "`leaseMs`",
    problem: `is ${leaseMs}, which is more than ${leaseMsMax}`,
    expected: `Give whole milliseconds, from 1 to ${leaseMsMax}.`,
  })

const defaultLeaseMs = 30_000

export const admitPlan = (plan: unknown): InputsRefused | undefined =>
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
 * The plan of a run, ready to go on with: compiled anew from its document, for nothing but the document is believed. Where the
 * catalog has changed, that it has.
 */
export function footingFor(state: RunState, { catalog, fault }: Toolbox): Footing | HandlerMissing | JournalDiverged {
  if (fault !== undefined) return fault
  const { runId, status, started, open } = state
  if (open !== undefined) return footingOfOpen(state, open, catalog)
  const remedy =
    status === "awaiting_approval"
      ? "Deny it (`deny`), which ends this run, and run a newly compiled plan; or go on with the catalog of before."
      : "Go on with the catalog of before; or cancel this run (`cancel`), and run a newly compiled plan."
  const compiled = definePlan(catalog, started.document as never, started.earlier && { earlier: started.earlier })
  if (!compiled.ok) {
    const codes = [...new Set(compiled.diagnostics.map(({ code }) => code))].join(", ")
    return new StalePlan({ changed: `it is refused now (${codes})`, remedy })
  }
  const { plan } = compiled
  if (plan.planHash !== started.planHash)
    return new JournalDiverged({ runId, seq: 0, problem: "its plan is not the one it names" })
  const changed = changedParts(started.slice, plan.slice)
  if (changed.length > 0) return new StalePlan({ changed: changed.join(", "), remedy })
  const signed = started.approved?.plan
  if (signed !== undefined && !stands(signed, plan, catalog))
    return new JournalDiverged({ runId, seq: 0, problem: "what was signed does not stand for its plan" })
  return prepare(plan, catalog)
}

/** Judged anew, as the plan is. */
function stands(said: Signed, plan: CompiledPlan, catalog: Catalog): boolean {
  const signed = definePlan(catalog, said.document as never)
  if (!signed.ok) return false
  const found = carry(signed.plan, plan, catalog)
  return typeof found === "object" && found.planHash === said.planHash && found.catalogHash === said.catalogHash
}

/** The same, with the secret that its keys are made with. Without its plan no key is made. */
export function keyedFooting(
  state: RunState,
  toolbox: Toolbox,
  keySecret: KeySecret | undefined,
): ReturnType<typeof footingFor> | KeySecretRefused {
  const footing = footingFor(state, toolbox)
  if (footing instanceof Error) return footing
  const secret = secretFor(keySecret, state.runId, state.started)
  return secret instanceof Error ? secret : { ...footing, keySecret: secret }
}
