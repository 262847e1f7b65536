/** Which runs of a store could not go on under another catalog. */
import * as Effect from "effect/Effect"
import type { Catalog } from "../catalog/catalog.ts"
import type { StrandedRun } from "../explain/difference.ts"
import type { JournalService, RunSummary } from "../journal/journal.ts"
import { isTerminal } from "../journal/status.ts"
import { StalePlan } from "../run/failure.ts"
import { next } from "../run/next/next.ts"
import { footingFor, readState } from "../run/run.ts"
import { useStore } from "./store.ts"

export interface Stranded {
  readonly unended: number
  readonly stranded: readonly StrandedRun[]
}

export const findStranded = (store: string, before: Catalog, after: Catalog): Promise<Stranded> =>
  useStore(store, (journal) =>
    Effect.gen(function* () {
      const runs = (yield* journal.list()).filter(({ status }) => status === "damaged" || !isTerminal(status))
      const stranded = yield* Effect.forEach(runs, (run) => judge(journal, run, before, after))
      return { unended: runs.length, stranded: stranded.flat() }
    }),
  )

/** A run of another catalog than the one before is none of this one's. */
const judge = (
  journal: JournalService,
  { runId, status }: RunSummary,
  before: Catalog,
  after: Catalog,
): Effect.Effect<readonly StrandedRun[]> =>
  Effect.match(readState(journal, runId, undefined), {
    onFailure: ({ message }) => [{ runId, status, changed: message }],
    onSuccess: (state) => {
      const under = (catalog: Catalog) => footingFor(state, { catalog, handlers: new Map(), fault: undefined })
      const footing = under(after)
      if (!(footing instanceof Error) || under(before) instanceof Error) return []
      // It only has to be settled, undone and ended.
      const { kind } = next(undefined, state)
      if (footing instanceof StalePlan && (state.cancel ?? state.ending) !== undefined && kind !== "needs-plan")
        return []
      const changed = footing instanceof StalePlan ? `${footing.fields.changed}` : footing.message
      return [{ runId, status, changed }]
    },
  })
