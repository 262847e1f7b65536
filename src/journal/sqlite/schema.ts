/** The tables of the file, and how older ones become these. Entries are only ever added, at the end of their run. */
import type { DatabaseSync } from "node:sqlite"
import { rebuild } from "../rebuild.ts"
import { SqliteRows } from "./rows.ts"

/** A file of a later version is refused, never guessed at. */
export const schemaVersion = 2

const appendOnly = `
  CREATE TRIGGER entry_follows BEFORE INSERT ON entry
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq) + 1, 0) FROM entry WHERE run = NEW.run)
    BEGIN SELECT raise(ABORT, 'a journal is append-only'); END;
  CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT raise(ABORT, 'a journal is append-only'); END;
  CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry BEGIN SELECT raise(ABORT, 'a journal is append-only'); END;
`

/** `n` is the order across runs. An index on what changes with every append would be one more page to write for each. */
const tables = `
  CREATE TABLE entry (
    n INTEGER PRIMARY KEY, run TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    clear TEXT NOT NULL, payload TEXT, hash TEXT NOT NULL, UNIQUE (run, seq)
  ) STRICT;
  CREATE TABLE run (
    run TEXT PRIMARY KEY, journal INTEGER NOT NULL, salt TEXT, tenant TEXT NOT NULL, subject TEXT NOT NULL,
    session TEXT NOT NULL, task TEXT NOT NULL, goal TEXT, status TEXT NOT NULL, open TEXT,
    seq INTEGER NOT NULL, hash TEXT NOT NULL, started_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL,
    epoch INTEGER NOT NULL, owner TEXT, until_ms INTEGER NOT NULL, due_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX run_started ON run (tenant, started_ms);
  CREATE INDEX run_open ON run (journal) WHERE status IN ('running', 'awaiting_approval', 'in_doubt');
  CREATE TABLE effect (
    tenant TEXT NOT NULL, identity TEXT NOT NULL, generation INTEGER NOT NULL, key TEXT NOT NULL, run TEXT NOT NULL,
    step TEXT NOT NULL, undoes INTEGER NOT NULL, state TEXT NOT NULL, reserves TEXT NOT NULL,
    PRIMARY KEY (tenant, identity)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE claim (
    tenant TEXT NOT NULL, tool TEXT NOT NULL, scope TEXT NOT NULL, digest TEXT NOT NULL, call TEXT NOT NULL,
    identity TEXT NOT NULL, PRIMARY KEY (tenant, tool, scope, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX claim_identity ON claim (tenant, identity);
  CREATE TABLE used (
    tenant TEXT NOT NULL, scope TEXT NOT NULL, scope_id TEXT NOT NULL, dimension TEXT NOT NULL, used INTEGER NOT NULL,
    PRIMARY KEY (tenant, scope, scope_id, dimension)
  ) STRICT, WITHOUT ROWID;
`

export function create(db: DatabaseSync): void {
  db.exec(`CREATE TABLE sequitur (version INTEGER NOT NULL) STRICT; INSERT INTO sequitur VALUES (${schemaVersion})`)
  db.exec(tables + appendOnly)
}

/** The tables that every version of a file must have. */
export const tablesOf = (version: number): readonly string[] =>
  version === 1 ? ["entry"] : ["entry", "run", "effect", "claim", "used"]

/**
 * Version 1 kept an entry as one text, all in the clear, and no tables. Its entries stay what they were, with their hashes; the
 * tables are made from them. Within the transaction that is open.
 */
export function migrate(db: DatabaseSync): void {
  db.exec(`
    DROP TRIGGER entry_follows; DROP TRIGGER entry_stays; DROP TRIGGER entry_is_kept; DROP INDEX IF EXISTS entry_first;
    ALTER TABLE entry RENAME TO entry_1`)
  db.exec(tables)
  db.exec(`
    INSERT INTO entry (run, seq, at_ms, clear, hash)
      SELECT run, seq, at_ms, event, hash FROM entry_1
      ORDER BY (SELECT at_ms FROM entry_1 AS first WHERE first.run = entry_1.run AND first.seq = 0), run, seq;
    DROP TABLE entry_1;
    UPDATE sequitur SET version = ${schemaVersion}`)
  db.exec(appendOnly)
  const rows = new SqliteRows(db)
  rebuild(rows, rows.entries())
  db.exec("UPDATE run SET hash = (SELECT hash FROM entry WHERE entry.run = run.run ORDER BY seq DESC LIMIT 1)")
}
