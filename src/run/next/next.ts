/** What to do next: a function of the plan and what has happened, and of nothing else. Time comes in through the entries. */
import type { AttemptFailed, Failure, Following, RunEnded } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import { isTerminal, type RunState } from "../../journal/state.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { type Pointer, parsePointer } from "../../text/pointer.ts"
import {
  ApprovalDenied,
  BudgetExhausted,
  CallInterrupted,
  EffectInDoubt,
  EffectRepeated,
  RuntimeCheckFailed,
  type StopReason,
} from "../failure.ts"
import { checkKnown, checkNow } from "./check.ts"
import { measure, sayBytes, workMax } from "./measure.ts"
import type { ReadyCall, ReadyPlan, ReadyTransition } from "./prepare.ts"
import { fillIn, place, Unresolved, walk } from "./resolve.ts"
import { attemptsMax, checkRetries, decideRetry } from "./retry.ts"
import { Workings } from "./workings.ts"

export type Action =
  | CallAction
  | EnterState
  | { readonly kind: "request-approval"; readonly transition: ReadyTransition; readonly follows: readonly Following[] }
  /** For a person's decision, until the run's deadline. */
  | { readonly kind: "wait"; readonly stepId: string; readonly notAfterMs: number | undefined }
  | { readonly kind: "mark-in-doubt"; readonly stepId: string; readonly attempt: number; readonly failure: Failure }
  | { readonly kind: "end"; readonly status: RunEnded["status"]; readonly failure?: Failure }
  /** In doubt, or ended. */
  | { readonly kind: "nothing" }

export interface EnterState {
  readonly kind: "enter-state"
  readonly transition: ReadyTransition
  /** When the run's deadline ends. */
  readonly notAfterMs: number | undefined
}

export interface CallAction {
  readonly kind: "call"
  readonly call: ReadyCall
  readonly attempt: number
  readonly args: JsonObject
  /** Of an effect. */
  readonly idempotencyKey?: string
  /** When a failed call is made again. */
  readonly again: AttemptFailed["again"] | undefined
  /** When the run's deadline ends, and how much of its time to work is left. */
  readonly notAfterMs: number | undefined
  readonly workLeftMs: number | undefined
}

/** Goes up when the same journal would come to another action. Written in a run's first entry. */
export const nextVersion = 1

export function next(ready: ReadyPlan, state: RunState): Action {
  if (isTerminal(state.status) || state.status === "in_doubt") return { kind: "nothing" }
  if (state.status === "awaiting_approval") {
    return { kind: "wait", stepId: ready.steps[state.done]?.step.id ?? "", notAfterMs: deadlineOf(ready, state) }
  }
  if (state.failure !== undefined) return { kind: "end", status: "failed", failure: state.failure }
  if (state.step.open !== undefined) return afterCrash(ready, state)
  if (state.step.failed !== undefined) return afterFailure(ready, state)
  const failure = checkKnown(ready, state)
  if (failure !== undefined) return fail(failure)
  const step = ready.steps[state.done]
  if (step === undefined) return { kind: "end", status: "succeeded" }
  return step.kind === "call" ? call(ready, step, state) : cross(ready, step, state)
}

const fail = (reason: StopReason, cause?: Failure): Action => {
  const failure = record(reason, cause)
  return { kind: "end", status: failure.tag === "BudgetExhausted" ? "exhausted" : "failed", failure }
}

/** An intent without an outcome, found in the journal: its process has ended. */
function afterCrash(ready: ReadyPlan, state: RunState): Action {
  const step = ready.steps[state.done]
  const { open, attempts } = state.step
  if (step?.kind !== "call" || open === undefined) return { kind: "nothing" }
  const stepId = step.step.id
  const tool = step.tool.name
  if (step.tool.mutates) {
    const failure = record(new EffectInDoubt({ stepId, tool, said: "the process ended during the call" }))
    return { kind: "mark-in-doubt", stepId, attempt: open.attempt, failure }
  }
  const interrupted = new CallInterrupted({ stepId, tool, attempts })
  if (attempts >= attemptsMax) return fail(interrupted)
  return retry(ready, step, state, record(interrupted))
}

function afterFailure(ready: ReadyPlan, state: RunState): Action {
  const step = ready.steps[state.done]
  const { failed, failures } = state.step
  if (step?.kind !== "call" || failed === undefined) return { kind: "nothing" }
  const { failure, again } = failed
  if (again !== undefined) return retry(ready, step, state, failure, again)
  const spent = { retries: state.retries, max: ready.catalog.budgets.retries }
  const decision = decideRetry(step, failure, failures, spent)
  if (decision instanceof BudgetExhausted) return fail(decision, failure)
  return { kind: "end", status: failure.tag === "BudgetExhausted" ? "exhausted" : "failed", failure }
}

/** `cause` is why the call is made again. */
function retry(
  ready: ReadyPlan,
  step: ReadyCall,
  state: RunState,
  cause: Failure,
  again?: CallAction["again"],
): Action {
  const exhausted = checkRetries(step, cause, { retries: state.retries, max: ready.catalog.budgets.retries })
  return exhausted === undefined ? call(ready, step, state, again) : fail(exhausted, cause)
}

function call(ready: ReadyPlan, step: ReadyCall, state: RunState, again?: CallAction["again"]): Action {
  const { wallMs } = ready.catalog.budgets
  const stepId = step.step.id
  if (wallMs !== undefined && state.workedMs >= wallMs) {
    const used = Math.round(state.workedMs)
    return fail(new BudgetExhausted({ budget: "wallMs", stepId, used, max: wallMs, because: "" }))
  }
  const failure = checkNow(step, state, ready.catalog.bounds)
  if (failure !== undefined) return fail(failure)
  const workings = Workings.of(state)
  const args = workings.argsOf(step, state)
  if (args instanceof Unresolved) return fail(new RuntimeCheckFailed({ stepId, at: args.at, problem: args.problem }))
  const action: CallAction = {
    kind: "call",
    call: step,
    attempt: state.step.attempts + 1,
    args,
    again,
    notAfterMs: deadlineOf(ready, state),
    workLeftMs: wallMs === undefined ? undefined : wallMs - state.workedMs,
  }
  if (!step.tool.mutates) return action
  const key = workings.keyOf(step, args, state)
  const first = state.effects.get(key) ?? stepId
  return first === stepId ? { ...action, idempotencyKey: key } : fail(new EffectRepeated({ stepId, first }))
}

const deadlineOf = ({ catalog: { budgets } }: ReadyPlan, { startedAtMs }: RunState): number | undefined =>
  budgets.deadlineMs === undefined ? undefined : startedAtMs + budgets.deadlineMs

function cross(ready: ReadyPlan, transition: ReadyTransition, state: RunState): Action {
  const enter: EnterState = { kind: "enter-state", transition, notAfterMs: deadlineOf(ready, state) }
  if (!transition.guarded) return enter
  const stepId = transition.step.id
  const request = state.requests.get(stepId)
  if (request === undefined) {
    const follows = following(ready, transition, state)
    return follows instanceof RuntimeCheckFailed ? fail(follows) : { kind: "request-approval", transition, follows }
  }
  const decided = state.decisions.get(request.requestId)
  if (decided?.decision === "approved") return enter
  return fail(deniedBy(stepId, decided?.by ?? "", decided?.reason ?? ""))
}

export const deniedBy = (stepId: string, by: string, reason: string): ApprovalDenied =>
  new ApprovalDenied({ stepId, by, reason: reason || "no reason was given" })

/** The calls behind a guard, up to the next one. A person must see all of it as it is, so what is too long is not asked. */
function following(
  ready: ReadyPlan,
  { step }: ReadyTransition,
  state: RunState,
): readonly Following[] | RuntimeCheckFailed {
  const behind = ready.steps.slice(step.index + 1)
  const end = behind.findIndex((one) => one.kind === "transition" && one.guarded)
  const { bounds } = ready.catalog
  const follows: Following[] = []
  let bytesLeft = bounds.resultBytes
  for (const call of end === -1 ? behind : behind.slice(0, end)) {
    if (call.kind !== "call") continue
    const described = describeCall(ready, call, state)
    bytesLeft -= measure(described as unknown as Json, bytesLeft).bytes
    if (bytesLeft < 0) {
      const problem = `with its arguments, what must be approved at \`${step.id}\` holds ${sayBytes(bounds)}`
      return new RuntimeCheckFailed({ stepId: call.step.id, at: `${call.step.at}/args`, problem })
    }
    follows.push(described)
  }
  return follows
}

/** What is not known yet stands as it was written, and is named. */
function describeCall(ready: ReadyPlan, call: ReadyCall, state: RunState): Following {
  const { step, tool, lasts } = call
  const written = ready.plan.plan.document as unknown as Json
  const workings = Workings.of(state)
  // Known is what was looked at before, and the work of it was counted then.
  const work = { left: workMax }
  const open: Pointer[] = []
  const shown = fillIn(step.args, (hole) => {
    const { at } = hole
    const last = lasts.get(hole) ?? -1
    const value = last < state.done ? workings.valueOf(hole, last, state, work) : undefined
    if (value !== undefined && !(value instanceof Unresolved)) return { kind: "literal", at, value }
    open.push(at)
    return { kind: "literal", at, value: walk(written, parsePointer(at) ?? []) ?? null }
  })
  const { name, effect, description } = tool
  const args = place(shown, () => null) as JsonObject
  return { stepId: step.id, tool: name, effect, description, args, ...(open.length === 0 ? {} : { open }) }
}
