/**
 * Copies what verifies of a file that is not to be trusted any more into a new one: of each run the entries up to the first that
 * is not what was written. What was never acknowledged may be missing; an effect whose outcome is missing is settled when its
 * run is taken up, like any other. The old file stays as it is.
 */
import { existsSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { Chain, type Sealed } from "../chain.ts"
import { type Entry, journalVersion } from "../entry.ts"
import { JournalNewer, type StoreUnavailable } from "../failure.ts"
import { adopt } from "../lease.ts"
import { MapRows } from "../rows.ts"
import { begin, fold, type RunState } from "../state.ts"
import { advance, apply, type RunRow, start } from "../tables.ts"
import { open, openToRead } from "./open.ts"
import { SqliteRows, sealedOf } from "./rows.ts"
import { because, explain } from "./trouble.ts"

export interface Recovered {
  readonly runs: readonly RecoveredRun[]
}

export interface RecoveredRun {
  readonly runId: string
  /** Entries, from the first. */
  readonly kept: number
  /** How many there were besides, as far as the old file says. */
  readonly lost: number
}

export const recover = (from: string, to: string): Effect.Effect<Recovered, StoreUnavailable | JournalNewer> =>
  Effect.suspend(() => {
    for (const path of [to, `${to}-wal`])
      if (existsSync(path)) return Effect.fail(because(to, "other", `${path} is there already: name a new file`))
    return Effect.flatMap(
      attempt(from, () => salvage(from)),
      ({ entries, runs }) =>
        Effect.map(
          attempt(to, () => keep(to, entries)),
          () => ({ runs }),
        ),
    )
  })

const attempt = <A>(file: string, use: () => A): Effect.Effect<A, StoreUnavailable | JournalNewer> =>
  Effect.try({ try: use, catch: (error) => (error instanceof JournalNewer ? error : explain(error, file)) })

interface Placed {
  readonly n: number
  readonly entry: Entry
}

function salvage(from: string): { readonly entries: readonly Entry[]; readonly runs: readonly RecoveredRun[] } {
  if (!existsSync(from)) throw because(from, "missing", "there is no such file")
  const db = openToRead(from)
  try {
    const ends = endsIn(db)
    const sound = [...ends.keys()].flatMap((runId) => soundOf(db, runId)).sort((one, other) => one.n - other.n)
    const entries = takenInOrder(sound.map(({ entry }) => entry))
    const kept = new Map<string, number>()
    for (const { runId, seq } of entries) kept.set(runId, seq + 1)
    const runs = [...ends].map(([runId, end]) => {
      const count = kept.get(runId) ?? 0
      return { runId, kept: count, lost: Math.max(0, end - count) }
    })
    return { entries, runs }
  } finally {
    db.close()
  }
}

/** The runs, each with how many entries it had, from wherever that can still be read. */
function endsIn(db: DatabaseSync): ReadonlyMap<string, number> {
  const ends = new Map<string, number>()
  for (const sql of [
    "SELECT run, seq FROM run",
    "SELECT run, seq FROM entry INDEXED BY sqlite_autoindex_entry_1",
    "SELECT run, seq FROM entry NOT INDEXED",
    "SELECT run, seq FROM entry NOT INDEXED ORDER BY n DESC",
  ]) {
    untilDamage(() => {
      for (const { run, seq } of db.prepare(sql).iterate())
        ends.set(String(run), Math.max(ends.get(String(run)) ?? 0, Number(seq) + 1))
    })
  }
  return ends
}

/** A page that cannot be read ends a reading: what came before it counts. */
function untilDamage(read: () => void): void {
  try {
    read()
  } catch {
    // See above.
  }
}

/** The entries of a run up to the first that is gone, altered, or makes no sense. */
function soundOf(db: DatabaseSync, runId: string): readonly Placed[] {
  const found: Placed[] = []
  const chain = new Chain(runId)
  let state: RunState | undefined
  untilDamage(() => {
    for (const row of db.prepare("SELECT * FROM entry WHERE run = ? ORDER BY seq").iterate(runId)) {
      const sealed: Sealed = sealedOf(row)
      const { seq, atMs, hash } = sealed
      const event = chain.open(sealed, found.length)
      if (event === undefined) return
      const old = event.kind === "run-started" && event.journal < journalVersion
      const record = { seq, atMs, event }
      const folded = state === undefined ? (seq > 0 || old ? undefined : begin(runId, record)) : fold(state, record)
      if (folded instanceof Error) return
      state = folded
      found.push({ n: Number(row.n), entry: { runId, ...record, hash } })
    }
  })
  return found
}

/** Without what could not have been taken, because of something that came before it in another run, or is gone there. */
function takenInOrder(entries: readonly Entry[]): readonly Entry[] {
  const rows = new MapRows()
  const runs = new Map<string, RunRow>()
  return entries.filter(({ runId, seq, atMs, event }) => {
    const before = runs.get(runId)
    const record = { seq, atMs, event }
    if (seq !== (before === undefined ? 0 : before.seq + 1)) return false
    if (before !== undefined && apply(rows, before, event) !== undefined) {
      rows.takeBack()
      return false
    }
    rows.keep()
    runs.set(runId, before === undefined ? start(runId, record) : advance(before, record))
    return true
  })
}

function keep(to: string, entries: readonly Entry[]): void {
  const { db } = open(to, true)
  try {
    db.exec("BEGIN IMMEDIATE")
    const refused = adopt(new SqliteRows(db), entries)
    if (refused !== undefined) throw refused
    db.exec("COMMIT")
  } finally {
    db.close()
  }
}
