/** What a victim is told, and what it says at its end. */
import * as Effect from "effect/Effect"
import type { Entry, JournalService } from "sequitur/run"
import { tellFinding, verifyStore } from "../../src/journal/verify.ts"
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
  readonly keep?: Keep
}

/** At each point everything that would outlive it is copied, to the state that is called `as` and the point's number: see `stateAt`. */
export interface Keep {
  readonly as: string
  /** Also at points that leave the same behind as the next; otherwise the last of these is enough. */
  readonly each: boolean
}

export const stateAt = (as: string, at: number): string => `${as}-${at}`

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
  /** Left out where the store could not be opened. */
  readonly kept?: Kept
}

/** What the store itself says of what is in it. */
export interface Kept {
  readonly entries: readonly Entry[]
  /** What is wrong with its chain, its tables or its file. */
  readonly findings: readonly string[]
}

/** Read and verified. */
export const keptIn = (journal: JournalService): Promise<Kept> =>
  Effect.runPromise(
    Effect.all({
      entries: journal.read(runId),
      findings: journal.inspect((whole) => verifyStore(whole).findings.map(tellFinding)),
    }),
  )
