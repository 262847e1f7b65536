/** `sequitur recover`: copies what verifies of a damaged store into a new one. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import { printable } from "../../explain/printable.ts"
import { plural } from "../../explain/verdict.ts"
import { type Recovered, recover } from "../../journal/sqlite/recover.ts"
import { adviseWith } from "../advice.ts"
import { nameOf } from "../modules.ts"
import { exit, type Format, print, printJson } from "../terminal.ts"
import { tellUnended } from "../unended.ts"

/** What can be wrong is one of the two files: never a run that is to be gone on with. */
async function recoverInto(from: string, to: string): Promise<Recovered> {
  try {
    return await Effect.runPromise(recover(from, to))
  } catch (error) {
    throw adviseWith(error, ({ code, fields }) => {
      if (code !== "RUN501") return undefined
      if (fields.store === to)
        return "Name a new file, in a folder that can be written to; the old store stays as it is."
      return existsSync(from)
        ? "Nothing of it can be read: go back to a copy of the file, or `import` what `export` has written of it."
        : "Name the store that is damaged."
    })
  }
}

export async function recoverStore(from: string, to: string, { format }: { readonly format: Format }): Promise<number> {
  const { runs, unended } = await recoverInto(from, to)
  const damaged = runs.filter(({ lost }) => lost > 0)
  if (format === "json") printJson({ recover: { from, to, runs, unended: unended.map(({ runId }) => runId) } })
  else {
    for (const { runId, kept, lost } of damaged)
      print(`${printable(runId)}: ${plural(kept, "entry", "entries")} kept, ${lost} lost`)
    const whole = runs.length - damaged.length
    print(
      `recovered ${plural(whole, "whole run")}${damaged.length > 0 ? `, ${damaged.length} in part` : ""}: ${nameOf(to)}`,
    )
    const told = tellUnended(unended, to)
    if (told !== undefined) print(told)
  }
  return damaged.length > 0 ? exit.refused : exit.fine
}
