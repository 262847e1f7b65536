/** The embedded journal: one SQLite file, append-only, each append one durable transaction. */
import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { canonical } from "../text/canonical.ts"
import { restoreJson } from "../text/restore-json.ts"
import { genesis, link } from "./chain.ts"
import type { Entry, Event, Recorded, RunStarted } from "./entry.ts"
import { JournalConflict, JournalNewer, JournalTampered, StoreUnavailable } from "./failure.ts"
import { Journal, type JournalService, summarise } from "./journal.ts"

/** Of the tables. A file of a later version is refused, never guessed at. */
const schemaVersion = 1

/** How long to wait for another process that writes. */
const busyMs = 5_000

/** The journal in a file, which is made where it is not there. Closed with its scope. */
export const sqlite = (file: string): Layer.Layer<Journal, StoreUnavailable | JournalNewer> =>
  Layer.effect(
    Journal,
    Effect.acquireRelease(
      attempt(file, () => open(file), JournalNewer),
      (db) => Effect.sync(() => db.close()),
    ).pipe(Effect.map((db) => makeSqlite(file, db))),
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

function open(file: string): DatabaseSync {
  const db = new DatabaseSync(file)
  try {
    // The file is looked at before anything in it is changed: it may be somebody else's.
    db.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA trusted_schema = OFF; BEGIN IMMEDIATE`)
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    if (tables.length === 0) db.exec(schema)
    else if (!tables.some(({ name }) => name === "sequitur")) throw new Error("it is a database of another program")
    const found = Number(db.prepare("SELECT max(version) AS version FROM sequitur").get()?.version)
    if (found !== schemaVersion) throw new JournalNewer({ where: file, found, known: schemaVersion })
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
    WHERE first.seq = 0 AND (?1 IS NULL OR first.event ->> '$.tenant' = ?1)
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
      attempt(file, () =>
        (ends.all(tenant ?? null) as unknown as readonly Ends[]).map(({ run, first_ms, first, seq, last_ms, last }) =>
          summarise(
            run,
            { seq: 0, atMs: first_ms, event: restore(first) as RunStarted },
            { seq, atMs: last_ms, event: restore(last) },
          ),
        ),
      ),
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

function reasonOf(error: unknown, file: string): string {
  const { errcode, message } = error as { readonly errcode?: number; readonly message: string }
  if (errcode === undefined) return message
  const folder = dirname(resolve(file))
  if (errcode === 14 && !existsSync(folder)) return `the folder ${folder} does not exist`
  return reasons[errcode & 0xff] ?? message
}
