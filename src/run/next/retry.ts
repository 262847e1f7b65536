/** Whether and when a call is made again: by what its tool said of that when the run began, and what its handler asks for. */
import { pauseOf, type Retry, retryOf } from "../../catalog/policy.ts"
import { runCodes } from "../../journal/codes.ts"
import type { AttemptFailed, Failure } from "../../journal/entry.ts"
import type { RunState } from "../../journal/state.ts"
import { BudgetExhausted } from "../failure.ts"

/** Calls of one step that were begun, answered or cut off with their process. */
export const attemptsMax = 10

/** Of a tool of the run. */
export function retryIn({ started: { tools } }: Pick<RunState, "started">, tool: string): Retry {
  const policy = tools[tool]
  return retryOf(policy?.effect !== "read", policy?.retry)
}

interface Spent {
  readonly retries: number
  readonly max: number | undefined
}

/**
 * Of a call of which it is known that nothing has happened. A read is made again; an effect where its handler asks for it.
 * `failures` counts this one.
 */
export function decideRetry(
  { mutates, times }: { readonly mutates: boolean; readonly times: number },
  { stepId, failure, retryAfterMs }: AttemptFailed,
  failures: number,
  spent: Spent,
): "again" | "final" | BudgetExhausted {
  const wanted = retryAfterMs !== undefined || (!mutates && runCodes[failure.code].again)
  if (!wanted || failures >= times) return "final"
  return checkRetries(stepId, failure, spent) ?? "again"
}

/** The budget of calls made again, over a whole run. `cause` is why this one would be. */
export function checkRetries(stepId: string, cause: Failure, { retries, max }: Spent): BudgetExhausted | undefined {
  if (max === undefined || retries < max) return undefined
  const because = `, because ${cause.message}`
  return new BudgetExhausted({ budget: "retries", stepId, used: retries, max, because })
}

/** Longer after each failure, and somewhat random, so that those who failed together do not come back together. */
export const backoffMs = (retry: Retry, failures: number, random: number): number =>
  Math.round(pauseOf(retry, failures) * (0.5 + random / 2))
