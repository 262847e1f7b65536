/** `sequitur runs`: the runs of a store. */
import * as Effect from "effect/Effect"
import { listRuns } from "../../explain/runs.ts"
import type { JournalService, RunSummary } from "../../journal/journal.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import type { ListedStatus } from "../option.ts"
import { useStore } from "../store.ts"
import { exit, type Format, lookOf, print, printJson, secrets } from "../terminal.ts"

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
        Effect.map(readRun(journal, run), ({ cancelling, goal }) => ({
          ...run,
          goal,
          due: due.has(run.runId),
          cancelling,
        })),
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

/** What only its entries say. What is wrong with them is for `log` to tell. */
function readRun(
  journal: JournalService,
  { runId, status, goal }: RunSummary,
): Effect.Effect<{ readonly cancelling: boolean; readonly goal: string | undefined }> {
  const underWay = status === "running" || status === "in_doubt"
  if (goal === undefined && !underWay) return Effect.succeed({ cancelling: false, goal })
  return Effect.match(journal.read(runId), {
    onFailure: () => ({ cancelling: false, goal }),
    onSuccess: (entries) => ({
      cancelling: underWay && entries.some(({ event }) => event.kind === "cancel-requested"),
      goal: goal && RunSecrets.of(entries, secrets).scrub(goal),
    }),
  })
}
