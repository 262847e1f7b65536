/** The state of a run that is being driven, and its entries on their way to the journal. */
import * as Effect from "effect/Effect"
import type { Event, Recorded } from "../journal/entry.ts"
import { JournalConflict, type JournalDiverged, type StoreUnavailable } from "../journal/failure.ts"
import type { JournalService } from "../journal/journal.ts"
import { fold, type RunState } from "../journal/state.ts"
import { RunExists } from "./failure.ts"

export interface RunEntry extends Recorded {
  readonly runId: string
}

/** Told of each entry once it is durable. What it throws is ignored: a listener does not change a run. */
export type OnEvent = (entry: RunEntry) => void

/**
 * Entries are kept back until something outside depends on them, and then written at once: an outcome and the next intent
 * cost one write. Whoever acts must flush first.
 */
export class Book {
  readonly journal: JournalService
  readonly #onEvent: OnEvent | undefined
  #state: RunState
  #kept: Recorded[]

  constructor(journal: JournalService, state: RunState, kept: readonly Recorded[], onEvent: OnEvent | undefined) {
    this.journal = journal
    this.#state = state
    this.#kept = [...kept]
    this.#onEvent = onEvent
  }

  get state(): RunState {
    return this.#state
  }

  add(atMs: number, event: Event): JournalDiverged | undefined {
    const entry = { seq: this.#state.seq + 1, atMs, event }
    const folded = fold(this.#state, entry)
    if (folded instanceof Error) return folded
    this.#state = folded
    this.#kept.push(entry)
    return undefined
  }

  flush(): Effect.Effect<void, RunExists | StoreUnavailable | JournalConflict> {
    const kept = this.#kept
    if (kept.length === 0) return Effect.void
    this.#kept = []
    const { runId } = this.#state
    const written = Effect.mapError(this.journal.append(runId, kept), (error) =>
      error instanceof JournalConflict && kept[0]?.seq === 0 ? new RunExists({ runId }) : error,
    )
    return this.#onEvent === undefined ? written : Effect.tap(written, () => Effect.sync(() => this.#tell(kept)))
  }

  #tell(entries: readonly Recorded[]): void {
    for (const entry of entries) {
      try {
        this.#onEvent?.({ runId: this.#state.runId, ...entry })
      } catch {
        // See OnEvent.
      }
    }
  }
}
