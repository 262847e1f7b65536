/** What came of a call: of all that a run writes the only part that cannot be worked out again, and so the last to be given up. */
import type { AnswerLost, AttemptFailed, Event, Observed, Outcome, Reconciled } from "../../journal/entry.ts"
import type { RunState } from "../../journal/state.ts"
import type { Json } from "../../text/json.ts"
import { excerpt } from "../call/describe.ts"

export type Answer = Outcome | AttemptFailed | AnswerLost | Reconciled

export const isAnswer = (event: Event): event is Answer =>
  event.kind === "outcome" ||
  event.kind === "attempt-failed" ||
  event.kind === "answer-lost" ||
  event.kind === "reconciled"

/** What is known of an effect, as an observation; nothing of a read. */
export function observedOf({ effects }: RunState, event: Event): Observed | undefined {
  if (event.kind !== "outcome" && event.kind !== "attempt-failed" && event.kind !== "answer-lost") return undefined
  const key = [...effects].findLast(([, stepId]) => stepId === event.stepId)?.[0]
  if (key === undefined) return undefined
  const { stepId, attempt, undoes } = event
  const about = {
    kind: "observed",
    stepId,
    attempt,
    ...(undoes === undefined ? {} : { undoes }),
    idempotencyKey: key,
  } as const
  if (event.kind === "outcome") {
    const { result, failure } = event
    return {
      ...about,
      answer: "answered",
      ...(result === undefined ? {} : { result }),
      ...(failure === undefined ? {} : { failure }),
    }
  }
  return { ...about, answer: event.kind === "attempt-failed" ? "not-applied" : "threw", failure: event.failure }
}

/** In words, for whoever must note it down by hand. */
export function sayAnswer(answer: Answer): string {
  if (answer.kind === "reconciled") return `asked what became of it, its tool said: ${answer.answer}`
  if (answer.kind !== "outcome") return answer.failure.message
  if (answer.result === undefined) return `it answered, but ${answer.failure?.message ?? "with nothing"}`
  return `it answered ${sayResult(answer.result)}`
}

function sayResult(result: Json): string {
  try {
    return excerpt(JSON.stringify(result))
  } catch {
    return "with more than fits in one text"
  }
}
