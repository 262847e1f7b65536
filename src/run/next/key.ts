/** The identity of an effect: equal calls of one task have one key, whatever run, step or spelling they come in. */
import { sha256 } from "#sha256"
import type { Once } from "../../catalog/policy.ts"
import type { Claim } from "../../journal/entry.ts"
import { type Scoped, scopeIdOf } from "../../journal/tables.ts"
import { canonical } from "../../text/canonical.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { parsePointer } from "../../text/pointer.ts"
import { hmac } from "../key-secret.ts"
import { walk } from "./resolve.ts"

export interface KeyScope extends Scoped {
  readonly subject: string
}

export interface KeyedCall {
  readonly tool: string
  readonly toolVersion: string
  readonly occurrence: number
  readonly args: JsonObject
}

/**
 * Over an array with a place for each part, so that no two parts can run into one another. `generation` rises after the effect
 * was undone, or was proved not to have happened: the outside would answer the old key with the old answer. With a secret of the tenant
 * nobody outside can find the arguments by trying.
 */
export function idempotencyKey(
  { tenant, subject, sessionId, taskId }: KeyScope,
  { tool, toolVersion, occurrence, args }: KeyedCall,
  generation = 0,
  secret?: Uint8Array,
): string {
  const parts = ["sequitur-key/1", tenant, subject, sessionId, taskId, tool, toolVersion, occurrence, generation]
  const text = `${canonical(parts).slice(0, -1)},${canonical(args, true)}]`
  return `k1:${secret === undefined ? sha256(text) : hmac(secret, text)}`
}

/** Of the call that undoes an effect: one for each effect, whatever run does it. Its key is as hard to guess as that of the effect. */
export const undoKey = (tool: string, undoneKey: string, generation = 0): string =>
  `k1:${sha256(canonical(["sequitur-undo/1", tool, undoneKey, generation]))}`

/** The business identity that a call claims. */
export function claimOf(run: KeyScope, tool: string, { by, scope }: Once, args: JsonObject): Claim {
  const values = by.map((at): Json => walk(args, parsePointer(at) ?? []) ?? null)
  return {
    scope,
    digest: sha256(canonical(["sequitur-once/1", scopeIdOf(scope, run), tool, ...values], true)),
    call: sha256(canonical([run.subject, args], true)),
  }
}
