/**
 * What becomes of an effect whose answer is lost: it is called again where that is safe, or the outside is asked, or a person
 * must find out. It goes by the journal alone, and by what the catalog said of the tool when the run began.
 */
import type { Intent } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { RunState } from "../../journal/state.ts"
import type { CalledTool } from "../call/call.ts"
import { EffectInDoubt } from "../failure.ts"
import type { Action } from "./next.ts"
import { attemptsMax, failuresMax } from "./retry.ts"

/** A call is made within this time of its intent, or not at all. */
export const promptMs = 5_000

/** How often the outside is asked before a person is. */
const askedMax = 3

export function settle(state: RunState, open: Intent, tool: CalledTool): Action {
  const { step, started } = state
  const { lost, reconciled, asked, attempts, firstAtMs, lastAtMs } = step
  const policy = started.tools[open.tool]
  if (policy === undefined || attempts >= attemptsMax) return doubt(state, open)
  const again = step.failures < failuresMax ? repeat(policy, firstAtMs, state.updatedAtMs) : undefined
  if (again !== undefined)
    return callAgain(state, open, tool, again, lost === "process-ended" ? undefined : lost?.again)
  if (policy.reconcile === undefined) return doubt(state, open)
  const finalAtMs = lastAtMs + promptMs + policy.reconcile.finalAfterMs
  if (reconciled === undefined) return ask(open, tool, undefined)
  if (reconciled.answer === "unknown")
    return asked < askedMax ? ask(open, tool, reconciled.again?.atMs) : doubt(state, open)
  // As of when it was asked: while its answer was on its way, the effect may have happened.
  return reconciled.askedAtMs < finalAtMs
    ? ask(open, tool, finalAtMs)
    : callAgain(state, open, tool, "not-applied", undefined)
}

type Policy = RunState["started"]["tools"][string]

/** Whether a tool takes the same key once more. Its clock began when it first had the key, and must not end during the call. */
function repeat({ idempotency, timeoutMs }: Policy, firstAtMs: number, nowMs: number): "natural" | "key" | undefined {
  if (idempotency.kind === "natural") return "natural"
  if (idempotency.kind === "none") return undefined
  return nowMs + timeoutMs <= firstAtMs + idempotency.retentionMs ? "key" : undefined
}

function callAgain(
  { step }: RunState,
  open: Intent,
  tool: CalledTool,
  again: NonNullable<Intent["again"]>,
  pause: { readonly afterMs: number; readonly atMs: number } | undefined,
): Action {
  const { stepId, args, undoes, idempotencyKey = "", identity, generation } = open
  return {
    kind: "call-again",
    tool,
    pause,
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

function doubt({ step: { lost, reconciled } }: RunState, { stepId, tool, attempt, undoes }: Intent): Action {
  const failure =
    lost === "process-ended" || lost === undefined
      ? record(new EffectInDoubt({ stepId, tool, said: `the process ended during the call${sayAsked(reconciled)}` }))
      : lost.failure
  return { kind: "mark-in-doubt", stepId, attempt, ...(undoes === undefined ? {} : { undoes }), failure }
}

const sayAsked = (reconciled: RunState["step"]["reconciled"]): string =>
  reconciled === undefined ? "" : `; asked what became of it, its tool said: ${reconciled.said ?? reconciled.answer}`
