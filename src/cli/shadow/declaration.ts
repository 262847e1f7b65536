/** `plan.d.json.ts`, in which TypeScript finds the type of a `plan.json` that is imported. */
import { readFile, writeFile } from "node:fs/promises"
import type { Json } from "../../text/json.ts"
import { nameOf } from "../modules.ts"
import { unusable } from "../read-file.ts"
import { UsageError } from "../terminal.ts"
import { writeType } from "./literal.ts"

const head = "/** The type of the plan beside it, written by `sequitur types --emit`: change the plan, not this. */\n"

/** "plan.d.json.ts"; undefined where TypeScript would not look for one. */
export const declarationOf = (file: string): string | undefined =>
  file.endsWith(".json") ? `${file.slice(0, -".json".length)}.d.json.ts` : undefined

/** `export =`, as TypeScript itself takes JSON: a default export would be found under `default` by modules that are Node's. */
export async function writeDeclaration(file: string, plan: Json): Promise<void> {
  const text = `${head}declare const plan: ${writeType(plan)}\nexport = plan\n`
  const before = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw unusable(file, error)
  })
  // Who watches the folder is not woken for nothing.
  if (before === text) return
  if (before !== undefined && !before.startsWith(head)) {
    throw new UsageError(
      `${nameOf(file)} was not written by \`sequitur types --emit\`: move it away, or leave out --emit`,
    )
  }
  await writeFile(file, text).catch((error) => {
    throw unusable(file, error)
  })
}
