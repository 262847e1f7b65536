/** Tells a listener of entries that are durable. */
import type { Recorded } from "../journal/entry.ts"
import { isObject } from "../text/json.ts"

export interface RunEntry extends Recorded {
  readonly runId: string
}

/** Told of each entry once it is durable. What it throws or rejects is ignored, and entries are frozen: a listener does not
 *  change a run. */
export type OnEvent = (entry: RunEntry) => void

export function tell(onEvent: OnEvent | undefined, runId: string, entries: readonly Recorded[]): void {
  if (onEvent === undefined) return
  for (const { seq, atMs, event } of entries) {
    try {
      const told: unknown = onEvent(freeze({ runId, seq, atMs, event }))
      if (isObject(told)) Promise.resolve(told).catch(() => {})
    } catch {
      // See OnEvent.
    }
  }
}

/** As deep as it is not frozen yet: results come up again in the arguments of later calls. */
function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) freeze(inner)
  return Object.freeze(value)
}
