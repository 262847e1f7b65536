/** `sequitur import`: verifies what `export` wrote, and takes its runs over. */
import * as Effect from "effect/Effect"
import { plural } from "../../explain/verdict.ts"
import type { Entry } from "../../journal/entry.ts"
import { importLines } from "../../journal/export.ts"
import { Journal } from "../../journal/journal.ts"
import { sqlite } from "../../journal/sqlite.ts"
import { unendedIn } from "../../journal/unended.ts"
import { RunExists } from "../../run/failure.ts"
import { advise, adviseWith } from "../advice.ts"
import { nameOf } from "../modules.ts"
import { lookFor, readBytes } from "../read-file.ts"
import { complain, exit, type Format, print, printJson } from "../terminal.ts"
import { typed } from "../typed.ts"
import { tellUnended } from "../unended.ts"

export interface ImportOptions {
  readonly store: string
  readonly format: Format
}

export async function importRuns(file: string, { store, format }: ImportOptions): Promise<number> {
  await lookFor(file)
  const text = new TextDecoder().decode(await readBytes(file, () => textMax))
  const imported = importLines(text.replace(/\n$/, "").split("\n"))
  if (imported.kind === "refused") {
    if (format === "json") printJson({ import: { verified: false, taken: false, problems: imported.problems } })
    for (const { code, line, problem } of imported.problems)
      complain(`error ${code}: ${nameOf(file)}, line ${line}: ${problem}`)
    return exit.refused
  }
  const { head, entries, kind } = imported
  const runs = Object.keys(head.runs).length
  const taken = kind === "whole"
  if (taken) await takeOver(store, imported.entries)
  const unended = taken ? unendedIn(imported.entries) : []
  if (format === "json") {
    const ids = unended.map(({ runId }) => runId)
    printJson({ import: { verified: true, taken, runs, entries: entries.length, unended: ids } })
  } else {
    const what = `verified: ${plural(runs, "run")}, ${plural(entries.length, "entry", "entries")}`
    print(`${what}; ${taken ? `taken over into ${nameOf(store)}` : "redacted, so that they cannot be taken over"}`)
    const told = tellUnended(unended, store)
    if (told !== undefined) print(told)
  }
  return exit.fine
}

/** As much as fits in one text. */
const textMax = 500_000_000

async function takeOver(store: string, entries: readonly Entry[]): Promise<void> {
  try {
    await Effect.runPromise(
      Journal.use((journal) => journal.adopt(entries)).pipe(
        Effect.provide(sqlite(store)),
        // Two runs that were never in one store may have made the same effect.
        // What was verified has no gap: the store has the run.
        Effect.catchTag("JournalConflict", ({ fields }) => Effect.fail(new RunExists({ runId: `${fields.runId}` }))),
        Effect.catchTag("Taken", () => Effect.die(new Error("what a run has taken there is another run's here"))),
      ),
    )
  } catch (error) {
    throw adviseWith(advise(error, { store }), ({ code }) =>
      code === "RUN207"
        ? `Nothing was taken over. Name another store with --store; or \`export\` only the runs that this one lacks: \`${typed("runs", [], store)}\`.`
        : undefined,
    )
  }
}
