/** The same numbers for the same seed, so that every mutant can be made again. */
export interface Random {
  /** An integer from 0, below `end`. */
  readonly below: (end: number) => number
  readonly one: <T>(of: readonly T[]) => T | undefined
}

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (end: number): number => next() % end
  return { below, one: (of) => of[below(Math.max(1, of.length))] }
}
