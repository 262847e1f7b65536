/** One timer for all the calls of a run. Only one call is under way at a time, and most answer long before their time: a timer of
 *  its own for each would cost more than the rest of the step. */
import type { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Fiber } from "effect/Fiber"

type Fork = (effect: Effect.Effect<void>) => Fiber<void>

export class Watch {
  readonly #clock: Clock
  readonly #fork: Fork
  #fiber: Fiber<void> | undefined
  #wakesAtMs = 0
  #current: { readonly endsAtMs: number; readonly onLate: () => void } | undefined

  constructor(clock: Clock, fork: Fork) {
    this.#clock = clock
    this.#fork = fork
  }

  /** Milliseconds of a clock that is never set back. */
  nowMs(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6
  }

  /** Of the clock on the wall, which may be. */
  wallMs(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  /** Calls `onLate` once, at that time, unless stopped before. */
  start(endsAtMs: number, onLate: () => void): void {
    this.#current = { endsAtMs, onLate }
    if (this.#fiber !== undefined && this.#wakesAtMs <= endsAtMs) return
    this.close()
    this.#wakesAtMs = endsAtMs
    this.#fiber = this.#fork(this.#loop())
  }

  stop(): void {
    this.#current = undefined
  }

  close(): void {
    this.#fiber?.interruptUnsafe()
    this.#fiber = undefined
  }

  /** Sleeps until the call that is under way then would be late; it ends when there is none. */
  #loop(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const current = this.#current
      if (current === undefined) {
        this.#fiber = undefined
        return Effect.void
      }
      const leftMs = current.endsAtMs - this.nowMs()
      if (leftMs > 0) {
        this.#wakesAtMs = current.endsAtMs
        return Effect.andThen(this.#clock.sleep(Duration.millis(Math.ceil(leftMs))), this.#loop())
      }
      this.#current = undefined
      current.onLate()
      return this.#loop()
    })
  }
}
