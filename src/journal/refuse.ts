/** Which event cannot follow, and why. What a journal may hold is said here, once: whoever wrote something else is found out. */
import { isSamePerson, standing } from "./asked.ts"
import type {
  ApprovalDecided,
  CallObserved,
  CallRefused,
  CircuitReset,
  Event,
  Intent,
  RequestDelivered,
  Reread,
  Resolved,
  RunEnded,
} from "./entry.ts"
import { refuseAdded } from "./open.ts"
import type { RunState } from "./state.ts"
import { isTerminal } from "./status.ts"

/** Why an event cannot happen now; undefined where it can. */
export function refuse(state: RunState, event: Event): string | undefined {
  const { status } = state
  // What a call says late is kept whenever it comes.
  if (event.kind === "observed") return undefined
  if (isTerminal(status)) return `the run has ended as \`${status}\``
  switch (event.kind) {
    case "taken-up":
      return event.epoch === state.epoch + 1 ? undefined : `epoch ${state.epoch + 1} comes next`
    case "cancel-requested":
      return state.cancel === undefined ? undefined : "it is being cancelled already"
    case "approval-decided":
      return refuseDecision(state, event)
    case "request-delivered":
      return refuseDelivery(state, event)
    case "resolved":
      return refuseWord(state, event)
    case "run-ended":
      return refuseEnd(state, event)
    case "run-closed":
      return refuseClosing(state)
    case "call-refused":
    case "circuit-reset":
      return refuseNoted(state, event)
    case "call-observed":
      return refuseNoted(state, event) ?? refuseObserved(state, event)
  }
  if (status === "in_doubt") return "the run is in doubt"
  if (status === "awaiting_approval" && event.kind !== "winding-down") return "the run waits for a decision"
  return refuseWork(state, event)
}

function refuseWord(state: RunState, word: Resolved): string | undefined {
  const { status, step, started } = state
  if (status !== "in_doubt") return "nothing is in doubt"
  if (!isOpen(state, word)) return "it resolves another call"
  const { answer, undoes, failure } = word
  if (answer === "given-up") {
    if (undoes === undefined) return "nothing but an undo is given up"
    return failure === undefined ? "it does not say why" : undefined
  }
  if (failure !== undefined) return "it has a failure"
  if (answer !== "again") return undefined
  const { idempotency, reconcile } = started.tools[step.open?.tool ?? ""] ?? {}
  const may = reconcile !== undefined || idempotency?.kind === "natural" || idempotency?.kind === "key"
  return may ? undefined : "it may not be called again"
}

type Work = Exclude<
  Event,
  {
    kind:
      | "observed"
      | "taken-up"
      | "cancel-requested"
      | "approval-decided"
      | "request-delivered"
      | "resolved"
      | "run-ended"
      | "run-closed"
      | "call-refused"
      | "call-observed"
      | "circuit-reset"
  }
>

/** What only whoever drives the run writes. */
function refuseWork(state: RunState, event: Work): string | undefined {
  const { step } = state
  switch (event.kind) {
    case "run-started":
      return "a run starts once"
    case "intent":
      return refuseIntent(state, event)
    case "outcome":
    case "attempt-failed":
    case "answer-lost":
      if (!isOpen(state, event)) return step.open ? "it answers another call" : `\`${event.kind}\` without an intent`
      if (step.open?.attempt !== event.attempt) return "it answers another call"
      if (event.kind === "attempt-failed" && step.open.again !== undefined)
        return "an earlier call by the same key may have happened"
      return event.kind === "answer-lost" && step.lost !== undefined ? "its answer was lost before" : undefined
    case "in-doubt":
      if (!isOpen(state, event)) return "`in-doubt` without an intent"
      return step.open?.idempotencyKey === undefined ? "a read is never in doubt" : undefined
    case "reconciled":
      if (!isOpen(state, event) || step.open?.idempotencyKey === undefined) return "`reconciled` without an effect"
      return step.lost === undefined ? "the call is under way" : undefined
    case "replayed":
      return refuseBusy(state) ?? refuseStep(state, event.stepId, event.tool)
    case "step-refused":
      if (event.undoes === true) return step.open ? "a call is under way" : refuseUndo(state, event)
      return refuseBusy(state) ?? refuseNext(state, event.stepId)
    case "state-entered":
      return refuseBusy(state) ?? refuseStep(state, event.stepId) ?? refuseUnagreed(state, event.stepId)
    case "approval-requested":
      if (standing(state, event.stepId) !== undefined) return `approval of \`${event.stepId}\` was requested before`
      return refuseBusy(state) ?? refuseNext(state, event.stepId)
    case "approval-lapsed":
      if (standing(state, event.stepId)?.decided?.requestId !== event.requestId)
        return "nothing that stands was decided so"
      return refuseBusy(state) ?? refuseNext(state, event.stepId)
    case "rule-evaluated":
      if (state.ruled.has(event.stepId)) return `the rule at \`${event.stepId}\` was asked before`
      if (event.holds !== (event.failure === undefined)) return "it holds, or says why it does not"
      return refuseBusy(state) ?? refuseStep(state, event.stepId)
    case "reread":
      return refuseReread(state, event) ?? refuseBusy(state) ?? refuseNext(state, event.before)
    case "winding-down":
      if (state.ending !== undefined) return "it is winding down already"
      return step.open?.idempotencyKey === undefined ? undefined : "an effect is under way"
    case "step-added":
      return refuseBusy(state) ?? refuseAdded(state, event)
    case "step-given-up":
      if (state.open === undefined) return "a plan is not gone on with without one of its steps"
      if (step.open?.idempotencyKey !== undefined) return "an effect is under way"
      if (state.ending !== undefined || state.cancel !== undefined) return "the run is to end"
      return refuseNext(state, event.stepId)
  }
}

function isOpen({ step: { open } }: RunState, event: { readonly stepId: string; readonly undoes?: true }): boolean {
  return open !== undefined && open.stepId === event.stepId && open.undoes === event.undoes
}

/** A read, by its tool: what was done past the gates has no key either. And it is for an effect that it is made once more. */
function refuseReread({ calls, started }: RunState, { stepId, before, tool }: Reread): string | undefined {
  if (!calls.has(stepId)) return `\`${stepId}\` was not read before`
  const toolOf = (id: string): string => started.document.steps.find((step) => step.id === id)?.tool ?? ""
  if (toolOf(stepId) !== tool) return `\`${stepId}\` does not call \`${tool}\``
  if (started.tools[tool]?.effect !== "read") return "an effect is not made again to look at it"
  const { effect = "read" } = started.tools[toolOf(before)] ?? {}
  return effect === "read" ? `\`${before}\` is no effect` : undefined
}

/** No new step begins while a call is open, nor once the run is to end. */
function refuseBusy({ step, failure, ending, cancel, open }: RunState): string | undefined {
  if (step.open !== undefined) return "a call is under way"
  if (open?.closed === true) return "the run was closed"
  if (ending !== undefined) return "the run is winding down"
  if (cancel !== undefined) return "the run is being cancelled"
  return failure === undefined ? undefined : "the run cannot go on"
}

function refuseNext({ started, done }: RunState, stepId: string): string | undefined {
  const planned = started.document.steps[done]
  if (planned === undefined) return "the plan has no step left"
  return planned.id === stepId ? undefined : `the plan's next step is \`${planned.id}\`, not \`${stepId}\``
}

/** Steps happen in the plan's order, each as the plan says it. */
function refuseStep(state: RunState, stepId: string, tool?: string): string | undefined {
  const planned = state.started.document.steps[state.done]
  const refused = refuseNext(state, stepId)
  if (refused !== undefined || planned?.tool === tool) return refused
  return tool === undefined ? `\`${stepId}\` is a call` : `\`${stepId}\` does not call \`${tool}\``
}

function refuseIntent(state: RunState, intent: Intent): string | undefined {
  const { step, effects } = state
  const { open } = step
  if (intent.attempt !== step.attempts + 1) return `attempt ${step.attempts + 1} comes next`
  if (open !== undefined) return refuseAgain(state, intent)
  if (intent.again !== undefined) return "nothing is to be called again"
  if (intent.undoes === true) return refuseUndo(state, intent)
  const refused =
    refuseBusy(state) ?? refuseStep(state, intent.stepId, intent.tool) ?? refuseUnagreed(state, intent.stepId)
  if (refused !== undefined || intent.idempotencyKey === undefined) return refused
  const owner = effects.get(intent.idempotencyKey)
  if (owner === undefined) return undefined
  return owner === intent.stepId ? "that key was used up" : `\`${owner}\` has made the same call`
}

/** A call whose answer is lost, once more: a read as it is, an effect under the very same key and for a reason. */
function refuseAgain({ step, started }: RunState, intent: Intent): string | undefined {
  const { open, lost } = step
  if (open === undefined) return undefined
  if (lost === undefined) return "a call is under way"
  if (open.stepId !== intent.stepId || open.undoes !== intent.undoes || open.tool !== intent.tool)
    return "another call is open"
  if (open.idempotencyKey === undefined) return intent.again === undefined ? undefined : "a read needs no reason"
  if (open.idempotencyKey !== intent.idempotencyKey) return "an effect is called again by its own key alone"
  const policy = started.tools[intent.tool]
  switch (intent.again) {
    case undefined:
      return "an effect whose outcome is unknown is never begun again blindly"
    case "natural":
    case "key":
      return policy?.idempotency.kind === intent.again ? undefined : `\`${intent.tool}\` may not be repeated so`
    case "not-applied":
      return step.reconciled?.answer === "not-applied" ? undefined : "nobody said that it was not applied"
  }
}

function refuseUndo(
  { ending, calls, undone, started }: RunState,
  { stepId, tool }: { readonly stepId: string; readonly tool?: string },
): string | undefined {
  if (ending === undefined) return "nothing is undone while the run goes on"
  const call = calls.get(stepId)
  if (call?.idempotencyKey === undefined || call.replayed) return `\`${stepId}\` has no effect of this run`
  if (undone.has(stepId)) return `\`${stepId}\` was undone before`
  const made = started.document.steps.find(({ id }) => id === stepId)?.tool ?? ""
  const undo = started.tools[made]?.undo
  return undo === undefined || (tool !== undefined && undo.tool !== tool) ? `nothing undoes \`${made}\` so` : undefined
}

/** Whoever was asked must have agreed. That they had to be asked is known by the catalog, not here. */
function refuseUnagreed({ asked }: RunState, stepId: string): string | undefined {
  const about = asked.get(stepId)
  if (about === undefined) return undefined
  const stands = about.lapsed.at(-1)?.requestId !== about.request.requestId
  return stands && about.decided?.decision === "approved" ? undefined : `\`${stepId}\` was not approved`
}

function refuseDecision(
  state: RunState,
  { requestId, stepId, decision, by, left }: ApprovalDecided,
): string | undefined {
  if (state.status !== "awaiting_approval") return "nothing waits for a decision"
  const about = standing(state, stepId)
  if (about?.request.requestId !== requestId) return "it decides another request"
  if (decision === "denied") return undefined
  const { approvers = 1 } = about.request
  if (approvers > 1 && about.agreed.some((one) => isSamePerson(one.by, by))) return `\`${by}\` has agreed already`
  return (left ?? 0) === approvers - about.agreed.length - 1 ? undefined : "it counts those who are left otherwise"
}

function refuseDelivery(state: RunState, { requestId, stepId }: RequestDelivered): string | undefined {
  if (state.status !== "awaiting_approval") return "nothing waits for a decision"
  const about = standing(state, stepId)
  if (about?.request.requestId !== requestId) return "it is of another request"
  return about.delivered ? "it was delivered before" : undefined
}

/** What an open run keeps beside its steps, however it stands. */
function refuseNoted({ open }: RunState, event: CallRefused | CallObserved | CircuitReset): string | undefined {
  if (open === undefined) return "no calls are proposed to a run of a whole plan"
  if (event.kind === "circuit-reset" || !open.calls.has(event.callId)) return undefined
  return `call \`${event.callId}\` was made before`
}

function refuseObserved(state: RunState, { made }: CallObserved): string | undefined {
  if (made === undefined) return undefined
  return state.status === "running" ? (refuseBusy(state) ?? refuseAdded(state, made)) : "the run does not go on"
}

function refuseClosing({ open, status, step }: RunState): string | undefined {
  if (open === undefined) return "a run of a whole plan ends by itself"
  if (open.closed) return "it was closed before"
  return status === "in_doubt" || step.open !== undefined ? "a call is under way" : undefined
}

function refuseEnd(
  { status, step, started, done, failure, cancel, open }: RunState,
  end: RunEnded,
): string | undefined {
  if (step.open?.idempotencyKey !== undefined || status === "in_doubt") return "an effect is under way"
  if (end.status !== "succeeded") return end.failure === undefined ? "it does not say why" : undefined
  if (failure !== undefined || end.failure !== undefined || cancel !== undefined)
    return "a failed or cancelled run does not succeed"
  if (open?.closed === false) return "it was not closed"
  return done === started.document.steps.length ? undefined : "steps are left"
}
