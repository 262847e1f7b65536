/** What a compiler says of a plan, as far as two compilers must agree on it. */
import type { Code } from "../../src/diagnostic/codes.ts"
import type { Pointer } from "../../src/text/pointer.ts"

export interface Verdict {
  readonly accepted: boolean
  /** `code at`, sorted; the same twice where it is told twice. */
  readonly told: readonly string[]
  /** Of an accepted plan: `dimension count` for the worst it can do in each, without what was spent before. */
  readonly worst: readonly string[]
}

export interface Fault {
  readonly code: Code
  readonly at: Pointer
}

export type Tell = (code: Code, at: Pointer) => void
