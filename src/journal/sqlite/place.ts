/** Where a store is. SQLite keeps its log beside the file itself, wherever a link to it stands. */
import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { because } from "./trouble.ts"

export interface Place {
  /** As it was given, for messages. */
  readonly name: string
  /** The same from the root: the working directory may change. */
  readonly given: string
  /** The file itself, behind all links. */
  readonly file: string
  readonly log: string
  /** What its processes share in memory. */
  readonly shared: string
}

export function locate(name: string): Place {
  const given = resolve(name)
  const file = follow(given)
  return { name, given, file, log: `${file}-wal`, shared: `${file}-shm` }
}

/** Of a file that is not there yet: where it would be made. */
function follow(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes((error as { readonly code?: string }).code ?? "")) throw error
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      return follow(resolve(dirname(path), readlinkSync(path)))
    const folder = dirname(path)
    return folder === path ? path : join(follow(folder), basename(path))
  }
}

/** By another name of the same file its log is not found: what is in there alone would be lost. */
export function refuseNames({ name, file }: Place): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile() || stats.nlink <= 1) return
  const reason = `it has ${stats.nlink} names (hard links), and its log stands beside one of them alone: remove the others`
  throw because(name, "other", reason)
}

/** A file that was mounted alone (`docker -v runs.db:/data/runs.db`) has another log here than where it comes from. */
export function refuseMount({ name, file }: Place): void {
  if (!mountsIn(mountTable()).has(file)) return
  const reason =
    "it is mounted as a single file, and its log stands beside it in another folder: mount the folder that it is in"
  throw because(name, "other", reason)
}

/** Linux alone mounts single files. */
function mountTable(): string {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8")
  } catch {
    return ""
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html: the fifth field, with spaces and the like as octal numbers. */
export const mountsIn = (table: string): ReadonlySet<string> =>
  new Set(
    table
      .split("\n")
      .map((line) =>
        (line.split(" ")[4] ?? "").replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8))),
      ),
  )
