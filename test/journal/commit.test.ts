/** What is acknowledged is on the disk, in the file that bears the name; and a file that failed is not believed again. */
import { execFile, spawn } from "node:child_process"
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { recover } from "../../src/journal/sqlite/recover.ts"
import { sqlite } from "../../src/journal/sqlite.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { events, named, recorded, started, wholeRun } from "./entries.ts"
import { newFile, openStore, withStore } from "./stores.ts"

const node = join(process.cwd(), "node_modules/.bin/node")
const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
const flags = (script: string) => [
  "--conditions=@sequitur/source",
  "--no-warnings",
  "--input-type=module",
  "-e",
  script,
]
const head = `
  import * as Effect from "effect/Effect"
  import * as ManagedRuntime from "effect/ManagedRuntime"
  import { Journal } from ${at("../../src/journal/journal.ts")}
  import { sqlite } from ${at("../../src/journal/sqlite.ts")}
  import { events, recorded, started } from ${at("./entries.ts")}
  const [file, name] = process.argv.slice(1)
  const runtime = ManagedRuntime.make(sqlite(file))
  const ask = (question) => runtime.runPromise(Effect.flatMap(Journal, question))`

const begun = recorded([started()])
const toTheEffect = named(["started", "readIntent", "readOutcome", "entered", "writeIntent"])

test("runs that write at the same time share commits, and each has its own answer", () =>
  withStore(sqlite(newFile()), async (ask) => {
    await ask((journal) => journal.append("taken", begun))
    const unwritable = recorded([started({ inputs: Number.NaN as never })])
    const results = await ask((journal) =>
      Effect.all(
        [
          journal.append("one", begun),
          journal.append("taken", begun),
          journal.append("unwritable", unwritable),
          journal.append("two", toTheEffect),
          journal.append("three", toTheEffect),
          journal.append("one", recorded([started(), events.readIntent]).slice(1)),
        ].map((append) => Effect.result(append)),
        { concurrency: "unbounded" },
      ),
    )
    expect(results.map((result) => (result._tag === "Success" ? "" : result.failure._tag))).toEqual([
      "",
      "JournalConflict",
      "StoreUnavailable",
      "",
      "Taken",
      "",
    ])
    const listed = await ask((journal) => journal.list())
    expect(listed.map(({ runId, entries }) => [runId, entries])).toEqual([
      ["one", 2],
      ["taken", 1],
      ["two", 5],
    ])
    const { findings } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
    expect(findings).toEqual([])
  }))

test("64 runs at a time: every entry of each is kept", () =>
  withStore(sqlite(newFile()), async (ask) => {
    await ask((journal) =>
      Effect.all(
        Array.from({ length: 64 }, (_, index) =>
          Effect.gen(function* () {
            for (const entry of recorded([started({ tenant: `t${index}` }), events.readIntent, events.readOutcome])) {
              yield* journal.append(`run-${index}`, [entry])
            }
          }),
        ),
        { concurrency: "unbounded" },
      ),
    )
    const { findings, anchor } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
    expect(findings).toEqual([])
    expect(anchor.store.entries).toBe(192)
  }))

test("what was asked for before the store closes is written", async () => {
  const file = newFile()
  const { ask, close } = openStore(sqlite(file))
  const asked = ask((journal) => journal.append("run", begun))
  // It is told that it was interrupted, which is true of what would have come next.
  await Promise.allSettled([asked, close()])
  await withStore(sqlite(file), async (again) => expect(await again((journal) => journal.read("run"))).toHaveLength(1))
})

const lost = [
  ["deleted", "gone", (file: string) => rmSync(file)],
  ["moved away", "gone", (file: string) => renameSync(file, `${file}.old`)],
  [
    "replaced",
    "replaced",
    (file: string) => {
      copyFileSync(file, `${file}.new`)
      renameSync(`${file}.new`, file)
    },
  ],
  ["without its log", "gone", (file: string) => rmSync(`${file}-wal`)],
] as const

test.each(lost)(
  "a file that is %s while it is in use: nothing is acknowledged any more, nor read",
  async (_, trouble, lose) => {
    const file = newFile()
    const { ask, close } = openStore(sqlite(file))
    await ask((journal) => journal.append("run", begun))
    lose(file)
    const next = recorded([started(), events.readIntent]).slice(1)
    const errors = await ask((journal) =>
      Effect.all([
        Effect.flip(journal.append("run", next)),
        Effect.flip(journal.read("run")),
        Effect.flip(journal.list()),
        Effect.flip(journal.append("other", begun)),
      ]),
    )
    for (const error of errors) expect(error).toMatchObject({ _tag: "StoreUnavailable", trouble })
    await close()
  },
)

test("where a file is gone but its log is there, no new one is made", async () => {
  const file = newFile()
  const { ask, close } = openStore(sqlite(file))
  await ask((journal) => journal.append("run", begun))
  const other = newFile()
  copyFileSync(`${file}-wal`, `${other}-wal`)
  await close()
  const error = await openStore(sqlite(other))
    .ask(() => Effect.void)
    .catch((failed: unknown) => failed)
  expect(error).toMatchObject({ _tag: "StoreUnavailable", trouble: "gone" })
  expect(existsSync(other)).toBe(false)
})

test("another process that writes for long is waited for, then told; the store works on afterwards", async () => {
  const file = newFile()
  await withStore(sqlite(file), async (ask) => {
    await ask((journal) => journal.append("run", begun))
    const other = new DatabaseSync(file)
    other.exec("BEGIN IMMEDIATE")
    // Meanwhile whatever else goes on in this process goes on.
    let beats = 0
    const heart = setInterval(() => beats++, 50)
    const error = await ask((journal) => Effect.flip(journal.append("other", begun)))
    clearInterval(heart)
    expect(error).toMatchObject({ _tag: "StoreUnavailable", trouble: "busy" })
    expect(beats).toBeGreaterThan(20)
    setTimeout(() => other.exec("ROLLBACK"), 200)
    await ask((journal) => Effect.all([journal.append("other", begun), journal.append("third", begun)]))
    other.close()
    expect(await ask((journal) => journal.list())).toHaveLength(3)
  })
}, 20_000)

test("after the disk has reported an error nothing of the file is believed, and what verifies can be copied", async () => {
  const file = newFile()
  // A limit on the size of files: writing past it is an error of the disk.
  const script = `${head}
    const told = []
    let seq = 0
    while (told.length < 3) {
      const entry = seq === 0 ? recorded([started()]) : [{ seq, atMs: 0, event: { ...events.readOutcome, result: "x".repeat(20000) } }]
      const result = await ask((journal) => Effect.result(journal.append("run", entry)))
      if (result._tag === "Success") seq++
      else told.push([result.failure._tag, result.failure.trouble, result.failure.message])
    }
    const read = await ask((journal) => Effect.result(journal.read("run")))
    console.log(JSON.stringify({ seq, told, read: read.failure?.trouble }))
    process.exit(0)`
  const run = ["-c", 'trap "" XFSZ; ulimit -f 400; exec "$0" "$@"', node, ...flags(script), file]
  const { stdout } = await promisify(execFile)("bash", run)
  const { seq, told, read } = JSON.parse(stdout)
  expect(seq).toBeGreaterThan(3)
  for (const [tag, trouble, message] of told) {
    expect([tag, trouble]).toEqual(["StoreUnavailable", "broken"])
    expect(message).toContain("nothing that it says is believed")
  }
  expect(read).toBe("broken")
  const to = newFile()
  const { runs } = await Effect.runPromise(recover(file, to))
  // Outcomes without an intent make no sense: this run was not written by us beyond its first entry.
  expect(runs).toEqual([{ runId: "run", kept: 1, lost: seq - 1 }])
  expect(await Effect.runPromise(Effect.flip(recover(file, to)))).toMatchObject({ _tag: "StoreUnavailable" })
})

/** A disk of 400 KB, where the machine lets a test have one. */
const smallDisk = (script: string): Promise<string> =>
  promisify(execFile)("unshare", [
    ...["-rm", "bash", "-c", 'mount -t tmpfs -o size=400k tmpfs /mnt && exec "$0" "$@"', node, ...flags(script)],
    ...["/mnt/full.db"],
  ]).then(({ stdout }) => stdout)
const hasSmallDisk = await smallDisk("console.log(1)").then(
  () => true,
  () => false,
)

test.skipIf(!hasSmallDisk)(
  "a full disk is told as such, nothing is half written, and with room again it goes on",
  async () => {
    const script = `${head}
    import { rmSync, writeFileSync } from "node:fs"
    writeFileSync("/mnt/filler", Buffer.alloc(150_000))
    let seq = 0
    let full
    const entry = () => seq === 0 ? recorded([started()]) : [{ seq, atMs: 0, event: { ...events.readOutcome, result: "x".repeat(20000) } }]
    while (full === undefined) {
      const result = await ask((journal) => Effect.result(journal.append("run", entry())))
      if (result._tag === "Success") seq++
      else full = result.failure
    }
    const kept = (await ask((journal) => journal.read("run"))).length
    rmSync("/mnt/filler")
    await ask((journal) => journal.append("run", entry()))
    const after = (await ask((journal) => journal.read("run"))).length
    console.log(JSON.stringify({ seq, trouble: full.trouble, message: full.message, kept, after }))`
    const { seq, trouble, message, kept, after } = JSON.parse(await smallDisk(script))
    expect(trouble).toBe("full")
    expect(message).toContain("the disk is full")
    expect([kept, after]).toEqual([seq, seq + 1])
  },
)

test("a file of which a page is destroyed: the runs that verify are copied, up to where they do", async () => {
  const file = newFile()
  await withStore(sqlite(file), (ask) =>
    ask((journal) =>
      Effect.gen(function* () {
        for (let run = 0; run < 40; run++) {
          const entries = named(wholeRun).map(({ seq, atMs, event }) => ({
            seq,
            atMs,
            event: event.kind === "run-started" ? started({ tenant: `tenant-${run}` }) : event,
          }))
          yield* journal.append(`run-${run}`, entries)
        }
      }),
    ),
  )
  const bytes = readFileSync(file)
  const db = new DatabaseSync(file)
  const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'entry'").get()?.rootpage)
  db.close()
  let all = 0
  let refused = 0
  // The first page holds the schema: without it there is no file. Nor are there entries without the root of their table.
  for (let page = 2; page <= bytes.length / 4096; page++) {
    if (page === root) continue
    const damaged = newFile()
    writeFileSync(damaged, Buffer.from(bytes).fill(0xff, (page - 1) * 4096, page * 4096))
    const to = newFile()
    const result = await Effect.runPromise(Effect.result(recover(damaged, to)))
    if (result._tag === "Failure") {
      expect(result.failure).toMatchObject({ _tag: "StoreUnavailable", trouble: "corrupt" })
      refused++
      continue
    }
    const { runs } = result.success
    const kept = runs.reduce((sum, run) => sum + run.kept, 0)
    if (kept === 360) all++
    expect(kept, `page ${page}`).toBeGreaterThan(300)
    await withStore(sqlite(to), async (ask) => {
      const { findings, anchor } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
      expect(findings).toEqual([])
      expect(anchor.store.entries).toBe(kept)
    })
  }
  // Where the tables or an index were hit, no entry is lost.
  expect(all).toBeGreaterThan(5)
  // What of the schema did not fit on the first page.
  expect(refused).toBeLessThan(4)
})

test("killed while it commits: what was acknowledged is there, and the tables agree with the entries", async () => {
  const script = `${head}
    const tell = (runId, seq) => process.stdout.write(runId + " " + seq + "\\n")
    const live = (runId) => Effect.flatMap(Journal, (journal) => Effect.gen(function* () {
      const list = [started({ tenant: runId }), events.readIntent, events.readOutcome, events.entered, events.writeIntent, events.writeOutcome, events.succeeded]
      for (const entry of recorded(list)) {
        yield* journal.append(runId, [entry])
        tell(runId, entry.seq)
      }
    }))
    for (let round = 0; ; round++)
      await runtime.runPromise(Effect.all(Array.from({ length: 8 }, (_, run) => live(name + round + "-" + run)), { concurrency: 8 }))`
  for (const [index, killMs] of [150, 40, 90].entries()) {
    const file = newFile()
    const acknowledged = new Map<string, number>()
    // Two at once, racing for one file.
    const children = ["a", "b"].map((name) => spawn(node, [...flags(script), file, name]))
    await Promise.all(
      children.map(async (child) => {
        let text = ""
        let timer: NodeJS.Timeout | undefined
        child.stdout.on("data", (chunk) => {
          text += chunk
          timer ??= setTimeout(() => child.kill("SIGKILL"), killMs)
        })
        await new Promise((resolve) => child.on("close", resolve))
        clearTimeout(timer)
        for (const line of text.split("\n").slice(0, -1)) {
          const [runId = "", seq] = line.split(" ")
          acknowledged.set(runId, Number(seq))
        }
      }),
    )
    expect(acknowledged.size, `${index}`).toBeGreaterThan(8)
    await withStore(sqlite(file), async (ask) => {
      const { findings, anchor } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
      expect(findings).toEqual([])
      for (const [runId, seq] of acknowledged) expect(anchor.runs[runId]?.entries, runId).toBeGreaterThan(seq)
    })
  }
}, 30_000)

test("a file that shrank under its reader is told, not believed", async () => {
  const file = newFile()
  await withStore(sqlite(file), (ask) => ask((journal) => journal.append("run", named(wholeRun))))
  truncateSync(file, 8192)
  const error = await openStore(sqlite(file))
    .ask((journal) => journal.read("run"))
    .catch((failed: unknown) => failed)
  expect(error).toMatchObject({ _tag: "StoreUnavailable", trouble: "corrupt" })
  writeFileSync(file, "")
  expect(
    await openStore(sqlite(file, { create: false }))
      .ask(() => Effect.void)
      .catch((failed: unknown) => failed),
  ).toMatchObject({
    trouble: "missing",
  })
})
