/** Makes one call: one typed event goes out, and what is said after that is a late truth. */
import * as Effect from "effect/Effect"
import type { AnswerLost, AttemptFailed, Observed, Outcome } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { Copied } from "../../text/copy-json.ts"
import {
  BudgetExhausted,
  CallInterrupted,
  EffectInDoubt,
  StepFailed,
  StepTimedOut,
  type StopReason,
} from "../failure.ts"
import { admitResult } from "./admit-result.ts"
import { ask, type Ended } from "./ask.ts"
import type { Calling, TimeLimit, Worker } from "./call.ts"
import type { Answer } from "./ending.ts"
import { notApplied } from "./not-applied.ts"

/** Calls the handler of a tool. When it is interrupted, it says nothing. */
export const perform = (
  worker: Worker,
  call: Calling,
  limit: TimeLimit,
): Effect.Effect<Outcome | AttemptFailed | AnswerLost> => {
  const { tool, stepId, attempt, idempotencyKey, credentials } = call
  const { principal, runId } = worker
  const asked = ask(worker, {
    for: "result",
    handler: worker.handlers.get(tool.name)?.call ?? missing,
    inputs: [call.args],
    facts: { idempotencyKey, attempt, principal, runId, stepId, credentials },
    limitMs: limit.ms,
    leftMs: limit.leftMs,
    cutOff: !tool.mutates,
    // A read that was given up is asked again, or is not needed.
    afterwards: (answer) => {
      if (tool.mutates) worker.observe(observe(answer, call))
    },
  })
  return Effect.map(asked, (ended) => tell(ended, call, limit, worker.watch.wallMs()))
}

/** Of a tool that the toolbox no longer has. */
const missing = (): never => {
  throw notApplied("there is no handler for it")
}

/** Which call it was. */
export const nameCall = ({ stepId, undoes }: Calling) => ({ stepId, ...(undoes === undefined ? {} : { undoes }) })

/** The event that an ending is, by what is known of it: an effect that may have happened is never called failed. */
function tell(
  { ending, tookMs }: Ended<Copied>,
  call: Calling,
  limit: TimeLimit,
  nowMs: number,
): Outcome | AttemptFailed | AnswerLost {
  const { tool, stepId, attempt } = call
  const about = { ...nameCall(call), attempt, tookMs }
  const failed = (reason: StopReason): AttemptFailed => ({ kind: "attempt-failed", ...about, failure: record(reason) })
  switch (ending.kind) {
    case "returned": {
      const admitted = admitResult(ending.value, call)
      if (admitted.failure === undefined || tool.mutates) return { kind: "outcome", ...about, ...admitted }
      return { kind: "attempt-failed", ...about, failure: admitted.failure }
    }
    case "threw":
      if (!tool.mutates || ending.notApplied) {
        const { retryAfterMs } = ending
        return { ...failed(failedBy(call, ending.said)), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
      }
      return { kind: "answer-lost", ...about, failure: record(lostBy(call, sayThrown(call, ending.said))) }
    // Nothing speaks against it but the time: it may be begun anew.
    case "too-late":
      return { ...failed(failedBy(call, sayTooLate)), again: { afterMs: 0, atMs: nowMs } }
    case "cut-off":
      return failed(new CallInterrupted({ stepId, tool: tool.name, attempts: attempt }))
    case "late": {
      if (tool.mutates) return { kind: "answer-lost", ...about, failure: record(lostBy(call, sayLate(call, limit.ms))) }
      if (limit.exhausts === undefined)
        return failed(new StepTimedOut({ stepId, tool: tool.name, timeoutMs: limit.ms }))
      return failed(new BudgetExhausted({ ...limit.exhausts, stepId, used: limit.exhausts.max, because: "" }))
    }
  }
}

function observe(answer: Answer<Copied>, call: Calling): Observed {
  const { attempt, idempotencyKey } = call
  const about = {
    kind: "observed",
    ...nameCall(call),
    attempt,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  } as const
  if (answer.kind === "returned") return { ...about, answer: "answered", ...admitResult(answer.value, call) }
  if (answer.kind === "too-late")
    return { ...about, answer: "not-applied", failure: record(failedBy(call, sayTooLate)) }
  if (answer.notApplied) return { ...about, answer: "not-applied", failure: record(failedBy(call, answer.said)) }
  return { ...about, answer: "threw", failure: record(lostBy(call, sayThrown(call, answer.said))) }
}

const failedBy = ({ stepId, tool }: Calling, said: string): StepFailed =>
  new StepFailed({ stepId, tool: tool.name, said })

const lostBy = ({ stepId, tool }: Calling, said: string): EffectInDoubt =>
  new EffectInDoubt({ stepId, tool: tool.name, said })

const sayTooLate = "too long had passed since it was decided, so it was not called"

const sayThrown = ({ tool }: Calling, said: string): string => `\`${tool.name}\` said: ${said}`

export const sayLate = ({ tool }: Calling, limitMs: number): string =>
  `\`${tool.name}\` did not answer within ${limitMs} ms`
