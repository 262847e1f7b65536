/** The SQLite file itself: it is append-only, it is ours or refused, and whatever was changed in it is found. */
import { execFile } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { afterAll, expect, test } from "vitest"
import { JournalNewer, JournalTampered, StoreUnavailable } from "../../src/journal/failure.ts"
import { Journal, type JournalService } from "../../src/journal/journal.ts"
import { recover, type SqliteOptions, sqlite } from "../../src/journal/sqlite.ts"
import { named, started, wholeRun } from "./entries.ts"
import { openStore } from "./stores.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-sqlite-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ask = <A, E>(file: string, question: (journal: JournalService) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.flatMap(Journal, question).pipe(Effect.provide(sqlite(file))))

/** Why a file cannot be used. */
const refusalOf = (file: string, options?: SqliteOptions) =>
  Effect.runPromise(
    Effect.flip(Effect.flatMap(Journal, (journal) => journal.list()).pipe(Effect.provide(sqlite(file, options)))),
  )

const written = join(folder, "written.db")
await ask(written, (journal) => journal.append("run", named(wholeRun)))

const copied = (name: string): string => {
  const file = join(folder, name)
  copyFileSync(written, file)
  return file
}

test("the database refuses to change or drop an entry, and to put one where it does not follow", () => {
  const db = new DatabaseSync(copied("refusing.db"))
  const forbidden = [
    "UPDATE entry SET clear = '{}' WHERE seq = 3",
    "UPDATE entry SET seq = 100 WHERE seq = 8",
    "DELETE FROM entry WHERE seq = 8",
    "DELETE FROM entry",
    "REPLACE INTO entry SELECT n, run, seq, at_ms, '{}', payload, hash FROM entry WHERE seq = 8",
    "INSERT INTO entry SELECT NULL, run, 20, at_ms, clear, payload, hash FROM entry WHERE seq = 8",
    "INSERT INTO entry SELECT NULL, 'other', 1, at_ms, clear, payload, hash FROM entry WHERE seq = 8",
  ]
  for (const sql of forbidden) expect(() => db.exec(sql), sql).toThrow("append-only")
  expect(db.prepare("SELECT count(*) AS count FROM entry").get()).toMatchObject({ count: wholeRun.length })
  db.close()
})

/** What somebody with the file in their hands can do. */
const tamper = async (name: string, sql: string, tenant?: string): Promise<number | string | undefined> => {
  const file = copied(name)
  const db = new DatabaseSync(file)
  db.exec("DROP TRIGGER entry_follows; DROP TRIGGER entry_stays; DROP TRIGGER entry_is_kept")
  db.exec(sql)
  db.close()
  const exit = await Effect.runPromiseExit(
    Effect.flatMap(Journal, (journal) => journal.read("run", { tenant })).pipe(Effect.provide(sqlite(file))),
  )
  if (Exit.isSuccess(exit)) return undefined
  const [reason] = exit.cause.reasons
  const error = reason?._tag === "Fail" ? reason.error : undefined
  return error instanceof JournalTampered ? error.fields.seq : `${error}`
}

test("A086: an entry that was altered, moved, dropped or put in between is found by its number", async () => {
  const cases: readonly (readonly [sql: string, seq: number])[] = [
    ["UPDATE entry SET payload = replace(payload, 'ann', 'eve') WHERE seq = 0", 0],
    ["UPDATE entry SET payload = replace(payload, '5a5a', '5b5b') WHERE seq = 0", 0],
    ["UPDATE entry SET payload = replace(payload, 'true', 'false') WHERE seq = 2", 2],
    ["UPDATE entry SET payload = NULL WHERE seq = 2", 2],
    ["UPDATE entry SET clear = replace(clear, 'approved', 'denied') WHERE seq = 4", 4],
    ["UPDATE entry SET clear = clear || ' ' WHERE seq = 4", 4],
    ["UPDATE entry SET payload = payload || ' ' WHERE seq = 4", 4],
    ["UPDATE entry SET at_ms = at_ms + 1 WHERE seq = 5", 5],
    ["UPDATE entry SET hash = upper(hash) WHERE seq = 6", 6],
    ["UPDATE entry SET run = 'other' WHERE seq = 0", 0],
    ["DELETE FROM entry WHERE seq = 3", 3],
    ["DELETE FROM entry WHERE seq = 3; UPDATE entry SET seq = seq - 1 WHERE seq > 3", 3],
    [
      "UPDATE entry SET seq = 100 WHERE seq = 3; UPDATE entry SET seq = 3 WHERE seq = 4; UPDATE entry SET seq = 4 WHERE seq = 100",
      3,
    ],
    ["INSERT INTO entry SELECT NULL, run, 9, at_ms, clear, payload, hash FROM entry WHERE seq = 8", 9],
    ["INSERT INTO entry SELECT NULL, run, -1, at_ms, clear, payload, hash FROM entry WHERE seq = 0", 0],
    // What the run's own row says of its end.
    ["DELETE FROM entry WHERE seq = 8", 8],
    ["DELETE FROM entry", 0],
    ["DELETE FROM run", 0],
    ["UPDATE run SET hash = (SELECT hash FROM entry WHERE seq = 7)", 9],
  ]
  for (const [index, [sql, seq]] of cases.entries()) expect(await tamper(`tampered-${index}.db`, sql), sql).toBe(seq)
})

test("A109: that a run is damaged is told to its own tenant, and to no other", async () => {
  const sql = "UPDATE entry SET at_ms = at_ms + 1 WHERE seq = 5"
  const { tenant } = started()
  expect(await tamper("own.db", sql, tenant)).toBe(await tamper("any.db", sql))
  expect(await tamper("own-again.db", sql, tenant)).toBeDefined()
  expect(await tamper("other.db", sql, "nobody's")).toBeUndefined()
})

test.each(["clear", "payload"])("A086: every bit of an entry's text counts: %s", async (column) => {
  const file = copied(`bits-${column}.db`)
  const db = new DatabaseSync(file)
  db.exec("DROP TRIGGER entry_stays")
  const text = `${db.prepare(`SELECT ${column} AS text FROM entry WHERE seq = 2`).get()?.text}`
  const set = db.prepare(`UPDATE entry SET ${column} = ? WHERE seq = 2`)
  const found = await ask(file, (journal) =>
    Effect.gen(function* () {
      let missed = 0
      for (let at = 0; at < text.length; at++) {
        for (let bit = 0; bit < 7; bit++) {
          set.run(text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1))
          const error = yield* Effect.flip(journal.read("run"))
          if (!(error instanceof JournalTampered) || error.fields.seq !== 2) missed++
        }
      }
      return missed
    }),
  )
  db.close()
  expect(found).toBe(0)
})

test("a file that is no database, a folder, a missing folder and a foreign database are refused by name", async () => {
  const text = join(folder, "text.db")
  writeFileSync(text, "not a database, but long enough to be looked at as one".repeat(100))
  const foreign = join(folder, "foreign.db")
  const db = new DatabaseSync(foreign)
  db.exec("CREATE TABLE customers (name TEXT)")
  db.close()
  const cases = {
    [text]: "is not a SQLite database",
    [folder]: "cannot be opened",
    [join(folder, "none", "x.db")]: `the folder ${join(folder, "none")} does not exist`,
    [foreign]: "is a database of another program",
  }
  for (const [file, reason] of Object.entries(cases)) {
    const error = await refusalOf(file)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(error.message).toContain(reason)
    expect(error.message).toContain(file)
    expect(JSON.stringify(error)).not.toContain("sqlite.ts")
  }
  // And nothing was done to what is somebody else's.
  const after = new DatabaseSync(foreign)
  expect(after.prepare("SELECT name FROM sqlite_master").all()).toHaveLength(1)
  expect(after.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "delete" })
  after.close()
})

test("a file of a newer version is refused by its version", async () => {
  const file = copied("newer.db")
  const db = new DatabaseSync(file)
  db.exec("UPDATE sequitur SET version = 3")
  db.close()
  const error = await refusalOf(file)
  expect(error).toBeInstanceOf(JournalNewer)
  expect(error.message).toContain("version 3")
})

test("A085: a write-ahead log cut anywhere opens to whole entries from the first, or is refused; it never lies", async () => {
  const source = join(folder, "log.db")
  await ask(source, (journal) =>
    Effect.gen(function* () {
      for (const entry of named(wholeRun)) yield* journal.append("run", [entry])
      // While it is open: closing moves the log into the file.
      copyFileSync(source, join(folder, "uncut.db"))
      copyFileSync(`${source}-wal`, join(folder, "uncut.db-wal"))
    }),
  )
  const log = readFileSync(join(folder, "uncut.db-wal"))
  const lengths = new Set<number>()
  for (let cut = 0; cut <= log.length; cut += 509) {
    const file = join(folder, "torn.db")
    copyFileSync(join(folder, "uncut.db"), file)
    writeFileSync(`${file}-wal`, log.subarray(0, cut))
    const found = await ask(file, (journal) => Effect.result(journal.read("run")))
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true })
    expect(found._tag).toBe("Success")
    if (found._tag !== "Success") continue
    lengths.add(found.success.length)
    expect(found.success.map(({ event }) => event)).toEqual(
      named(wholeRun.slice(0, found.success.length)).map(({ event }) => event),
    )
  }
  expect(lengths.size).toBeGreaterThan(5)
})

test("processes that open a new file at once share it, and each is heard", async () => {
  const file = join(folder, "shared.db")
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const script = `
    import * as Effect from "effect/Effect"
    import { Journal } from ${at("../../src/journal/journal.ts")}
    import { sqlite } from ${at("../../src/journal/sqlite.ts")}
    import { started } from ${at("./entries.ts")}
    const [file, runId] = process.argv.slice(1)
    const append = Effect.flatMap(Journal, (journal) => journal.append(runId, [{ seq: 0, atMs: 0, event: started() }]))
    await Effect.runPromise(append.pipe(Effect.provide(sqlite(file))))`
  const node = join(process.cwd(), "node_modules/.bin/node")
  const flags = ["--conditions=@sequitur/source", "--no-warnings", "--input-type=module", "-e", script]
  const runs = ["a", "b", "c", "d", "e"]
  await Promise.all(runs.map((runId) => promisify(execFile)(node, [...flags, file, runId])))
  const listed = await ask(file, (journal) => journal.list())
  expect(listed.map(({ runId }) => runId)).toEqual(runs)
})

test("where the file must be there, none is made, and an empty one stays empty", async () => {
  const none = join(folder, "not-there.db")
  const empty = join(folder, "empty.db")
  writeFileSync(empty, "")
  for (const [file, reason] of [
    [none, "there is no such file"],
    [empty, "it is empty: no run was ever kept there"],
  ] as const) {
    const error = await refusalOf(file, { create: false })
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(error.message).toContain(reason)
  }
  expect(existsSync(none)).toBe(false)
  expect(readFileSync(empty)).toHaveLength(0)
  const listed = Effect.flatMap(Journal, (journal) => journal.list())
  const found = await Effect.runPromise(listed.pipe(Effect.provide(sqlite(copied("there.db"), { create: false }))))
  expect(found).toHaveLength(1)
})

test("a file that may not be written is read where it must be there, and not written", async () => {
  const place = mkdtempSync(join(tmpdir(), "sequitur-read-only-"))
  const file = join(place, "runs.db")
  copyFileSync(written, file)
  chmodSync(file, 0o444)
  chmodSync(place, 0o555)
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const script = `
    import * as Effect from "effect/Effect"
    import { Journal } from ${at("../../src/journal/journal.ts")}
    import { sqlite } from ${at("../../src/journal/sqlite.ts")}
    import { started } from ${at("./entries.ts")}
    const [file] = process.argv.slice(1)
    const told = (create) => Effect.gen(function* () {
      const journal = yield* Journal
      const entries = yield* journal.read("run")
      const error = yield* Effect.flip(journal.append("other", [{ seq: 0, atMs: 0, event: started() }]))
      return [entries.length, error.message]
    }).pipe(Effect.provide(sqlite(file, { create })), Effect.catch((error) => Effect.succeed(error.message)))
    console.log(JSON.stringify([await Effect.runPromise(told(false)), await Effect.runPromise(told(true))]))`
  const node = join(process.cwd(), "node_modules/.bin/node")
  const flags = ["--conditions=@sequitur/source", "--no-warnings", "--input-type=module", "-e", script]
  // Who may do everything may also write there.
  const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {}
  const { stdout } = await promisify(execFile)(node, [...flags, file], uid)
  const [reading, making] = JSON.parse(stdout)
  expect(reading).toEqual([wholeRun.length, expect.stringContaining("it may not be written")])
  expect(making).toMatch(/cannot be used: .*: it may not be written$/)
  chmodSync(place, 0o755)
  rmSync(place, { recursive: true })
})

test("a file of which a table is gone is told by the table's name", async () => {
  for (const [table, said] of [
    ["entry", "its table of entries is gone"],
    ["effect", "its table `effect` is gone"],
  ] as const) {
    const file = copied(`without-${table}.db`)
    const db = new DatabaseSync(file)
    db.exec(`DROP TABLE ${table}`)
    db.close()
    const error = await refusalOf(file)
    expect(error).toMatchObject({ _tag: "StoreUnavailable", trouble: "corrupt" })
    expect(error.message).toContain(said)
  }
})

test("one run that is no run does not hide the others", async () => {
  const file = copied("bad-row.db")
  await ask(file, (journal) => journal.append("other", named(["started"])))
  const db = new DatabaseSync(file)
  for (const sql of ["status = 'done'", "open = 'no json'", "open = '[]'"]) {
    db.exec(`UPDATE run SET ${sql} WHERE run = 'run'`)
    const listed = await ask(file, (journal) => journal.list())
    expect(listed.map(({ runId, status }) => [runId, status])).toEqual([
      ["other", "running"],
      ["run", "damaged"],
    ])
    const error = await ask(file, (journal) => Effect.flip(journal.read("run")))
    expect(error).toMatchObject({ _tag: "JournalTampered", fields: { runId: "run" } })
    db.exec("UPDATE run SET status = 'succeeded', open = NULL WHERE run = 'run'")
  }
  db.close()
})

/** A store whose last entries are in its log alone, as after a crash. */
async function crashed(name: string): Promise<string> {
  const source = copied(`${name}-source.db`)
  const file = join(folder, `${name}.db`)
  await ask(source, (journal) =>
    Effect.gen(function* () {
      yield* journal.append("late", named(["started"]))
      for (const suffix of ["", "-wal"]) copyFileSync(source + suffix, file + suffix)
    }),
  )
  return file
}

test("through a link, to the file or to its folder, all of a store is read, recovered and written", async () => {
  const file = await crashed("linked")
  const link = join(folder, "link.db")
  symlinkSync(file, link)
  const other = join(folder, "other-folder")
  symlinkSync(folder, other)
  const both = [
    { runId: "run", kept: 9, lost: 0 },
    { runId: "late", kept: 1, lost: 0 },
  ]
  for (const [index, name] of [link, join(other, "link.db")].entries()) {
    const { runs } = await Effect.runPromise(recover(name, join(folder, `recovered-${index}.db`)))
    expect(runs).toEqual(expect.arrayContaining(both))
  }
  const { ask: look, close } = openStore(sqlite(link))
  expect(await look((journal) => journal.list())).toHaveLength(2)
  await look((journal) => journal.append("third", named(["started"])))
  // The link leads elsewhere by now.
  unlinkSync(link)
  symlinkSync(copied("elsewhere.db"), link)
  const error = await look((journal) => Effect.flip(journal.append("fourth", named(["started"]))))
  expect(error).toMatchObject({ trouble: "replaced" })
  await close()
  const listed = await ask(file, (journal) => journal.list())
  expect(listed.map(({ runId }) => runId)).toEqual(expect.arrayContaining(["run", "late", "third"]))
})

test("a link to a file that is gone makes one where it leads, unless its log is there", async () => {
  const file = join(folder, "dangling-target.db")
  const link = join(folder, "dangling.db")
  symlinkSync("dangling-target.db", link)
  await ask(link, (journal) => journal.append("run", named(wholeRun)))
  expect(existsSync(file)).toBe(true)
  rmSync(file)
  writeFileSync(`${file}-wal`, "log")
  expect(await refusalOf(link)).toMatchObject({ trouble: "gone" })
})

test("a file of two names is refused: its log stands beside one of them", async () => {
  const file = await crashed("two-names")
  const name = join(folder, "second-name.db")
  linkSync(file, name)
  for (const one of [file, name]) expect((await refusalOf(one)).message).toContain("it has 2 names (hard links)")
  const error = await Effect.runPromise(Effect.flip(recover(name, join(folder, "of-two-names.db"))))
  expect(error.message).toContain("it has 2 names (hard links)")
  unlinkSync(name)
  expect(await ask(file, (journal) => journal.list())).toHaveLength(2)
})

test("a name is read once: whoever changes the working directory does not lose the store", async () => {
  const name = relative(process.cwd(), copied("working.db"))
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const script = `
    import * as Effect from "effect/Effect"
    import { Journal } from ${at("../../src/journal/journal.ts")}
    import { sqlite } from ${at("../../src/journal/sqlite.ts")}
    const looked = Effect.gen(function* () {
      const journal = yield* Journal
      process.chdir("/")
      return (yield* journal.read("run")).length
    })
    console.log(await Effect.runPromise(looked.pipe(Effect.provide(sqlite(process.argv[1])))))`
  const node = join(process.cwd(), "node_modules/.bin/node")
  const flags = ["--conditions=@sequitur/source", "--no-warnings", "--input-type=module", "-e", script]
  const { stdout } = await promisify(execFile)(node, [...flags, name])
  expect(stdout).toBe(`${wholeRun.length}\n`)
})

test("no time is too far: it is written as far as it can be, and one that was written further hides nothing", async () => {
  const file = copied("far.db")
  const started = named(["started"])
  const as = { owner: "me", epoch: 1, untilMs: Number.MAX_SAFE_INTEGER + 1e12 }
  await ask(file, (journal) =>
    Effect.gen(function* () {
      yield* journal.append("held", started, as)
      yield* journal.append("due", started, { ...as, release: { dueMs: Infinity } })
      yield* journal.renew("held", as)
      const taking = { owner: "you", untilMs: Infinity, nowMs: 8.64e15 - 1, takeOver: false }
      const error = yield* Effect.flip(journal.takeUp("held", taking))
      expect(error.message).toContain("is held by `me` until +275760-09-13")
      yield* journal.takeUp("held", { ...taking, takeOver: true })
      expect(yield* journal.due(taking.nowMs, 9)).toEqual([])
      // Nobody can hold it until then: a clock was wrong.
      expect(yield* journal.due(8e15, 9)).toEqual(["held"])
    }),
  )
  const db = new DatabaseSync(file)
  db.exec("UPDATE run SET until_ms = 9100000000000000000, due_ms = 9007199254740993, started_ms = 9007199254740993")
  db.close()
  const taking = { owner: "you", untilMs: 9, nowMs: 1, takeOver: false }
  expect(await ask(file, (journal) => journal.list())).toHaveLength(3)
  expect(await ask(file, (journal) => journal.read("run"))).toHaveLength(wholeRun.length)
  const near = { ...taking, nowMs: 9.1e18 - 2_048 }
  expect(await ask(file, (journal) => Effect.flip(journal.takeUp("held", near)))).toMatchObject({ code: "RUN208" })
})
