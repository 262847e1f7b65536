/** `sequitur import`: verifies what `export` wrote, and takes its runs over. */
import * as Effect from "effect/Effect"
import { printable } from "../../explain/printable.ts"
import { plural } from "../../explain/verdict.ts"
import type { Entry } from "../../journal/entry.ts"
import { importLines } from "../../journal/export.ts"
import { Journal } from "../../journal/journal.ts"
import { sqlite } from "../../journal/sqlite.ts"
import { isTerminal } from "../../journal/status.ts"
import { RunExists } from "../../run/failure.ts"
import { advise } from "../advice.ts"
import { nameOf } from "../modules.ts"
import { lookFor, readBytes } from "../read-file.ts"
import { complain, exit, type Format, print, printJson } from "../terminal.ts"
import { typed } from "../typed.ts"

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
    for (const { line, problem } of imported.problems) complain(`error: ${nameOf(file)}, line ${line}: ${problem}`)
    return exit.refused
  }
  const { head, entries, kind } = imported
  const runs = Object.keys(head.runs).length
  const taken = kind === "whole"
  const unended = taken ? await takeOver(store, imported.entries) : []
  if (format === "json") printJson({ import: { verified: true, taken, runs, entries: entries.length, unended } })
  else {
    const what = `verified: ${plural(runs, "run")}, ${plural(entries.length, "entry", "entries")}`
    print(`${what}; ${taken ? `taken over into ${nameOf(store)}` : "redacted, so that they cannot be taken over"}`)
    if (unended.length > 0) print(tellUnended(unended, store))
  }
  return exit.fine
}

/** Two stores that go on with one run make its effects twice. */
function tellUnended([first = "", ...others]: readonly string[], store: string): string {
  const what =
    others.length === 0 ? "1 run has not ended: it goes" : `${others.length + 1} runs have not ended: each goes`
  const resume = typed("resume", [first, "--take-over"], store)
  return `${what} on here only when it is taken over, and must not go on in the store it comes from: \`${printable(resume)}\``
}

/** As much as fits in one text. */
const textMax = 500_000_000

/** Gives back which of them have not ended. */
async function takeOver(store: string, entries: readonly Entry[]): Promise<readonly string[]> {
  const adopted = new Set(entries.map(({ runId }) => runId))
  try {
    return await Effect.runPromise(
      Journal.use((journal) => Effect.andThen(journal.adopt(entries), journal.list())).pipe(
        Effect.map((runs) =>
          runs.filter(({ runId, status }) => adopted.has(runId) && status !== "damaged" && !isTerminal(status)),
        ),
        Effect.map((runs) => runs.map(({ runId }) => runId)),
        Effect.provide(sqlite(store)),
        // Two runs that were never in one store may have made the same effect.
        // What was verified has no gap: the store has the run.
        Effect.catchTag("JournalConflict", ({ fields }) => Effect.fail(new RunExists({ runId: `${fields.runId}` }))),
        Effect.catchTag("Taken", () => Effect.die(new Error("what a run has taken there is another run's here"))),
      ),
    )
  } catch (error) {
    throw advise(error, { store })
  }
}
