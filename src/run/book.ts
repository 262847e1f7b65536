/** The state of a run that is being driven, and its entries on their way to the journal. */
import type { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import {
  type AnswerLost,
  type AttemptFailed,
  type Event,
  isForeign,
  type Observed,
  type Outcome,
  type Reconciled,
  type Recorded,
} from "../journal/entry.ts"
import {
  JournalConflict,
  type JournalDiverged,
  LeaseLost,
  type RunUnderWay,
  StoreUnavailable,
  Taken,
} from "../journal/failure.ts"
import type { JournalService, Lease, Writer } from "../journal/journal.ts"
import { begin, fold, type RunState } from "../journal/state.ts"
import { isObject, type Json } from "../text/json.ts"
import { excerpt } from "./call/describe.ts"
import { OutcomeNotRecorded, RunExists, type StoreFailure } from "./failure.ts"

export interface RunEntry extends Recorded {
  readonly runId: string
}

/** Told of each entry once it is durable. What it throws or rejects is ignored, and entries are frozen: a listener does not
 *  change a run. */
export type OnEvent = (entry: RunEntry) => void

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
    const written = this.journal.append(this.#state.runId, entries, {
      ...this.lease,
      ...(release === undefined ? {} : { release }),
    })
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
    if (error instanceof Taken) {
      const diverged = this.#restand(kept)
      if (diverged !== undefined) return Effect.fail(diverged)
      return Effect.as(this.flush(), "overtaken")
    }
    if (!(error instanceof LeaseLost)) return this.#rescue(kept, error, release)
    this.#kept = []
    return this.#observe(kept, error)
  }

  /** What others wrote comes first; what came of calls follows. */
  #merge(kept: readonly Recorded[]): Effect.Effect<Flushed, FlushFailure> {
    const before = this.#durable as RunState
    return Effect.flatMap(this.journal.read(before.runId), (entries): Effect.Effect<Flushed, FlushFailure> => {
      let state = before
      for (const entry of entries.slice(before.seq + 1)) {
        if (!isForeign(entry.event)) return Effect.fail(new LeaseLost({ runId: before.runId }))
        const folded = fold(state, entry)
        if (folded instanceof Error) return Effect.fail(folded)
        state = folded
      }
      const news = entries.slice(before.seq + 1).filter(({ seq }) => !this.#told.has(seq))
      tell(
        this.#onEvent,
        before.runId,
        news.map(({ seq, atMs, event }) => ({ seq, atMs, event })),
      )
      this.#durable = state
      const diverged = this.#restand(kept)
      if (diverged !== undefined) return Effect.fail(diverged)
      return Effect.as(this.flush(), "overtaken")
    })
  }

  /**
   * Puts entries after the last durable one anew: what came of calls. What was decided, and may be decided otherwise now, is dropped
   * with all that follows.
   */
  #restand(kept: readonly Recorded[]): JournalDiverged | undefined {
    const [first] = kept
    // A run that has not begun yet begins all the same.
    const begun = this.#durable === undefined && first !== undefined ? begin(this.#state.runId, first) : undefined
    const before = this.#durable ?? begun
    if (before === undefined || before instanceof Error) throw new Error("a run begins with its first entry")
    this.#state = before
    this.#kept = begun === undefined || first === undefined ? [] : [first]
    for (const { atMs, event } of kept.slice(this.#kept.length)) {
      if (!isEnding(event)) return undefined
      const entry = { seq: this.#state.seq + 1, atMs, event }
      const folded = fold(this.#state, entry)
      // A late answer may have settled what the outside was asked about.
      if (folded instanceof Error) return event.kind === "reconciled" ? undefined : folded
      this.#state = folded
      this.#kept.push(entry)
    }
    return undefined
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
    const length = kept.findLastIndex(({ event }) => isEnding(event)) + 1
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
    this.#failingSinceMs ??= nowMs
    return nowMs - this.#failingSinceMs > patienceMs
      ? undefined
      : Effect.interruptible(this.#clock.sleep(Duration.millis(retryMs)))
  }

  #endedEffect(kept: readonly Recorded[]): Ending | undefined {
    const ended = kept.map(({ event }) => event).find(isEnding)
    return ended && [...this.#state.effects].some(([, stepId]) => stepId === ended.stepId) ? ended : undefined
  }

  /** What came of an effect is known here only: it goes with the error, or it is lost. */
  #tellLost(kept: readonly Recorded[], error: FlushFailure): FlushFailure {
    const { runId } = this.#state
    const ended = this.#endedEffect(kept)
    if (ended === undefined) return error
    return new OutcomeNotRecorded({ runId, stepId: ended.stepId, reason: error.message, said: sayEnding(ended) })
  }
}

/** Tells a listener of entries that are durable. */
export function tell(onEvent: OnEvent | undefined, runId: string, entries: readonly Recorded[]): void {
  if (onEvent === undefined) return
  for (const entry of entries) {
    try {
      const told: unknown = onEvent(freeze({ runId, ...entry }))
      if (isObject(told)) Promise.resolve(told).catch(() => {})
    } catch {
      // See OnEvent.
    }
  }
}

/** An entry that anybody may write, after whatever is there by now. Gives back its number. */
export const appendForeign = (
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

type Ending = Outcome | AttemptFailed | AnswerLost | Reconciled

const isEnding = (event: Event): event is Ending =>
  event.kind === "outcome" ||
  event.kind === "attempt-failed" ||
  event.kind === "answer-lost" ||
  event.kind === "reconciled"

/** What is known of an effect, as an observation; nothing of a read. */
function observedOf({ effects }: RunState, event: Event): Observed | undefined {
  if (event.kind !== "outcome" && event.kind !== "attempt-failed" && event.kind !== "answer-lost") return undefined
  const key = [...effects].findLast(([, stepId]) => stepId === event.stepId)?.[0]
  if (key === undefined) return undefined
  const { stepId, attempt, undoes } = event
  const about = {
    kind: "observed",
    stepId,
    attempt,
    ...(undoes === undefined ? {} : { undoes }),
    idempotencyKey: key,
  } as const
  if (event.kind === "outcome") {
    const { result, failure } = event
    return {
      ...about,
      answer: "answered",
      ...(result === undefined ? {} : { result }),
      ...(failure === undefined ? {} : { failure }),
    }
  }
  return { ...about, answer: event.kind === "attempt-failed" ? "not-applied" : "threw", failure: event.failure }
}

function sayEnding(ended: Ending): string {
  if (ended.kind === "reconciled") return `asked what became of it, its tool said: ${ended.answer}`
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
