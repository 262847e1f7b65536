/**
 * Decisions that stand for more than the step that they were made at: the one at a guard for the call right behind it, and the one
 * on a whole plan. Whether they do is asked here of the plan; whether what was signed counts still, by whoever drives the run.
 */
import { joinTerms, type Terms } from "../../catalog/machine.ts"
import { type Asked, isSamePerson, standing } from "../../journal/asked.ts"
import type { Approvers, Because, Intent, PlanApproval, RunStarted } from "../../journal/entry.ts"
import type { RunState } from "../../journal/state.ts"
import type { Expression } from "../../plan/plan.ts"
import type { JsonObject } from "../../text/json.ts"
import { type Ask, askAbout, sumOf } from "./ask.ts"
import { countOf } from "./check.ts"
import type { Asks } from "./next.ts"
import type { ReadyCall, ReadyPlan, ReadyTransition } from "./prepare.ts"
import { Unresolved } from "./resolve.ts"
import { Workings } from "./workings.ts"

export type Cover = GuardCover | PlanCover

/** People have agreed to the transition right before the call, and were shown that it is for the call too. */
export interface GuardCover {
  readonly kind: "guard"
  readonly asked: Asked
  /** What they must have been shown. Undefined where it is not known any more. */
  readonly asks: Asks | undefined
}

/** People have agreed to the whole plan. */
export interface PlanCover {
  readonly kind: "plan"
  /** Who must be among them. */
  readonly approvers: Approvers
}

/** What is left out says the usual. */
export const sayTerms = ({ approvers, approverRoles }: Terms): Approvers => ({
  ...(approvers === 1 ? {} : { approvers }),
  ...(approverRoles === undefined ? {} : { approverRoles }),
})

/** Why a call waits: by the catalog, or because it passes what was agreed to for the whole plan. */
export function askOf(ready: ReadyPlan, call: ReadyCall, args: JsonObject, state: RunState): Ask | undefined {
  const ask = askAbout(ready, call, args, state)
  const passed = passedBy(ready, call, args, state)
  if (passed.length === 0) return ask
  return { because: [...(ask?.because ?? []), ...passed], wider: ask?.wider ?? [] }
}

/** Of what the run may come to, by the word of those who agreed to its plan. */
function passedBy(ready: ReadyPlan, { tool }: ReadyCall, args: JsonObject, state: RunState): readonly Because[] {
  const { approved } = state.started
  if (approved === undefined) return []
  return tool.blast.flatMap((blast): readonly Because[] => {
    const { dimension } = blast
    const above = boundIn(approved, dimension)
    const own = countOf(blast, args)
    const total = sumOf(ready, dimension, state) + own
    return own > 0 && total > above ? [{ kind: "above", dimension, above, total }] : []
  })
}

const boundIn = ({ blast }: PlanApproval, dimension: string): number =>
  Object.hasOwn(blast, dimension) ? (blast[dimension] ?? 0) : 0

/** What stands for a decision about a call that would have to be asked about. */
export function coverOf(
  ready: ReadyPlan,
  call: ReadyCall,
  args: JsonObject,
  state: RunState,
  asksAt: (transition: ReadyTransition) => Asks | undefined,
): Cover | undefined {
  const before = ready.steps[call.step.index - 1]
  if (before?.kind === "transition") {
    const asked = standing(state, before.step.id)
    const asks = asked?.request.covers === true ? asksAt(before) : undefined
    if (asked !== undefined && asks?.covers === true) return { kind: "guard", asked, asks }
  }
  if (passedBy(ready, call, args, state).length > 0) return undefined
  return planCover(state.started, [call], call.tool.authority)
}

/** The word of those who agreed to the whole plan, where it is about these calls, and they are enough. */
export function planCover(started: RunStarted, calls: readonly ReadyCall[], terms: Terms): PlanCover | undefined {
  const { approved } = started
  if (approved === undefined || !calls.every(isFixed)) return undefined
  const approvers = sayTerms(terms)
  return countEntitled(approved.people, approvers, started) >= terms.approvers ? { kind: "plan", approvers } : undefined
}

/** How many different people count among those who agreed. Where several must, whose run it is is none of them. */
export function countEntitled(
  people: readonly Pick<PlanApproval["people"][number], "by" | "roles">[],
  { approvers = 1, approverRoles }: Approvers,
  { subject }: Pick<RunStarted, "subject">,
): number {
  const entitled = people.filter(
    ({ by, roles }) =>
      (approverRoles === undefined || approverRoles.some((role) => roles.includes(role))) &&
      (approvers === 1 || !isSamePerson(by, subject)),
  )
  return new Set(entitled.map(({ by }) => by.normalize("NFC"))).size
}

/**
 * Whether all that a call is made with was there to be seen before the run began. Amounts need not be: they are held to what was
 * agreed to. What another run has found was not shown.
 */
export const isFixed = (call: ReadyCall): boolean => unseenOf(call).length === 0

/** The arguments that nobody has seen by then, by name; `args` where the whole of them is not written one by one. */
export function unseenOf({ step: { args }, tool }: ReadyCall): readonly string[] {
  if (args.kind !== "object") return isGiven(args) ? [] : ["args"]
  const amounts = new Set(tool.blast.flatMap((blast) => (blast.kind === "argument" ? [blast.parameter] : [])))
  return args.entries.flatMap(([name, value]) => (amounts.has(name) || isGiven(value) ? [] : [name]))
}

function isGiven(expression: Expression): boolean {
  switch (expression.kind) {
    case "literal":
      return true
    case "object":
      return expression.entries.every(([, value]) => isGiven(value))
    case "array":
      return expression.items.every(isGiven)
    case "concat":
      return expression.parts.every(isGiven)
    case "reference":
      return expression.source === "input"
    case "selection":
      return expression.source === "input" && expression.where.every(({ value }) => isGiven(value))
    case "broken":
      return false
  }
}

/** The call right behind a guard that one decision is to do for, and who must make it; undefined where there is none. */
export function coveredBehind(
  ready: ReadyPlan,
  { step, rule }: ReadyTransition,
  state: RunState,
): { readonly ask: Ask; readonly terms: Terms } | undefined {
  const call = ready.steps[step.index + 1]
  if (rule.covers === undefined || call?.kind !== "call") return undefined
  const terms = joinTerms(rule, call.tool.authority)
  // All that it names is known: nothing is done between the two.
  const args = Workings.of(state).argsOf(call, state)
  if (terms === undefined || args instanceof Unresolved) return undefined
  const ask = askOf(ready, call, args, state)
  return ask && { ask, terms }
}

/** What stands for a decision about an effect that was begun, and may be made once more. Without its plan the journal alone tells. */
export function coverAgain(ready: ReadyPlan | undefined, state: RunState, { stepId, args }: Intent): Cover | undefined {
  const { started } = state
  const index = started.document.steps.findIndex(({ id }) => id === stepId)
  const before = standing(state, started.document.steps[index - 1]?.id ?? "")
  if (before?.request.covers === true) return { kind: "guard", asked: before, asks: undefined }
  if (started.approved === undefined) return undefined
  const step = ready?.steps[index]
  if (ready === undefined || step?.kind !== "call") return { kind: "plan", approvers: {} }
  return askOf(ready, step, args, state) === undefined
    ? undefined
    : { kind: "plan", approvers: sayTerms(step.tool.authority) }
}
