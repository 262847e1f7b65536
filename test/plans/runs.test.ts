/** Runs that were recorded once, and are replayed for ever: what a journal says must go on meaning what it meant. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { Effect } from "effect"
import { definePlan } from "sequitur"
import { type Entry, Journal, memory } from "sequitur/run"
import { describe, expect, test } from "vitest"
import catalog from "../../plans/runs/catalog.ts"
import { importLines } from "../../src/journal/export.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { prepare } from "../../src/run/next/prepare.ts"
import { rederive } from "../../src/run/rederive.ts"

/** By file, what it is and how its runs stand. Files are added, and never recorded anew: what changes is the code that reads them. */
const recorded: {
  readonly [file: string]: { readonly sha256: string; readonly runs: { readonly [run: string]: string } }
} = {
  "recorded-1.jsonl": {
    sha256: "e1c80bde064dc8c4cfbe16584394edadc1ad58c3902e0b8a25bb649a097f22ec",
    runs: {
      succeeded: "succeeded",
      "read-retried": "succeeded",
      "key-again": "succeeded",
      "reconciled-applied": "succeeded",
      "reconciled-not-applied": "succeeded",
      barred: "failed",
      "in-doubt-applied": "succeeded",
      "in-doubt-not-applied": "succeeded",
      retry: "succeeded",
      "not-applied-undone": "failed",
      "undo-given-up": "failed",
      "not-applied-later": "failed",
      "wrong-shape": "failed",
      denied: "failed",
      cancelled: "cancelled",
      replaying: "succeeded",
      limit: "exhausted",
      once: "failed",
    },
  },
}

const folder = resolve("plans/runs")

test("each file is known, and as it was recorded", () => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"))
  const found = files.map((file) => [
    file,
    createHash("sha256")
      .update(readFileSync(`${folder}/${file}`))
      .digest("hex"),
  ])
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(recorded).map(([file, { sha256 }]) => [file, sha256])),
  )
})

describe.each(Object.entries(recorded))("%s", (file, { runs }) => {
  const imported = importLines(readFileSync(`${folder}/${file}`, "utf8").trimEnd().split("\n"))
  if (imported.kind !== "whole") throw new Error(JSON.stringify(imported))
  const { entries } = imported

  test("every action follows from the plan and the entries before it", () => {
    const found = [...Map.groupBy(entries, ({ runId }) => runId)].map(([runId, all]) => [runId, replayed(runId, all)])
    expect(Object.fromEntries(found)).toEqual(runs)
  })

  test("is taken over by a store, whose tables are those of its entries", async () => {
    const taken = Journal.use((journal) =>
      Effect.andThen(
        journal.adopt(entries),
        journal.inspect((whole) => verifyStore(whole, imported.head)),
      ),
    )
    const { findings } = await Effect.runPromise(Effect.provide(taken, memory()))
    expect(findings).toEqual([])
  })
})

function replayed(runId: string, entries: readonly Entry[]): string {
  const first = entries[0]?.event
  if (first?.kind !== "run-started") throw new Error(`${runId} does not begin`)
  const compiled = definePlan(catalog, first.document as never)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  const ready = prepare(compiled.plan, catalog)
  if (ready instanceof Error) throw ready
  const state = rederive(ready, runId, entries)
  return state instanceof Error ? state.message : state.status
}
