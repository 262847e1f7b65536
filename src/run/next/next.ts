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
import { argsOf, checkKnown, knownIn } from "./check.ts"
import { idempotencyKey } from "./key.ts"
import { lastIn, type ReadyCall, type ReadyPlan, type ReadyTransition } from "./prepare.ts"
import { fillIn, resolve, Unresolved, walk } from "./resolve.ts"
import { attemptsMax, checkRetries, decideRetry } from "./retry.ts"

export type Action =
  | CallAction
  | { readonly kind: "enter-state"; readonly transition: ReadyTransition }
  | { readonly kind: "request-approval"; readonly transition: ReadyTransition; readonly follows: readonly Following[] }
  /** For a person's decision, until the run's deadline. */
  | { readonly kind: "wait"; readonly notAfterMs: number | undefined }
  | { readonly kind: "mark-in-doubt"; readonly stepId: string; readonly attempt: number; readonly failure: Failure }
  | { readonly kind: "end"; readonly status: RunEnded["status"]; readonly failure?: Failure }
  /** In doubt, or ended. */
  | { readonly kind: "nothing" }

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
  if (state.status === "awaiting_approval") return { kind: "wait", notAfterMs: deadlineOf(ready, state) }
  if (state.failure !== undefined) return { kind: "end", status: "failed", failure: state.failure }
  if (state.step.open !== undefined) return afterCrash(ready, state)
  if (state.step.failed !== undefined) return afterFailure(ready, state)
  const failure = checkKnown(ready, state)
  if (failure !== undefined) return fail(failure)
  const step = ready.steps[state.done]
  if (step === undefined) return { kind: "end", status: "succeeded" }
  return step.kind === "call" ? call(ready, step, state) : cross(ready, step, state)
}

const fail = (reason: StopReason): Action => {
  const failure = record(reason)
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
  if (attempts >= attemptsMax) return fail(new CallInterrupted({ stepId, tool, attempts }))
  return retry(ready, step, state, undefined)
}

function afterFailure(ready: ReadyPlan, state: RunState): Action {
  const step = ready.steps[state.done]
  const { failed, failures } = state.step
  if (step?.kind !== "call" || failed === undefined) return { kind: "nothing" }
  if (failed.again !== undefined) return retry(ready, step, state, failed.again)
  const spent = { retries: state.retries, max: ready.catalog.budgets.retries }
  const decision = decideRetry(step.tool, failed.failure, failures, spent)
  if (decision instanceof BudgetExhausted) return fail(decision)
  const { failure } = failed
  return { kind: "end", status: failure.tag === "BudgetExhausted" ? "exhausted" : "failed", failure }
}

function retry(ready: ReadyPlan, step: ReadyCall, state: RunState, again: CallAction["again"]): Action {
  const exhausted = checkRetries(state.retries, ready.catalog.budgets.retries)
  return exhausted === undefined ? call(ready, step, state, again) : fail(exhausted)
}

function call(ready: ReadyPlan, step: ReadyCall, state: RunState, again?: CallAction["again"]): Action {
  const { wallMs } = ready.catalog.budgets
  if (wallMs !== undefined && state.workedMs >= wallMs) {
    return fail(new BudgetExhausted({ budget: "wallMs", used: Math.round(state.workedMs), max: wallMs }))
  }
  const args = argsOf(step, state)
  const stepId = step.step.id
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
  const { name: tool, version: toolVersion } = step.tool
  const key = idempotencyKey(state.started, { tool, toolVersion, occurrence: step.step.occurrence, args })
  const first = state.effects.get(key) ?? stepId
  return first === stepId ? { ...action, idempotencyKey: key } : fail(new EffectRepeated({ stepId, first }))
}

const deadlineOf = ({ catalog: { budgets } }: ReadyPlan, { startedAtMs }: RunState): number | undefined =>
  budgets.deadlineMs === undefined ? undefined : startedAtMs + budgets.deadlineMs

function cross(ready: ReadyPlan, transition: ReadyTransition, state: RunState): Action {
  if (!transition.guarded) return { kind: "enter-state", transition }
  const stepId = transition.step.id
  const request = state.requests.get(stepId)
  if (request === undefined)
    return { kind: "request-approval", transition, follows: following(ready, transition, state) }
  const decided = state.decisions.get(request.requestId)
  if (decided?.decision === "approved") return { kind: "enter-state", transition }
  return fail(new ApprovalDenied({ stepId, by: decided?.by ?? "", reason: decided?.reason ?? "" }))
}

/** The calls behind a guard, up to the next one. */
function following(ready: ReadyPlan, { step }: ReadyTransition, state: RunState): readonly Following[] {
  const behind = ready.steps.slice(step.index + 1)
  const end = behind.findIndex((one) => one.kind === "transition" && one.guarded)
  const calls = (end === -1 ? behind : behind.slice(0, end)).filter((one) => one.kind === "call")
  return calls.map((call) => describeCall(ready, call, state))
}

/** What is not known yet stands as it was written, and is named. */
function describeCall(ready: ReadyPlan, { step, tool, reads }: ReadyCall, state: RunState): Following {
  const written = ready.plan.plan.document as unknown as Json
  const known = knownIn(state)
  const open: Pointer[] = []
  const shown = fillIn(step.args, (hole) => {
    const { at } = hole
    const value = lastIn(hole, reads) < state.done ? resolve(hole, known) : undefined
    if (value !== undefined && !(value instanceof Unresolved)) return { kind: "literal", at, value }
    open.push(at)
    return { kind: "literal", at, value: walk(written, parsePointer(at) ?? []) ?? null }
  })
  const { name, effect, description } = tool
  const args = resolve(shown, known) as JsonObject
  return { stepId: step.id, tool: name, effect, description, args, ...(open.length === 0 ? {} : { open }) }
}
