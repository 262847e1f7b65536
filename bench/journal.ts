/** What durability costs: a run on an SQLite journal, beside writing as many bytes as often and asking the disk to keep them. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createRunner, Journal, memory } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { catalog } from "./catalog.ts"
import { box } from "./handlers.ts"
import { type Pace, race, wallMs } from "./harness.ts"
import { perUnit, type Table } from "./report.ts"
import { type Rehearsed, rehearse, steps, who } from "./run.ts"

export const maxTimesSyncs = 1.3

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
  try {
    const contenders = [
      { name: "write + fdatasync", run: (times: number) => appendRaw(file, row, times * commits) },
      { name: "`node:sqlite`, a row a commit", run: (times: number) => db.insert(row, times * commits) },
      {
        name: "`runner.run`, on SQLite",
        run: async (times: number) => {
          for (let time = 0; time < times; time++) {
            if ((await runner.run(rehearsed.plan, who)).status !== "succeeded") throw new Error("a run did not succeed")
          }
        },
      },
    ]
    // Disks are moody: twice the rounds.
    const [raw, bare, run] = perUnit(await race(contenders, { ...pace, rounds: 2 * pace.rounds }, wallMs), commits)
    if (raw === undefined || bare === undefined || run === undefined) throw new Error("a contender is missing")
    return [
      {
        title: `Durable run, ${steps} steps`,
        unit: "commit",
        about: `A run makes ${commits} commits of ${row.length} bytes on average: one before each call, with the outcome of the one before, and one at its end.`,
        rows: [raw, bare, { ...run, aim: { ratioMax: maxTimesSyncs } }],
      },
    ]
  } finally {
    await runner.close()
    db.close()
    closeSync(file)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The bytes of each append that a run makes. */
async function countAppends({ plan }: Rehearsed): Promise<readonly number[]> {
  const appends: number[] = []
  const counting = Layer.effect(
    Journal,
    Effect.map(Journal, (journal) => ({
      ...journal,
      append: (runId, records) => {
        appends.push(records.reduce((sum, { event }) => sum + JSON.stringify(event).length, 0))
        return journal.append(runId, records)
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
