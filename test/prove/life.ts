/** What a victim is told, and what it says at its end. */
import type { Fate, Passed } from "./points.ts"
import type { Shape } from "./zoo.ts"

export const runId = "run"

export interface Life {
  /** Ids and chance come of it: the same seed, the same life. */
  readonly seed: string
  /** The folder of its files, which is the name of its ground outside as well. */
  readonly state: string
  readonly shape: Shape
  readonly way: "run" | "resume" | "take-over"
  /** Said before the run is taken up. */
  readonly word?: Word
  readonly fate?: Fate
  /** At each point everything that would outlive it is copied, to the state of this name and the point's number: see `stateAt`. */
  readonly keepAs?: string
}

export const stateAt = (keepAs: string, at: number): string => `${keepAs}-${at}`

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
