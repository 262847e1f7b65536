/** A file of version 1 becomes one of this version when it is opened to write: its runs are read as they were, and go no further. */
import { copyFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { sha256 } from "#sha256"
import type { Event } from "../../src/journal/entry.ts"
import { sqlite } from "../../src/journal/sqlite.ts"
import { replay } from "../../src/journal/state.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { canonical } from "../../src/text/canonical.ts"
import { events, named, recorded, started, wholeRun } from "./entries.ts"
import { newFile, withStore } from "./stores.ts"

const { salt: _, spent: __, tools: ___, ...rest } = started()
const old = (tenant: string): Event => ({ ...rest, tenant, journal: 1 }) as unknown as Event

/** As sequitur wrote it then. */
const schema = `
  CREATE TABLE sequitur (version INTEGER NOT NULL) STRICT;
  INSERT INTO sequitur VALUES (1);
  CREATE TABLE entry (
    run TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, event TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entry_first ON entry (event ->> '$.tenant', at_ms) WHERE seq = 0;
  CREATE TRIGGER entry_follows BEFORE INSERT ON entry
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq) + 1, 0) FROM entry WHERE run = NEW.run)
    BEGIN SELECT raise(ABORT, 'a journal is append-only'); END;
  CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT raise(ABORT, 'a journal is append-only'); END;
  CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry BEGIN SELECT raise(ABORT, 'a journal is append-only'); END;`

const runs: Readonly<Record<string, readonly Event[]>> = {
  ended: named(wholeRun).map(({ event, seq }) => (seq === 0 ? old("acme") : event)),
  doubtful: [
    old("other"),
    events.readIntent,
    events.readOutcome,
    events.entered,
    events.writeIntent,
    // Proved not to have happened, and begun again by the same key, as it was then.
    { ...events.writeInDoubt, kind: "attempt-failed", tookMs: 1 } as Event,
    events.writeAgain,
    { ...events.writeInDoubt, attempt: 2 },
  ],
}

const writeOld = (): string => {
  const file = newFile()
  const db = new DatabaseSync(file)
  db.exec(schema)
  const insert = db.prepare("INSERT INTO entry (run, seq, at_ms, event, hash) VALUES (?, ?, ?, ?, ?)")
  for (const [runId, list] of Object.entries(runs)) {
    let hash = "0".repeat(64)
    for (const { seq, atMs, event } of recorded(list)) {
      const text = canonical(event as never)
      hash = sha256(`["${hash}",${canonical(runId)},${seq},${atMs},${text}]`)
      insert.run(runId, seq, atMs, text, hash)
    }
  }
  db.exec("PRAGMA journal_mode = WAL")
  db.close()
  return file
}

test("its entries are those that were written, and its effects count", () => {
  const file = writeOld()
  return withStore(sqlite(file), async (ask) => {
    for (const [runId, list] of Object.entries(runs)) {
      const entries = await ask((journal) => journal.read(runId))
      expect(entries.map(({ event }) => event)).toEqual(list)
      expect(replay(runId, entries)).toMatchObject({ _tag: "JournalOlder" })
    }
    const listed = await ask((journal) => journal.list())
    expect(listed.map(({ runId, status, entries }) => [runId, status, entries])).toEqual([
      ["doubtful", "in_doubt", 8],
      ["ended", "succeeded", 9],
    ])
    expect(await ask((journal) => journal.effect("acme", "k1:1"))).toMatchObject({ runId: "ended", state: "applied" })
    expect(await ask((journal) => journal.effect("other", "k1:1"))).toMatchObject({ runId: "doubtful", state: "open" })
    const again = recorded([
      started({ tenant: "other" }),
      events.readIntent,
      events.readOutcome,
      events.entered,
      events.writeIntent,
    ])
    expect(await ask((journal) => Effect.flip(journal.append("new", again)))).toMatchObject({
      _tag: "Taken",
      what: "key",
    })
  })
})

test("its runs are not taken further, and are not due", () =>
  withStore(sqlite(writeOld()), async (ask) => {
    expect(await ask((journal) => journal.due(1e15, 10))).toEqual([])
    const as = { owner: "a", untilMs: 1, nowMs: 0, takeOver: true }
    expect((await ask((journal) => Effect.flip(journal.takeUp("doubtful", as)))).message).toContain("version 1")
    const next = [{ seq: 8, atMs: 0, event: events.failed }]
    expect((await ask((journal) => Effect.flip(journal.append("doubtful", next)))).message).toContain("version 1")
  }))

test("what it has become verifies, and is this version's from then on", async () => {
  const file = writeOld()
  await withStore(sqlite(file), async (ask) => {
    await ask((journal) => journal.append("new", named(wholeRun.slice(0, 3))))
    expect((await ask((journal) => journal.inspect((whole) => verifyStore(whole)))).findings).toEqual([])
  })
  await withStore(sqlite(file, { create: false }), async (ask) => {
    expect(await ask((journal) => journal.list())).toHaveLength(3)
  })
  const db = new DatabaseSync(file)
  expect(db.prepare("SELECT version FROM sequitur").get()).toMatchObject({ version: 2 })
  expect(() => db.exec("UPDATE entry SET clear = ''")).toThrow("append-only")
  db.close()
})

test("an altered entry is found after as before", async () => {
  const file = writeOld()
  const db = new DatabaseSync(file)
  db.exec(
    "DROP TRIGGER entry_stays; UPDATE entry SET event = replace(event, 'ann', 'eve') WHERE run = 'ended' AND seq = 0",
  )
  db.exec(
    "CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT raise(ABORT, 'a journal is append-only'); END",
  )
  db.close()
  await withStore(sqlite(file), async (ask) => {
    const error = await ask((journal) => Effect.flip(journal.read("ended")))
    expect(error).toMatchObject({ _tag: "JournalTampered", fields: { seq: 0 } })
    expect(await ask((journal) => journal.read("doubtful"))).toHaveLength(8)
  })
})

test("one that cannot be made anew stays as it was", async () => {
  const file = writeOld()
  const db = new DatabaseSync(file)
  db.exec("DROP TRIGGER entry_stays; UPDATE entry SET event = 'no json' WHERE run = 'ended' AND seq = 3")
  db.close()
  const kept = newFile()
  copyFileSync(file, kept)
  const opened = withStore(sqlite(file), (ask) => ask((journal) => Effect.asVoid(journal.list())))
  await expect(opened).rejects.toMatchObject({ _tag: "StoreUnavailable" })
  const after = new DatabaseSync(file)
  expect(after.prepare("SELECT version FROM sequitur").get()).toMatchObject({ version: 1 })
  expect(after.prepare("SELECT count(*) AS count FROM entry").get()).toMatchObject({ count: 17 })
  after.close()
})
