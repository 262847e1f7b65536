/**
 * Approving a whole plan before it runs: what is shown and signed, bound to its plan, catalog, inputs and principal, for one run;
 * and whether what was signed counts still.
 */
import { sha256 } from "#sha256"
import type { Approvers, Following, PlanApproval, RunStarted } from "../../journal/entry.ts"
import { begin, type RunState } from "../../journal/state.ts"
import { canonical } from "../../text/canonical.ts"
import { ApprovalMismatch, ApproverNotEntitled, ApproversUnavailable, InputsRefused, TokenRefused } from "../failure.ts"
import { countEntitled, isFixed, planCover } from "../next/cover.ts"
import { callsBehind, describeCall, refusedAmong } from "../next/next.ts"
import type { ReadyPlan } from "../next/prepare.ts"
import { missingApprovers, type Unproved } from "./bound.ts"
import { type Approver, approversIn, type FindApprover, type KeySet } from "./key-set.ts"
import { type Bound, peek, verify } from "./token.ts"

/** In the place of a request and of a step: no step has such a name. */
const ofPlan = { request: "plan", step: "*" } as const

/** The run that tokens say they are for: nothing of them is believed yet. */
export const runOf = (given: unknown): string | undefined => peek(tokensIn(given)[0])?.run

/** None where they cannot be read. */
function tokensIn(given: unknown): readonly unknown[] {
  try {
    return Array.isArray(given) ? [...given.slice(0, tokensMax + 1)] : [given]
  } catch {
    return []
  }
}

type Start = Pick<RunStarted, "tenant" | "subject" | "roles" | "planHash" | "catalogHash" | "inputs">

/** What a token must say to be about this plan, for this run. */
export const planBound = (runId: string, started: Start, blast: PlanApproval["blast"]): Bound => ({
  ...ofPlan,
  run: runId,
  tenant: started.tenant,
  plan: started.planHash,
  catalog: started.catalogHash,
  inputs: digestOf(runId, started),
  blast: { ...blast },
})

const digestOf = (runId: string, { inputs, tenant, subject, roles }: Start): string =>
  sha256(canonical(["sequitur-plan/1", runId, inputs, tenant, subject, roles.toSorted()], true))

/** What a person is shown, and what they sign. */
export interface PlanRequest {
  /** What `issueApproval` signs. */
  readonly bound: Bound
  readonly tenant: string
  readonly subject: string
  readonly roles: readonly string[]
  readonly goal: string | undefined
  /** Every call, with its arguments as far as they are known before the run. */
  readonly follows: readonly Following[]
  /** By dimension, the most that the run may come to: what would pass it is asked about then. */
  readonly blast: PlanApproval["blast"]
  /** Steps about which a person is asked all the same: what they do is not known yet, or it takes more people. By their ids. */
  readonly asks: readonly string[]
}

export function requestOf(
  ready: ReadyPlan,
  runId: string,
  started: RunStarted,
  lesser: PlanApproval["blast"],
): PlanRequest {
  const state = begin(runId, { seq: 0, atMs: 0, event: started })
  if (state instanceof Error) throw state
  const { plan, steps } = ready
  const refused = refusedAmong(
    steps.filter((step) => step.kind === "call"),
    state,
  )
  if (refused !== undefined) throw refused
  const worst = Object.fromEntries(plan.blast.map(({ dimension, max }) => [dimension, max]))
  const blast = { ...worst, ...lesser }
  const { tenant, subject, roles, document } = started
  return {
    bound: planBound(runId, started, blast),
    tenant,
    subject,
    roles,
    goal: document.goal,
    follows: steps.flatMap((step) => (step.kind === "call" ? [describeCall(ready, step, state)] : [])),
    blast,
    asks: asksStill(ready, { ...started, approved: { blast, people: [{ by: "", roles: [], reason: "", token: "" }] } }),
  }
}

/** Of those steps that a person would be asked about, those that one person's word on the plan does not do for. */
function asksStill(ready: ReadyPlan, started: RunStarted): readonly string[] {
  return ready.plan.approvals
    .filter(({ index }) => {
      const step = ready.steps[index]
      // What roles they will have is not known yet.
      if (step?.kind === "call")
        return planCover(started, [step], { ...step.tool.authority, approverRoles: undefined }) === undefined
      if (step === undefined || step.rule.approvers > 1) return true
      return callsBehind(ready, step).some((call) => call.tool.mutates && !isFixed(call))
    })
    .map(({ stepId }) => stepId)
}

/** What was signed, by whom, held to the run that is about to begin. None of the refusals has written or called anything. */
export async function admitApproval(
  given: unknown,
  runId: string,
  started: RunStarted,
  keySet: KeySet | undefined,
  nowMs: number,
): Promise<PlanApproval | Unproved | InputsRefused> {
  const tokens = tokensIn(given)
  if (tokens.length === 0 || tokens.length > tokensMax)
    return new InputsRefused({
      field: "`approval`",
      problem: "holds none, or too many",
      expected: "Give a token, or a few.",
    })
  if (keySet === undefined) return new InputsRefused(missingApprovers)
  const blast = peek(tokens[0])?.blast
  const { step: stepId } = ofPlan
  if (blast === undefined) return new TokenRefused({ runId, stepId, problem: "is not about a whole plan" })
  const find = approversIn(keySet)
  const people: PlanApproval["people"][number][] = []
  for (const token of tokens) {
    const found = await verify(token, planBound(runId, started, blast), find, nowMs)
    if (found instanceof Error) return found
    const { claims, approver } = found
    const { subject: by, tenant, roles } = approver
    if (claims.decision !== "approved") return new ApprovalMismatch({ runId, stepId, field: "decision" })
    const refuse = (problem: string): ApproverNotEntitled => new ApproverNotEntitled({ runId, stepId, by, problem })
    if (tenant !== started.tenant) return refuse("they belong to another tenant")
    if (people.some((one) => one.by === by)) return refuse("they have agreed already")
    people.push({ by, roles: [...roles], reason: claims.reason, token: token as string })
  }
  return { blast, people }
}

const tokensMax = 16

type Begun = Pick<RunState, "runId" | "started">

/** Why what was signed does not do now for those who must have agreed; undefined where it does. */
export async function provePlan(
  { runId, started }: Begun,
  stepId: string,
  approvers: Approvers,
  find: FindApprover,
  nowMs: number,
): Promise<Unproved | undefined> {
  const { approved } = started
  if (approved === undefined) return new ApprovalMismatch({ runId, stepId, field: "request" })
  const people: { readonly by: string; readonly roles: readonly string[] }[] = []
  let why: Unproved | undefined
  for (const person of approved.people) {
    const found = await provePerson({ runId, started }, stepId, approved.blast, person, find, nowMs)
    if (found instanceof ApproversUnavailable) return found
    if (found instanceof Error) why = found
    else people.push({ by: person.by, roles: found.roles })
  }
  if (countEntitled(people, approvers, started) >= (approvers.approvers ?? 1)) return undefined
  const by = approved.people.map((one) => one.by).join(", ")
  return (
    why ??
    new ApproverNotEntitled({ runId, stepId, by, problem: "they do not have the roles that it takes, or are too few" })
  )
}

/**
 * Why not each of those who are said to have agreed has, with the roles that are said of them; undefined where each has. What was done
 * by their word in another store was done by all of it: how many they were, and who.
 */
export async function proveEach(
  { runId, started }: Begun,
  find: FindApprover,
  nowMs: number,
): Promise<Unproved | undefined> {
  const { approved } = started
  if (approved === undefined) return undefined
  const { step: stepId } = ofPlan
  for (const person of approved.people) {
    const found = await provePerson({ runId, started }, stepId, approved.blast, person, find, nowMs)
    if (found instanceof Error) return found
    if (!person.roles.every((role) => found.roles.includes(role)))
      return new ApproverNotEntitled({
        runId,
        stepId,
        by: person.by,
        problem: "they do not have the roles said of them",
      })
  }
  return undefined
}

async function provePerson(
  { runId, started }: Begun,
  stepId: string,
  blast: PlanApproval["blast"],
  { by, token }: PlanApproval["people"][number],
  find: FindApprover,
  nowMs: number,
): Promise<Approver | Unproved> {
  const found = await verify(token, planBound(runId, started, blast), find, nowMs)
  if (found instanceof Error) return found
  const { approver, claims } = found
  if (approver.subject !== by || claims.decision !== "approved")
    return new ApprovalMismatch({ runId, stepId, field: "decision" })
  if (approver.tenant === started.tenant) return approver
  return new ApproverNotEntitled({ runId, stepId, by, problem: "they belong to another tenant" })
}
