/** A small journal on SQLite, with something in each of its tables, as its files are: closed in good order, and torn away from a process. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Catalog, compile, defineCatalog } from "sequitur"
import { execute, Journal, notApplied, seededIds, toolbox } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { exportLines } from "../../../src/journal/export.ts"
import { type Anchor, anchorOf } from "../../../src/journal/verify.ts"
import { catalog as zoo } from "../simulate/catalog.ts"

/** What was there after a commit: so much of the log was on the disk, and nothing of it may be lost. */
export interface Mark {
  readonly walBytes: number
  readonly anchor: Anchor
  readonly lines: readonly string[]
  readonly schema: string
  readonly leases: string
}

/** What a file holds besides its journal. */
export function readRest(file: string): Pick<Mark, "schema" | "leases"> {
  const db = new DatabaseSync(file)
  try {
    const schema = db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").all()
    const leases = db.prepare("SELECT run, owner, until_ms, due_ms FROM run ORDER BY run").all()
    return { schema: JSON.stringify(schema), leases: JSON.stringify(leases) }
  } finally {
    db.close()
  }
}

export interface Specimen {
  readonly name: "closed" | "live"
  readonly db: Buffer
  /** Empty where it was closed. */
  readonly wal: Buffer
  /** After each commit; the last one is how it stands. */
  readonly marks: readonly Mark[]
}

/** The run that is under way. */
export const openRun = "r3"

const catalog = defineCatalog({ ...zoo.spec, name: "small" }) as Catalog

const planOf = (...steps: readonly (readonly [tool: string, args: object])[]) => {
  const text = JSON.stringify({
    version: 1,
    steps: steps.map(([tool, args], index) => ({ id: `s${index}`, tool, args })),
  })
  const compiled = compile(catalog, text)
  if (compiled.ok) return compiled.plan
  throw new Error(compiled.diagnostics.map(({ message }) => message).join("\n"))
}

const handlers = (hang: boolean) => {
  const done = () => ({ receipt: "r" })
  const refused = () => {
    throw notApplied("no")
  }
  const asked = { call: hang ? () => Effect.never : done, reconcile: () => ({ kind: "unknown" }) }
  return {
    ...{ get: () => ({ n: 1 }), put: done, unput: done, pay: refused, refund: done, mail: done, unwire: done },
    ...{ book: asked, unbook: asked, bar: asked, wire: asked },
  }
}

/** One that succeeds, one that fails and is undone, one that is under way. */
const write = (marked: Effect.Effect<void>): Effect.Effect<void, unknown, Journal> =>
  Effect.gen(function* () {
    const run = (runId: string, plan: ReturnType<typeof planOf>, hang = false) =>
      execute(plan, {
        catalog,
        tools: toolbox(catalog as never, handlers(hang) as never) as never,
        principal: { tenant: "acme", subject: "ann" },
        sessionId: "s",
        taskId: "t",
        runId,
      })
    yield* run("r1", planOf(["wire", { n: 1, cents: 20 }]))
    yield* run("r2", planOf(["put", { n: 2 }], ["pay", { n: 3 }]))
    const fiber = yield* Effect.forkDetach(run(openRun, planOf(["bar", { n: 4 }]), true))
    yield* Effect.promise(() => new Promise((turned) => setTimeout(turned, 20)))
    yield* marked
    yield* Effect.forkDetach(Fiber.interrupt(fiber))
  }).pipe(Effect.provide(Layer.merge(seededIds("bits"), TestClock.layer())))

export async function makeSpecimens(): Promise<readonly Specimen[]> {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sequitur-bits-"))
  const file = join(folder, "journal.db")
  try {
    // Small pages: the same in less.
    const empty = new DatabaseSync(file)
    empty.exec("PRAGMA page_size = 512; VACUUM")
    empty.close()
    const marks: Mark[] = []
    let live: Specimen | undefined
    const marking = Layer.effect(
      Journal,
      Effect.map(Journal, (journal) => {
        const mark = Effect.map(
          journal.inspect((whole) => ({ anchor: anchorOf(whole), lines: [...exportLines(whole)] })),
          (seen) => marks.push({ walBytes: statSync(`${file}-wal`).size, ...seen, ...readRest(file) }),
        )
        return { ...journal, append: (...given) => Effect.tap(journal.append(...given), () => Effect.orDie(mark)) }
      }),
    ).pipe(Layer.provide(sqlite(file)))
    const tear = Effect.sync(() => {
      live = { name: "live", db: readFileSync(file), wal: readFileSync(`${file}-wal`), marks }
    })
    await Effect.runPromise(write(tear).pipe(Effect.provide(marking), Effect.scoped))
    if (live === undefined) throw new Error("nothing was written")
    // As one file, which had no log any more.
    copyFileSync(file, `${file}.closed`)
    const last = marks.at(-1) as Mark
    const closed: Specimen = {
      name: "closed",
      db: readFileSync(`${file}.closed`),
      wal: Buffer.alloc(0),
      marks: [{ ...last, walBytes: 0 }],
    }
    return [closed, live]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
