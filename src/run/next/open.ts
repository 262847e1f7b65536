/** What differs in an open run: a step that fails does not end it, nothing but a cancel undoes what it has done, and it rests. */

import { record } from "../../journal/failure.ts"
import type { OpenRun } from "../../journal/open.ts"
import type { RunState } from "../../journal/state.ts"
import { isTerminal } from "../../journal/status.ts"
import { RunCancelled } from "../failure.ts"
import type { Action } from "./next.ts"

/** What is done, by what would be done were the plan whole. */
export function nextInOpen(state: RunState, open: OpenRun, action: Action): Action {
  const { status, ending, cancel, step, done, started, startedAtMs } = state
  if (isTerminal(status) || status === "in_doubt" || ending !== undefined || cancel !== undefined) return action
  const stepId = started.document.steps[done]?.id
  if (stepId === undefined) {
    const over = action.kind === "end" || action.kind === "needs-plan"
    if (!over) return action
    if (open.closed) return { kind: "end", status: "succeeded" }
    const { deadlineMs } = started
    return { kind: "rest", notAfterMs: deadlineMs === undefined ? undefined : startedAtMs + deadlineMs }
  }
  if (open.closed && step.open?.idempotencyKey === undefined)
    return {
      kind: "give-up",
      stepId,
      failure: record(new RunCancelled({ by: started.subject, reason: "the run was closed" })),
    }
  // Whoever has proposed the call waits for it: it may be proposed again.
  if (action.kind === "call" && step.failed !== undefined && (action.pause?.afterMs ?? 0) > longPauseMs)
    return { kind: "give-up", stepId, failure: step.failed.failure }
  if (action.kind !== "end" && action.kind !== "wind-down") return action
  const { failure } = action
  if (failure === undefined) return action
  // Its budgets are those of all its steps: none is left for another.
  if (failure.tag === "BudgetExhausted") return { kind: "end", status: "exhausted", failure }
  return { kind: "give-up", stepId, failure }
}

/** Longer pauses between two tries are not sat out. */
const longPauseMs = 60_000
