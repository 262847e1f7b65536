/** The files of a store that is open: whoever deletes, replaces, cuts or overwrites one of them is noticed before anything is written. */
import { execFile, execFileSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { StoreUnavailable } from "../../src/journal/failure.ts"
import { Commits } from "../../src/journal/sqlite/commit.ts"
import { mountsIn } from "../../src/journal/sqlite/place.ts"
import { sqlite } from "../../src/journal/sqlite.ts"
import { events, recorded, started } from "./entries.ts"
import { newFile, openStore, withStore } from "./stores.ts"

const begun = recorded([started()])
const next = recorded([started(), events.readIntent]).slice(1)

const replace = (file: string): void => {
  copyFileSync(file, `${file}.new`)
  renameSync(`${file}.new`, file)
}
const overwrite = (file: string, bytes: Uint8Array, at: number): void => {
  writeSync(openSync(file, "r+"), bytes, 0, bytes.length, at)
}

const meddled = [
  ["its shared memory deleted", "gone", (file: string) => rmSync(`${file}-shm`)],
  ["its shared memory replaced", "replaced", (file: string) => replace(`${file}-shm`)],
  ["its log cut to nothing", "broken", (file: string) => truncateSync(`${file}-wal`, 0)],
  ["the last byte of its log cut off", "broken", (file: string) => shorten(`${file}-wal`, 1)],
  ["the last frame of its log cut off", "broken", (file: string) => shorten(`${file}-wal`, 24 + 4096)],
  ["its log cut in half", "broken", (file: string) => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size >> 1)],
  ["the head of its log overwritten", "broken", (file: string) => overwrite(`${file}-wal`, Buffer.alloc(32, 7), 0)],
  ["one bit of the head of its log flipped", "broken", (file: string) => flipBit(`${file}-wal`, 17)],
] as const

function shorten(path: string, bytes: number): void {
  truncateSync(path, statSync(path).size - bytes)
}

function flipBit(file: string, at: number): void {
  const byte = readFileSync(file)[at] ?? 0
  overwrite(file, Uint8Array.of(byte ^ 4), at)
}

test.each(meddled)("%s while it is in use: nothing is written any more, nor read", async (_, trouble, meddle) => {
  const file = newFile()
  const { ask, close } = openStore(sqlite(file))
  await ask((journal) => journal.append("run", begun))
  meddle(file)
  const before = readFileSync(`${file}-wal`)
  const errors = await ask((journal) =>
    Effect.all([
      Effect.flip(journal.append("run", next)),
      Effect.flip(journal.list()),
      Effect.flip(journal.read("run")),
    ]),
  )
  for (const error of errors) expect(error).toMatchObject({ _tag: "StoreUnavailable", trouble })
  // Not even for a moment.
  expect(readFileSync(`${file}-wal`).equals(before)).toBe(true)
  await close()
  if (trouble !== "broken") return
  // Opened anew it would look whole, without what was cut off.
  const again = openStore(sqlite(file))
  const error = await again.ask((journal) => journal.list()).catch((refused: unknown) => refused)
  expect(error).toMatchObject({
    _tag: "StoreUnavailable",
    trouble,
    message: expect.stringContaining("and this process has seen it"),
  })
})

const misnamed = [
  ["deleted", "gone", (log: string) => rmSync(log)],
  ["moved away", "gone", (log: string) => renameSync(log, `${log}.old`)],
  ["moved away, and another made", "replaced", (log: string) => renameSync(log, `${log}.old`), copyFileSync],
  ["replaced by a file of the same bytes", "replaced", (log: string) => replace(log)],
  ["replaced by a link to itself", "replaced", (log: string) => renameSync(log, `${log}.old`), linkTo],
] as const

/** Of a copy, so that it is another file. */
function linkTo(from: string, to: string): void {
  copyFileSync(from, `${from}.copy`)
  symlinkSync(`${from}.copy`, to)
}

test.each(misnamed)("its log %s while it is in use: nothing is written any more, nor read", async (...given) => {
  const [, trouble, meddle, makeAnew] = given
  const file = newFile()
  const log = `${file}-wal`
  await withStore(sqlite(file), async (ask) => {
    await ask((journal) => journal.append("run", begun))
    const before = readFileSync(log)
    meddle(log)
    makeAnew?.(`${log}.old`, log)
    const errors = await ask((journal) =>
      Effect.all([Effect.flip(journal.append("run", next)), Effect.flip(journal.list())]),
    )
    for (const error of errors) expect(error).toMatchObject({ _tag: "StoreUnavailable", trouble })
    for (const path of [log, `${log}.old`]) if (existsSync(path)) expect(readFileSync(path).equals(before)).toBe(true)
  })
})

test("its log moved away and back between two changes is the same log", async () => {
  const file = newFile()
  await withStore(sqlite(file), async (ask) => {
    await ask((journal) => journal.append("run", begun))
    renameSync(`${file}-wal`, `${file}-wal.old`)
    renameSync(`${file}-wal.old`, `${file}-wal`)
    await ask((journal) => journal.append("run", next))
    expect(await ask((journal) => journal.read("run"))).toHaveLength(2)
  })
})

test("within the transaction it is looked once more, before anything is changed", async () => {
  const db = new DatabaseSync(newFile())
  db.exec("CREATE TABLE one (n INTEGER)")
  const gone = new StoreUnavailable({ store: "runs.db", trouble: "gone", reason: "its shared memory was deleted" })
  const looked: (readonly [what: string, within: boolean])[] = []
  const look = (what: string, found: StoreUnavailable | undefined) => () => {
    looked.push([what, db.isTransaction])
    return found
  }
  const commits = new Commits("runs.db", db, {
    onBegun: () => {},
    onTakenBack: () => {},
    checkShared: look("memory", undefined),
    check: look("all", gone),
  })
  let made = 0
  const error = await Effect.runPromise(Effect.flip(commits.change(() => made++)))
  expect([error, made]).toEqual([gone, 0])
  expect(looked).toEqual([
    ["memory", false],
    ["all", true],
  ])
  expect(db.isTransaction).toBe(false)
  db.close()
})

const node = join(process.cwd(), "node_modules/.bin/node")
const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
const head = `
  import { truncateSync } from "node:fs"
  import * as Effect from "effect/Effect"
  import * as ManagedRuntime from "effect/ManagedRuntime"
  import { Journal } from ${at("../../src/journal/journal.ts")}
  import { sqlite } from ${at("../../src/journal/sqlite.ts")}
  import { events, recorded, started } from ${at("./entries.ts")}
  const [file] = process.argv.slice(1)
  const runtime = ManagedRuntime.make(sqlite(file))
  const ask = (question) => runtime.runPromise(Effect.flatMap(Journal, question))
  const begun = recorded([started()])`
const inProcess = (script: string, file: string, user = {}) =>
  promisify(execFile)(
    node,
    ["--conditions=@sequitur/source", "--no-warnings", "--input-type=module", "-e", head + script, file],
    user,
  )

test("its shared memory cut off: its process is told, where it would have been killed, and writes nothing", async () => {
  const file = newFile()
  const { stdout } = await inProcess(
    `
    await ask((journal) => journal.append("run", begun))
    truncateSync(file + "-shm", 0)
    const error = await ask((journal) => Effect.flip(journal.append("other", begun)))
    console.log(error.message)
    await runtime.dispose()
    const again = ManagedRuntime.make(sqlite(file))
    const asked = again.runPromise(Effect.flatMap(Journal, (journal) => journal.list()))
    console.log(await asked.catch((error) => error.message))
    process.kill(process.pid, "SIGKILL")`,
    file,
  ).catch((killed: { readonly stdout: string }) => killed)
  expect(stdout).toContain("its shared memory (-shm) was cut off while it was in use")
  expect(stdout).toContain("and this process has seen it. Copy what verifies to a new file")
  await withStore(sqlite(file), async (ask) => expect(await ask((journal) => journal.list())).toHaveLength(1))
}, 20_000)

test.each([["-shm"], ["-shm", "-wal"]])(
  "without %s of a store that is open, no other process opens it: each would have locks of its own",
  async (...suffixes) => {
    const file = newFile()
    const { ask, close } = openStore(sqlite(file))
    await ask((journal) => journal.append("run", begun))
    for (const suffix of suffixes) rmSync(file + suffix)
    const script = `
      const error = await ask((journal) => journal.append("other", begun)).then(() => undefined, (error) => error)
      console.log(error?.trouble, error?.message)`
    const { stdout } = await inProcess(script, file)
    expect(stdout).toMatch(/^gone .*its shared memory \(-shm\) was deleted while another process has it open/)
    expect(await ask((journal) => Effect.flip(journal.append("run", next)))).toMatchObject({ trouble: "gone" })
    await close()
    if (suffixes.length > 1) return
    // When that one has ended, all that it was told is there.
    await withStore(sqlite(file), async (again) => {
      await again((journal) => journal.append("run", next))
      expect(await again((journal) => journal.read("run"))).toHaveLength(2)
    })
  },
  20_000,
)

test.each(["TRUNCATE", "RESTART", "FULL", "PASSIVE"])(
  "a checkpoint of SQLite's own (%s), by another process, is none of these",
  async (mode) => {
    const file = newFile()
    await withStore(sqlite(file), async (ask) => {
      await ask((journal) => journal.append("run", begun))
      const other = new DatabaseSync(file)
      for (const [index, event] of [events.readIntent, events.readOutcome, events.entered].entries()) {
        other.exec(`PRAGMA wal_checkpoint(${mode})`)
        if (index === 1) other.exec("UPDATE run SET goal = 'other' WHERE run = 'run'")
        await ask((journal) => journal.append("run", [{ seq: index + 1, atMs: index, event }]))
        // Between two changes, and before one that has to wait for the lock.
        other.exec(`PRAGMA wal_checkpoint(${mode})`)
        expect(await ask((journal) => journal.read("run"))).toHaveLength(index + 2)
      }
      other.exec("BEGIN IMMEDIATE")
      const waiting = ask((journal) => journal.append("late", begun))
      await new Promise((done) => setTimeout(done, 50))
      other.exec(`COMMIT; PRAGMA wal_checkpoint(${mode})`)
      await waiting
      other.close()
    })
  },
)

test.each(["TRUNCATE", "RESTART"])(
  "what another process has written, by much more than is read of the log at once, and its checkpoint (%s) are none of these",
  async (mode) => {
    const file = newFile()
    await withStore(sqlite(file), async (ask) => {
      await ask((journal) => journal.append("run", begun))
      const script = (write: string) => `
        import { DatabaseSync } from "node:sqlite"
        const db = new DatabaseSync(file)
        const update = db.prepare("UPDATE run SET goal = ? WHERE run = 'run'")
        ${write}
        db.close()`
      const grow = 'for (let time = 0; time < 40; time++) update.run("x".repeat(3_000) + time)'
      const { size } = statSync(`${file}-wal`)
      await inProcess(script(grow), file)
      expect(statSync(`${file}-wal`).size).toBeGreaterThan(size + 131_072)
      await ask((journal) => journal.append("run", next))
      await inProcess(script(`db.exec("PRAGMA wal_checkpoint(${mode})"); update.run("begun anew")`), file)
      await ask((journal) => journal.append("run", [{ seq: 2, atMs: 2, event: events.readOutcome }]))
      expect(await ask((journal) => journal.list())).toMatchObject([{ goal: "begun anew", entries: 3 }])
      // What is cut off by then is noticed all the same.
      truncateSync(`${file}-wal`, 40)
      const error = await ask((journal) => Effect.flip(journal.list()))
      expect(error).toMatchObject({ _tag: "StoreUnavailable", trouble: "broken" })
    })
  },
  20_000,
)

test("where what a descriptor says of its name is not enough, its log is watched by name", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-ram-"))
  // Not among the file systems of which it is.
  const inRam = ["-Urm", "sh", "-c", 'mount -t ramfs ram "$1" && f=$1/runs.db && shift && exec "$@" "$f"', "sh", folder]
  try {
    execFileSync("unshare", [...inRam, "true"], { stdio: "ignore" })
  } catch {
    context.skip("this machine lets no test mount a file system")
  }
  const script = `
    import { copyFileSync, renameSync, rmSync, statSync } from "node:fs"
    const meddle = {
      none: () => {},
      deleted: (log) => rmSync(log),
      moved: (log) => renameSync(log, log + ".old"),
      replaced: (log) => (copyFileSync(log, log + ".new"), renameSync(log + ".new", log)),
      cut: (log) => truncateSync(log, statSync(log).size - 1),
    }
    const told = {}
    for (const [name, act] of Object.entries(meddle)) {
      const path = file + name
      const store = ManagedRuntime.make(sqlite(path))
      const put = (runId) => store.runPromise(Effect.flatMap(Journal, (journal) => journal.append(runId, begun)))
      await put("run")
      act(path + "-wal")
      told[name] = await put("other").then(() => "written", (error) => error.trouble)
    }
    console.log(JSON.stringify(told))
    process.exit(0)`
  const options = ["--conditions=@sequitur/source", "--no-warnings", "--input-type=module", "-e", head + script]
  const { stdout } = await promisify(execFile)("unshare", [...inRam, node, ...options])
  expect(JSON.parse(stdout)).toEqual({
    none: "written",
    deleted: "gone",
    moved: "gone",
    replaced: "replaced",
    cut: "broken",
  })
  rmSync(folder, { recursive: true })
}, 20_000)

test("a file that is mounted alone is refused: its log would stand beside it in another folder", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-mount-"))
  const file = join(folder, "runs.db")
  await withStore(sqlite(file), async (ask) => ask((journal) => journal.append("run", begun)))
  const place = join(folder, "in a container")
  mkdirSync(place)
  writeFileSync(join(place, "runs.db"), "")
  try {
    execFileSync("unshare", ["-Urm", "true"], { stdio: "ignore" })
  } catch {
    context.skip("this machine lets no test mount a file")
  }
  const script = `
    const error = await ask((journal) => journal.list()).then(() => undefined, (error) => error)
    console.log(error?.message)`
  const options = ["--conditions=@sequitur/source", "--no-warnings", "--input-type=module", "-e", head + script]
  const mounted = ["-Urm", "sh", "-c", 'mount --bind "$1" "$2" && shift && f=$1 && shift && exec "$@" "$f"', "sh"]
  const run = [...mounted, file, join(place, "runs.db"), node, ...options]
  const { stdout } = await promisify(execFile)("unshare", run)
  expect(stdout).toContain("it is mounted as a single file")
  expect(stdout).toContain("mount the folder that it is in")
  rmSync(folder, { recursive: true })
}, 20_000)

test("mount points are read as Linux writes them", () => {
  const table = [
    "42 27 254:0 /srv/a\\040b.db /data/a\\040b.db rw,relatime - ext4 /dev/vda rw",
    "43 27 0:5 / /proc rw - proc proc rw",
    "",
  ].join("\n")
  expect([...mountsIn(table)]).toEqual(["/data/a b.db", "/proc", ""])
})

test("a folder that may not be looked into any more is a typed error, whatever is asked", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-closed-"))
  chmodSync(folder, 0o777)
  const inner = join(folder, "inner")
  const script = `
    import { chmodSync, mkdirSync } from "node:fs"
    import { dirname } from "node:path"
    const told = (question) => ask(question).then(() => undefined, (error) => [error.code, error.trouble])
    mkdirSync(dirname(file))
    await ask((journal) => journal.append("run", begun))
    chmodSync(dirname(file), 0)
    const open = [await told((journal) => journal.list()), await told((journal) => journal.append("other", begun))]
    const again = ManagedRuntime.make(sqlite(file))
    const closed = await again.runPromise(Effect.flatMap(Journal, (journal) => journal.list())).catch((error) => [error.code, error.message])
    console.log(JSON.stringify([...open, closed]))
    process.exit(0)`
  const uid = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const { stdout } = await inProcess(script, join(inner, "runs.db"), uid)
  const [listed, appended, opened] = JSON.parse(stdout)
  expect(listed).toEqual(["RUN501", "gone"])
  expect(appended).toEqual(["RUN501", "gone"])
  expect(opened).toEqual(["RUN501", expect.stringContaining("may not be looked into")])
  chmodSync(inner, 0o777)
  rmSync(folder, { recursive: true })
}, 20_000)
