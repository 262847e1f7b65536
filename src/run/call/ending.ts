/** How a call ended, as plain data: it may come from another process. */
import { describeThrown } from "./describe.ts"
import { NotApplied, readTime } from "./not-applied.ts"

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
  /** When it may be called again, where it says so. */
  readonly retryAfterMs?: number
}

export const threw = (error: unknown): Threw => ({ kind: "threw", said: describeThrown(error), ...wordOf(error) })

/** A proxy may throw when it is asked what it is. */
function wordOf(error: unknown): Pick<Threw, "notApplied" | "retryAfterMs"> {
  try {
    if (!(error instanceof NotApplied)) return { notApplied: false }
    const retryAfterMs = readTime(error.retryAfterMs)
    return { notApplied: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  } catch {
    return { notApplied: false }
  }
}
