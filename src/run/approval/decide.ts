import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CatalogSpec } from "../../catalog/catalog.ts"
import type { Asked } from "../../journal/asked.ts"
import type { ApprovalDecided, Event } from "../../journal/entry.ts"
import { JournalConflict, type RunUnderWay, record } from "../../journal/failure.ts"
import { Journal, type JournalService } from "../../journal/journal.ts"
import type { RunState } from "../../journal/state.ts"
import { isTerminal } from "../../journal/status.ts"
import { admitName, readOptions } from "../admit.ts"
import { conflictsMax } from "../drive/book.ts"
import {
  AlreadyCancelled,
  ApprovalAlreadyDecided,
  ApprovalMismatch,
  ApprovalNotFound,
  ApprovalReplayed,
  DecisionUnsigned,
  InputsRefused,
  RunEnded,
  type RunFailure,
  TokenRefused,
} from "../failure.ts"
import type { Ids } from "../ids.ts"
import { deniedBy } from "../next/next.ts"
import { put } from "../put.ts"
import { type RunReport, report } from "../report.ts"
import { type Driving, goOn, keyedFooting, readState } from "../run.ts"
import { type Equipment, equip, type Toolbox, type Tools } from "../toolbox.ts"
import { boundOf, entitle, missingApprovers, withoutSecrets } from "./bound.ts"
import { type Approver, approversIn } from "./key-set.ts"
import { peek, verify, verifySigned } from "./token.ts"

/** A decision by name: it counts only where the catalog says `approvals: "unsigned"`. */
export interface PlainDecision {
  /** Who decides. */
  readonly by: string
  readonly reason?: string | undefined
  readonly token?: undefined
  /** Only a run of this tenant is found. */
  readonly tenant?: string | undefined
}

/** A signed decision, as `issueApproval` makes it. It says itself who decides and why. */
export interface SignedDecision {
  readonly token: string
  readonly by?: undefined
  readonly reason?: undefined
  readonly tenant?: string | undefined
}

export type Decision = (PlainDecision | SignedDecision) & {
  readonly decision: "approved" | "denied"
}

export type ApproveOptions<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>> = (
  | PlainDecision
  | SignedDecision
) &
  Equipment<Spec, Written> &
  Driving

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
    if (isTerminal(state.status)) return report<Spec, unknown>(state)
    const driven = goOn(state, toolbox, options)
    // A denial stands, whoever holds the run: they undo what it has done.
    const left = (failure: RunUnderWay) => (decision === "denied" ? Effect.succeed(state) : Effect.fail(failure))
    return report<Spec, unknown>(yield* Effect.catchTag(driven, "RunUnderWay", left))
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
    const journal = yield* Journal
    // Whoever lost the race is told what the others have said; of several who must agree, each is heard.
    return yield* Effect.retry(
      Effect.suspend(() => writeOnce(journal, runId, wanted, decision, toolbox)),
      {
        times: conflictsMax,
        while: (error) => error instanceof JournalConflict,
      },
    )
  })

/**
 * Writes down what a token says of the request that it names; where it says nothing that could be, so says the refusal. Nothing is
 * looked up for whoever has not signed it, and nothing of another tenant's than the approver's: it would tell which runs there are.
 */
export const answerWith = Effect.fnUntraced(function* (
  token: string,
  given: Pick<SignedDecision, "tenant"> & Driving,
  toolbox: Toolbox | undefined,
): Effect.fn.Return<RunState, RunFailure, Journal> {
  const claimed = peek(token)
  if (claimed === undefined) {
    const problem = "does not say what an approval says"
    return yield* new TokenRefused({ runId: "unknown", stepId: "unknown", problem })
  }
  const { approvers } = given
  if (approvers === undefined) return yield* new InputsRefused(missingApprovers)
  const { run, step: stepId, request, decision } = claimed
  const nowMs = (yield* Clock).currentTimeMillisUnsafe()
  const signed = yield* Effect.promise(() => verifySigned(token, { runId: run, stepId }, approversIn(approvers), nowMs))
  if (signed instanceof Error) return yield* signed
  const { tenant = signed.approver.tenant } = given
  return yield* write(run, request, { ...given, tenant, token, decision }, toolbox)
})

function admitDecision(wanted: unknown, decision: Decision): InputsRefused | undefined {
  const { by, reason = "", token } = decision
  const refused = admitName("stepId", wanted) ?? (token === undefined ? admitWords(by, reason) : undefined)
  if (refused !== undefined) return refused
  if (decision.decision === "approved" || decision.decision === "denied") return undefined
  return new InputsRefused({ field: "`decision`", problem: "is neither", expected: "Say `approved` or `denied`." })
}

const admitWords = (by: unknown, reason: unknown): InputsRefused | undefined =>
  admitName("by", by) ?? (reason === "" ? undefined : admitName("reason", reason))

const writeOnce = Effect.fnUntraced(function* (
  journal: JournalService,
  runId: string,
  wanted: string,
  decision: Decision & Driving,
  toolbox: Toolbox | undefined,
): Effect.fn.Return<RunState, RunFailure> {
  const state = yield* readState(journal, runId, decision.tenant)
  const asked = yield* findAsked(state, wanted, decision.token)
  if (decision.decision === "approved" && toolbox !== undefined) {
    const footing = keyedFooting(state, toolbox, decision.keySecret)
    if (footing instanceof Error) return yield* footing
    const last = yield* journal.look(runId)
    // What is approved goes on here, which it may not yet: whoever holds it says so, and nothing is written down.
    const nowMs = (yield* Clock).currentTimeMillisUnsafe()
    if (last?.adopted === true)
      yield* journal.takeUp(runId, { owner: "whoever approves", untilMs: nowMs, nowMs, takeOver: false })
  }
  const said = yield* hear(state, asked, decision)
  const { requestId, stepId } = asked.request
  const { approvers = 1 } = asked.request
  const left = said.decision === "denied" ? 0 : approvers - asked.agreed.length - 1
  const event: Event = { kind: "approval-decided", requestId, stepId, ...said, ...(left === 0 ? {} : { left }) }
  // An open run goes on without what was denied.
  const failure =
    said.decision === "denied" && state.open === undefined ? record(deniedBy(stepId, said.by, said.reason)) : undefined
  return yield* put(journal, state, event, failure && { status: "failed", failure }, decision.onEvent)
})

type Said = Pick<ApprovalDecided, "decision" | "by" | "reason" | "token">

/** What is said, and by whom: a name is believed where the run's catalog says so, a signature by the host's key set alone. */
function* hear(
  state: RunState,
  asked: Asked,
  { decision, by, reason = "", token, approvers }: Decision & Driving,
): Effect.fn.Return<Said, RunFailure> {
  const { runId, started } = state
  const { stepId } = asked.request
  if (token === undefined) {
    if (started.unsigned !== true) return yield* new DecisionUnsigned({ runId, stepId })
    const unentitled = entitle({ ...nobody, subject: by, tenant: started.tenant }, { runId, started, asked }, decision)
    return unentitled === undefined ? { decision, by, reason } : yield* unentitled
  }
  if (approvers === undefined) return yield* new InputsRefused(missingApprovers)
  const nowMs = Math.max((yield* Clock).currentTimeMillisUnsafe(), state.updatedAtMs)
  const find = approversIn(approvers)
  const found = yield* Effect.promise(() => verify(token, boundOf(state, asked.request), find, nowMs))
  if (found instanceof Error) return yield* withoutSecrets(found, state)
  const { claims, approver } = found
  if (claims.decision !== decision)
    return yield* new ApprovalMismatch({ runId, stepId, field: "decision", difference: `: it says ${claims.decision}` })
  const unentitled = entitle(approver, { runId, started, asked }, decision)
  if (unentitled !== undefined) return yield* unentitled
  return { decision, by: approver.subject, reason: claims.reason, token }
}

/** Whose names are believed have no roles that anybody could check. */
const nobody: Approver = {
  kid: "none",
  publicKey: { kty: "OKP", crv: "Ed25519", x: "" },
  subject: "",
  tenant: "",
  roles: [],
}

/** The request that waits; or why there is none: it was decided before, or never made. */
function findAsked(
  { runId, status, asked, cancel }: RunState,
  wanted: string,
  token: string | undefined,
): Effect.Effect<Asked, RunEnded | ApprovalAlreadyDecided | ApprovalReplayed | ApprovalNotFound | AlreadyCancelled> {
  if (isTerminal(status)) return Effect.fail(new RunEnded({ runId, status }))
  for (const about of asked.values()) {
    const { requestId, stepId } = about.request
    if (requestId !== wanted && stepId !== wanted) continue
    if (token !== undefined && about.agreed.some((one) => one.token === token))
      return Effect.fail(new ApprovalReplayed({ runId, stepId }))
    const { decided } = about
    if (decided === undefined && status === "awaiting_approval") return Effect.succeed(about)
    if (decided === undefined && cancel !== undefined)
      return Effect.fail(new AlreadyCancelled({ runId, by: cancel.by }))
    if (decided === undefined) break
    const { decision, by } = decided
    return Effect.fail(new ApprovalAlreadyDecided({ runId, wanted, decision, by }))
  }
  return Effect.fail(new ApprovalNotFound({ runId, wanted }))
}
