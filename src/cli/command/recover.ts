/** `sequitur recover`: copies what verifies of a damaged store into a new one. */
import * as Effect from "effect/Effect"
import { printable } from "../../explain/printable.ts"
import { plural } from "../../explain/verdict.ts"
import { recover } from "../../journal/sqlite/recover.ts"
import { nameOf } from "../modules.ts"
import { exit, type Format, print, printJson } from "../terminal.ts"

export async function recoverStore(from: string, to: string, { format }: { readonly format: Format }): Promise<number> {
  const { runs } = await Effect.runPromise(recover(from, to))
  const damaged = runs.filter(({ lost }) => lost > 0)
  if (format === "json") printJson({ recover: { from, to, runs } })
  else {
    for (const { runId, kept, lost } of damaged)
      print(`${printable(runId)}: ${plural(kept, "entry", "entries")} kept, ${lost} lost`)
    const whole = runs.length - damaged.length
    print(
      `recovered ${plural(whole, "whole run")}${damaged.length > 0 ? `, ${damaged.length} in part` : ""}: ${nameOf(to)}`,
    )
  }
  return damaged.length > 0 ? exit.refused : exit.fine
}
