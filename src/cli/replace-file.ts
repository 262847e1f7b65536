/** Puts a new text in a file's place: all of it or nothing, and only while the file is what was read. */
import { randomBytes } from "node:crypto"
import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { nameOf } from "./modules.ts"
import { unusable } from "./read-file.ts"
import { UsageError } from "./terminal.ts"

/** The file keeps its mode and its owner; where it is a link, what it leads to is replaced. */
export async function replaceFile(file: string, before: Uint8Array, text: string): Promise<void> {
  try {
    await replace(file, before, text)
  } catch (error) {
    throw error instanceof UsageError ? error : unusable(file, error)
  }
}

async function replace(file: string, before: Uint8Array, text: string): Promise<void> {
  const stats = await stat(file)
  if (!stats.isFile()) throw new UsageError(`${nameOf(file)} is no regular file: nothing was written`)
  const path = await realpath(file)
  const temporary = join(dirname(path), `.sequitur-${randomBytes(8).toString("hex")}.tmp`)
  const handle = await open(temporary, "wx", 0o600)
  try {
    try {
      await handle.writeFile(text)
      const made = await handle.stat()
      if (made.uid !== stats.uid || made.gid !== stats.gid) await handle.chown(stats.uid, stats.gid)
      await handle.chmod(stats.mode & 0o7777)
      await handle.sync()
    } finally {
      await handle.close()
    }
    // As late as can be; between here and the next line somebody may still write.
    if (Buffer.compare(await readFile(path), before) !== 0) {
      throw new UsageError(`${nameOf(file)} was changed in the meantime: nothing was written`)
    }
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
}
