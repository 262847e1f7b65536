/** The hash chain: an entry that was altered, moved, dropped or put in between is found. (Cutting off the end is not.) */
import { sha256 } from "#sha256"
import { canonical } from "../text/canonical.ts"
import { restoreJson } from "../text/restore-json.ts"
import type { Entry, Event, Recorded } from "./entry.ts"

/** What the first entry is chained to. */
export const genesis = "0".repeat(64)

/** The hash of an entry, over the one before it. */
export const chain = (previous: string, runId: string, { seq, atMs, event }: Recorded): string =>
  link(previous, runId, seq, atMs, canonical(event as never))

/** The same, where the event is at hand as its canonical JSON. */
export const link = (previous: string, runId: string, seq: number, atMs: number, event: string): string =>
  sha256(`["${previous}",${canonical(runId)},${seq},${atMs},${event}]`)

/** Entries that were kept as they came, as a store gives them back: copied by way of their canonical JSON, and chained. */
export function chained(runId: string, records: readonly Recorded[]): readonly Entry[] {
  let previous = genesis
  return records.map(({ seq, atMs, event }) => {
    const text = canonical(event as never)
    previous = link(previous, runId, seq, atMs, text)
    return { runId, seq, atMs, event: restoreJson(text) as unknown as Event, hash: previous }
  })
}

/** The first place where the chain of one run is broken; undefined where it is whole. Takes whatever is called an entry. */
export function verify(runId: string, entries: readonly Entry[]): number | undefined {
  let previous = genesis
  const broken = entries.findIndex((entry, index) => {
    if (entry.runId !== runId || entry.seq !== index || entry.hash !== tryChain(previous, runId, entry)) return true
    previous = entry.hash
    return false
  })
  return broken === -1 ? undefined : broken
}

/** What has no canonical form was never written. */
function tryChain(previous: string, runId: string, entry: Recorded): string | undefined {
  try {
    return chain(previous, runId, entry)
  } catch {
    return undefined
  }
}
