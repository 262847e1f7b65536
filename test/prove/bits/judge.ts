/** What becomes of a store whose files were damaged: it is refused, or the damage is found, or nothing that it says is another. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, Effect, Exit } from "effect"
import { Journal, type JournalService } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { write } from "../../../src/journal/chain.ts"
import { exportLines } from "../../../src/journal/export.ts"
import { verifyStore } from "../../../src/journal/verify.ts"
import { type Mark, openRun, readRest } from "./specimen.ts"

export type Verdict =
  /** It cannot be opened, or not be read. */
  | { readonly kind: "refused"; readonly said: string }
  | { readonly kind: "noticed"; readonly said: string }
  /** Every entry is as it was, and the next one can be written. */
  | { readonly kind: "harmless" }
  /** The same; but it is taken up earlier or later, or by another. No entry says when, and an epoch fences whoever comes too early. */
  | { readonly kind: "harmless, but for who holds a run" }
  | { readonly kind: "violation"; readonly said: string }

const typed = new Set(["StoreUnavailable", "JournalTampered", "JournalNewer", "JournalConflict"])

/** A folder to put damaged files in. */
export class Bench {
  readonly #folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sequitur-bits-"))

  get #file(): string {
    return join(this.#folder, "journal.db")
  }

  async judge({ db, wal }: { readonly db: Buffer; readonly wal: Buffer }, mark: Mark): Promise<Verdict> {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${this.#file}${end}`, { force: true })
    writeFileSync(this.#file, db)
    if (wal.length > 0) writeFileSync(`${this.#file}-wal`, wal)
    const looked = Effect.flatMap(Journal, (journal) => look(journal, this.#file, mark)).pipe(
      Effect.provide(sqlite(this.#file, { create: false })),
    )
    const exit = await Effect.runPromiseExit(looked)
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause) as { readonly _tag?: string; readonly message: string }
    if (Cause.hasDies(exit.cause) || error._tag === undefined || !typed.has(error._tag))
      return { kind: "violation", said: `no typed error: ${error.message}` }
    return { kind: "refused", said: error.message }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const look = (journal: JournalService, file: string, mark: Mark): Effect.Effect<Verdict, { readonly _tag: string }> =>
  Effect.gen(function* () {
    const { findings, lines } = yield* journal.inspect((whole) => {
      const { findings } = verifyStore(whole, mark.anchor)
      return { findings, lines: findings.length === 0 ? [...exportLines(whole)] : [] }
    })
    const altered = yield* readAll(journal, mark)
    if (altered !== undefined) return { kind: "violation", said: altered }
    if (findings.length > 0) return { kind: "noticed", said: findings.map(({ kind }) => kind).join(", ") }
    if (lines.join("\n") !== mark.lines.join("\n"))
      return { kind: "violation", said: "other entries are there, and nothing is found" }
    const { schema, leases } = readRest(file)
    if (schema !== mark.schema)
      return { kind: "violation", said: "the tables are declared in another way, and nothing is found" }
    const after = yield* goOn(journal, mark)
    return after.kind === "harmless" && leases !== mark.leases ? { kind: "harmless, but for who holds a run" } : after
  })

/** Whether or not it is verified, a run is read as it was, or not at all; or as it was before. */
const readAll = (journal: JournalService, { anchor, lines }: Mark) =>
  Effect.gen(function* () {
    for (const runId of Object.keys(anchor.runs)) {
      const read = yield* Effect.exit(journal.read(runId))
      for (const { event, ...entry } of Exit.isSuccess(read) ? read.value : [])
        if (!lines.includes(write({ ...entry, event })))
          return `entry ${entry.seq} of ${runId} is read, and was never written`
    }
    return undefined
  })

/** What looks sound can be gone on with, and is sound then too. */
const goOn = (journal: JournalService, { anchor }: Mark): Effect.Effect<Verdict, { readonly _tag: string }> =>
  Effect.gen(function* () {
    if (anchor.runs[openRun] === undefined) return { kind: "harmless" }
    yield* journal.takeUp(openRun, { owner: "me", untilMs: 2_000, nowMs: 1_000, takeOver: true })
    const { findings } = yield* journal.inspect((whole) => verifyStore(whole, anchor))
    if (findings.length === 0) return { kind: "harmless" }
    return { kind: "violation", said: `sound before it was gone on with, and then ${findings[0]?.kind}` }
  })
