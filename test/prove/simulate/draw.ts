/** All that is left to chance in one story, from its seed: what is drawn, and which faults strike. */

/** 32 bits that look random, of a seed and a number. */
function mix(seed: number, number: number): number {
  let mixed = (Math.imul(seed ^ (seed >>> 16), 0x21f0aaad) + Math.imul(number + 1, 0x9e3779b9)) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

export class Draw {
  readonly #seed: number
  #drawn = 0

  constructor(seed: number, stream: number) {
    this.#seed = mix(seed, stream)
  }

  /** From 0 up to, but not, that many. */
  below(many: number): number {
    return mix(this.#seed, this.#drawn++) % many
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  of<One>(all: readonly One[]): One {
    return all[this.below(all.length)] as One
  }
}

export interface Struck {
  /** Of the chances that there were, which this was. */
  readonly chance: number
  readonly what: string
  readonly atMs: number
}

/**
 * Faults. Each chance strikes, or not, by its own number, whatever became of the others: so that a story that goes wrong can be told
 * again without some of them.
 */
export class Chances {
  readonly struck: Struck[] = []
  readonly #seed: number
  readonly #rate: number
  readonly #spared: ReadonlySet<number>
  readonly #nowMs: () => number
  #met = 0
  #calm = false

  /** `rate` in a thousand, for a fault of weight 1. */
  constructor(seed: number, rate: number, spared: ReadonlySet<number>, nowMs: () => number) {
    this.#seed = mix(seed, 77)
    this.#rate = rate
    this.#spared = spared
    this.#nowMs = nowMs
  }

  /** From here on all goes well. */
  calm(): void {
    this.#calm = true
  }

  get isCalm(): boolean {
    return this.#calm
  }

  /** One of them, or none. Each is as likely as it weighs. */
  strike<What extends string>(faults: { readonly [Name in What]?: number }): What | undefined {
    const chance = this.#met++
    if (this.#calm || this.#spared.has(chance)) return undefined
    let left = (mix(this.#seed, chance) % 1_000_000) / 1_000
    for (const what of Object.keys(faults) as What[]) {
      left -= this.#rate * (faults[what] ?? 0)
      if (left >= 0) continue
      this.struck.push({ chance, what, atMs: this.#nowMs() })
      return what
    }
    return undefined
  }
}
