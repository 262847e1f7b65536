/** The idempotency key of an effect: equal calls of one task have one key, whatever run, step or spelling they come in. */
import { sha256 } from "#sha256"
import { canonical } from "../../text/canonical.ts"
import type { JsonObject } from "../../text/json.ts"

export interface KeyScope {
  readonly tenant: string
  readonly subject: string
  readonly sessionId: string
  readonly taskId: string
}

export interface KeyedCall {
  readonly tool: string
  readonly toolVersion: string
  readonly occurrence: number
  readonly args: JsonObject
}

/** Rises after a compensation, or a proof that nothing was applied; neither exists yet. */
const generation = 0

/** Over an array with a place for each part, so that no two parts can run into one another. */
export function idempotencyKey(scope: KeyScope, { tool, toolVersion, occurrence, args }: KeyedCall): string {
  const { tenant, subject, sessionId, taskId } = scope
  const parts = ["sequitur-key/1", tenant, subject, sessionId, taskId, tool, toolVersion, occurrence, generation]
  return `k1:${sha256(`${canonical(parts).slice(0, -1)},${canonical(args)}]`)}`
}
