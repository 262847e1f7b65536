/**
 * Is a store what was written? Each run's chain and what its entries say, each table against the tables made anew from the
 * entries. What was cut off at the end, or written anew as a whole, shows only against heads that were kept elsewhere.
 */
import { sha256 } from "#sha256"
import { isObject, type Json } from "../text/json.ts"
import { Chain, genesis, type Link, type Sealed, saltIn, split } from "./chain.ts"
import { compareTables } from "./compare.ts"
import { type Event, journalVersion, type Recorded, type RunStarted } from "./entry.ts"
import { misshapen } from "./event-shape.ts"
import type { TableRow, Whole } from "./journal.ts"
import { findLease } from "./lease-row.ts"
import { begin, fold, type RunState } from "./state.ts"

/** How far something has come: that many entries, and a hash over them. For a run it is the hash of its last entry. */
export interface Head {
  readonly entries: number
  readonly hash: string
}

/** To be kept where whoever can write to the store cannot. */
export interface Anchor {
  /** Over the entries of all runs, in the order in which they were written. */
  readonly store: Head
  readonly runs: { readonly [runId: string]: Head }
}

export type Finding =
  /** The entry is not what was written. */
  | { readonly kind: "chain"; readonly runId: string; readonly seq: number }
  /** It was written so, but not by us: it makes no sense there. */
  | { readonly kind: "sense"; readonly runId: string; readonly seq: number; readonly problem: string }
  | {
      readonly kind: "table"
      readonly table: TableRow["table"]
      readonly row: string
      readonly problem: "missing" | "too much" | "different"
    }
  /** Who holds the run, until when, or when it is due, is not what the run could have come to. */
  | { readonly kind: "lease"; readonly runId: string; readonly problem: string }
  /** What the store says of its own file. */
  | { readonly kind: "file"; readonly problem: string }
  /** Held against an anchor. */
  | { readonly kind: "run-lost" | "tail-lost" | "rewritten"; readonly runId: string; readonly at: Head }
  | { readonly kind: "store-cut" | "store-rewritten"; readonly at: Head }

export interface Verified {
  readonly runs: number
  readonly anchor: Anchor
  /** None where all is well. The first hundred. */
  readonly findings: readonly Finding[]
}

/** Enough to see what is the matter. */
const findingsMax = 100

export function verifyStore(whole: Whole, expected?: Anchor): Verified {
  const findings: Finding[] = []
  const sound = new Map<string, Sound>()
  for (const runId of whole.runs()) {
    const run = verifyRun(runId, whole.entriesOf(runId), findings)
    if (run !== undefined) sound.set(runId, run)
  }
  findings.push(...compareTables(whole, sound, findings.length > 0))
  for (const lease of whole.leases()) {
    const problem = findLease(lease, sound.get(lease.runId))
    if (problem !== undefined) findings.push({ kind: "lease", runId: lease.runId, problem })
  }
  findings.push(...whole.faults().map((problem) => ({ kind: "file", problem }) as const))
  const anchor = anchorOf(whole)
  if (expected !== undefined) findings.push(...holdAgainst(expected, whole))
  return { runs: Object.keys(anchor.runs).length, anchor, findings: findings.slice(0, findingsMax) }
}

/** A run whose entries are what was written. */
export interface Sound extends Link {
  /** Undefined of a run of an older version. */
  readonly state: RunState | undefined
  /** Who has taken it up last; undefined where nobody has since it began. */
  readonly holder: string | undefined
}

/** Where the run has come to; undefined where that cannot be believed. */
function verifyRun(runId: string, entries: Iterable<Sealed>, findings: Finding[]): Sound | undefined {
  const chain = new Chain(runId)
  let state: RunState | undefined
  let seq = 0
  let salt: string | undefined
  let started: RunStarted | undefined
  let holder: string | undefined
  for (const entry of entries) {
    const event = chain.open(entry, seq)
    if (event !== undefined && seq === 0) salt = saltIn(event)
    if (event === undefined || !isSplitSo(entry, event, salt !== undefined)) {
      findings.push({ kind: "chain", runId, seq })
      return undefined
    }
    const problem = misshapen(event, started)
    const folded = problem ?? makeSense(runId, state, { seq, atMs: entry.atMs, event })
    if (typeof folded === "string" || folded instanceof Error) {
      findings.push({ kind: "sense", runId, seq, problem: typeof folded === "string" ? folded : folded.message })
      return undefined
    }
    state = folded
    if (event.kind === "run-started") started = event
    if (event.kind === "taken-up") holder = event.owner
    seq++
  }
  return { hash: chain.hash, salt, state, holder }
}

/** The same event in other words was not written here either. */
function isSplitSo(entry: Sealed, event: Event, salted: boolean): boolean {
  const { clear, payload } = split(event, salted)
  return clear === entry.clear && payload === entry.payload
}

/** What a run of an older version means only the version knows that wrote it. */
function makeSense(runId: string, before: RunState | undefined, record: Recorded): RunState | Error | undefined {
  const { event, seq } = record
  if (before !== undefined) return fold(before, record)
  if (seq > 0 || (event.kind === "run-started" && event.journal < journalVersion)) return undefined
  return begin(runId, record)
}

/** Reads hashes alone: whether they are right is for `verifyStore`. */
export function anchorOf(whole: Pick<Whole, "entries">): Anchor {
  const runs = new Map<string, Head>()
  let store: Head = { entries: 0, hash: genesis }
  for (const entry of whole.entries()) {
    runs.set(entry.runId, { entries: entry.seq + 1, hash: entry.hash })
    store = more(store, entry)
  }
  return { store, runs: Object.fromEntries(runs) }
}

const more = ({ entries, hash }: Head, entry: Sealed): Head => ({
  entries: entries + 1,
  hash: sha256(`["${hash}","${entry.hash}"]`),
})

/** What has grown since is as it should be; what was there must be there. */
export function holdAgainst({ store, runs }: Anchor, whole: Pick<Whole, "entries">): readonly Finding[] {
  const findings: Finding[] = []
  const found = new Map<string, { entries: number; hash: string | undefined }>()
  let now: Head = { entries: 0, hash: genesis }
  let then = store.entries === 0 ? now : undefined
  for (const entry of whole.entries()) {
    now = more(now, entry)
    if (now.entries === store.entries) then = now
    const { runId, seq, hash } = entry
    const anchored = Object.hasOwn(runs, runId) ? runs[runId] : undefined
    const before = found.get(runId)?.hash
    found.set(runId, { entries: seq + 1, hash: anchored?.entries === seq + 1 ? hash : before })
  }
  for (const [runId, at] of Object.entries(runs)) {
    const run = found.get(runId)
    if (run === undefined) findings.push({ kind: "run-lost", runId, at })
    else if (run.entries < at.entries) findings.push({ kind: "tail-lost", runId, at })
    else if (run.hash !== at.hash) findings.push({ kind: "rewritten", runId, at })
  }
  if (then === undefined) findings.push({ kind: "store-cut", at: store })
  else if (then.hash !== store.hash) findings.push({ kind: "store-rewritten", at: store })
  return findings
}

/** An anchor that was kept as JSON; undefined where it is none. */
export function readAnchor(value: Json | undefined): Anchor | undefined {
  const isHead = (head: Json | undefined): boolean =>
    isObject(head) && Number.isSafeInteger(head.entries) && typeof head.hash === "string"
  if (!isObject(value) || !isHead(value.store) || !isObject(value.runs)) return undefined
  return Object.values(value.runs).every(isHead) ? (value as unknown as Anchor) : undefined
}

/** In words. */
export function tellFinding(finding: Finding): string {
  switch (finding.kind) {
    case "chain":
      return `entry ${finding.seq} of run \`${finding.runId}\` is not what was written`
    case "sense":
      return `entry ${finding.seq} of run \`${finding.runId}\` makes no sense: ${finding.problem}`
    case "table":
      if (finding.table === "link" && finding.problem === "different")
        return `run \`${finding.row}\` does not end with the entry that its row names: its last entries are gone, or the row was altered`
      return `row ${finding.row} of table \`${finding.table}\` is ${finding.problem}, by what the entries say`
    case "lease":
      return `run \`${finding.runId}\` ${finding.problem}, by what its entries say: its row was altered`
    case "file":
      return `the file is damaged: ${finding.problem}`
    case "run-lost":
      return `run \`${finding.runId}\`, of ${finding.at.entries} entries, is gone`
    case "tail-lost":
      return `run \`${finding.runId}\` had ${finding.at.entries} entries; the last of them are gone`
    case "rewritten":
      return `run \`${finding.runId}\` was written anew before entry ${finding.at.entries}`
    case "store-cut":
      return `the store had ${finding.at.entries} entries; some of them are gone`
    case "store-rewritten":
      return `the first ${finding.at.entries} entries of the store are not those that were there`
  }
}
