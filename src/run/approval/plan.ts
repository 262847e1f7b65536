/**
 * Approving a whole plan before it runs: what is shown and signed, bound to its plan, catalog, inputs and principal, for one run;
 * and whether what was signed counts still.
 */
import { sha256 } from "#sha256"
import type { Terms } from "../../catalog/machine.ts"
import { isSamePerson } from "../../journal/asked.ts"
import type { Approvers, Following, PlanApproval, RunStarted } from "../../journal/entry.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import { begin, type RunState } from "../../journal/state.ts"
import { canonical } from "../../text/canonical.ts"
import { ApprovalMismatch, ApproverNotEntitled, ApproversUnavailable, InputsRefused, TokenRefused } from "../failure.ts"
import { countEntitled, sayTerms, unseenOf } from "../next/cover.ts"
import { callsBehind, describeCall, refusedAmong } from "../next/next.ts"
import type { ReadyCall, ReadyPlan } from "../next/prepare.ts"
import { missingApprovers, type Unproved } from "./bound.ts"
import type { Signed } from "./carry.ts"
import { type Approver, approversIn, type FindApprover, type KeySet } from "./key-set.ts"
import { type Bound, type Claims, peek, verify } from "./token.ts"

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

/** The plan that was signed: the run's own, unless the word on another stands for it. */
const signedIn = (started: RunStarted): Start => ({ ...started, ...started.approved?.plan })

/** What a token must say to be about this plan, for this run. */
export const planBound = (runId: string, started: Start, blast: PlanApproval["blast"]): Bound => ({
  ...ofPlan,
  run: runId,
  tenant: started.tenant,
  plan: started.planHash,
  catalog: started.catalogHash,
  inputs: digestOf(runId, started),
  ...sayPrincipal(started),
  blast: { ...blast },
})

/** The digest holds whose run it is; it stands in words too, so that a refusal can tell what differs, unless that is long. */
function sayPrincipal({ subject, roles }: Start): Pick<Bound, "principal"> {
  const principal = { subject, roles: roles.toSorted() }
  return canonical(principal, true).length > principalMax ? {} : { principal }
}

const principalMax = 1_000

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
  /** Every call, with its arguments as far as they are known before the run, without secrets: what is signed is a digest over all. */
  readonly follows: readonly Following[]
  /** By dimension, the most that the run may come to: what would pass it is asked about then. */
  readonly blast: PlanApproval["blast"]
  /** Steps about which one person's word on the plan does not do, and why. */
  readonly asks: readonly StillAsked[]
}

export type StillAsked =
  /** What a call does is found out by earlier steps: whoever signs the plan has not seen it. A person is asked all the same. */
  | {
      readonly kind: "unseen"
      readonly stepId: string
      /** The call: the step itself, or one behind the guard that it is. */
      readonly call: string
      readonly arguments: readonly string[]
    }
  /** It takes more people, or somebody with a role: they are asked, unless so many of them sign the plan. */
  | {
      readonly kind: "people"
      readonly stepId: string
      readonly approvers: number
      readonly approverRoles?: readonly string[]
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
  const secrets = RunSecrets.in(state)
  const follows = steps.flatMap((step) => (step.kind === "call" ? [describeCall(ready, step, state)] : []))
  return {
    bound: planBound(runId, started, blast),
    tenant,
    subject,
    roles,
    goal: document.goal && secrets.scrub(document.goal),
    follows: secrets.redactFollowing(follows),
    blast,
    asks: ready.plan.approvals.flatMap(({ index }) => stillAsked(ready, index)),
  }
}

/** Why one person's word on the plan does not do for a step, or for the call that a decision at it covers. */
function stillAsked(ready: ReadyPlan, index: number): readonly StillAsked[] {
  const step = ready.steps[index]
  if (step === undefined) return []
  if (step.kind === "call") return unlessAgreed(step.step.id, [step], step.tool.authority)
  const calls = callsBehind(ready, step).filter(({ tool }) => tool.mutates)
  const covered = step.rule.covers === undefined ? undefined : ready.steps[index + 1]
  return [
    ...unlessAgreed(step.step.id, calls, step.rule),
    ...(covered?.kind === "call" ? unlessAgreed(covered.step.id, [covered], covered.tool.authority) : []),
  ]
}

function unlessAgreed(stepId: string, calls: readonly ReadyCall[], terms: Terms): readonly StillAsked[] {
  const unseen = calls.flatMap((call): StillAsked[] => {
    const found = unseenOf(call)
    return found.length === 0 ? [] : [{ kind: "unseen", stepId, call: call.step.id, arguments: found }]
  })
  const { approvers, approverRoles } = terms
  // What roles whoever signs will have is not known yet.
  const isMore = approvers > 1 || approverRoles !== undefined
  return [...unseen, ...(isMore ? [{ kind: "people", stepId, ...sayTerms(terms), approvers } as const] : [])]
}

/** What was signed, by whom, held to the run that is about to begin. None of the refusals has written or called anything. */
export async function admitApproval(
  given: unknown,
  runId: string,
  started: RunStarted,
  keySet: KeySet | undefined,
  nowMs: number,
  signed: Signed | undefined,
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
    const found = await verify(token, planBound(runId, { ...started, ...signed }, blast), find, nowMs)
    if (found instanceof ApprovalMismatch) return sayMismatch(found, token, { ...started, blast })
    if (found instanceof Error) return found
    const { claims, approver } = found
    const { subject: by, tenant, roles } = approver
    if (claims.decision !== "approved")
      return new ApprovalMismatch({ runId, stepId, field: "decision", difference: `: it says ${claims.decision}` })
    const refuse = (problem: string): ApproverNotEntitled => new ApproverNotEntitled({ runId, stepId, by, problem })
    if (tenant !== started.tenant) return refuse("they belong to another tenant")
    if (people.some((one) => isSamePerson(one.by, by))) return refuse("they have agreed already")
    people.push({ by, roles: [...roles], reason: claims.reason, token: token as string })
  }
  return { blast, people, ...(signed && { plan: signed }) }
}

/** Whoever hands in the token runs the plan: what it was signed for, and what it is handed in for, is theirs to see. */
function sayMismatch(
  found: ApprovalMismatch,
  token: unknown,
  started: RunStarted & Pick<PlanApproval, "blast">,
): ApprovalMismatch {
  const { runId, stepId, field } = found.fields
  const said = peek(token)
  return new ApprovalMismatch({
    runId,
    stepId,
    field,
    difference: said === undefined ? "" : sayOther(field, said, { ...started, runId }),
  })
}

function sayOther(
  field: string | number,
  said: Claims,
  now: RunStarted & Pick<PlanApproval, "blast"> & { readonly runId: string | number },
): string {
  switch (field) {
    case "request":
    case "step":
      return ": it was signed for one step of a run, not for a whole plan"
    case "run":
      return `: it was signed for the run \`${said.run}\``
    case "tenant":
      return `: it was signed for the tenant \`${said.tenant}\`, you run as \`${now.tenant}\``
    case "principal":
      if (said.principal?.subject !== now.subject)
        return `: it was signed for the subject \`${said.principal?.subject}\`, you run as \`${now.subject}\``
      return `: it was signed for roles [${said.principal.roles.join(", ")}], you run as [${now.roles.join(", ")}]`
    case "plan":
      return ": the plan is not the one that was signed"
    case "catalog":
      return ": the catalog is not the one that it was signed under"
    case "inputs":
      return ": its inputs, or who runs it, are not those that it was signed for"
    case "blast":
      return `: it was signed for ${sayBlast(said.blast)}, another for ${sayBlast(now.blast)}; all must be for the same`
    default:
      return ""
  }
}

const sayBlast = (blast: Claims["blast"] = {}): string =>
  `at most ${
    Object.entries(blast)
      .map(([dimension, most]) => `${dimension}=${most}`)
      .join(", ") || "nothing counted"
  }`

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
  const found = await verify(token, planBound(runId, signedIn(started), blast), find, nowMs)
  if (found instanceof Error) return found
  const { approver, claims } = found
  if (approver.subject !== by || claims.decision !== "approved")
    return new ApprovalMismatch({ runId, stepId, field: "decision" })
  if (approver.tenant === started.tenant) return approver
  return new ApproverNotEntitled({ runId, stepId, by, problem: "they belong to another tenant" })
}
