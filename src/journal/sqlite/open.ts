/** Opens the file: it is ours, or it is refused and stays as it is. */
import { type BigIntStats, existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { JournalNewer, type StoreUnavailable } from "../failure.ts"
import { locate, type Place, refuseNames } from "./place.ts"
import { create, migrate, schemaVersion, tablesOf } from "./schema.ts"
import { because, busyMs, isUnwritable } from "./trouble.ts"

const settings = `PRAGMA busy_timeout = ${busyMs}; PRAGMA trusted_schema = OFF`
const holdsNothing = "it is empty: no run was ever kept there"

export interface Opened {
  readonly db: DatabaseSync
  /** Whether the file that was opened still stands under its name, with its log. */
  readonly check: () => StoreUnavailable | undefined
}

export function open(name: string, mayCreate: boolean): Opened {
  const place = locate(name)
  const { file, log } = place
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined || size === 0) {
    // What was committed may be in there alone.
    if (existsSync(log) && (statSync(log).size > 0 || size === undefined))
      throw because(
        name,
        "gone",
        `${size === undefined ? "it is gone" : "it is empty"}, but its log is there: restore it from a backup`,
      )
    if (!mayCreate) throw because(name, "missing", size === undefined ? "there is no such file" : holdsNothing)
  }
  refuseNames(place)
  if (mayCreate) return watch(place, openToWrite(place, true))
  try {
    return watch(place, openToWrite(place, false))
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return { db: openToRead(place), check: () => undefined }
  }
}

function openToWrite({ name, file }: Place, mayCreate: boolean): DatabaseSync {
  const db = new DatabaseSync(file)
  try {
    // The file is looked at before anything in it is changed: it may be somebody else's.
    db.exec(`${settings}; BEGIN IMMEDIATE`)
    const found = namesIn(db)
    if (found.size === 0 && !mayCreate) throw because(name, "missing", holdsNothing)
    if (found.size === 0) create(db)
    else if (versionOf(name, db, found) === 1) migrate(db)
    db.exec("COMMIT")
    const mode = db.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode
    if (mode !== "wal") throw new Error(`it cannot be kept with a write-ahead log (${mode})`)
    // FULL: an intent is on the disk before its effect begins, also when the power fails.
    db.exec("PRAGMA synchronous = FULL")
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** To be read and nothing else. */
function openToRead(place: Place): DatabaseSync {
  const db = openDamaged(place)
  try {
    if (versionOf(place.name, db, namesIn(db)) === 1) throw because(place.name, "read-only", toBeWritten)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export const toBeWritten = "it is of version 1, and has to be written once by this sequitur"

/** Whatever it holds. */
export function openDamaged({ file, log }: Place): DatabaseSync {
  const url = pathToFileURL(file)
  // On a medium where nothing can be written nobody else writes either: without that promise SQLite wants to lock the file.
  // Where a log stands beside it, the file alone is not all.
  if (!existsSync(log)) url.searchParams.set("immutable", "1")
  const db = new DatabaseSync(url, { readOnly: true })
  try {
    db.exec(settings)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Of a file that may be damaged: undefined where that cannot be read either. */
export function readableVersion(db: DatabaseSync): number | undefined {
  try {
    const version = db.prepare("SELECT max(version) AS version FROM sequitur").get()?.version
    return typeof version === "number" ? version : undefined
  } catch {
    return undefined
  }
}

const namesIn = (db: DatabaseSync): ReadonlySet<unknown> =>
  new Set(
    db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => name),
  )

function versionOf(file: string, db: DatabaseSync, names: ReadonlySet<unknown>): number {
  if (!names.has("sequitur")) throw because(file, "foreign", "it is a database of another program")
  const found = Number(db.prepare("SELECT max(version) AS version FROM sequitur").get()?.version)
  if (!(found >= 1 && found <= schemaVersion)) throw new JournalNewer({ where: file, found, known: schemaVersion })
  const gone = tablesOf(found).find((name) => !names.has(name))
  if (gone === "entry") throw because(file, "corrupt", "its table of entries is gone: the file was altered")
  if (gone !== undefined) throw because(file, "corrupt", `its table \`${gone}\` is gone: the file was altered`)
  return found
}

/** What is written to a file that has lost its name is lost with it. */
function watch({ name, given, file, log }: Place, db: DatabaseSync): Opened {
  // SQLite makes the log at the first look into the file.
  db.prepare("SELECT version FROM sequitur").get()
  // A link that leads elsewhere by now leads others to another file.
  const paths = given === file ? [file, log] : [given, file, log]
  const parts = paths.map((path) => ({ path, was: look(path) }))
  const check = (): StoreUnavailable | undefined => {
    for (const { path, was } of parts) {
      const now = look(path)
      const what = path === log ? "its log" : "it"
      if (now === undefined) return because(name, "gone", `${what} was deleted or moved away while it was in use`)
      if (now.ino !== was?.ino || now.dev !== was.dev)
        return because(name, "replaced", `${what} was replaced by another file while it was in use`)
    }
    return undefined
  }
  return { db, check }
}

const look = (path: string): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false })
