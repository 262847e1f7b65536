/** `sequitur runs`: the runs of a store. */
import { listRuns } from "../../explain/runs.ts"
import { useStore } from "../store.ts"
import { exit, type Format, lookOf, print, printJson } from "../terminal.ts"

export interface RunsOptions {
  readonly store: string
  readonly format: Format
  readonly tenant?: string
}

export async function showRuns({ store, format, tenant }: RunsOptions): Promise<number> {
  const runs = await useStore(store, (journal) => journal.list({ tenant }))
  if (format === "json") printJson({ runs })
  else if (runs.length === 0) print("no runs")
  else print(listRuns(runs, lookOf(process.stdout)))
  return exit.fine
}
