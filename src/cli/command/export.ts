/** `sequitur export`: a journal as JSON Lines, on standard output: a backup, with all that is in it, or redacted. */
import { restore } from "../../journal/chain.ts"
import { exportLines } from "../../journal/export.ts"
import type { Whole } from "../../journal/journal.ts"
import { useStore } from "../store.ts"
import { complain, exit, print, UsageError } from "../terminal.ts"

export interface ExportOptions {
  readonly store: string
  /** Only this tenant's runs. */
  readonly tenant?: string
  readonly redact?: true
}

export async function exportRuns(runs: readonly string[], { store, tenant, redact }: ExportOptions): Promise<number> {
  const told = await useStore(store, (journal) =>
    journal.inspect((whole) => write(only(whole, runs, tenant), redact === true)),
  )
  if (told !== undefined) throw new UsageError(told)
  if (redact !== true && process.stdout.isTTY)
    complain("note: this is a backup, with all secrets in it; what is to be shown is written by --redact")
  return exit.fine
}

/** Why not; undefined where all was written. */
function write(whole: Whole | string, redacted: boolean): string | undefined {
  if (typeof whole === "string") return whole
  for (const line of exportLines(whole, { redacted })) print(line)
  return undefined
}

/** All of it where neither runs nor a tenant are named; or which one is not there, or is another tenant's. */
function only(whole: Whole, runs: readonly string[], tenant: string | undefined): Whole | string {
  if (runs.length === 0 && tenant === undefined) return whole
  const there = new Set(tenant === undefined ? whole.runs() : runsOf(whole, tenant))
  const wanted = runs.length === 0 ? there : new Set(runs)
  const missing = runs.find((runId) => !there.has(runId))
  if (missing !== undefined) return `there is no run ${missing} in this store`
  return {
    ...whole,
    runs: () => wanted,
    *entries() {
      for (const entry of whole.entries()) if (wanted.has(entry.runId)) yield entry
    },
  }
}

function* runsOf(whole: Whole, tenant: string): Generator<string> {
  for (const entry of whole.entries()) {
    const event = entry.seq === 0 ? restore(entry) : undefined
    if (event?.kind === "run-started" && event.tenant === tenant) yield entry.runId
  }
}
