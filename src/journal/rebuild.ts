/** The tables made anew from nothing but the entries. */
import { restore, type Sealed } from "./chain.ts"
import { JournalTampered } from "./failure.ts"
import type { Rows } from "./lease.ts"
import { advance, apply, type RunRow, start } from "./tables.ts"

/**
 * From all entries of a store in the order in which they were written. An entry that could not have been taken then is one
 * that was not written so.
 */
export function rebuild(rows: Rows, entries: Iterable<Sealed>): void {
  const runs = new Map<string, RunRow>()
  for (const entry of entries) {
    const { runId, seq, atMs } = entry
    const before = runs.get(runId)
    const record = { seq, atMs, event: restore(entry) }
    if (before !== undefined && apply(rows, before, record.event) !== undefined)
      throw new JournalTampered({ runId, seq })
    runs.set(runId, before === undefined ? start(runId, record) : advance(before, record))
  }
  for (const run of runs.values()) rows.keepRun(undefined, { ...run, owner: undefined, untilMs: 0, dueMs: undefined })
}
