/**
 * What becomes of an effect whose answer is lost: it is called again where that is safe, or the outside is asked, or a person
 * must find out. It goes by the journal alone, and by what the catalog said of the tool when the run began.
 */

import { standing } from "../../journal/asked.ts"
import type { Failure, Intent } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { RunState } from "../../journal/state.ts"
import type { CalledTool } from "../call/call.ts"
import { BudgetExhausted, EffectInDoubt } from "../failure.ts"
import type { Action } from "./next.ts"
import { attemptsMax, retryIn } from "./retry.ts"

/** A call is made within this time of its intent, or not at all. */
export const promptMs = 5_000

export function settle(state: RunState, open: Intent, tool: CalledTool): Action {
  const { step, started } = state
  const { lost, reconciled, asked, attempts, firstAtMs, lastAtMs } = step
  const policy = started.tools[open.tool]
  const { times } = retryIn(state, open.tool)
  if (policy === undefined || attempts - step.excused >= attemptsMax) return doubt(state, open)
  const exhausted = checkRepeat(state, open)
  const unasked = isUnasked(state, open)
  const may = step.failures < times && exhausted === undefined && !unasked
  const again = may ? repeat(policy, firstAtMs, state.updatedAtMs) : undefined
  if (again !== undefined) return callAgain(state, open, tool, again, typeof lost === "object" ? lost.again : undefined)
  if (policy.reconcile === undefined) return doubt(state, open, exhausted)
  const finalAtMs = lastAtMs + promptMs + policy.reconcile.finalAfterMs
  if (reconciled === undefined) return ask(open, tool, undefined)
  if (reconciled.answer === "unknown")
    return asked < times ? ask(open, tool, reconciled.again?.atMs) : doubt(state, open, exhausted)
  // As of when it was asked: while its answer was on its way, the effect may have happened.
  if (reconciled.askedAtMs < finalAtMs) return ask(open, tool, finalAtMs)
  return exhausted === undefined && !unasked
    ? callAgain(state, open, tool, "not-applied", undefined)
    : doubt(state, open, exhausted)
}

/**
 * Whether nobody was asked about an effect of another store's, though above some sum a person is: only that store knew what the sum
 * was. A person who has looked may have it called.
 */
const isUnasked = ({ step }: RunState, { reserves = [] }: Intent): boolean =>
  step.adopted && step.excused < step.attempts && reserves.some(({ above }) => above !== undefined)

/** Why an effect is not called once more, though its tool would take it: it costs as much as the first call. Undoing is exempt. */
export function checkRepeat(
  { step, retries, microUsd: used, started: { budgets, spent } }: RunState,
  { stepId, undoes, microUsd = 0 }: Intent,
): BudgetExhausted | undefined {
  if (undoes === true) return undefined
  const { retries: max, microUsd: most } = budgets ?? {}
  const because = ", because its answer is lost"
  // A person has said that it may be tried as often as its tool allows.
  if (max !== undefined && retries >= max && step.excused === 0)
    return new BudgetExhausted({ budget: "retries", stepId, used: retries, max, because })
  const cost = used + microUsd + (spent.microUsd ?? 0)
  if (most === undefined || cost <= most) return undefined
  return new BudgetExhausted({ budget: "microUsd", stepId, used: cost, max: most, because })
}

/** Whether a person may have it called or asked after once more; else why not. */
export function refuseAgain({ step, started }: RunState, open: Intent, nowMs: number): string | undefined {
  const { idempotency, timeoutMs, reconcile } = started.tools[open.tool] ?? {}
  if (idempotency === undefined || timeoutMs === undefined) return "nothing is known of its tool"
  if (reconcile !== undefined || repeat({ idempotency, timeoutMs }, step.firstAtMs, nowMs) !== undefined)
    return undefined
  return idempotency.kind === "key"
    ? `\`${open.tool}\` would have forgotten its key before another call were over`
    : `\`${open.tool}\` takes no key, and cannot be asked`
}

type Policy = RunState["started"]["tools"][string]

/** Whether a tool takes the same key once more. Its clock began when it first had the key, and must not end during the call. */
function repeat(
  { idempotency, timeoutMs }: Pick<Policy, "idempotency" | "timeoutMs">,
  firstAtMs: number,
  nowMs: number,
): "natural" | "key" | undefined {
  if (idempotency.kind === "natural") return "natural"
  if (idempotency.kind === "none") return undefined
  return nowMs + timeoutMs <= firstAtMs + idempotency.retentionMs ? "key" : undefined
}

function callAgain(
  state: RunState,
  open: Intent,
  tool: CalledTool,
  again: NonNullable<Intent["again"]>,
  pause: { readonly afterMs: number; readonly atMs: number } | undefined,
): Action {
  const { step } = state
  const { stepId, args, undoes, idempotencyKey = "", identity, generation } = open
  return {
    kind: "call-again",
    tool,
    pause,
    asked: standing(state, stepId),
    intent: {
      kind: "intent",
      stepId,
      tool: open.tool,
      attempt: step.attempts + 1,
      args,
      ...(undoes === undefined ? {} : { undoes }),
      idempotencyKey,
      ...(identity === undefined ? {} : { identity }),
      ...(generation === undefined ? {} : { generation }),
      ...(open.microUsd === undefined ? {} : { microUsd: open.microUsd }),
      again,
    },
  }
}

const ask = (intent: Intent, tool: CalledTool, notBeforeMs: number | undefined): Action => ({
  kind: "reconcile",
  intent,
  tool,
  notBeforeMs,
})

function doubt(
  { step: { lost, reconciled } }: RunState,
  { stepId, tool, attempt, undoes }: Intent,
  exhausted?: BudgetExhausted,
): Action {
  const said = (cause: string): Failure =>
    record(new EffectInDoubt({ stepId, tool, said: `${cause}${sayAsked(reconciled)}` }))
  const failure =
    typeof lost === "object"
      ? { ...lost.failure, message: `${lost.failure.message}${sayAsked(reconciled)}` }
      : said(lost === "taken-over" ? takenOver : "the process ended during the call")
  return {
    kind: "mark-in-doubt",
    stepId,
    attempt,
    ...(undoes === undefined ? {} : { undoes }),
    failure: exhausted === undefined ? failure : { ...failure, cause: record(exhausted) },
  }
}

const takenOver = "the run was taken from the process that made the call, which may still be at work on it"

/** What its `reconcile` has said, or what became of asking. */
const sayAsked = (reconciled: RunState["step"]["reconciled"]): string =>
  reconciled === undefined ? "" : `; asked what became of it: ${reconciled.said ?? reconciled.answer}`
