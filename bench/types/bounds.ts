/** What a plan's types may cost. */
import type { Cost } from "./measure.ts"

export const bounds = {
  /** Instantiations for a step with two references, at 1,000 steps and 50 tools; at 4,000 far from the five million at which tsc gives up. */
  perStep: 760,
  /** Instantiations for a catalog of 200 zod tools, above one of none. */
  catalog: 100_000,
  /** How much longer 2,000 steps may take than 1,000. */
  growth: 2.6,
}

export const perStep = (cost: Cost, bare: Cost, steps: number): number =>
  Math.round((cost.instantiations - bare.instantiations) / steps)
