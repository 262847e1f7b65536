/** `sequitur log`: what happened in a run, entry by entry. */
import { explainEntry } from "../../explain/history.ts"
import { plural } from "../../explain/verdict.ts"
import { replay } from "../../journal/state.ts"
import { readEntries } from "../store.ts"
import { exit, type Format, lookOf, print, printJson } from "../terminal.ts"

export interface LogOptions {
  readonly store: string
  readonly format: Format
  readonly verify?: true
}

/** Reading holds every entry against its hash; `--verify` also asks whether each could follow the one before it. */
export async function logRun(runId: string, { store, format, verify }: LogOptions): Promise<number> {
  const entries = await readEntries(store, runId)
  const look = lookOf(process.stdout)
  for (const entry of entries) {
    if (format === "json") printJson(entry)
    else print(explainEntry(entry, look))
  }
  if (verify) {
    const state = replay(runId, entries)
    if (state instanceof Error) throw state
    if (format === "pretty")
      print(`verified: ${plural(entries.length, "entry", "entries")}, each chained to the one before it`)
  }
  return exit.fine
}
