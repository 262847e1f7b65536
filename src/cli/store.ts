/** Opens a journal that is there, to read it: no catalog, no tools, nothing is begun. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Entry } from "../journal/entry.ts"
import { Journal, type JournalService } from "../journal/journal.ts"
import { sqlite } from "../journal/sqlite.ts"
import type { StoreFailure } from "../run/failure.ts"
import { RunNotFound } from "../run/failure.ts"
import { nameOf } from "./modules.ts"
import { UsageError } from "./terminal.ts"

/** A store is made by `run` only: elsewhere a name that leads nowhere is a slip. */
export function existingStore(file: string): string {
  if (!existsSync(file)) throw new UsageError(`there is no store ${nameOf(file)}; name one with --store`)
  return file
}

export const readStore = <A>(
  file: string,
  use: (journal: JournalService) => Effect.Effect<A, StoreFailure>,
): Promise<A> => Effect.runPromise(Journal.pipe(Effect.flatMap(use), Effect.provide(sqlite(existingStore(file)))))

export async function readEntries(file: string, runId: string): Promise<readonly Entry[]> {
  const entries = await readStore(file, (journal) => journal.read(runId))
  if (entries.length === 0) throw new RunNotFound({ runId })
  return entries
}
