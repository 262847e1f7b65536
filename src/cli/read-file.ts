/** Reads a file or standard input (`-`), and never more than it is given room for: either may be endless. */
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { nameOf } from "./modules.ts"
import { reasonOf, UsageError } from "./terminal.ts"

/** Looks before anything is loaded or read, so that a slip in a name is told first. */
export async function lookFor(file: string): Promise<void> {
  if (file === "-") return
  const stats = await stat(file).catch((error) => {
    throw unusable(file, error)
  })
  if (stats.isDirectory()) throw new UsageError(`${nameOf(file)} is a directory`)
}

/** Looks before anything is done whether a file can be made there. */
export async function lookForPlace(file: string): Promise<void> {
  const folder = dirname(resolve(file))
  const stats = await stat(folder).catch(() => undefined)
  if (!stats?.isDirectory()) throw new UsageError(`${nameOf(file)}: the folder ${nameOf(folder)} does not exist`)
}

/** Whether two names lead to one file, by whatever links. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  if (resolve(one) === resolve(other)) return true
  const [a, b] = await Promise.all([one, other].map((file) => stat(file, { bigint: true }).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

/** The bytes of a file: all of them, or some more than there is room for, for whoever reads them to refuse. How much room
 *  there is may depend on how the text begins. */
export async function readBytes(file: string, room: (head: string) => number): Promise<Uint8Array> {
  const stream: AsyncIterable<Uint8Array> = file === "-" ? process.stdin : createReadStream(file)
  const chunks: Uint8Array[] = []
  let left = 0
  try {
    for await (const chunk of stream) {
      if (chunks.length === 0) left = room(new TextDecoder().decode(chunk.subarray(0, headBytes)))
      chunks.push(chunk)
      left -= chunk.length
      if (left < 0) break
    }
  } catch (error) {
    throw unusable(file, error)
  }
  return Buffer.concat(chunks)
}

const headBytes = 100

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "it may not be used",
  EPERM: "it may not be used",
  EISDIR: "it is a directory",
}

export function unusable(file: string, error: unknown): UsageError {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return new UsageError(`${nameOf(file)}: ${reasons[code] ?? reasonOf(error)}`)
}
