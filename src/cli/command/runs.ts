/** `sequitur runs`: the runs of a store. */
import * as Effect from "effect/Effect"
import { listRuns } from "../../explain/runs.ts"
import type { JournalService, RunSummary } from "../../journal/journal.ts"
import type { ListedStatus } from "../option.ts"
import { useStore } from "../store.ts"
import { exit, type Format, lookOf, print, printJson } from "../terminal.ts"

export interface RunsOptions {
  readonly store: string
  readonly format: Format
  readonly tenant?: string
  /** Only those that stand so; `due` is of those that nobody is at work on. */
  readonly status?: ListedStatus
  /** Only the newest so many. */
  readonly limit?: number
}

export async function showRuns({ store, format, tenant, status, limit }: RunsOptions): Promise<number> {
  const all = await useStore(store, (journal) =>
    Effect.gen(function* () {
      const due = new Set(yield* journal.due(Date.now(), Number.MAX_SAFE_INTEGER))
      return yield* Effect.forEach(yield* journal.list({ tenant }), (run) =>
        Effect.map(isCancelled(journal, run), (cancelling) => ({ ...run, due: due.has(run.runId), cancelling })),
      )
    }),
  )
  const found = status === undefined ? all : all.filter((run) => (status === "due" ? run.due : run.status === status))
  const runs = limit === undefined ? found : found.slice(-limit)
  if (format === "json") printJson({ runs })
  else if (runs.length === 0) print("no runs")
  else print(listRuns(runs, lookOf(process.stdout)))
  return exit.fine
}

/** Only its entries say so. What is wrong with them is for `log` to tell. */
const isCancelled = (journal: JournalService, { runId, status }: RunSummary): Effect.Effect<boolean> =>
  status === "running" || status === "in_doubt"
    ? Effect.match(journal.read(runId), {
        onFailure: () => false,
        onSuccess: (entries) => entries.some(({ event }) => event.kind === "cancel-requested"),
      })
    : Effect.succeed(false)
