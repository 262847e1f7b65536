/** What a decision on a request must be bound to, and who may make it. */

import { sayRoles } from "../../catalog/authority.ts"
import { type Asked, isSamePerson } from "../../journal/asked.ts"
import type { ApprovalDecided, ApprovalRequested } from "../../journal/entry.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import type { RunState } from "../../journal/state.ts"
import { ApprovalMismatch, ApproverNotEntitled, ApproversUnavailable, DecisionUnsigned } from "../failure.ts"
import type { Approver, FindApprover } from "./key-set.ts"
import { type Bound, type TokenFailure, type Verified, verify } from "./token.ts"

export const boundOf = (
  { runId, started }: Pick<RunState, "runId" | "started">,
  { requestId, stepId, inputs = "" }: ApprovalRequested,
): Bound => ({
  request: requestId,
  run: runId,
  tenant: started.tenant,
  plan: started.planHash,
  catalog: started.catalogHash,
  step: stepId,
  inputs,
})

/** Why an approver may not decide; undefined where they may. */
export function entitle(
  { tenant, subject: by, roles }: Approver,
  { runId, started, asked }: Pick<RunState, "runId" | "started"> & { readonly asked: Asked },
  decision: ApprovalDecided["decision"],
): ApproverNotEntitled | undefined {
  const { stepId, approvers = 1, approverRoles } = asked.request
  const refuse = (problem: string): ApproverNotEntitled => new ApproverNotEntitled({ runId, stepId, by, problem })
  if (tenant !== started.tenant) return refuse("they belong to another tenant")
  // To stop what is asked for takes less than to let it happen.
  if (decision === "denied") return undefined
  if (approverRoles !== undefined && !approverRoles.some((role) => roles.includes(role)))
    return refuse(sayRoles(approverRoles))
  if (approvers > 1 && isSamePerson(by, started.subject)) return refuse("the run is their own, and others must agree")
  if (approvers > 1 && asked.agreed.some((one) => isSamePerson(one.by, by))) return refuse("they have agreed already")
  return undefined
}

export type Unproved = TokenFailure | ApproverNotEntitled | DecisionUnsigned

/** A stored decision, looked at again when it comes to the deed: by the key set of now, at the time of now. */
export async function proveAgain(
  state: RunState,
  asked: Asked,
  decision: ApprovalDecided,
  find: FindApprover,
  nowMs: number,
): Promise<Unproved | undefined> {
  const { runId, started } = state
  const { stepId } = asked.request
  if (decision.token === undefined) return new DecisionUnsigned({ runId, stepId })
  const found: Verified | TokenFailure = await verify(decision.token, boundOf(state, asked.request), find, nowMs)
  if (found instanceof Error) return found
  if (found.approver.subject !== decision.by || found.claims.decision !== decision.decision)
    return new ApprovalMismatch({ runId, stepId, field: "decision" })
  const others = asked.agreed.filter((one) => one !== decision)
  return entitle(found.approver, { runId, started, asked: { ...asked, agreed: others } }, decision.decision)
}

/** What a key set throws may repeat anything: it is told without the secrets of the run. */
export function withoutSecrets<Failure>(failure: Failure, state: RunState): Failure | ApproversUnavailable {
  if (!(failure instanceof ApproversUnavailable)) return failure
  return new ApproversUnavailable({ reason: RunSecrets.in(state).scrub(`${failure.fields.reason}`) })
}

/** Of an option that was left out. */
export const missingApprovers = {
  field: "`approvers`",
  problem: "is missing, and decisions of this run are signed",
  expected: "Give the key set of those who may approve, as `approvers` of the runner, worker or gate.",
} as const
