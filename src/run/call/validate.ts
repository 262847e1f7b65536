/** Asks the tool's own `validate` whether a call may be made that is about to be. */
import * as Effect from "effect/Effect"
import { ValidationRefused } from "../failure.ts"
import { ask, type Ended } from "./ask.ts"
import type { Calling, Worker } from "./call.ts"
import { sayLate } from "./perform.ts"
import type { TakenValidation } from "./take.ts"

/** Why it must not; undefined where it may. Whatever stands in the way of an answer refuses. */
export const performValidate = (worker: Worker, call: Calling): Effect.Effect<ValidationRefused | undefined> => {
  const { tool, stepId, attempt, args, idempotencyKey, credentials } = call
  const { principal, runId } = worker
  const asked = ask(worker, {
    for: "validation",
    handler: worker.handlers.get(tool.name)?.validate ?? missing,
    inputs: [args],
    facts: { idempotencyKey, attempt, principal, runId, stepId, credentials },
    limitMs: tool.timeoutMs,
    cutOff: true,
    // Nothing hangs on it any more.
    afterwards: () => {},
  })
  return Effect.map(asked, (ended) => tell(ended, call))
}

const missing = (): never => {
  throw new Error("there is no `validate` for it")
}

function tell({ ending }: Ended<TakenValidation>, call: Calling): ValidationRefused | undefined {
  const { stepId, tool } = call
  const refuse = (said: string): ValidationRefused => new ValidationRefused({ stepId, tool: tool.name, said })
  if (ending.kind === "returned") return ending.value.ok ? undefined : refuse(ending.value.said)
  if (ending.kind === "threw") return refuse(`it failed: ${ending.said}`)
  return refuse(ending.kind === "cut-off" ? "it was cut off" : sayLate(call, tool.timeoutMs))
}
