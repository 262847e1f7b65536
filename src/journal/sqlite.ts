/** The embedded journal: one SQLite file, append-only, each append one durable transaction. */
import { existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { canonical } from "../text/canonical.ts"
import { restoreJson } from "../text/restore-json.ts"
import { genesis, link } from "./chain.ts"
import type { Entry, Event, Recorded } from "./entry.ts"
import { JournalConflict, JournalNewer, JournalTampered, StoreUnavailable } from "./failure.ts"
import { Journal, type JournalService, summarise } from "./journal.ts"

/** Of the tables. A file of a later version is refused, never guessed at. */
const schemaVersion = 1

/** How long to wait for another process that writes. */
const busyMs = 5_000

export interface SqliteOptions {
  /**
   * `true`, the default, makes the file where it is not there. `false` is for who wants to read or decide: a file that is not
   * there, or is empty, is refused and stays as it is, and one that may not be written can still be read.
   */
  readonly create?: boolean
}

/** The journal in a file. Closed with its scope. */
export const sqlite = (
  file: string,
  { create = true }: SqliteOptions = {},
): Layer.Layer<Journal, StoreUnavailable | JournalNewer> =>
  Layer.effect(
    Journal,
    Effect.acquireRelease(
      attempt(file, () => (create ? open(file) : openExisting(file)), JournalNewer),
      (db) => Effect.sync(() => db.close()),
    ).pipe(Effect.flatMap((db) => attempt(file, () => makeSqlite(file, db)))),
  )

/** The file's own rules: entries are only ever added, at the end of their run. */
const schema = `
  CREATE TABLE sequitur (version INTEGER NOT NULL) STRICT;
  INSERT INTO sequitur VALUES (${schemaVersion});
  CREATE TABLE entry (
    run TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, event TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entry_first ON entry (event ->> '$.tenant', at_ms) WHERE seq = 0;
  CREATE TRIGGER entry_follows BEFORE INSERT ON entry
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq) + 1, 0) FROM entry WHERE run = NEW.run)
    BEGIN SELECT raise(ABORT, 'a journal is append-only'); END;
  CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT raise(ABORT, 'a journal is append-only'); END;
  CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry BEGIN SELECT raise(ABORT, 'a journal is append-only'); END;
`

const settings = `PRAGMA busy_timeout = ${busyMs}; PRAGMA trusted_schema = OFF`
const holdsNothing = "it is empty: no run was ever kept there"

function open(file: string, create = true): DatabaseSync {
  const db = new DatabaseSync(file)
  try {
    // The file is looked at before anything in it is changed: it may be somebody else's.
    db.exec(`${settings}; BEGIN IMMEDIATE`)
    const tables = tablesOf(db)
    if (tables.size === 0 && !create) throw new Error(holdsNothing)
    if (tables.size === 0) db.exec(schema)
    else checkTables(file, db, tables)
    db.exec("COMMIT")
    const mode = db.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode
    if (mode !== "wal") throw new Error(`it cannot be kept with a write-ahead log (${mode})`)
    // FULL: an intent is on the disk before its effect begins, also when the power fails.
    db.exec("PRAGMA synchronous = FULL")
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLite itself would make what is not there. */
function openExisting(file: string): DatabaseSync {
  if (!existsSync(file)) throw new Error("there is no such file")
  if (statSync(file).size === 0) throw new Error(holdsNothing)
  try {
    return open(file, false)
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return openToRead(file)
  }
}

/** https://www.sqlite.org/rescode.html: SQLITE_READONLY; SQLITE_CANTOPEN, of the log that may not be made beside the file. */
const isUnwritable = (error: unknown): boolean => [8, 14].includes((codeOf(error) ?? 0) & 0xff)

/** On a medium where nothing can be written nobody else writes either: without that promise SQLite wants to lock the file. */
function openToRead(file: string): DatabaseSync {
  const url = pathToFileURL(resolve(file))
  // Where a log stands beside it, the file alone is not all.
  if (!existsSync(`${file}-wal`)) url.searchParams.set("immutable", "1")
  const db = new DatabaseSync(url, { readOnly: true })
  try {
    db.exec(settings)
    checkTables(file, db, tablesOf(db))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const tablesOf = (db: DatabaseSync): ReadonlySet<unknown> =>
  new Set(
    db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => name),
  )

function checkTables(file: string, db: DatabaseSync, tables: ReadonlySet<unknown>): void {
  if (!tables.has("sequitur")) throw new Error("it is a database of another program")
  const found = Number(db.prepare("SELECT max(version) AS version FROM sequitur").get()?.version)
  if (found !== schemaVersion) throw new JournalNewer({ where: file, found, known: schemaVersion })
  if (!tables.has("entry")) throw new Error("its table of entries is gone: the file was altered")
}

function makeSqlite(file: string, db: DatabaseSync): JournalService {
  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const last = db.prepare("SELECT seq, hash FROM entry WHERE run = ? ORDER BY seq DESC LIMIT 1")
  const insert = db.prepare("INSERT INTO entry (run, seq, at_ms, event, hash) VALUES (?, ?, ?, ?, ?)")
  const entries = db.prepare("SELECT seq, at_ms, event, hash FROM entry WHERE run = ? ORDER BY seq")
  const ends = db.prepare(`
    SELECT first.run, first.at_ms AS first_ms, first.event AS first, last.seq, last.at_ms AS last_ms, last.event AS last
    FROM entry AS first JOIN entry AS last
      ON last.run = first.run AND last.seq = (SELECT max(seq) FROM entry WHERE run = first.run)
    WHERE first.seq = 0
      AND (?1 IS NULL OR NOT json_valid(first.event) OR first.event ->> '$.tenant' = ?1)
    ORDER BY first.at_ms, first.run`)

  function append(runId: string, records: readonly Recorded[]): void {
    const events = records.map(({ event }) => canonical(event as never))
    begin.run()
    try {
      const end = last.get(runId) as { readonly seq: number; readonly hash: string } | undefined
      let seq = end === undefined ? 0 : end.seq + 1
      let hash = end?.hash ?? genesis
      records.forEach((record, index) => {
        if (record.seq !== seq) throw new JournalConflict({ runId, seq: record.seq })
        const event = events[index] as string
        hash = link(hash, runId, seq, record.atMs, event)
        insert.run(runId, seq, record.atMs, event, hash)
        seq += 1
      })
      commit.run()
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK")
      throw error
    }
  }

  function read(runId: string, tenant: string | undefined): readonly Entry[] {
    let previous = genesis
    const found = entries.all(runId).map((row, index): Entry => {
      const { seq, at_ms: atMs, event, hash } = row as unknown as Row
      if (seq !== index || hash !== link(previous, runId, seq, atMs, event))
        throw new JournalTampered({ runId, seq: index })
      previous = hash
      return { runId, seq, atMs, event: restore(event), hash }
    })
    const first = found[0]?.event
    return tenant === undefined || (first?.kind === "run-started" && first.tenant === tenant) ? found : []
  }

  return {
    append: (runId, records) => attempt(file, () => append(runId, records), JournalConflict),
    read: (runId, { tenant } = {}) => attempt(file, () => read(runId, tenant), JournalTampered),
    list: ({ tenant } = {}) =>
      attempt(
        file,
        () =>
          (ends.all(tenant ?? null) as unknown as readonly Ends[]).map(({ run, first_ms, first, seq, last_ms, last }) =>
            summarise(
              run,
              { seq: 0, atMs: first_ms, event: restoreIn(run, 0, first) },
              { seq, atMs: last_ms, event: restoreIn(run, seq, last) },
            ),
          ),
        JournalTampered,
      ),
  }
}

/** The chain is not verified for a list; but what cannot be an entry is told by its run. */
function restoreIn(runId: string, seq: number, text: string): Event {
  try {
    return restore(text)
  } catch {
    throw new JournalTampered({ runId, seq })
  }
}

const restore = (text: string): Event => restoreJson(text) as unknown as Event

interface Row {
  readonly seq: number
  readonly at_ms: number
  readonly event: string
  readonly hash: string
}

interface Ends {
  readonly run: string
  readonly first_ms: number
  readonly first: string
  readonly seq: number
  readonly last_ms: number
  readonly last: string
}

/** Runs `use`; what the database or the disk says becomes a `StoreUnavailable` with the file and the reason. */
const attempt = <A, E = never>(file: string, use: () => A, also?: Class<E>): Effect.Effect<A, E | StoreUnavailable> =>
  Effect.try({
    try: use,
    catch: (error) =>
      also !== undefined && error instanceof also
        ? error
        : new StoreUnavailable({ store: file, reason: reasonOf(error, file) }),
  })

type Class<E> = new (...fields: never) => E

/** https://www.sqlite.org/rescode.html */
const reasons: Readonly<Record<number, string>> = {
  5: "another process has held its lock for too long",
  8: "it may not be written",
  10: "the disk reports an error",
  11: "the file is damaged",
  13: "the disk is full",
  14: "the file cannot be opened",
  23: "the file may not be opened",
  26: "the file is not a SQLite database",
}

const codeOf = (error: unknown): number | undefined => (error as { readonly errcode?: number }).errcode

function reasonOf(error: unknown, file: string): string {
  const { message } = error as { readonly message: string }
  const errcode = codeOf(error)
  if (errcode === undefined) return message
  const folder = dirname(resolve(file))
  if (errcode === 14 && !existsSync(folder)) return `the folder ${folder} does not exist`
  return reasons[errcode & 0xff] ?? message
}
