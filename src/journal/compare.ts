/** The tables of a store against those made anew from its entries. */
import { type Link, restore, type Sealed } from "./chain.ts"
import { JournalTampered } from "./failure.ts"
import type { TableRow, Whole } from "./journal.ts"
import { rebuild } from "./rebuild.ts"
import { MapRows, tellLink } from "./rows.ts"
import { advance, apply, type RunRow, start } from "./tables.ts"
import type { Finding } from "./verify.ts"

/** `partly`: of runs that are not among the `links` nothing is believed, and only what hangs on the others is compared. */
export function compareTables(whole: Whole, links: ReadonlyMap<string, Link>, partly: boolean): readonly Finding[] {
  const rows = new MapRows()
  let entangled: ReadonlySet<string> = new Set()
  try {
    if (partly) entangled = rebuildPart(rows, whole.entries(), links)
    else rebuild(rows, whole.entries())
  } catch (error) {
    if (!(error instanceof JournalTampered)) throw error
    const { runId, seq } = error.fields
    // Where another run was cut or altered, that is why.
    const problem = "what it takes was not free"
    return [...compareLinks(whole, links), { kind: "sense", runId: `${runId}`, seq: Number(seq), problem }]
  }
  const made = new Map<string, TableRow>()
  for (const row of rows.told()) made.set(placeOf(row), row)
  for (const [runId, link] of links) made.set(placeOf(tellLink(runId, link)), tellLink(runId, link))
  const believed = (runId: string): boolean => !partly || (links.has(runId) && !entangled.has(runId))
  return compare(whole, made, partly ? (row, should) => hangsOn(row, should, believed) : () => true)
}

const placeOf = ({ table, key }: TableRow): string => `${table} ${key}`

/** `counts`: whether the row can be judged, by what it should be. */
function compare(
  whole: Whole,
  made: Map<string, TableRow>,
  counts: (row: TableRow, should: TableRow | undefined) => boolean,
): readonly Finding[] {
  const findings: Finding[] = []
  const found = (table: TableRow["table"], row: string, problem: "missing" | "too much" | "different"): void => {
    findings.push({ kind: "table", table, row, problem })
  }
  try {
    for (const row of whole.tables()) {
      const should = made.get(placeOf(row))
      made.delete(placeOf(row))
      if (!counts(row, should)) continue
      if (should === undefined) found(row.table, row.key, "too much")
      else if (should.value !== row.value) found(row.table, row.key, "different")
    }
  } catch (error) {
    if (!(error instanceof JournalTampered)) throw error
    return [...findings, { kind: "table", table: "run", row: `${error.fields.runId}`, problem: "different" }]
  }
  for (const { table, key } of made.values()) found(table, key, "missing")
  return findings
}

/** Whether a row hangs on runs alone that are believed: what others count or claim beside them is not known. */
function hangsOn(row: TableRow, should: TableRow | undefined, believed: (runId: string) => boolean): boolean {
  switch (row.table) {
    case "run":
    case "link":
      return should !== undefined
    case "effect":
      return believed(`${JSON.parse(row.value)[2]}`)
    case "claim":
      return should !== undefined
    case "used":
      return should !== undefined && Number(row.value) < Number(should.value)
  }
}

/** From the entries of the runs that are believed. Gives back those of them that have taken what another must have given up. */
function rebuildPart(rows: MapRows, entries: Iterable<Sealed>, links: ReadonlyMap<string, Link>): ReadonlySet<string> {
  const runs = new Map<string, RunRow>()
  const entangled = new Set<string>()
  for (const entry of entries) {
    const { runId, seq, atMs } = entry
    if (!links.has(runId)) continue
    const before = runs.get(runId)
    const record = { seq, atMs, event: restore(entry) }
    if (before !== undefined && apply(rows, before, record.event) !== undefined) {
      rows.takeBack()
      entangled.add(runId)
    }
    rows.keep()
    runs.set(runId, before === undefined ? start(runId, record) : advance(before, record))
  }
  for (const run of runs.values()) rows.keepRun(undefined, { ...run, owner: undefined, untilMs: 0, dueMs: undefined })
  return entangled
}

/** The runs that the store knows to have ended in another entry than their last. */
function compareLinks(whole: Whole, links: ReadonlyMap<string, Link>): readonly Finding[] {
  const findings: Finding[] = []
  for (const row of whole.tables()) {
    const link = row.table === "link" ? links.get(row.key) : undefined
    if (link !== undefined && tellLink(row.key, link).value !== row.value)
      findings.push({ kind: "table", table: "link", row: row.key, problem: "different" })
  }
  return findings
}
