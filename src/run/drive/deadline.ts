/** The run's deadline, and the time it may work: what is still begun, and how long it may take. */
import type { Event } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { RunState } from "../../journal/state.ts"
import type { TimeLimit } from "../call/call.ts"
import { BudgetExhausted } from "../failure.ts"
import type { Action, CallAction } from "../next/next.ts"
import type { Desk } from "./desk.ts"

/** Past the deadline a step is refused. */
export function checkDeadline(
  { book, clock }: Desk,
  stepId: string,
  notAfterMs: number | undefined,
): Event | undefined {
  if (notAfterMs === undefined) return undefined
  const late = lateness(book.state, stepId, notAfterMs, clock.currentTimeMillisUnsafe())
  return late && { kind: "step-refused", stepId, failure: record(late) }
}

/** A run that waits for a person, or for its next step, past its deadline ends, and with it what it has asked. */
export function endAtDeadline({ book, clock }: Desk, action: Action & { kind: "wait" | "rest" }): Event | undefined {
  const stepId = action.kind === "wait" ? action.stepId : (book.state.started.document.steps.at(-1)?.id ?? "none")
  const late = lateness(book.state, stepId, action.notAfterMs, clock.currentTimeMillisUnsafe())
  // Nobody has asked for what an open run has done to be undone.
  if (late !== undefined && book.state.open !== undefined)
    return { kind: "run-ended", status: "exhausted", failure: record(late) }
  return late && { kind: "winding-down", status: "exhausted", failure: record(late) }
}

function lateness(
  { startedAtMs, open }: RunState,
  stepId: string,
  notAfterMs: number | undefined,
  nowMs: number,
): BudgetExhausted | undefined {
  if (notAfterMs === undefined || nowMs <= notAfterMs) return undefined
  const [used, max] = [nowMs - startedAtMs, notAfterMs - startedAtMs]
  return new BudgetExhausted({ budget: "deadlineMs", stepId, used, max, because: open === undefined ? "" : saysExpiry })
}

/** It has its time from whoever began it, too. */
const saysExpiry = ", which is how long this open run takes calls (`expiresMs`, or the catalog's own deadline)"

/** A read is cut off when the run's own time ends; an effect is always waited for as long as its tool may take. */
export function limitOf({ book: { state }, clock }: Desk, { tool, notAfterMs, workLeftMs }: CallAction): TimeLimit {
  let least: TimeLimit = { ms: tool.timeoutMs }
  if (tool.mutates) return least
  if (workLeftMs !== undefined && workLeftMs < least.ms)
    least = { ms: workLeftMs, exhausts: { budget: "wallMs", max: Math.round(state.workedMs + workLeftMs) } }
  if (notAfterMs === undefined) return least
  const leftMs = notAfterMs - clock.currentTimeMillisUnsafe()
  return leftMs < least.ms
    ? { ms: leftMs, exhausts: { budget: "deadlineMs", max: notAfterMs - state.startedAtMs } }
    : least
}
