/** The files of a state: a folder with the store and the clock. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const storeIn = (folder: string): string => join(folder, "store.db")
export const clockIn = (folder: string): string => join(folder, "clock")

/** Of SQLite, by the ends of their names. The index of the log is made anew by whoever opens it first, as after a crash. */
export const storeParts = ["", "-wal", "-journal"] as const

/** For all of them. What a killed process has written is in memory either way, so a memory's file system will do. */
export const makeFolder = (): string =>
  mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sequitur-prove-"))

/** Into a folder that is not there yet. */
export function copyFiles(from: string, to: string): void {
  mkdirSync(to)
  for (const part of storeParts)
    if (existsSync(storeIn(from) + part)) copyFileSync(storeIn(from) + part, storeIn(to) + part)
  copyFileSync(clockIn(from), clockIn(to))
}
