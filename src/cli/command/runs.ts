/** `sequitur runs`: the runs of a store. */
import * as Effect from "effect/Effect"
import { listRuns } from "../../explain/runs.ts"
import { useStore } from "../store.ts"
import { exit, type Format, lookOf, print, printJson } from "../terminal.ts"

export interface RunsOptions {
  readonly store: string
  readonly format: Format
  readonly tenant?: string
}

export async function showRuns({ store, format, tenant }: RunsOptions): Promise<number> {
  const { runs, due } = await useStore(store, (journal) =>
    Effect.all({ runs: journal.list({ tenant }), due: journal.due(Date.now(), Number.MAX_SAFE_INTEGER) }),
  )
  const isDue = new Set(due)
  if (format === "json") printJson({ runs: runs.map((run) => ({ ...run, due: isDue.has(run.runId) })) })
  else if (runs.length === 0) print("no runs")
  else print(listRuns(runs, isDue, lookOf(process.stdout)))
  return exit.fine
}
