/** Which runs have not ended: what must be said of those that come from another store. */
import type { Entry } from "./entry.ts"
import { isTerminal } from "./status.ts"
import { advance, type RunRow, start } from "./tables.ts"

export interface Unended {
  readonly runId: string
  /** The step that it is in doubt at, if it is. */
  readonly doubt: string | undefined
}

/** Of entries that were verified, by the first entries of their runs. */
export function unendedIn(entries: readonly Entry[]): readonly Unended[] {
  const runs = new Map<string, RunRow>()
  for (const { runId, ...record } of entries) {
    const before = runs.get(runId)
    runs.set(runId, before === undefined ? start(runId, record) : advance(before, record))
  }
  return [...runs.values()]
    .filter(({ status }) => !isTerminal(status))
    .map(({ runId, status, open }) => ({ runId, doubt: status === "in_doubt" ? open?.stepId : undefined }))
}
