/** A lost answer can be asked for again: while the key is kept, and within the budgets. Code: SEQ825. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import type { Built, Tool } from "../catalog.ts"
import { pauseOf, retryOf } from "../policy.ts"

export function lintRetry(tool: Tool, { budgets }: Built, at: Pointer): Unplaced[] {
  const { name, idempotency, reconcile, timeoutMs, mutates } = tool
  const said: Unplaced[] = []
  const warn = (policy: string, problem: string, remedy: string): void => {
    said.push(diagnose("SEQ825", child(at, policy), { tool: name, policy, problem, remedy }))
  }
  const keptMs = mutates && idempotency.kind === "key" ? idempotency.retentionMs : undefined
  const settled =
    reconcile === undefined ? "a lost answer is left to a person" : "only `reconcile` settles a lost answer"
  if (keptMs !== undefined && keptMs < timeoutMs) {
    const problem = `keeps a key for ${keptMs} ms, but a call may take ${timeoutMs} ms: it is never called again, and ${settled}`
    warn("idempotency", problem, "Raise `retentionMs` to what the system behind it keeps, or lower `timeoutMs`.")
  }
  if (tool.retry === undefined) return said
  const retry = retryOf(mutates, tool.retry)
  const { times, backoffMs, maxBackoffMs } = retry
  if (maxBackoffMs < backoffMs) {
    const problem = `begins with a pause of ${backoffMs} ms, but the longest is ${maxBackoffMs} ms`
    warn("retry", problem, "Raise `maxBackoffMs`, or lower `backoffMs`.")
  }
  const pausesMs = Array.from({ length: times - 1 }, (_, index) => pauseOf(retry, index + 1)).reduce((a, b) => a + b, 0)
  const waits = `waits for ${pausesMs} ms in all before its last call`
  const less = "Lower `times` or the pauses"
  if (keptMs !== undefined && keptMs >= timeoutMs && pausesMs + timeoutMs > keptMs)
    warn(
      "retry",
      `${waits}, but its key is kept for ${keptMs} ms, and a call may take ${timeoutMs} ms`,
      `${less}, or raise \`retentionMs\`.`,
    )
  for (const budget of ["wallMs", "deadlineMs"] as const) {
    const max = budgets[budget]
    if (max !== undefined && pausesMs > max)
      warn("retry", `${waits}, but \`budgets.${budget}\` is ${max}`, `${less}, or raise \`budgets.${budget}\`.`)
  }
  // Effects that are settled by their keys do not count there.
  if (!mutates && budgets.retries !== undefined && times - 1 > budgets.retries) {
    const problem = `asks for ${times} calls, but \`budgets.retries\` is ${budgets.retries}`
    warn("retry", problem, "Lower `times`, or raise `budgets.retries`.")
  }
  return said
}
