/** Ids and randomness as a service, so that a run with a seed writes the same journal again. */

import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { sha256 } from "#sha256"

export interface IdsService {
  /** Not to be guessed: who knows one has been told it. */
  readonly make: (kind: "run" | "apr" | "own" | "salt") => string
  /** From 0 up to, but not, 1. */
  readonly random: () => number
}

export class Ids extends Context.Service<Ids, IdsService>()("sequitur/Ids") {}

export const live: Layer.Layer<Ids> = Layer.succeed(Ids, {
  make: (kind) => {
    const drawn = crypto.randomUUID().replaceAll("-", "")
    // Runs that go on side by side are kept side by side: a commit that they share writes fewer pages.
    return kind === "run" ? `run_${Date.now().toString(16).padStart(12, "0")}${drawn.slice(12)}` : `${kind}_${drawn}`
  },
  random: () => Math.random(),
})

/** The same sequence for the same seed: for tests only, for anybody can work it out. */
export const seeded = (seed: string | number): Layer.Layer<Ids> =>
  Layer.sync(Ids, () => {
    let drawn = 0
    const draw = (): string => sha256(`${seed}:${drawn++}`)
    return {
      make: (kind) => `${kind}_${draw().slice(0, 32)}`,
      random: () => Number.parseInt(draw().slice(0, 12), 16) / 0x1_0000_0000_0000,
    }
  })
