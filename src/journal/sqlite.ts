/** The embedded journal: one SQLite file, append-only, each change one durable transaction. */
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chain } from "./chain.ts"
import { type Entry, journalVersion } from "./entry.ts"
import { JournalNewer, JournalTampered, type StoreUnavailable } from "./failure.ts"
import { Journal, type JournalService, type Whole } from "./journal.ts"
import { adopt, append, renew, takeUp } from "./lease.ts"
import { claimRow, effectRow, lastOf } from "./rows.ts"
import { Commits } from "./sqlite/commit.ts"
import { findFaults } from "./sqlite/faults.ts"
import { open } from "./sqlite/open.ts"
import { SqliteRows } from "./sqlite/rows.ts"
import { busyMs, explain } from "./sqlite/trouble.ts"
import type { Opened } from "./sqlite/watch.ts"

export { type Recovered, type RecoveredRun, recover } from "./sqlite/recover.ts"

export interface SqliteOptions {
  /**
   * `true`, the default, makes the file where it is not there. `false` is for who wants to read or decide, and for a file that
   * must be there: one that is not, or is empty, is refused and stays as it is, and one that may not be written can still be
   * read.
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
    Effect.gen(function* () {
      const opened = yield* Effect.acquireRelease(
        Effect.try({
          try: () => open(file, create),
          catch: (error) => (error instanceof JournalNewer ? error : explain(error, file)),
        }),
        ({ close }) => Effect.sync(close),
      )
      // The names that its statements use may be damaged.
      const { journal, commits } = yield* Effect.try({
        try: () => makeSqlite(file, opened),
        catch: (error) => explain(error, file),
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => commits.flush()))
      return journal
    }),
  )

type Looked<Found> = Effect.Effect<Exclude<Found, Error>, Extract<Found, Error> | StoreUnavailable>

function makeSqlite(
  file: string,
  { db, check, checkShared }: Opened,
): { readonly journal: JournalService; readonly commits: Commits } {
  const rows = new SqliteRows(db)
  const commits = new Commits(file, db, {
    onBegun: () => rows.recall(),
    onTakenBack: () => rows.forget(),
    check,
    checkShared,
  })
  const change: Commits["change"] = (make) => commits.change(make)

  /** Looks without changing anything. */
  const look = <Found>(find: () => Found): Looked<Found> =>
    Effect.suspend(() => {
      const broken = commits.check()
      if (broken !== undefined) return Effect.fail(broken)
      try {
        commits.waitAtMost(busyMs)
        const found = find()
        return (found instanceof Error ? Effect.fail(found) : Effect.succeed(found)) as Looked<Found>
      } catch (error) {
        return Effect.fail(error instanceof JournalTampered ? error : commits.explain(error)) as Looked<Found>
      }
    })

  /** Several statements, and one state of the file for all. */
  function atOnce<Found>(find: () => Found): Found {
    db.exec("BEGIN")
    try {
      return find()
    } finally {
      db.exec("COMMIT")
    }
  }

  function read(runId: string, tenant: string | undefined): readonly Entry[] | JournalTampered {
    const { found, sealed } = atOnce(() => ({ found: rows.readRun(runId), sealed: rows.sealed(runId) }))
    const run = found?.run
    // Of another tenant's not even that it is damaged is told.
    if (tenant !== undefined && run !== undefined && run.tenant !== tenant) return []
    const chain = new Chain(runId)
    const entries: Entry[] = []
    for (const [seq, entry] of sealed.entries()) {
      const event = chain.open(entry, seq)
      if (event === undefined) return new JournalTampered({ runId, seq })
      entries.push({ runId, seq, atMs: entry.atMs, event, hash: entry.hash })
    }
    // An end that was cut off is missed by the run's own row.
    if (found?.link.hash !== entries.at(-1)?.hash || run?.seq !== entries.at(-1)?.seq)
      return new JournalTampered({ runId, seq: Math.min(entries.length, (run?.seq ?? -1) + 1) })
    return tenant === undefined || run?.tenant === tenant ? entries : []
  }

  const journal: JournalService = {
    append: (runId, records, as) => change(() => append(rows, runId, records, as)),
    takeUp: (runId, as) => change(() => takeUp(rows, runId, as)),
    renew: (runId, as) => change(() => renew(rows, runId, as)),
    look: (runId) => look(() => known(rows.readRun(runId)?.run, lastOf)),
    read: (runId, { tenant } = {}) => look(() => read(runId, tenant)),
    list: ({ tenant } = {}) => look(() => rows.list(tenant)),
    due: (nowMs, limit) => look(() => rows.due(nowMs, journalVersion, limit)),
    effect: (tenant, identity) => look(() => known(rows.readEffect(tenant, identity), effectRow)),
    claim: (tenant, tool, of) => look(() => known(rows.claim(tenant, tool, of), claimRow)),
    used: (tenant, of) => look(() => rows.used(tenant, of)),
    inspect: (inspect) => look(() => atOnce(() => inspect(whole(rows, db)))) as never,
    adopt: (entries) => change(() => adopt(rows, entries, "imported")),
  }
  return { journal, commits }
}

const known = <Row, Shown>(row: Row | undefined, show: (row: Row) => Shown): Shown | undefined => row && show(row)

const whole = (rows: SqliteRows, db: DatabaseSync): Whole => ({
  entries: () => rows.entries(),
  runs: () => rows.runs(),
  entriesOf: (runId) => rows.entriesOf(runId),
  tables: () => rows.told(),
  leases: () => rows.leases(),
  faults: () => findFaults(db),
})
