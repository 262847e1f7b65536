/** Entries that come too late for the place they were made for: what others have written comes first. */
import { type Entry, isForeign, type Recorded } from "../../journal/entry.ts"
import { type JournalDiverged, LeaseLost } from "../../journal/failure.ts"
import { begin, fold, type RunState } from "../../journal/state.ts"
import { isAnswer } from "./answer.ts"

/** A run with entries behind what is durable of it. */
export interface Kept {
  readonly state: RunState
  readonly kept: Recorded[]
}

/** The run after what others have written to it. What only its holder may write was written by another holder. */
export function takeIn(before: RunState, news: readonly Entry[]): RunState | JournalDiverged | LeaseLost {
  let state = before
  for (const entry of news) {
    if (!isForeign(entry.event)) return new LeaseLost({ runId: before.runId })
    const folded = fold(state, entry)
    if (folded instanceof Error) return folded
    state = folded
  }
  return state
}

/**
 * Puts entries after the last durable one anew: what came of calls. What was decided, and may be decided otherwise now, is dropped
 * with all that follows. `durable` is undefined of a run whose first entry is not: it begins all the same.
 */
export function restand(
  runId: string,
  durable: RunState | undefined,
  entries: readonly Recorded[],
): Kept | JournalDiverged {
  const [first] = entries
  const begun = durable === undefined && first !== undefined ? first : undefined
  const before = begun === undefined ? durable : begin(runId, begun)
  if (before === undefined || before instanceof Error) throw new Error("a run begins with its first entry")
  const kept = begun === undefined ? [] : [begun]
  let state = before
  for (const { atMs, event } of entries.slice(kept.length)) {
    // What was let through into an open run is none of what is decided anew.
    const added = event.kind === "step-added"
    if (!isAnswer(event) && !added) break
    const entry = { seq: state.seq + 1, atMs, event }
    const folded = fold(state, entry)
    if (folded instanceof Error) {
      // A late answer may have settled what the outside was asked about; and a run that is cancelled takes no step.
      if (event.kind === "reconciled" || added) break
      return folded
    }
    state = folded
    kept.push(entry)
  }
  return { state, kept }
}
