/** What durability costs: a run on an SQLite journal, beside writing as many bytes as often and asking the disk to keep them. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { createRunner, Journal, memory } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import type { Event, Recorded, RunStarted } from "../src/journal/entry.ts"
import type { JournalService } from "../src/journal/journal.ts"
import { replay } from "../src/journal/state.ts"
import { catalog } from "./catalog.ts"
import { box } from "./handlers.ts"
import { type Pace, race, type Standing, wallMs } from "./harness.ts"
import { perUnit, type Table } from "./report.ts"
import { type Rehearsed, rehearse, steps, who } from "./run.ts"

export const maxTimesSyncs = 1.3

/** Runs at a time, and of what an event costs a run alone, what it may cost then. */
const together = 64
export const maxShareTogether = 1 / 8

const longRun = 10_000

export async function benchJournal(pace: Pace): Promise<readonly Table[]> {
  const [rehearsed] = await rehearse()
  if (rehearsed === undefined) throw new Error("there is no plan to run")
  const appends = await countAppends(rehearsed)
  const commits = appends.length
  const row = "x".repeat(Math.round(appends.reduce((sum, bytes) => sum + bytes, 0) / commits))
  const folder = mkdtempSync(join(folderOnDisk(), "sequitur-bench-"))
  const file = openSync(join(folder, "raw"), "a")
  const db = openDatabase(join(folder, "rows.db"))
  const runner = createRunner({ catalog, tools: box(), store: sqlite(join(folder, "runs.db")) })
  const timed = new Timed()
  const watched = createRunner({ catalog, tools: box(), store: timed.appends(sqlite(join(folder, "appends.db"))) })
  let tasks = 0
  const runOnce = async (by = runner): Promise<void> => {
    // Of one task, the second run would be answered from the first.
    const report = await by.run(rehearsed.plan, { ...who, taskId: `task ${tasks++}` })
    if (report.status !== "succeeded") throw new Error("a run did not succeed")
  }
  const alone = async (times: number, by = runner): Promise<void> => {
    for (let time = 0; time < times; time++) await runOnce(by)
  }
  const sideBySide = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await Promise.all(Array.from({ length: together }, () => runOnce()))
  }
  try {
    const contenders = [
      { name: "write + fdatasync", run: timed.whole((times) => appendRaw(file, row, times * commits)) },
      { name: "`node:sqlite`, a row a commit", run: timed.whole((times) => db.insert(row, times * commits)) },
      { name: "the journal's commit, in a run", run: (times: number) => alone(times, watched) },
      { name: "`runner.run`, on SQLite", run: timed.whole(alone) },
    ]
    // Disks are moody: twice the rounds.
    const moody = { ...pace, rounds: 2 * pace.rounds }
    const [raw, bare, commit, run] = perUnit(await race(contenders, moody, timed.ms), commits)
    if (raw === undefined || bare === undefined || commit === undefined || run === undefined)
      throw new Error("a contender is missing")
    const crowd = [
      { name: "one run at a time", run: alone },
      { name: `${together} runs at a time`, run: sideBySide },
    ]
    const [single, many] = perUnit(await race(crowd, pace, wallMs), 1)
    if (single === undefined || many === undefined) throw new Error("a contender is missing")
    return [
      {
        title: `Durable run, ${steps} steps`,
        unit: "commit",
        about: `A run makes ${commits} commits of ${row.length} bytes on average: one before each call, with the outcome of the one before, and one at its end. The journal's commit is all from where a run hands its entries over until it hears that they are durable: waiting for others to share it with, looking whether the files are what was opened, hashing, tables, the sync. \`runner.run\` has what lies between two commits too: working out the next step, the call, its result.`,
        rows: [raw, bare, { ...commit, aim: { ratioMax: maxTimesSyncs } }, run],
      },
      {
        title: "Durable runs side by side",
        unit: "run",
        about: "What several runs write at the same time shares a commit.",
        rows: [
          single,
          {
            ...many,
            microseconds: many.microseconds / together,
            ratio: many.ratio / together,
            bestRatio: many.bestRatio / together,
            aim: { ratioMax: maxShareTogether },
          },
        ],
      },
      {
        title: "Recovery",
        unit: "run",
        about: `A run of ${longRun.toLocaleString("en")} entries is read, its chain verified, and folded. Aim: 0.3 s.`,
        rows: await benchRecovery(join(folder, "long.db"), pace),
      },
    ]
  } finally {
    await runner.close()
    await watched.close()
    db.close()
    closeSync(file)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A clock that goes while something is done that counts: all that a contender does, or what a run waits for its journal alone. */
class Timed {
  #ms = 0
  readonly ms = (): number => this.#ms

  whole(run: (times: number) => unknown): (times: number) => Promise<void> {
    return async (times) => {
      const startMs = wallMs()
      await run(times)
      this.#ms += wallMs() - startMs
    }
  }

  appends<Failure>(store: Layer.Layer<Journal, Failure>): Layer.Layer<Journal, Failure> {
    const watching = Effect.map(
      Journal,
      (journal): JournalService => ({
        ...journal,
        append: (...given) =>
          Effect.suspend(() => {
            const startMs = wallMs()
            const end = Effect.sync(() => {
              this.#ms += wallMs() - startMs
            })
            return Effect.ensuring(journal.append(...given), end)
          }),
      }),
    )
    return Layer.effect(Journal, watching).pipe(Layer.provide(store))
  }
}

/** A read that failed and was made again until nobody would wait any longer. */
async function benchRecovery(path: string, pace: Pace): Promise<readonly Standing[]> {
  const runtime = ManagedRuntime.make(sqlite(path))
  const stepId = "read"
  const failure = { tag: "StepFailed", code: "RUN101", message: "step `read` failed: `find` said: no" } as const
  const event = (seq: number): Event => {
    const attempt = Math.ceil(seq / 2)
    if (seq === 0) return longStarted
    if (seq % 2 === 1) return { kind: "intent", stepId, tool: "find", attempt, args: { order: `o-${seq}` } }
    return { kind: "attempt-failed", stepId, attempt, tookMs: 1, failure, again: { afterMs: 1, atMs: seq } }
  }
  const records = Array.from({ length: longRun }, (_, seq): Recorded => ({ seq, atMs: seq, event: event(seq) }))
  await runtime.runPromise(Effect.flatMap(Journal, (journal) => journal.append("long", records)))
  const recover = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      const entries = await runtime.runPromise(Effect.flatMap(Journal, (journal) => journal.read("long")))
      const state = replay("long", entries)
      if (state instanceof Error || state.seq !== longRun - 1) throw new Error("the long run is not what was written")
    }
  }
  const standings = await race([{ name: "read and folded", run: recover }], pace)
  await runtime.dispose()
  return standings
}

const longStarted: RunStarted = {
  kind: "run-started",
  journal: 2,
  salt: "00",
  tenant: "acme",
  subject: "ada",
  roles: [],
  sessionId: "bench",
  taskId: "bench",
  planHash: "",
  catalogHash: "",
  slice: {},
  compiler: "",
  document: { version: 1, steps: [{ id: "read", tool: "find", args: {} }] },
  inputs: null,
  origin: {},
  spent: {},
  tools: { find: { version: "1", effect: "read", timeoutMs: 1_000, idempotency: { kind: "natural" } } },
}

/** The bytes of each append that a run makes. */
async function countAppends({ plan }: Rehearsed): Promise<readonly number[]> {
  const appends: number[] = []
  const counting = Layer.effect(
    Journal,
    Effect.map(Journal, (journal) => ({
      ...journal,
      append: (runId, records, as) => {
        appends.push(records.reduce((sum, { event }) => sum + JSON.stringify(event).length, 0))
        return journal.append(runId, records, as)
      },
    })),
  ).pipe(Layer.provide(memory()))
  const runner = createRunner({ catalog, tools: box(), store: counting })
  await runner.run(plan, who)
  await runner.close()
  return appends
}

const tmpfs = 0x01021994

/** Where nothing reaches a disk, syncing costs nothing and the ratio means nothing. */
function folderOnDisk(): string {
  const folder = [tmpdir(), resolve(".")].find((path) => statfsSync(path).type !== tmpfs)
  if (folder === undefined) throw new Error("both the folder for temporary files and this one are in memory")
  return folder
}

function appendRaw(file: number, row: string, times: number): void {
  for (let time = 0; time < times; time++) {
    writeSync(file, row)
    fdatasyncSync(file)
  }
}

function openDatabase(path: string) {
  const db = new DatabaseSync(path)
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  db.exec("CREATE TABLE entry (seq INTEGER PRIMARY KEY, event TEXT NOT NULL) STRICT")
  const statement = db.prepare("INSERT INTO entry (event) VALUES (?)")
  return {
    insert: (row: string, times: number): void => {
      for (let time = 0; time < times; time++) statement.run(row)
    },
    close: () => db.close(),
  }
}
