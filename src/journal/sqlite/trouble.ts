/** What SQLite and the disk say, in words. */
import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { StoreUnavailable, type Trouble } from "../failure.ts"

/** https://www.sqlite.org/rescode.html */
const reasons: Readonly<Record<number, readonly [Trouble, string]>> = {
  5: ["busy", "another process has held its lock for too long"],
  6: ["busy", "another process has held its lock for too long"],
  8: ["read-only", "it may not be written"],
  10: ["broken", "the disk reports an error"],
  11: ["corrupt", "the file is damaged"],
  13: ["full", "the disk is full"],
  14: ["missing", "the file cannot be opened"],
  23: ["read-only", "the file may not be opened"],
  26: ["corrupt", "the file is not a SQLite database"],
}

/** What the system says, where SQLite is not asked. */
const refusals: Readonly<Record<string, readonly [Trouble, string]>> = {
  EACCES: ["missing", "its folder, or one above it, may not be looked into"],
  EPERM: ["read-only", "it may not be used"],
  EIO: ["broken", "the disk reports an error"],
  ENOSPC: ["full", "the disk is full"],
}

/** The primary code of an error of SQLite. */
export function codeOf(error: unknown): number | undefined {
  const { errcode } = error as { readonly errcode?: number }
  return errcode === undefined ? undefined : errcode & 0xff
}

/** How long to wait for another process that writes. */
export const busyMs = 5_000

/** SQLITE_BUSY, SQLITE_LOCKED. */
export const isBusy = (error: unknown): boolean => [5, 6].includes(codeOf(error) ?? 0)

/** https://www.sqlite.org/rescode.html: SQLITE_READONLY; SQLITE_CANTOPEN, of the log that may not be made beside the file. */
export const isUnwritable = (error: unknown): boolean => [8, 14].includes(codeOf(error) ?? 0)

/** After these nobody knows what of the file is on the disk: what the system shows of it may be in memory alone. */
export const isBreaking = (error: unknown): boolean => [10, 11, 26].includes(codeOf(error) ?? 0)

export const because = (store: string, trouble: Trouble, reason: string): StoreUnavailable =>
  new StoreUnavailable({ store, reason, trouble })

export function explain(error: unknown, store: string): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error
  const code = codeOf(error)
  const { message, code: system = "" } = error as { readonly message: string; readonly code?: string }
  if (code === undefined) return because(store, ...(refusals[system] ?? (["other", message] as const)))
  const folder = dirname(resolve(store))
  if (code === 14 && !existsSync(folder)) return because(store, "missing", `the folder ${folder} does not exist`)
  return because(store, ...(reasons[code] ?? (["other", message] as const)))
}
