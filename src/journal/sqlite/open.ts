/** Opens the file: it is ours, or it is refused and stays as it is. */
import { existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { JournalNewer } from "../failure.ts"
import { locate, type Place, refuseMount, refuseNames } from "./place.ts"
import { create, migrate, schemaVersion, tablesOf } from "./schema.ts"
import { because, busyMs, isUnwritable } from "./trouble.ts"
import { type Opened, refuseLost, refuseOrphans, watch } from "./watch.ts"

const settings = `PRAGMA busy_timeout = ${busyMs}; PRAGMA trusted_schema = OFF`

/**
 * Moving the log into the file takes two syncs more. When 64 runs write at a time, a thousand pages (SQLite's default) are full
 * after four commits, most of them over and over the same ones: four times as many are moved with a quarter of the syncs.
 */
const checkpointPages = 4_000
/** So that what runs and effects are found by is not read from the file again for each of them. */
const cacheKiB = 16_000

const holdsNothing = "it is empty: no run was ever kept there"

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
  refuseMount(place)
  refuseLost(place)
  refuseOrphans(place)
  if (mayCreate) return watch(place, openToWrite(place, true))
  try {
    return watch(place, openToWrite(place, false))
  } catch (error) {
    if (!isUnwritable(error)) throw error
    const db = openToRead(place)
    return { db, check: () => undefined, checkShared: () => undefined, close: () => db.close() }
  }
}

function openToWrite(place: Place, mayCreate: boolean): DatabaseSync {
  const db = new DatabaseSync(place.file)
  try {
    // The file is looked at before anything in it is changed: it may be somebody else's. Whoever only looks waits for nobody.
    db.exec(settings)
    if (!isCurrent(place, db, mayCreate)) {
      db.exec("BEGIN IMMEDIATE")
      // Another may have been first.
      if (!isCurrent(place, db, mayCreate)) {
        if (namesIn(db).size === 0) create(db)
        else migrate(db)
      }
      db.exec("COMMIT")
    }
    const mode = db.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode
    if (mode !== "wal") throw new Error(`it cannot be kept with a write-ahead log (${mode})`)
    // FULL: an intent is on the disk before its effect begins, also when the power fails.
    db.exec("PRAGMA synchronous = FULL")
    db.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}; PRAGMA cache_size = -${cacheKiB}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** False where it is still to be made, or to be brought to this version. */
function isCurrent({ name }: Place, db: DatabaseSync, mayCreate: boolean): boolean {
  const found = namesIn(db)
  if (found.size === 0 && !mayCreate) throw because(name, "missing", holdsNothing)
  return found.size > 0 && versionOf(name, db, found) === schemaVersion
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
