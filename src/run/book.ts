/** The state of a run that is being driven, and its entries on their way to the journal. */
import * as Effect from "effect/Effect"
import type { AttemptFailed, Event, InDoubt, Outcome, Recorded } from "../journal/entry.ts"
import { JournalConflict, type JournalDiverged, type StoreUnavailable } from "../journal/failure.ts"
import type { JournalService } from "../journal/journal.ts"
import { fold, type RunState } from "../journal/state.ts"
import { isObject, type Json } from "../text/json.ts"
import { excerpt } from "./call/describe.ts"
import { OutcomeNotRecorded, RunExists } from "./failure.ts"

export interface RunEntry extends Recorded {
  readonly runId: string
}

/** Told of each entry once it is durable. What it throws or rejects is ignored, and entries are frozen: a listener does not
 *  change a run. */
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

  flush(): Effect.Effect<void, FlushFailure> {
    const kept = this.#kept
    if (kept.length === 0) return Effect.void
    this.#kept = []
    return Effect.catch(this.#write(kept), (error) => this.#rescue(kept, error))
  }

  #write(entries: readonly Recorded[]): Effect.Effect<void, StoreUnavailable | JournalConflict> {
    const written = this.journal.append(this.#state.runId, entries)
    return this.#onEvent === undefined ? written : Effect.tap(written, () => Effect.sync(() => this.#tell(entries)))
  }

  /** What came of a call is worth a second try, without what follows from it: that may be what could not be written. */
  #rescue(kept: readonly Recorded[], error: StoreUnavailable | JournalConflict): Effect.Effect<never, FlushFailure> {
    const length = kept.findLastIndex(({ event }) => isEnding(event)) + 1
    if (error instanceof JournalConflict || length === 0 || length === kept.length)
      return Effect.fail(this.#tellLost(kept, error))
    return Effect.matchEffect(this.#write(kept.slice(0, length)), {
      onFailure: () => Effect.fail(this.#tellLost(kept, error)),
      onSuccess: () => Effect.fail(error),
    })
  }

  /** What came of an effect is known here only: it goes with the error, or it is lost. */
  #tellLost(kept: readonly Recorded[], error: StoreUnavailable | JournalConflict): FlushFailure {
    const { runId, effects } = this.#state
    if (error instanceof JournalConflict && kept[0]?.seq === 0) return new RunExists({ runId })
    const ended = kept.map(({ event }) => event).find(isEnding)
    if (ended === undefined || ![...effects].some(([, stepId]) => stepId === ended.stepId)) return error
    return new OutcomeNotRecorded({ runId, stepId: ended.stepId, reason: error.message, said: sayEnding(ended) })
  }

  #tell(entries: readonly Recorded[]): void {
    for (const entry of entries) {
      try {
        const told: unknown = this.#onEvent?.(freeze({ runId: this.#state.runId, ...entry }))
        if (isObject(told)) Promise.resolve(told).catch(() => {})
      } catch {
        // See OnEvent.
      }
    }
  }
}

type FlushFailure = RunExists | OutcomeNotRecorded | StoreUnavailable | JournalConflict

type Ending = Outcome | AttemptFailed | InDoubt

const isEnding = (event: Event): event is Ending =>
  event.kind === "outcome" || event.kind === "attempt-failed" || event.kind === "in-doubt"

function sayEnding(ended: Ending): string {
  if (ended.kind !== "outcome") return ended.failure.message
  if (ended.result === undefined) return `it answered, but ${ended.failure?.message ?? "with nothing"}`
  return `it answered ${sayResult(ended.result)}`
}

function sayResult(result: Json): string {
  try {
    return excerpt(JSON.stringify(result))
  } catch {
    return "with more than fits in one text"
  }
}

/** As deep as it is not frozen yet: results come up again in the arguments of later calls. */
function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) freeze(inner)
  return Object.freeze(value)
}
