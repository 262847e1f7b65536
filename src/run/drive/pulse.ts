/** Keeps hold of a run while it is driven, and notices what others write to it meanwhile. */
import type { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Fiber } from "effect/Fiber"
import { LeaseLost } from "../../journal/failure.ts"
import type { Book } from "./book.ts"

/** How often others are looked out for, in milliseconds: a cancelled read is cut off within that. */
const lookMs = 1_000

export class Pulse {
  readonly #book: Book
  readonly #clock: Clock
  readonly #fibers: readonly Fiber<void>[]
  readonly #stopping: () => boolean
  #onNews: (() => void) | undefined
  #onStop: (() => void) | undefined
  #news = false

  constructor(
    book: Book,
    clock: Clock,
    leaseMs: number,
    fork: (effect: Effect.Effect<void>) => Fiber<void>,
    stopping: () => boolean,
  ) {
    this.#book = book
    this.#clock = clock
    this.#stopping = stopping
    this.#fibers = [fork(this.#every(leaseMs / 3, () => this.#renew())), fork(this.#every(lookMs, () => this.#look()))]
  }

  close(): void {
    for (const fiber of this.#fibers) fiber.interruptUnsafe()
  }

  /** Whether others wrote something, or the run was taken over, since this was last asked. */
  takeNews(): boolean {
    const news = this.#news
    this.#news = false
    return news
  }

  /** Calls `onNews` once there is some, until what it gives back is called. */
  watch(onNews: () => void): () => void {
    this.#onNews = onNews
    if (this.#news) onNews()
    return () => {
      this.#onNews = undefined
    }
  }

  /** Sleeps, but not past news, nor for long where the run is to be let go of. */
  sleep(ms: number): Effect.Effect<void> {
    const news = Effect.callback<void>((resume) => {
      const wake = (): void => resume(Effect.void)
      const stop = this.watch(wake)
      this.#onStop = wake
      return Effect.sync(() => {
        this.#onStop = undefined
        stop()
      })
    })
    return Effect.raceFirst(this.#clock.sleep(Duration.millis(ms)), news)
  }

  #every(ms: number, act: () => Effect.Effect<void>): Effect.Effect<void> {
    return Effect.forever(Effect.andThen(this.#clock.sleep(Duration.millis(Math.ceil(ms))), Effect.suspend(act)))
  }

  /** A store that does not answer now is asked again; who has lost the run is told so at once. */
  #renew(): Effect.Effect<void> {
    const { state, lease, journal } = this.#book
    return Effect.match(journal.renew(state.runId, lease), {
      onSuccess: () => {},
      onFailure: (error) => {
        if (error instanceof LeaseLost) this.#tell()
      },
    })
  }

  #look(): Effect.Effect<void> {
    if (this.#stopping()) this.#onStop?.()
    const { state, journal } = this.#book
    return Effect.match(journal.look(state.runId), {
      onSuccess: (last) => {
        if (last !== undefined && (last.seq > state.seq || last.epoch > state.epoch)) this.#tell()
      },
      onFailure: () => {},
    })
  }

  #tell(): void {
    this.#news = true
    this.#onNews?.()
  }
}
