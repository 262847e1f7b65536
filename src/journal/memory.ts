/** A journal that ends with its process: for tests, and for runs that need not be taken up again. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chained } from "./chain.ts"
import type { Recorded, RunStarted } from "./entry.ts"
import { JournalConflict } from "./failure.ts"
import { Journal, type JournalService, summarise } from "./journal.ts"

/** Each store made by `memory()` has runs of its own. Nothing leaves the process, so the chain is made when it is read. */
export const memory = (): Layer.Layer<Journal> => Layer.sync(Journal, makeMemory)

function makeMemory(): JournalService {
  const runs = new Map<string, Recorded[]>()
  return {
    append: (runId, records) =>
      Effect.suspend(() => {
        const run = runs.get(runId) ?? []
        const seq = records[0]?.seq ?? run.length
        if (seq !== run.length) return Effect.fail(new JournalConflict({ runId, seq }))
        for (const record of records) run.push(record)
        runs.set(runId, run)
        return Effect.void
      }),
    read: (runId, { tenant } = {}) =>
      Effect.sync(() => {
        const run = runs.get(runId)
        return run && ofTenant(run, tenant) ? chained(runId, run) : []
      }),
    list: ({ tenant } = {}) =>
      Effect.sync(() =>
        [...runs]
          .filter(([, run]) => ofTenant(run, tenant))
          .map(([runId, run]) => summarise(runId, run[0] as First, run.at(-1) as Recorded)),
      ),
  }
}

type First = Recorded & { readonly event: RunStarted }

const ofTenant = (run: readonly Recorded[], tenant: string | undefined): boolean =>
  tenant === undefined || (run[0] as First).event.tenant === tenant
