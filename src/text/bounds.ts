/** What one plan may ask of us at most. A catalog may lower or raise each (`bounds`). */
export interface Bounds {
  /** Bytes of the plan's text in UTF-8. */
  readonly textBytes: number
  /** Objects and arrays inside one another. */
  readonly depth: number
  /** Values of any kind in one document. */
  readonly nodes: number
  readonly steps: number
  /** Diagnostics shown; the rest is counted. */
  readonly diagnostics: number
  /** Bytes of one string in UTF-8. */
  readonly stringBytes: number
  /** Bytes of one tool's result as JSON in UTF-8. */
  readonly resultBytes: number
  readonly concatParts: number
  /** Characters of the plan's goal. */
  readonly goalLength: number
}

export const defaultBounds: Bounds = {
  textBytes: 1_048_576,
  depth: 64,
  nodes: 100_000,
  steps: 256,
  diagnostics: 100,
  stringBytes: 65_536,
  resultBytes: 1_048_576,
  concatParts: 32,
  goalLength: 2_000,
}
