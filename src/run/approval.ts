import * as Effect from "effect/Effect"
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { ApprovalDecided, Event } from "../journal/entry.ts"
import { JournalConflict, record } from "../journal/failure.ts"
import { Journal, type JournalService } from "../journal/journal.ts"
import type { RunState } from "../journal/state.ts"
import { isTerminal } from "../journal/status.ts"
import { admitName, readOptions } from "./admit.ts"
import { conflictsMax } from "./drive/book.ts"
import {
  AlreadyCancelled,
  ApprovalAlreadyDecided,
  ApprovalNotFound,
  InputsRefused,
  RunEnded,
  type RunFailure,
} from "./failure.ts"
import type { Ids } from "./ids.ts"
import { deniedBy } from "./next/next.ts"
import { put } from "./put.ts"
import { type RunReport, report } from "./report.ts"
import { type Driving, footingFor, goOn, readState } from "./run.ts"
import { type Equipment, equip, type Toolbox, type Tools } from "./toolbox.ts"

export interface PlainDecision {
  /** Who decides. */
  readonly by: string
  readonly reason?: string | undefined
  /** Only a run of this tenant is found. */
  readonly tenant?: string | undefined
}

export interface Decision extends PlainDecision {
  readonly decision: "approved" | "denied"
}

export interface ApproveOptions<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>>
  extends PlainDecision,
    Equipment<Spec, Written>,
    Driving {}

/**
 * Decides the request that a run waits for, named by its step or by its own id. Needs nothing but the store: a denial calls
 * nothing, and ends the run at once, whatever has become of its catalog, where nothing is to be undone; an approved run goes
 * on when it is resumed, and whether it can is asked only by `approve`.
 */
export const decide = (
  runId: string,
  wanted: string,
  decision: Decision & Driving,
): Effect.Effect<RunReport, RunFailure, Journal> => Effect.map(write(runId, wanted, decision, undefined), report)

/** Approves, and goes on with the run in this process. Where the run could not go on, nothing is written down. */
export const approve = <Spec extends CatalogSpec, const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>>(
  runId: string,
  wanted: string,
  given: ApproveOptions<Spec, Written>,
): Effect.Effect<RunReport<Spec>, RunFailure, Journal | Ids> => answer(runId, wanted, given, "approved")

/** Denies, and undoes in this process what the run has done. */
export const deny = <Spec extends CatalogSpec, const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>>(
  runId: string,
  wanted: string,
  given: ApproveOptions<Spec, Written>,
): Effect.Effect<RunReport<Spec>, RunFailure, Journal | Ids> => answer(runId, wanted, given, "denied")

const answer = <Spec extends CatalogSpec, Written extends Tools<Spec>>(
  runId: string,
  wanted: string,
  given: ApproveOptions<Spec, Written>,
  decision: Decision["decision"],
): Effect.Effect<RunReport<Spec>, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    const options = readOptions(given)
    if (options instanceof InputsRefused) return yield* options
    const toolbox = equip(options)
    const state = yield* write(runId, wanted, { ...options, decision }, toolbox)
    return report<Spec, unknown>(isTerminal(state.status) ? state : yield* goOn(state, toolbox, options))
  })

/** Writes a decision down, and what follows from it alone. An approval is held to a toolbox first, if there is one. */
export const write = (
  runId: string,
  wanted: string,
  given: Decision & Driving,
  toolbox: Toolbox | undefined,
): Effect.Effect<RunState, RunFailure, Journal> =>
  Effect.gen(function* () {
    const decision = readOptions(given)
    if (decision instanceof InputsRefused) return yield* decision
    const refused = admitDecision(wanted, decision)
    if (refused !== undefined) return yield* refused
    const attempt = writeOnce(yield* Journal, runId, wanted, decision, toolbox)
    // Whoever lost the race is told what the other has said.
    return yield* Effect.retry(attempt, { times: conflictsMax, while: (error) => error instanceof JournalConflict })
  })

function admitDecision(wanted: unknown, decision: Decision): InputsRefused | undefined {
  const { by, reason = "" } = decision
  const refused =
    admitName("stepId", wanted) ?? admitName("by", by) ?? (reason === "" ? undefined : admitName("reason", reason))
  if (refused !== undefined) return refused
  if (decision.decision === "approved" || decision.decision === "denied") return undefined
  return new InputsRefused({ field: "`decision`", problem: "is neither", expected: "Say `approved` or `denied`." })
}

const writeOnce = Effect.fnUntraced(function* (
  journal: JournalService,
  runId: string,
  wanted: string,
  decision: Decision & Driving,
  toolbox: Toolbox | undefined,
): Effect.fn.Return<RunState, RunFailure> {
  const state = yield* readState(journal, runId, decision.tenant)
  const request = yield* findRequest(state, wanted)
  if (decision.decision === "approved" && toolbox !== undefined) {
    const footing = footingFor(state, toolbox)
    if (footing instanceof Error) return yield* footing
  }
  const { by, reason = "" } = decision
  const event: Event = { kind: "approval-decided", ...request, decision: decision.decision, by, reason }
  const failure = decision.decision === "denied" ? record(deniedBy(request.stepId, by, reason)) : undefined
  return yield* put(journal, state, event, failure && { status: "failed", failure }, decision.onEvent)
})

type Request = Pick<ApprovalDecided, "requestId" | "stepId">

/** The request that waits; or why there is none: it was decided before, or never made. */
function findRequest(
  { runId, status, requests, decisions, cancel }: RunState,
  wanted: string,
): Effect.Effect<Request, RunEnded | ApprovalAlreadyDecided | ApprovalNotFound | AlreadyCancelled> {
  if (isTerminal(status)) return Effect.fail(new RunEnded({ runId, status }))
  for (const [, { requestId, stepId }] of requests) {
    if (requestId !== wanted && stepId !== wanted) continue
    const decided = decisions.get(requestId)
    if (decided === undefined && status === "awaiting_approval") return Effect.succeed({ requestId, stepId })
    if (decided === undefined && cancel !== undefined)
      return Effect.fail(new AlreadyCancelled({ runId, by: cancel.by }))
    if (decided === undefined) break
    const { decision, by } = decided
    return Effect.fail(new ApprovalAlreadyDecided({ runId, wanted, decision, by }))
  }
  return Effect.fail(new ApprovalNotFound({ runId, wanted }))
}
