/** Whether a call that failed is made again. Reads are, a few times and later each time; effects never. */
import { runCodes } from "../../journal/codes.ts"
import type { Failure } from "../../journal/entry.ts"
import type { CalledTool } from "../call/call.ts"
import { BudgetExhausted } from "../failure.ts"

/** Answers that say "failed", or are lost, of one step. */
export const failuresMax = 3

/** Calls of one step that were begun, answered or cut off with their process. */
export const attemptsMax = 10

const firstDelayMs = 100
const longestDelayMs = 5_000

interface Spent {
  readonly retries: number
  readonly max: number | undefined
}

/** `failures` counts this one. */
export function decideRetry(
  tool: CalledTool,
  stepId: string,
  failure: Failure,
  failures: number,
  spent: Spent,
): "again" | "final" | BudgetExhausted {
  if (tool.mutates || !runCodes[failure.code].again || failures >= failuresMax) return "final"
  return checkRetries(stepId, failure, spent) ?? "again"
}

/** The budget of calls made again, over a whole run. `cause` is why this one would be. */
export function checkRetries(stepId: string, cause: Failure, { retries, max }: Spent): BudgetExhausted | undefined {
  if (max === undefined || retries < max) return undefined
  const because = `, because ${cause.message}`
  return new BudgetExhausted({ budget: "retries", stepId, used: retries, max, because })
}

/** Twice as long after each failure, and somewhat random, so that those who failed together do not come back together. */
export function backoffMs(failures: number, random: number): number {
  const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1))
  return Math.round(delay * (0.5 + random / 2))
}
