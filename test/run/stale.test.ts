/** A run that is taken up under another catalog, or from a journal that was changed, is refused before anything is called. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { defineCatalog } from "sequitur"
import { createRunner } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, expect, test } from "vitest"
import { z } from "zod"
import { countCalls, guarded, guardedPlan, handlersOf, scope } from "./desk.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-stale-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A run that waits for approval, in a file. */
async function waitingIn(name: string): Promise<string> {
  const file = join(folder, `${name}.db`)
  const runner = createRunner({ catalog: guarded, tools: handlersOf(countCalls()), store: sqlite(file) })
  await runner.run(guardedPlan, { ...scope, runId: "run" })
  await runner.close()
  return file
}

const opened = (file: string, catalog: typeof guarded = guarded) => {
  const calls = countCalls()
  return { calls, runner: createRunner({ catalog, tools: handlersOf(calls), store: sqlite(file) }) }
}

const yes = { by: "bob" }

test("A038: an approved run whose catalog has changed is not taken further, and says what changed", async () => {
  const file = await waitingIn("changed")
  const { spec } = guarded
  const cheaper = z.strictObject({ id: z.string(), cents: z.int().positive().max(5_000) })
  const changes = [
    { ...spec, tools: { ...spec.tools, refund: { ...spec.tools.refund, params: cheaper } } },
    { ...spec, blastRadius: { cents: { max: 10 } } },
  ] as unknown as (typeof spec)[]
  for (const [index, part] of ["tool `refund`", "limits"].entries()) {
    const { calls, runner } = opened(file, defineCatalog(changes[index] ?? spec))
    if (index === 0) await runner.decide("run", "open", { decision: "approved", by: "bob" })
    const taken = runner.resume("run")
    await expect(taken).rejects.toMatchObject({ _tag: "StalePlan" })
    if (index === 0) await expect(taken).rejects.toThrow(part)
    expect(calls.made).toEqual([])
    await runner.close()
  }
  // Under the old catalog it goes on.
  const { runner } = opened(file)
  expect((await runner.resume("run")).status).toBe("succeeded")
  await runner.close()
})

test("A086: a journal that was changed is not taken further, and not shown", async () => {
  const file = await waitingIn("tampered")
  const db = new DatabaseSync(file)
  db.exec("DROP TRIGGER entry_stays; UPDATE entry SET event = replace(event, 'w2', 'w1') WHERE seq = 3")
  db.close()
  const { calls, runner } = opened(file)
  const tampered = { _tag: "JournalTampered", code: "RUN503", message: "entry 3 of run `run` is not what was written" }
  await expect(runner.approve("run", "open", yes)).rejects.toMatchObject(tampered)
  await expect(runner.resume("run")).rejects.toMatchObject(tampered)
  await expect(runner.status("run")).rejects.toMatchObject(tampered)
  await expect(runner.entries("run")).rejects.toMatchObject(tampered)
  expect(calls.made).toEqual([])
  await runner.close()
})

test("a journal with another plan under the same name, chained anew, is not taken further", async () => {
  const file = await waitingIn("swapped")
  const { runner: reader } = opened(file)
  const entries = await reader.entries("run")
  await reader.close()
  const { link, genesis } = await import("../../src/journal/chain.ts")
  const { canonical } = await import("../../src/text/canonical.ts")
  const db = new DatabaseSync(file)
  db.exec("DROP TRIGGER entry_stays")
  const set = db.prepare("UPDATE entry SET event = ?, hash = ? WHERE seq = ?")
  let previous = genesis
  for (const { seq, atMs, event } of entries) {
    const text = canonical(event as never).replace("/proratedCents", "/proratedCentz")
    previous = link(previous, "run", seq, atMs, text)
    set.run(text, previous, seq)
  }
  db.close()
  const { calls, runner } = opened(file)
  await expect(runner.approve("run", "open", yes)).rejects.toMatchObject({ _tag: "StalePlan" })
  expect(calls.made).toEqual([])
  await runner.close()
})

test("a store that cannot be opened refuses every question with its path and the reason", async () => {
  const file = join(folder, "none", "x.db")
  const { runner } = opened(file)
  const refused = { _tag: "StoreUnavailable", code: "RUN501", again: true }
  await expect(runner.run(guardedPlan, scope)).rejects.toMatchObject(refused)
  await expect(runner.runs()).rejects.toMatchObject(refused)
  await expect(runner.resume("run")).rejects.toThrow(file)
  await runner.close()
})
