/** What is committed or in doubt of limits that reach beyond one run. */
import * as Effect from "effect/Effect"
import type { Catalog } from "../catalog/catalog.ts"
import type { JournalService } from "../journal/journal.ts"
import { scopeIdOf } from "../journal/tables.ts"
import { admitName } from "./admit.ts"
import type { InputsRefused, StoreFailure } from "./failure.ts"

export interface Spending {
  readonly tenant: string
  readonly sessionId: string
  readonly taskId: string
}

/** By dimension, as `compile` takes it: `compile(catalog, text, { spent: await runner.spent({ tenant, sessionId, taskId }) })`. */
export const spentIn = Effect.fnUntraced(function* (
  journal: JournalService,
  { limits }: Catalog,
  { tenant, sessionId, taskId }: Spending,
): Effect.fn.Return<{ readonly [dimension: string]: number }, InputsRefused | StoreFailure> {
  for (const [field, value] of Object.entries({ tenant, sessionId, taskId })) {
    const refused = admitName(field, value)
    if (refused !== undefined) return yield* refused
  }
  const spent: Record<string, number> = {}
  for (const { dimension, per: scope } of limits.values()) {
    if (scope === "run") continue
    const scopeId = scopeIdOf(scope, { tenant, sessionId, taskId })
    spent[dimension] = yield* journal.used(tenant, { scope, scopeId, dimension })
  }
  return spent
})
