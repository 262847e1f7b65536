/** One call of a tool: its intent, durable; the call; and whether it is made again, whatever came of it. */
import * as Effect from "effect/Effect"
import type { AnswerLost, AttemptFailed, Event, Intent, Outcome, Pause } from "../../journal/entry.ts"
import type { CalledTool, TimeLimit, Worker } from "../call/call.ts"
import { perform } from "../call/perform.ts"
import { HandlerMissing, type RunFailure } from "../failure.ts"
import { decideRetry, retryIn } from "../next/retry.ts"
import { checkRepeat, promptMs } from "../next/settle.ts"
import type { Acted, Desk } from "./desk.ts"
import { pauseAfter } from "./pause.ts"
import { checkPromptness, timeLeft } from "./promptness.ts"
import type { Trusted } from "./trust.ts"

export function* dispatch(
  desk: Desk,
  tool: CalledTool,
  intent: Intent,
  limit: TimeLimit,
  { credentials }: Trusted,
): Effect.fn.Return<Acted, RunFailure> {
  const { book, worker, pulse } = desk
  const missing = checkHandler(worker, tool)
  if (missing !== undefined) return yield* missing
  const beganMs = tool.mutates ? worker.watch.nowMs() : 0
  const diverged = book.add(intent)
  if (diverged !== undefined) return yield* diverged
  if ((yield* book.flush()) === "overtaken") {
    desk.cautious = true
    return "look-again"
  }
  const tooLate = tool.mutates ? yield* checkPromptness(desk, tool, intent, worker.watch.nowMs() - beganMs) : undefined
  if (tooLate !== undefined) return tooLate
  const { stepId, attempt, args, idempotencyKey, undoes } = intent
  const made = { stepId, tool, attempt, args, idempotencyKey, undoes, credentials }
  const stop = tool.mutates ? undefined : pulse.watch(() => worker.cutOff?.())
  // It is asked for once more at the edge of the call, which may be in another process.
  const { state } = book
  const leftMs = () =>
    timeLeft(state, tool, intent, desk.clock.currentTimeMillisUnsafe(), worker.watch.nowMs() - beganMs)
  const within = tool.mutates ? { ...limit, leftMs } : limit
  const answer = yield* Effect.interruptible(perform(worker, made, within))
  stop?.()
  const leastMs = answer.kind === "attempt-failed" ? answer.retryAfterMs : undefined
  return withPause(intent.again === undefined ? answer : lostAgain(answer), desk, tool, leastMs)
}

/** That this call was not applied says nothing of the one before it by the same key. */
function lostAgain(answer: Outcome | AttemptFailed | AnswerLost): Outcome | AttemptFailed | AnswerLost {
  if (answer.kind !== "attempt-failed") return answer
  const { again: _, retryAfterMs: __, ...failed } = answer
  return { ...failed, kind: "answer-lost" }
}

/** A tool that the catalog has dropped may have left a call to be settled. */
export const checkHandler = ({ handlers }: Worker, { name }: CalledTool): HandlerMissing | undefined =>
  handlers.has(name) ? undefined : new HandlerMissing({ problem: `no handler for \`${name}\`` })

/** Whether and when a call is made again is decided here, once, and written down with what came of it. */
function withPause(
  answer: Event,
  desk: Desk,
  { name, mutates }: CalledTool,
  leastMs: number | undefined,
): AttemptFailed | AnswerLost | Event {
  const { state } = desk.book
  const retry = retryIn(state, name)
  const failures = state.step.failures + 1
  const pause = (): Pause => pauseAfter(retry, failures, desk, leastMs)
  if (answer.kind === "answer-lost") {
    const { idempotency, timeoutMs = 0 } = state.started.tools[name] ?? {}
    const may = state.step.open !== undefined && checkRepeat(state, state.step.open) === undefined
    if (idempotency === undefined || idempotency.kind === "none" || failures >= retry.times || !may) return answer
    const again = pause()
    if (idempotency.kind === "natural") return { ...answer, again }
    // Rather sooner than not at all: a key that is forgotten by then is of no use.
    const lastMs = state.step.firstAtMs + idempotency.retentionMs - timeoutMs - promptMs
    const nowMs = again.atMs - again.afterMs
    const afterMs = Math.max(0, Math.min(again.afterMs, lastMs - nowMs))
    return { ...answer, again: { afterMs, atMs: nowMs + afterMs } }
  }
  if (answer.kind !== "attempt-failed") return answer
  // Undoing is no part of what the budgets and the deadline allow.
  const undoes = answer.undoes === true
  const spent = { retries: state.retries, max: undoes ? undefined : desk.ready?.catalog.budgets.retries }
  const decision = decideRetry({ mutates, times: retry.times }, answer, failures, spent)
  if (decision !== "again") return answer
  const again = pause()
  const { startedAtMs, started } = state
  const tooLate = started.deadlineMs !== undefined && again.atMs > startedAtMs + started.deadlineMs
  return tooLate && !undoes && leastMs !== undefined ? answer : { ...answer, again }
}
