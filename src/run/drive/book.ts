/** The state of a run that is being driven, and its entries on their way to the journal. */
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Event, Observed, Recorded } from "../../journal/entry.ts"
import { JournalConflict, type JournalDiverged, LeaseLost, type RunUnderWay, Taken } from "../../journal/failure.ts"
import type { JournalService, Lease, Writer } from "../../journal/journal.ts"
import { fold, type RunState } from "../../journal/state.ts"
import { OutcomeNotRecorded, RunExists, type StoreFailure } from "../failure.ts"
import { type OnEvent, tell } from "../listener.ts"
import { isAnswer, observedOf, sayAnswer } from "./answer.ts"
import { restand, takeIn } from "./merge.ts"

/** `overtaken`: something has come in between. What came of calls still stands; what was decided must be decided anew. */
export type Flushed = "written" | "overtaken"

/** Who drives, and for how long a lease holds. */
export interface Holder {
  readonly owner: string
  readonly leaseMs: number
}

/**
 * Entries are kept back until something outside depends on them, and then written at once: an outcome and the next intent
 * cost one write. Whoever acts must flush first.
 */
export class Book {
  readonly journal: JournalService
  readonly #holder: Holder
  readonly #clock: Clock
  readonly #onEvent: OnEvent | undefined
  /** As of the last durable entry; undefined before the first. */
  #durable: RunState | undefined
  #state: RunState
  #kept: Recorded[]
  /** Entries that were told though nobody has taken them in yet: late truths of our own calls. */
  readonly #told = new Set<number>()

  /** `kept` are entries that `state` knows of and the journal does not. */
  constructor(
    journal: JournalService,
    holder: Holder,
    clock: Clock,
    state: RunState,
    kept: readonly Recorded[],
    onEvent: OnEvent | undefined,
  ) {
    this.journal = journal
    this.#holder = holder
    this.#clock = clock
    this.#onEvent = onEvent
    this.#durable = kept.length === 0 ? state : undefined
    this.#state = state
    this.#kept = [...kept]
  }

  get state(): RunState {
    return this.#state
  }

  get lease(): Lease & { readonly epoch: number } {
    const { owner, leaseMs } = this.#holder
    return { owner, epoch: this.#state.epoch, untilMs: this.#clock.currentTimeMillisUnsafe() + leaseMs }
  }

  add(event: Event): JournalDiverged | undefined {
    const entry = { seq: this.#state.seq + 1, atMs: this.#clock.currentTimeMillisUnsafe(), event }
    const folded = fold(this.#state, entry)
    if (folded instanceof Error) return folded
    this.#state = folded
    this.#kept.push(entry)
    return undefined
  }

  /** With `release` the run is let go of: others may take it up, once it is due. */
  flush(release?: Writer["release"]): Effect.Effect<Flushed, FlushFailure> {
    const kept = this.#kept
    if (kept.length === 0 && release === undefined) return Effect.succeed("written")
    return Effect.matchEffect(this.#write(kept, release), {
      onSuccess: () => {
        this.#kept = []
        this.#durable = this.#state
        return Effect.succeed<Flushed>("written")
      },
      onFailure: (error) => this.#recover(kept, error),
    })
  }

  /** Takes in what others have written. */
  catchUp(): Effect.Effect<void, FlushFailure> {
    return this.#kept.length === 0 && this.#durable !== undefined
      ? Effect.asVoid(this.#merge([]))
      : Effect.asVoid(this.flush())
  }

  #write(entries: readonly Recorded[], release: Writer["release"]): Effect.Effect<void, AppendFailure> {
    const as = release === undefined ? this.lease : { ...this.lease, release }
    const written = this.journal.append(this.#state.runId, entries, as)
    return this.#onEvent === undefined
      ? written
      : Effect.tap(written, () => Effect.sync(() => tell(this.#onEvent, this.#state.runId, entries)))
  }

  #recover(kept: readonly Recorded[], error: AppendFailure): Effect.Effect<Flushed, FlushFailure> {
    const { runId } = this.#state
    if (error instanceof JournalConflict) {
      if (this.#durable === undefined) return Effect.fail(new RunExists({ runId }))
      return this.#merge(kept)
    }
    if (error instanceof Taken) return this.#standAgain(kept)
    this.#kept = []
    return error instanceof LeaseLost ? this.#observe(kept, error) : this.#rescue(kept, error)
  }

  /** What others wrote comes first; what came of calls follows. */
  #merge(kept: readonly Recorded[]): Effect.Effect<Flushed, FlushFailure> {
    const before = this.#durable as RunState
    return Effect.flatMap(this.journal.read(before.runId), (entries): Effect.Effect<Flushed, FlushFailure> => {
      const news = entries.slice(before.seq + 1)
      const after = takeIn(before, news)
      if (after instanceof Error) return Effect.fail(after)
      const untold = news.filter(({ seq }) => !this.#told.has(seq))
      tell(this.#onEvent, before.runId, untold)
      this.#durable = after
      return this.#standAgain(kept)
    })
  }

  /** Behind what is durable by now. */
  #standAgain(entries: readonly Recorded[]): Effect.Effect<Flushed, FlushFailure> {
    const again = restand(this.#state.runId, this.#durable, entries)
    if (again instanceof Error) return Effect.fail(again)
    this.#state = again.state
    this.#kept = again.kept
    return Effect.as(this.flush(), "overtaken")
  }

  /** The run is another's now. What came of a call is still true, and worth keeping. */
  #observe(kept: readonly Recorded[], error: LeaseLost): Effect.Effect<never, FlushFailure> {
    const observed = kept.flatMap(({ event }) => observedOf(this.#state, event) ?? [])
    return Effect.matchEffect(
      Effect.forEach(observed, (event) => this.observe(event), { discard: true }),
      {
        onSuccess: () => Effect.fail(error),
        onFailure: (failed) => Effect.fail(this.#tellLost(kept, failed)),
      },
    )
  }

  /** Writes down what a call says that nobody waits for any more; whoever holds the run. */
  observe(event: Observed): Effect.Effect<void, FlushFailure> {
    const { runId } = this.#state
    const atMs = this.#clock.currentTimeMillisUnsafe()
    return Effect.map(appendForeign(this.journal, runId, atMs, event), (seq) => {
      this.#told.add(seq)
      tell(this.#onEvent, runId, [{ seq, atMs, event }])
    })
  }

  /** What came of a call is worth a second try, without what follows from it: that may be what could not be written. */
  #rescue(kept: readonly Recorded[], error: AppendFailure): Effect.Effect<never, FlushFailure> {
    const length = kept.findLastIndex(({ event }) => isAnswer(event)) + 1
    if (length === 0 || length === kept.length) return Effect.fail(this.#tellLost(kept, error as FlushFailure))
    return Effect.matchEffect(this.#write(kept.slice(0, length), undefined), {
      onFailure: () => Effect.fail(this.#tellLost(kept, error as FlushFailure)),
      onSuccess: () => Effect.fail(error as FlushFailure),
    })
  }

  /** What came of an effect is known here only: it goes with the error, or it is lost. */
  #tellLost(kept: readonly Recorded[], error: FlushFailure): FlushFailure {
    const { runId, effects } = this.#state
    const ended = kept.map(({ event }) => event).find(isAnswer)
    if (ended === undefined || ![...effects].some(([, stepId]) => stepId === ended.stepId)) return error
    return new OutcomeNotRecorded({ runId, stepId: ended.stepId, reason: error.message, said: sayAnswer(ended) })
  }
}

/** An entry that anybody may write, after whatever is there by now. Gives back its number. */
const appendForeign = (
  journal: JournalService,
  runId: string,
  atMs: number,
  event: Event,
): Effect.Effect<number, FlushFailure> =>
  Effect.suspend(() =>
    Effect.flatMap(journal.read(runId), ({ length: seq }) =>
      Effect.as(journal.append(runId, [{ seq, atMs, event }]), seq),
    ),
  ).pipe(
    Effect.retry({ times: conflictsMax, while: (error) => error instanceof JournalConflict }),
    Effect.catchTag("Taken", () => Effect.die("a foreign entry asks for nothing")),
  )

/** How often others may be first. */
const conflictsMax = 100

type AppendFailure = Effect.Error<ReturnType<JournalService["append"]>>

export type FlushFailure = RunExists | RunUnderWay | LeaseLost | OutcomeNotRecorded | StoreFailure
