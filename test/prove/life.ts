/** What a victim is told, and what it says at its end. */
import type { Fate, Passed } from "./points.ts"
import type { Shape } from "./zoo.ts"

export const runId = "run"

export interface Life {
  readonly id: string
  /** Ids and chance come of it: the same seed, the same life. */
  readonly seed: string
  readonly store: string
  readonly clock: string
  readonly socket: string
  readonly ground: string
  readonly shape: Shape
  readonly way: "run" | "resume" | "take-over"
  /** Said before the run is taken up. */
  readonly word?: Word
  readonly fate?: Fate
}

/** What a person has found out of the step in doubt. */
export interface Word {
  readonly stepId: string
  /** Left out where it has not happened. */
  readonly did?: string
}

/** How a life ended that nobody has ended. */
export interface Ended {
  /** A status, or the tag of an error. */
  readonly ended: string
  readonly message?: string
  readonly points: readonly Passed[]
}
