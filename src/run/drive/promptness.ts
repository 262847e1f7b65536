/** Whether a call is still to be made that was written down a while ago. */
import type * as Effect from "effect/Effect"
import type { Event, Intent } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { RunState } from "../../journal/state.ts"
import type { CalledTool } from "../call/call.ts"
import { EffectInDoubt, type RunFailure, StepFailed } from "../failure.ts"
import { promptMs } from "../next/settle.ts"
import type { Desk } from "./desk.ts"

/**
 * A process may stand still between an intent and its call: its machine sleeps, or another has the run by then. An effect that is
 * made so late would come after it was settled, or after its key was forgotten. So it is not made.
 */
export function* checkPromptness(
  { book, clock }: Desk,
  { name: tool, timeoutMs }: CalledTool,
  { stepId, attempt, undoes, again }: Intent,
  tookMs: number,
): Effect.fn.Return<Event | undefined, RunFailure> {
  const { started, step, runId } = book.state
  const nowMs = clock.currentTimeMillisUnsafe()
  const { idempotency } = started.tools[tool] ?? {}
  const forgotten =
    again === "key" && idempotency?.kind === "key" && nowMs + timeoutMs > step.firstAtMs + idempotency.retentionMs
  // A clock may be set back, and a machine that sleeps may not count its sleep.
  const stoodMs = Math.max(tookMs, nowMs - step.lastAtMs)
  // Whoever has the run by then is asked for even if it was not long: a lease may be short.
  if (stoodMs > unnoticedMs || forgotten) yield* book.journal.renew(runId, book.lease)
  if (stoodMs <= promptMs && !forgotten) return undefined
  const about = { stepId, attempt, ...(undoes === undefined ? {} : { undoes }), tookMs: 0 }
  const said = forgotten
    ? "its key may be forgotten before another call would have ended, so none was made"
    : `its process stood still for ${Math.round(stoodMs)} ms, so this call was not made`
  // Of the calls before it by the same key this says nothing.
  if (again !== undefined)
    return { kind: "answer-lost", ...about, failure: record(new EffectInDoubt({ stepId, tool, said })) }
  const failure = record(new StepFailed({ stepId, tool, said }))
  return { kind: "attempt-failed", ...about, failure, again: { afterMs: 0, atMs: nowMs } }
}

/** How much is left of the time in which a call must be begun: below zero, it is too late. */
export function timeLeft(
  { started, step }: RunState,
  { name, timeoutMs }: CalledTool,
  { again }: Intent,
  nowMs: number,
  tookMs: number,
): number {
  const leftMs = promptMs - Math.max(tookMs, nowMs - step.lastAtMs)
  const { idempotency } = started.tools[name] ?? {}
  if (again !== "key" || idempotency?.kind !== "key") return leftMs
  return Math.min(leftMs, step.firstAtMs + idempotency.retentionMs - timeoutMs - nowMs)
}

/** As long as writing an entry may take, in milliseconds. */
const unnoticedMs = 50
