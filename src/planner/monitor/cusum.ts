/**
 * Whether a share has fallen, told call by call: a one-sided CUSUM of log-likelihood ratios (E. S. Page, "Continuous Inspection
 * Schemes", Biometrika 41, 1954), for shares as in M. R. Reynolds and Z. G. Stoumbos, "A CUSUM Chart for Monitoring a Proportion
 * When Inspecting Continuously", Journal of Quality Technology 31, 1999.
 *
 * Where the share is no lower than the usual one, a sum that begins at any one call passes ln(A) with a chance of 1/A at the most
 * (Ville's inequality): within n calls there is a false alarm with a chance of n/A at the most, and A calls lie between two on
 * average, at least (G. Lorden, "Procedures for Reacting to a Change in Distribution", Annals of Mathematical Statistics 42, 1971).
 * The usual share is learnt, and taken from below (E. B. Wilson's bound, 1927), so that few calls do not make it too high.
 */
export interface CusumOptions {
  /** Calls by which the usual share is learnt; nothing is told before. */
  readonly learn: number
  /** By how much a share has to fall, to be found soon. */
  readonly fall: number
  /** A: calls between two false alarms. */
  readonly between: number
}

export class Cusum {
  readonly #options: CusumOptions
  #learnt = 0
  #good = 0
  #sum = 0
  #steps: { readonly usual: number; readonly good: number; readonly bad: number } | undefined

  constructor(options: CusumOptions) {
    this.#options = options
  }

  /** The lower bound of what is usual; undefined while it is learnt. */
  get usual(): number | undefined {
    return this.#steps?.usual
  }

  /** True when it has fallen. Then it begins again, from what it has learnt. */
  note(good: boolean): boolean {
    if (this.#steps === undefined) {
      this.#learn(good)
      return false
    }
    this.#sum = Math.max(0, this.#sum + (good ? this.#steps.good : this.#steps.bad))
    if (this.#sum < Math.log(this.#options.between)) return false
    this.#sum = 0
    return true
  }

  /** As if nothing had been counted; `learn`: and nothing been learnt. */
  reset(learn: boolean): void {
    this.#sum = 0
    if (!learn) return
    this.#steps = undefined
    this.#learnt = 0
    this.#good = 0
  }

  #learn(good: boolean): void {
    const { learn, fall } = this.#options
    this.#learnt++
    if (good) this.#good++
    if (this.#learnt < learn) return
    const usual = Math.min(usualMax, Math.max(usualMin, lowerBound(this.#good, this.#learnt)))
    const fallen = Math.max(usual - fall, usual / 2)
    this.#steps = { usual, good: Math.log(fallen / usual), bad: Math.log((1 - fallen) / (1 - usual)) }
  }
}

/** Nothing is always right: one refusal alone says little. */
const usualMax = 0.99
const usualMin = 0.01

/** Of the share, that 99 of 100 samples lie above (Wilson, one-sided). */
export function lowerBound(good: number, of: number): number {
  const z = 2.326
  const share = good / of
  const spread = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))
  return (share + z ** 2 / (2 * of) - spread) / (1 + z ** 2 / of)
}
