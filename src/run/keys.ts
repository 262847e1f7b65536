/** The idempotency keys of a plan's literal effects, before anything runs: to look them up in the outside system, say. */
import type { Catalog } from "../catalog/catalog.ts"
import type { CompiledPlan } from "../check/compiled.ts"
import type { JsonObject } from "../text/json.ts"
import type { InputsRefused, StalePlan } from "./failure.ts"
import { type KeySecret, secretOf } from "./key-secret.ts"
import { idempotencyKey, type KeyScope } from "./next/key.ts"
import { prepare } from "./next/prepare.ts"

/**
 * By step id, of every effect whose arguments are all literal: the key of its first generation, as a run in this scope would
 * send it. Others depend on results.
 */
export function keys(
  plan: CompiledPlan,
  catalog: Catalog,
  scope: KeyScope & { readonly keySecret?: KeySecret },
): ReadonlyMap<string, string> | StalePlan | InputsRefused {
  const secret = secretOf(scope.keySecret, scope.tenant)
  if (secret instanceof Error) return secret
  const ready = prepare(plan, catalog)
  if (ready instanceof Error) return ready
  const found = new Map<string, string>()
  for (const step of ready.steps) {
    if (step.kind !== "call" || !step.tool.mutates || step.step.args.kind !== "literal") continue
    const { name: tool, version: toolVersion } = step.tool
    const args = step.step.args.value as JsonObject
    found.set(
      step.step.id,
      idempotencyKey(scope, { tool, toolVersion, occurrence: step.step.occurrence, args }, 0, secret),
    )
  }
  return found
}
