/** A folder outside of the project in which modules find what they would find in it; gone when it has been used. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

/** `like` is the folder that it stands for: each `node_modules` there and above it is linked to, in the same order. */
export async function withFolder<A>(like: string, use: (folder: string) => Promise<A>): Promise<A> {
  const outermost = realpathSync(mkdtempSync(join(tmpdir(), "sequitur-types-")))
  const remove = (): void => rmSync(outermost, { recursive: true, force: true })
  // However the process ends, as long as it may say a last word.
  process.once("exit", remove)
  try {
    let folder = outermost
    for (const modules of modulesAbove(like)) {
      symlinkSync(modules, join(folder, "node_modules"), "junction")
      folder = join(folder, "inner")
      mkdirSync(folder)
    }
    return await use(folder)
  } finally {
    process.off("exit", remove)
    remove()
  }
}

/** The outermost first. */
function modulesAbove(folder: string): readonly string[] {
  const above = dirname(folder)
  const modules = join(folder, "node_modules")
  return [...(above === folder ? [] : modulesAbove(above)), ...(existsSync(modules) ? [modules] : [])]
}

/** The nearest file of this name in a folder or above it. */
export function fileAbove(folder: string, name: string): string | undefined {
  const file = join(folder, name)
  if (existsSync(file)) return file
  const above = dirname(folder)
  return above === folder ? undefined : fileAbove(above, name)
}
