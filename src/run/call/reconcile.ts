/** Asks the outside, by the tool's own `reconcile`, what became of an effect whose answer was lost. */
import * as Effect from "effect/Effect"
import type { Reconciled } from "../../journal/entry.ts"
import { admitResult } from "./admit-result.ts"
import { ask, type Ended } from "./ask.ts"
import type { Calling, Worker } from "./call.ts"
import { nameCall, sayLate } from "./perform.ts"
import type { TakenReconciliation } from "./take.ts"

/** The call as it was last made. Whatever stands in the way of an answer, the answer is that it is not known. */
export const performReconcile = (
  worker: Worker,
  call: Calling & { readonly idempotencyKey: string },
): Effect.Effect<Reconciled> => {
  const { tool, stepId, attempt, args, idempotencyKey, credentials } = call
  const { principal, runId } = worker
  const asked = ask(worker, {
    for: "reconciliation",
    handler: worker.handlers.get(tool.name)?.reconcile ?? missing,
    inputs: [idempotencyKey, args],
    facts: { idempotencyKey, attempt, principal, runId, stepId, credentials },
    limitMs: tool.timeoutMs,
    cutOff: false,
    // It is asked again.
    afterwards: () => {},
  })
  return Effect.map(asked, (ended) => tell(ended, call))
}

const missing = (): never => {
  throw new Error("there is no `reconcile` for it")
}

function tell({ ending, tookMs }: Ended<TakenReconciliation>, call: Calling): Reconciled {
  const about = { kind: "reconciled", ...nameCall(call), tookMs } as const
  const unknown = (said: string): Reconciled => ({ ...about, answer: "unknown", said })
  if (ending.kind === "threw") return unknown(`\`reconcile\` of \`${call.tool.name}\` said: ${ending.said}`)
  if (ending.kind !== "returned") return unknown(`\`reconcile\` of ${sayLate(call, call.tool.timeoutMs)}`)
  const answer = ending.value
  switch (answer.kind) {
    case "applied":
      return { ...about, answer: "applied", ...admitResult(answer.result, call) }
    case "unknown":
      return unknown(`\`reconcile\` of \`${call.tool.name}\` said: ${answer.said}`)
    default:
      return { ...about, answer: answer.kind }
  }
}
