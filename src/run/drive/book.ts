/** The state of a run that is being driven, and its entries on their way to the journal. */
import type { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Event, Observed, Recorded } from "../../journal/entry.ts"
import {
  JournalConflict,
  type JournalDiverged,
  LeaseLost,
  type RunUnderWay,
  StoreUnavailable,
  Taken,
} from "../../journal/failure.ts"
import type { JournalService, Lease, Writer } from "../../journal/journal.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import { fold, type RunState } from "../../journal/state.ts"
import { OutcomeNotRecorded, RunExists, type StoreFailure } from "../failure.ts"
import { type OnEvent, tell } from "../listener.ts"
import { type Answer, isAnswer, observedOf, sayAnswer } from "./answer.ts"
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
  /** Since when what came of an effect cannot be written. */
  #failingSinceMs: number | undefined
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

  /** As it will be once all is written that is still to be written: what could not be was given up. */
  get standing(): RunState {
    return this.#kept.length === 0 && this.#durable !== undefined ? this.#durable : this.#state
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
        this.#failingSinceMs = undefined
        this.#durable = this.#state
        return Effect.succeed<Flushed>("written")
      },
      onFailure: (error) => this.#recover(kept, error, release),
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

  #recover(
    kept: readonly Recorded[],
    error: AppendFailure,
    release: Writer["release"],
  ): Effect.Effect<Flushed, FlushFailure> {
    const { runId } = this.#state
    if (error instanceof JournalConflict) {
      if (this.#durable === undefined) return Effect.fail(new RunExists({ runId }))
      return this.#merge(kept)
    }
    if (error instanceof Taken) return this.#standAgain(kept)
    if (!(error instanceof LeaseLost)) return this.#rescue(kept, error, release)
    this.#kept = []
    return this.#observe(kept, error)
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
    const written = appendForeign(this.journal, runId, atMs, event).pipe(
      Effect.retry({ times: patienceMs / retryMs, while: isPassing, schedule: Schedule.spaced(retryMs) }),
    )
    return Effect.map(written, (seq) => {
      this.#told.add(seq)
      tell(this.#onEvent, runId, [{ seq, atMs, event }])
    })
  }

  /**
   * What came of a call is worth a second try, without what follows from it: that may be what could not be written. And many more,
   * where the trouble may pass: nobody else can write either, and whoever takes the run over first is told what the call has said.
   */
  #rescue(
    kept: readonly Recorded[],
    error: AppendFailure,
    release: Writer["release"],
  ): Effect.Effect<Flushed, FlushFailure> {
    const giveUp = Effect.suspend(() => {
      this.#kept = []
      return Effect.fail(this.#tellLost(kept, error as FlushFailure))
    })
    const length = kept.findLastIndex(({ event }) => isAnswer(event)) + 1
    if (length === 0) return giveUp
    // That the store is locked has nothing to do with what is to be written.
    const whole = length === kept.length || (error instanceof StoreUnavailable && error.trouble === "busy")
    const alone = whole ? Effect.fail(error) : this.#write(kept.slice(0, length), undefined)
    return Effect.matchEffect(alone, {
      onFailure: () => {
        const pause = this.#mayPass(kept, error)
        return pause === undefined ? giveUp : Effect.andThen(pause, this.flush(release))
      },
      onSuccess: () => {
        this.#kept = []
        return Effect.fail(error as FlushFailure)
      },
    })
  }

  /** How to wait until the next try; undefined where there is none. Nothing is lost of a read. */
  #mayPass(kept: readonly Recorded[], error: AppendFailure): Effect.Effect<void> | undefined {
    if (!isPassing(error) || this.#endedEffect(kept) === undefined) return undefined
    const nowMs = this.#clock.currentTimeMillisUnsafe()
    // A clock that is set back makes nobody wait for longer.
    this.#failingSinceMs = Math.min(this.#failingSinceMs ?? nowMs, nowMs)
    return nowMs - this.#failingSinceMs > patienceMs
      ? undefined
      : Effect.interruptible(this.#clock.sleep(Duration.millis(retryMs)))
  }

  #endedEffect(kept: readonly Recorded[]): Answer | undefined {
    const ended = kept.map(({ event }) => event).find(isAnswer)
    return ended && [...this.#state.effects].some(([, stepId]) => stepId === ended.stepId) ? ended : undefined
  }

  /** What came of an effect is known here only: it goes with the error, or it is lost. */
  #tellLost(kept: readonly Recorded[], error: FlushFailure): FlushFailure {
    const { runId } = this.#state
    const ended = this.#endedEffect(kept)
    if (ended === undefined) return error
    // An error ends in somebody's log.
    const secrets = RunSecrets.in(this.#state)
    secrets.note(ended)
    const said = sayAnswer(secrets.redactEvent(ended))
    return new OutcomeNotRecorded({ runId, stepId: ended.stepId, reason: error.message, said })
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
export const conflictsMax = 100

/** How long, and how often, it is tried to write down what nobody else knows, in milliseconds. */
const patienceMs = 300_000
const retryMs = 500

/** Another process that writes, and a disk that is full, may be gone in a while. */
const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailable && (error.trouble === "busy" || error.trouble === "full")

type AppendFailure = Effect.Error<ReturnType<JournalService["append"]>>

export type FlushFailure = RunExists | RunUnderWay | LeaseLost | OutcomeNotRecorded | StoreFailure
