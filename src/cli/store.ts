/** Opens a journal that is there: no catalog, no tools, nothing is begun. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Entry } from "../journal/entry.ts"
import { Journal, type JournalService } from "../journal/journal.ts"
import { RunSecrets } from "../journal/secrets.ts"
import { sqlite } from "../journal/sqlite.ts"
import { type RunFailure, RunNotFound } from "../run/failure.ts"
import { advise, type Place } from "./advice.ts"
import { nameOf } from "./modules.ts"
import { secrets, UsageError } from "./terminal.ts"

/** A store is made by `run` only: elsewhere a name that leads nowhere is a slip. */
export async function useStore<A>(
  store: string,
  use: (journal: JournalService) => Effect.Effect<A, RunFailure, Journal>,
  place: Omit<Place, "store"> = {},
): Promise<A> {
  if (!existsSync(store)) throw new UsageError(`there is no store ${nameOf(store)}; name one with --store`)
  try {
    return await Effect.runPromise(Journal.pipe(Effect.flatMap(use), Effect.provide(sqlite(store, { create: false }))))
  } catch (error) {
    throw advise(error, { ...place, store })
  }
}

/** Whatever comes of it, its secrets are none of what is said. */
function noted(entries: readonly Entry[]): readonly Entry[] {
  RunSecrets.of(entries, secrets)
  return entries
}

/** With a tenant, only of a run of theirs: any other is as one that never was. */
export const readEntries = (store: string, runId: string, tenant: string | undefined): Promise<readonly Entry[]> =>
  useStore(
    store,
    (journal) =>
      Effect.flatMap(journal.read(runId, { tenant }), (entries) =>
        entries.length === 0 ? Effect.fail(new RunNotFound({ runId })) : Effect.succeed(noted(entries)),
      ),
    { along: { tenant } },
  )
