/** Asks a rule of the host's: its world of promises, throws and silence comes in here, and yes or no goes out. */
import * as Effect from "effect/Effect"
import type { GuardFacts, GuardRule } from "../../catalog/predicate.ts"
import type { Json } from "../../text/json.ts"
import { ask } from "./ask.ts"
import type { Worker } from "./call.ts"

/** How long a rule may take, in milliseconds. */
export const ruleMs = 5_000

/** Why it does not hold; undefined where it does. */
export function performRule(
  worker: Worker,
  stepId: string,
  rule: GuardRule,
  facts: GuardFacts,
): Effect.Effect<{ readonly problem: string | undefined; readonly tookMs: number }> {
  const { principal, runId } = worker
  const { tenant, subject, roles } = principal
  const asked = ask(worker, {
    for: "verdict",
    handler: (copy: GuardFacts) => rule.holds(copy, { tenant, subject, roles: [...roles] }),
    inputs: [facts as unknown as Json],
    facts: { idempotencyKey: undefined, attempt: 1, principal, runId, stepId },
    limitMs: ruleMs,
    cutOff: true,
    // It was given up.
    afterwards: () => {},
  })
  return Effect.map(asked, ({ ending, tookMs }) => {
    const late = `did not answer within ${ruleMs} ms`
    // One that does not wait holds up whoever would see that it is late.
    if (tookMs > ruleMs) return { problem: late, tookMs }
    if (ending.kind === "returned") return { problem: problems[ending.value], tookMs }
    if (ending.kind === "threw") return { problem: `failed: ${ending.said}`, tookMs }
    return { problem: late, tookMs }
  })
}

const problems = { yes: undefined, no: "says no", neither: "answers with neither true nor false" } as const
