/**
 * Copies what verifies of a file that is not to be trusted any more into a new one: of each run the entries up to the first that
 * is not what was written. What was never acknowledged may be missing; an effect whose outcome is missing is settled when its
 * run is taken over, like any other. The old file stays as it is.
 */
import { existsSync } from "node:fs"
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import * as Effect from "effect/Effect"
import { Chain, type Sealed } from "../chain.ts"
import { type Entry, journalVersion, type RunStarted } from "../entry.ts"
import { misshapen } from "../event-shape.ts"
import { JournalNewer, type StoreUnavailable } from "../failure.ts"
import { adopt } from "../lease.ts"
import { MapRows } from "../rows.ts"
import { begin, fold, type RunState } from "../state.ts"
import { advance, apply, type RunRow, start } from "../tables.ts"
import { type Unended, unendedIn } from "../unended.ts"
import { open, openDamaged, readableVersion, toBeWritten } from "./open.ts"
import { locate, refuseMount, refuseNames } from "./place.ts"
import { reading, SqliteRows, sealedOf } from "./rows.ts"
import { schemaVersion } from "./schema.ts"
import { because, explain } from "./trouble.ts"

export interface Recovered {
  readonly runs: readonly RecoveredRun[]
  /** They go on in the new store when they are taken over, and not before: the old one may go on with them too. */
  readonly unended: readonly Unended[]
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
    return Effect.flatMap(
      Effect.andThen(
        attempt(to, () => refuseOld(to)),
        attempt(from, () => salvage(from)),
      ),
      ({ entries, runs }) =>
        Effect.map(
          attempt(to, () => keep(to, entries)),
          () => ({ runs, unended: unendedIn(entries) }),
        ),
    )
  })

function refuseOld(to: string): void {
  const { file, log } = locate(to)
  for (const path of [file, log])
    if (existsSync(path)) throw because(to, "other", `${path === file ? to : path} is there already: name a new file`)
}

const attempt = <A>(file: string, use: () => A): Effect.Effect<A, StoreUnavailable | JournalNewer> =>
  Effect.try({ try: use, catch: (error) => (error instanceof JournalNewer ? error : explain(error, file)) })

interface Placed {
  readonly n: number
  readonly entry: Entry
}

function salvage(from: string): { readonly entries: readonly Entry[]; readonly runs: readonly RecoveredRun[] } {
  const place = locate(from)
  if (!existsSync(place.file)) throw because(from, "missing", "there is no such file")
  refuseNames(place)
  refuseMount(place)
  const db = openDamaged(place)
  try {
    const version = readableVersion(db)
    if (version === 1) throw because(from, "read-only", toBeWritten)
    if (version !== undefined && version > schemaVersion)
      throw new JournalNewer({ where: from, found: version, known: schemaVersion })
    // Without the schema there are no tables.
    db.prepare("SELECT payload FROM entry LIMIT 0").all()
    const { ends, found } = readAll(db)
    const sound = [...found].flatMap(([runId, placed]) => soundOf(runId, placed))
    const entries = takenInOrder(sound.sort((one, other) => one.n - other.n).map(({ entry }) => entry))
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

interface Readable {
  /** How many entries each run had, as far as anything says so. */
  readonly ends: ReadonlyMap<string, number>
  /** By their places in their runs. */
  readonly found: ReadonlyMap<string, ReadonlyMap<number, Found>>
}

interface Found {
  readonly n: number
  readonly sealed: Sealed
}

/** Whatever can still be read: a page that cannot be ends a reading, and another way may lead behind it. */
function readAll(db: DatabaseSync): Readable {
  const ends = new Map<string, number>()
  const found = new Map<string, Map<number, Found>>()
  const end = (runId: string, seq: number): void => {
    ends.set(runId, Math.max(ends.get(runId) ?? 0, seq + 1))
  }
  for (const sql of ["SELECT run, seq FROM run", "SELECT run, seq FROM entry INDEXED BY sqlite_autoindex_entry_1"])
    untilDamage(() => {
      for (const { run, seq } of reading(db, sql).iterate()) end(String(run), Number(seq))
    })
  const take = (row: Readonly<Record<string, SQLOutputValue>>): void => {
    const sealed = sealedOf(row)
    const run = found.get(sealed.runId) ?? new Map<number, Found>()
    found.set(sealed.runId, run.set(sealed.seq, { n: Number(row.n), sealed }))
    end(sealed.runId, sealed.seq)
  }
  for (const order of ["n", "n DESC"])
    untilDamage(() => {
      for (const row of reading(db, `SELECT * FROM entry NOT INDEXED ORDER BY ${order}`).iterate()) take(row)
    })
  for (const runId of ends.keys())
    untilDamage(() => {
      for (const row of reading(db, "SELECT * FROM entry WHERE run = ? ORDER BY seq").iterate(runId)) take(row)
    })
  return { ends, found }
}

function untilDamage(read: () => void): void {
  try {
    read()
  } catch {
    // What came before it counts.
  }
}

/** The entries of a run up to the first that is gone, altered, or makes no sense. */
function soundOf(runId: string, found: ReadonlyMap<number, Found>): readonly Placed[] {
  const sound: Placed[] = []
  const chain = new Chain(runId)
  let state: RunState | undefined
  let started: RunStarted | undefined
  for (let next = found.get(0); next !== undefined; next = found.get(sound.length)) {
    const { n, sealed } = next
    const { seq, atMs, hash } = sealed
    const event = chain.open(sealed, sound.length)
    if (event === undefined || misshapen(event, started) !== undefined) break
    if (event.kind === "run-started") started = event
    const old = event.kind === "run-started" && event.journal < journalVersion
    const record = { seq, atMs, event }
    const folded = state === undefined ? (seq > 0 || old ? undefined : begin(runId, record)) : fold(state, record)
    if (folded instanceof Error) break
    state = folded
    sound.push({ n, entry: { runId, ...record, hash } })
  }
  return sound
}

/**
 * Without what could not have been taken: what it hangs on is gone in another run. Like all that is lost, such effects are
 * counted, for a person to look after: the new file does not know of them.
 */
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
  const { db, close } = open(to, true)
  try {
    db.exec("BEGIN IMMEDIATE")
    const refused = adopt(new SqliteRows(db), entries, "recovered")
    if (refused !== undefined) throw refused
    db.exec("COMMIT")
  } finally {
    close()
  }
}
