/** Whether a call that failed is made again. Reads are, a few times and later each time; effects never. */
import type { Tool } from "../../catalog/catalog.ts"
import { runCodes } from "../../journal/codes.ts"
import type { Failure } from "../../journal/entry.ts"
import { BudgetExhausted } from "../failure.ts"

/** Answers that say "failed", of one step. */
const failuresMax = 3

/** Calls of one step that were begun, answered or cut off with their process. */
export const attemptsMax = 10

const firstDelayMs = 100
const longestDelayMs = 5_000

/** `failures` counts this one. */
export function decideRetry(
  tool: Tool,
  failure: Failure,
  failures: number,
  spent: { readonly retries: number; readonly max: number | undefined },
): "again" | "final" | BudgetExhausted {
  if (tool.mutates || !runCodes[failure.code].again || failures >= failuresMax) return "final"
  return checkRetries(spent.retries, spent.max) ?? "again"
}

/** The budget of calls made again, over a whole run. */
export const checkRetries = (retries: number, max: number | undefined): BudgetExhausted | undefined =>
  max !== undefined && retries >= max ? new BudgetExhausted({ budget: "retries", used: retries, max }) : undefined

/** Twice as long after each failure, and somewhat random, so that those who failed together do not come back together. */
export function backoffMs(failures: number, random: number): number {
  const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1))
  return Math.round(delay * (0.5 + random / 2))
}
