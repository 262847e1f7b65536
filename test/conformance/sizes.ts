/** How much is made at random. */
export interface Sizes {
  readonly seed: number
  /** Mutants of each kind made of each plan. */
  readonly mutants: number
  /** Of schemas and values, in all languages together. */
  readonly pairs: number
  /** Generated, for two compilers. */
  readonly plans: number
}

/** Of each kind and plan four: more than 20,000 in all. */
export const sizes: Sizes = { seed: 20_261_130, mutants: 4, pairs: 102_000, plans: 20_000 }
