/** What a plan's types may cost. */
import type { Cost } from "./measure.ts"

export const bounds = {
  /** Instantiations for a step with two references, at 1,000 steps and 50 tools. */
  perStep: 1_250,
}

export const perStep = (cost: Cost, bare: Cost, steps: number): number =>
  Math.round((cost.instantiations - bare.instantiations) / steps)
