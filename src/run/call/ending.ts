/** How a call ended, as plain data: it may come from another process. */
import { describeThrown } from "./describe.ts"
import { NotApplied } from "./not-applied.ts"

export type Ending<Value> = Answer<Value> | { readonly kind: "late" | "cut-off" }

/** What the handler itself has said. */
export type Answer<Value> = { readonly kind: "returned"; readonly value: Value } | Threw | TooLate

/** Its handler was not called: by then, it would have come after it was settled. */
export interface TooLate {
  readonly kind: "too-late"
}

export interface Threw {
  readonly kind: "threw"
  readonly said: string
  /** By its own word nothing has happened outside. */
  readonly notApplied: boolean
}

export const threw = (error: unknown): Threw => ({
  kind: "threw",
  said: describeThrown(error),
  notApplied: isNotApplied(error),
})

/** A proxy may throw when it is asked what it is. */
function isNotApplied(error: unknown): boolean {
  try {
    return error instanceof NotApplied
  } catch {
    return false
  }
}
