/**
 * A process, as far as a run can tell: it has a scheduler, a clock and a view of the store of its own. Everything that goes on in it
 * is a task in its queue, so that it can be stopped for a while, or for ever, between any two of them: what was in its memory is gone
 * then, and what it has sent out is not.
 */
import { Clock, Context, Duration, Effect, type Exit, Scheduler } from "effect"
import { Ids, Journal, type JournalService, seededIds } from "sequitur/run"
import type { Timeline } from "./timeline.ts"

export type Needs = Journal | Ids

/** The wall clock of all of them. It may be set. */
export interface WallClock {
  offsetMs: number
}

export const beganMs = 1_700_000_000_000

export class Machine {
  readonly name: string
  dead = false
  frozen = false
  /** The runs that it is at work on. */
  readonly busy = new Set<string>()
  readonly #timeline: Timeline
  readonly #tasks: (() => void)[] = []
  #taken = 0
  readonly #services: Context.Context<Needs>

  constructor(name: string, timeline: Timeline, wall: WallClock, mount: (machine: Machine) => JournalService) {
    this.name = name
    this.#timeline = timeline
    const ids = Effect.runSync(Effect.provide(Ids, seededIds(name)))
    this.#services = Context.make(Journal, mount(this)).pipe(
      Context.add(Ids, ids),
      Context.add(Clock.Clock, this.#clock(wall)),
      Context.add(Scheduler.Scheduler, this.#scheduler()),
    )
  }

  get waits(): boolean {
    return !this.dead && !this.frozen && this.#taken < this.#tasks.length
  }

  push(task: () => void): void {
    if (!this.dead) this.#tasks.push(task)
  }

  step(): void {
    const task = this.#tasks[this.#taken++]
    if (this.#taken > 64 && this.#taken * 2 > this.#tasks.length) {
      this.#tasks.splice(0, this.#taken)
      this.#taken = 0
    }
    task?.()
  }

  kill(): void {
    this.dead = true
    this.#tasks.length = 0
    this.#taken = 0
  }

  run<A, E>(effect: Effect.Effect<A, E, Needs>, ended: (exit: Exit.Exit<A, E>) => void): void {
    this.push(() => {
      Effect.runForkWith(this.#services)(effect).addObserver((exit) => {
        if (!this.dead) ended(exit)
      })
    })
  }

  #scheduler(): Scheduler.Scheduler {
    return {
      executionMode: "async",
      shouldYield: (fiber) => fiber.currentOpCount >= 2_048,
      makeDispatcher: () => ({ scheduleTask: (task) => this.push(task), flush: () => {} }),
    }
  }

  #clock(wall: WallClock): Clock.Clock {
    const timeline = this.#timeline
    const wallMs = (): number => beganMs + Math.floor(timeline.nowMs) + wall.offsetMs
    const nanos = (): bigint => BigInt(Math.floor(timeline.nowMs)) * 1_000_000n
    return {
      currentTimeMillisUnsafe: wallMs,
      currentTimeMillis: Effect.sync(wallMs),
      currentTimeNanosUnsafe: () => BigInt(wallMs()) * 1_000_000n,
      currentTimeNanos: Effect.sync(() => BigInt(wallMs()) * 1_000_000n),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          const due = timeline.after(Duration.toMillis(duration), () => this.push(() => resume(Effect.void)))
          return Effect.sync(() => timeline.callOff(due))
        }),
    }
  }
}
