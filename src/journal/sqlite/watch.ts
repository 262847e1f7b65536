/**
 * Holds the files of an open store: the file itself, its log, and the memory that its processes share (`-shm`), by which they lock
 * one another out. Where one of them is not what was opened, nothing is written any more.
 */
import { type BigIntStats, existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { StoreUnavailable } from "../failure.ts"
import { Log } from "./log.ts"
import type { Place } from "./place.ts"
import { because, isBusy } from "./trouble.ts"

export interface Opened {
  readonly db: DatabaseSync
  /** Whether the file that was opened still stands under its name, with its log. */
  readonly check: () => StoreUnavailable | undefined
  /** Of these the part that must be known before SQLite is asked for anything: it would be killed where its memory was cut off. */
  readonly checkShared: () => StoreUnavailable | undefined
  readonly close: () => void
}

export function watch({ name, given, file, log, shared }: Place, db: DatabaseSync): Opened {
  // SQLite makes the log at the first look into the file.
  db.prepare("SELECT version FROM sequitur").get()
  // A link that leads elsewhere by now leads others to another file.
  const paths = given === file ? [file, log, shared] : [given, file, log, shared]
  const kept = new Log(db, log)
  const parts = paths.map((path) => ({ path, was: look(path), what: whatIs(path) }))
  /** The memory was cut: whoever touches what is gone of it is killed. */
  let cut = false

  function whatIs(path: string): string {
    return path === log ? "its log" : path === shared ? "its shared memory (-shm)" : "it"
  }

  function checkPart(part: (typeof parts)[number]): StoreUnavailable | undefined {
    const { path, was, what } = part
    if (path === log && kept.isNamed && kept.isThere()) return undefined
    const now = look(path)
    if (typeof now === "string") return because(name, "gone", `${what} cannot be reached any more: ${now}`)
    if (now === undefined) return because(name, "gone", `${what} was deleted or moved away while it was in use`)
    if (typeof was !== "object" || now.ino !== was.ino || now.dev !== was.dev)
      return because(name, "replaced", `${what} was replaced by another file while it was in use`)
    if (path !== shared) return undefined
    // It grows, and never shrinks while anybody has it.
    cut = now.size < was.size
    if (cut) return losing(path, `${what} was cut off while it was in use`)
    part.was = now
    return undefined
  }

  const check = (): StoreUnavailable | undefined => {
    for (const part of parts) {
      const problem = checkPart(part)
      if (problem !== undefined) return problem
    }
    const problem = kept.check()
    return problem === undefined ? undefined : losing(file, problem)
  }

  const ofShared = parts.filter(({ path }) => path === shared)
  const checkShared = (): StoreUnavailable | undefined =>
    ofShared.map(checkPart).find((problem) => problem !== undefined)

  function losing(path: string, problem: string): StoreUnavailable {
    const id = idOf(look(path))
    if (id !== undefined) lost.set(id, problem)
    return because(name, "broken", `${problem}${distrust}`)
  }

  const close = (): void => {
    kept.close()
    if (!cut) db.close()
  }
  return { db, check, checkShared, close }
}

export const distrust = "; since then nothing that it says is believed. Copy what verifies to a new file (`recover`)"

/**
 * What was cut off or overwritten while this process had it. SQLite would give the same memory to whoever opens the file here again;
 * and a log of which a part is gone looks whole to whoever opens it anew.
 */
const lost = new Map<string, string>()
const idOf = (found: BigIntStats | string | undefined): string | undefined =>
  typeof found === "object" ? `${found.dev} ${found.ino} ${found.birthtimeNs}` : undefined

/** Or why it cannot be looked at. */
function look(path: string): BigIntStats | string | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    return (error as Error).message
  }
}

export function refuseLost({ name, file, shared }: Place): void {
  for (const path of [file, shared]) {
    const problem = lost.get(idOf(look(path)) ?? "")
    if (problem === undefined) continue
    const remedy = "Copy what verifies to a new file (`recover`), or restore it from a backup, and end this process"
    throw because(name, "broken", `${problem}, and this process has seen it. ${remedy}`)
  }
}

/** How long another process may be at opening the file, in milliseconds. */
const openingMs = 1_000

/**
 * The memory that processes share was deleted while one has the file open: that one goes on with its own, this one would make
 * another, and neither would see the other's locks. Where it is not there, nobody may have the file.
 */
export function refuseOrphans({ name, file, shared }: Place): void {
  const sinceMs = performance.now()
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return
  while (!existsSync(shared)) {
    if (!isHeld(file)) return
    if (performance.now() - sinceMs > openingMs) {
      const reason =
        "its shared memory (-shm) was deleted while another process has it open: end that process, then try again"
      throw because(name, "gone", reason)
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  }
}

/** Whoever has it open with a log holds a lock on the file itself all the while. */
function isHeld(file: string): boolean {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file)
    db.exec("PRAGMA trusted_schema = OFF; PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_master")
    return false
  } catch (error) {
    // Whatever else is the matter shows when it is opened.
    return isBusy(error)
  } finally {
    db?.close()
  }
}
