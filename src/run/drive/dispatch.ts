/** One call of a tool: its intent, durable; the call; and whether it is made again, whatever came of it. */
import * as Effect from "effect/Effect"
import type { AnswerLost, AttemptFailed, Event, Intent, Outcome } from "../../journal/entry.ts"
import type { CalledTool, TimeLimit, Worker } from "../call/call.ts"
import { perform } from "../call/perform.ts"
import { HandlerMissing, type RunFailure } from "../failure.ts"
import { decideRetry, failuresMax } from "../next/retry.ts"
import type { Acted, Desk } from "./desk.ts"
import { pauseAfter } from "./pause.ts"
import { checkPromptness } from "./promptness.ts"

export function* dispatch(
  desk: Desk,
  tool: CalledTool,
  intent: Intent,
  limit: TimeLimit,
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
  const made = { stepId, tool, attempt, args, idempotencyKey, undoes }
  const stop = tool.mutates ? undefined : pulse.watch(() => worker.cutOff?.())
  const answer = yield* Effect.interruptible(perform(worker, made, limit))
  stop?.()
  return withPause(intent.again === undefined ? answer : lostAgain(answer), desk, tool)
}

/** That this call was not applied says nothing of the one before it by the same key. */
function lostAgain(answer: Outcome | AttemptFailed | AnswerLost): Outcome | AttemptFailed | AnswerLost {
  if (answer.kind !== "attempt-failed") return answer
  const { again: _, ...failed } = answer
  return { ...failed, kind: "answer-lost" }
}

/** A tool that the catalog has dropped may have left a call to be settled. */
export const checkHandler = ({ handlers }: Worker, { name }: CalledTool): HandlerMissing | undefined =>
  handlers.has(name) ? undefined : new HandlerMissing({ problem: `no handler for \`${name}\`` })

/** Whether and when a call is made again is decided here, once, and written down with what came of it. */
function withPause(
  answer: Event,
  { ready, book, clock, ids }: Desk,
  tool: CalledTool,
): AttemptFailed | AnswerLost | Event {
  const { step, retries, started } = book.state
  const failures = step.failures + 1
  if (answer.kind === "answer-lost") {
    const { kind } = started.tools[tool.name]?.idempotency ?? { kind: "none" }
    return kind === "none" || failures >= failuresMax ? answer : { ...answer, again: pauseAfter(failures, clock, ids) }
  }
  if (answer.kind !== "attempt-failed") return answer
  const spent = { retries, max: ready?.catalog.budgets.retries }
  const decision = decideRetry(tool, answer.stepId, answer.failure, failures, spent)
  return decision === "again" ? { ...answer, again: pauseAfter(failures, clock, ids) } : answer
}
