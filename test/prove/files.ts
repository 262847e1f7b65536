/** The files of a state: a folder with the store and the clock. */
import { copyFileSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"

export const storeIn = (folder: string): string => join(folder, "store.db")
export const clockIn = (folder: string): string => join(folder, "clock")

/** Of SQLite, by the ends of their names. The index of the log is made anew by whoever opens it first, as after a crash. */
export const storeParts = ["", "-wal", "-journal"] as const

/** Into a folder that is not there yet. */
export function copyFiles(from: string, to: string): void {
  mkdirSync(to)
  for (const part of storeParts)
    if (existsSync(storeIn(from) + part)) copyFileSync(storeIn(from) + part, storeIn(to) + part)
  copyFileSync(clockIn(from), clockIn(to))
}
