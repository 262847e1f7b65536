/**
 * One clock for the outside world and all who are killed: eight bytes in a file. It stands still while anything is under way, and
 * where all that is left to do is to wait, it goes at once to where the first waits for. So a day costs nothing, and the same
 * life has the same times.
 */
import { closeSync, openSync, readSync, writeFileSync, writeSync } from "node:fs"
import type { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

const bytesOf = (ms: number): Float64Array => new Float64Array([ms])

export const writeClock = (file: string, ms: number): void => writeFileSync(file, bytesOf(ms))

export function readClock(file: string): number {
  const fd = openSync(file, "r")
  try {
    return readFrom(fd)
  } finally {
    closeSync(fd)
  }
}

function readFrom(fd: number): number {
  const bytes = bytesOf(0)
  readSync(fd, bytes, 0, 8, 0)
  return bytes[0] as number
}

interface Sleeper {
  readonly untilMs: number
  readonly wake: () => void
}

/** Turns of the event loop without any sign of work, until time goes on. */
const quietTurns = 8

export class SharedClock implements Clock {
  readonly #fd: number
  readonly #sleepers = new Set<Sleeper>()
  /** Of what is under way outside. */
  #busy = 0
  #signs = 0
  #watching = false
  #stopped = false
  /** What time it is, where nobody else sets it. */
  #ms: number | undefined

  constructor(file: string, alone: boolean) {
    this.#fd = openSync(file, "r+")
    if (alone) this.#ms = readFrom(this.#fd)
  }

  currentTimeMillisUnsafe(): number {
    return this.#ms ?? readFrom(this.#fd)
  }
  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.currentTimeMillisUnsafe()) * 1_000_000n
  }
  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const ms = Duration.toMillis(duration)
    if (!Number.isFinite(ms)) return Effect.never
    return Effect.callback((resume) => {
      const wakes = this.#sleepUntil(this.currentTimeMillisUnsafe() + ms, () => resume(Effect.void))
      return Effect.sync(() => this.#sleepers.delete(wakes))
    })
  }

  until(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#sleepUntil(ms, resolve))
  }

  /** Nothing that waits is woken any more. */
  stop(): void {
    this.#ms = this.currentTimeMillisUnsafe()
    this.#stopped = true
    this.#sleepers.clear()
    closeSync(this.#fd)
  }

  /** Something is done outside meanwhile: time stands still. */
  async during<A>(work: Promise<A>): Promise<A> {
    this.#busy += 1
    try {
      return await work
    } finally {
      this.#busy -= 1
      this.sign()
    }
  }

  /** Somebody is at work. */
  sign(): void {
    if (this.#stopped) return
    this.#signs += 1
    if (!this.#watching && this.#sleepers.size > 0) {
      this.#watching = true
      this.#watch(this.#signs, 0)
    }
  }

  #sleepUntil(untilMs: number, wake: () => void): Sleeper {
    const sleeper = { untilMs, wake }
    if (!this.#stopped) this.#sleepers.add(sleeper)
    this.sign()
    return sleeper
  }

  #watch(signs: number, turns: number): void {
    setImmediate(() => {
      if (this.#stopped) return
      if (this.#busy > 0 || this.#sleepers.size === 0) this.#watching = false
      else if (signs !== this.#signs) this.#watch(this.#signs, 0)
      else if (turns < quietTurns) this.#watch(signs, turns + 1)
      else {
        this.#watching = false
        this.#goOn()
      }
    })
  }

  #goOn(): void {
    const [first] = [...this.#sleepers].sort((one, other) => one.untilMs - other.untilMs)
    if (first === undefined) return
    this.#sleepers.delete(first)
    if (first.untilMs > this.currentTimeMillisUnsafe()) {
      writeSync(this.#fd, bytesOf(first.untilMs), 0, 8, 0)
      if (this.#ms !== undefined) this.#ms = first.untilMs
    }
    first.wake()
    this.sign()
  }
}
