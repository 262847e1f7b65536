/** A run that is taken up under another catalog, or from a journal that was changed, is refused before anything is called. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { defineCatalog } from "sequitur"
import { createRunner, decide, verify } from "sequitur/run"
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

const cheaper = z.strictObject({ id: z.string(), cents: z.int().positive().max(5_000) })

const changedBy = (change: object): typeof guarded =>
  defineCatalog({ ...guarded.spec, ...change } as typeof guarded.spec)

const changes = {
  "tool `refund`": changedBy({
    tools: { ...guarded.spec.tools, refund: { ...guarded.spec.tools.refund, params: cheaper } },
  }),
  // Refused now, for its worst case is above the limit.
  "it is refused now (SEQ": changedBy({ blastRadius: { cents: { max: 10 } } }),
}

test("A038: a run whose catalog has changed is not taken further, nor approved; under the old catalog it is", async () => {
  const file = await waitingIn("changed")
  for (const [part, catalog] of Object.entries(changes)) {
    const { calls, runner } = opened(file, catalog)
    const before = await runner.entries("run")
    const tries = [
      () => runner.resume("run"),
      () => runner.approve("run", "open", yes),
      () => runner.decide("run", "open", { decision: "approved", ...yes }),
    ]
    for (const take of tries) {
      const taken = take()
      await expect(taken).rejects.toMatchObject({
        _tag: "StalePlan",
        hint: expect.stringMatching(/^Deny it .* run a newly compiled plan/),
      })
      await expect(taken).rejects.toThrow(part)
    }
    // Nothing of it was written down.
    expect(await runner.entries("run")).toEqual(before)
    expect(calls.made).toEqual([])
    await runner.close()
  }
  const { runner } = opened(file)
  expect((await runner.approve("run", "open", yes)).status).toBe("succeeded")
  await runner.close()
})

test("A038: a run that cannot go on for want of a handler is not approved", async () => {
  const file = await waitingIn("handless")
  const { note: _, ...fewer } = handlersOf(countCalls())
  const runner = createRunner({ catalog: guarded, tools: fewer as never, store: sqlite(file) })
  const before = await runner.entries("run")
  const missing = { _tag: "HandlerMissing", code: "RUN203" }
  await expect(runner.approve("run", "open", yes)).rejects.toMatchObject(missing)
  await expect(runner.decide("run", "open", { decision: "approved", by: "bob" })).rejects.toMatchObject(missing)
  expect(await runner.entries("run")).toEqual(before)
  await runner.close()
})

test("a waiting run is denied, and so ended, whatever has become of its catalog and its tools", async () => {
  const ways: Record<string, (file: string) => Promise<{ readonly status: string }>> = {
    "a changed catalog": async (file) => {
      const { runner } = opened(file, changes["tool `refund`"])
      const report = await runner.deny("run", "open", { by: "bob", reason: "out of date" })
      await runner.close()
      return report
    },
    "no handlers": async (file) => {
      const runner = createRunner({ catalog: guarded, tools: {} as never, store: sqlite(file) })
      const report = await runner.decide("run", "open", { decision: "denied", by: "bob", reason: "out of date" })
      await runner.close()
      return report
    },
    "nothing but the store": (file) =>
      Effect.runPromise(
        decide("run", "open", { decision: "denied", by: "bob", reason: "out of date" }).pipe(
          Effect.provide(sqlite(file)),
        ),
      ),
  }
  for (const [way, deny] of Object.entries(ways)) {
    const file = await waitingIn(way.replaceAll(" ", "-"))
    const message = "`bob` denied step `open`: out of date"
    expect(await deny(file), way).toMatchObject({ status: "failed", failure: { tag: "ApprovalDenied", message } })
    const { runner } = opened(file)
    expect(await runner.status("run")).toMatchObject({ status: "failed", failure: { stepId: "open" } })
    expect(await runner.runs()).toMatchObject([{ status: "failed" }])
    await expect(runner.resume("run")).rejects.toMatchObject({ _tag: "RunEnded" })
    const entries = await runner.entries("run")
    expect(verify("run", entries)).toBeUndefined()
    expect(entries.slice(-2).map(({ event }) => event.kind)).toEqual(["approval-decided", "run-ended"])
    await runner.close()
  }
})

test("a run that was approved, or is under way, is told otherwise what to do with a changed catalog", async () => {
  const file = await waitingIn("approved")
  const { runner } = opened(file)
  await runner.decide("run", "open", { decision: "approved", by: "bob" })
  await runner.close()
  const { runner: stale } = opened(file, changes["tool `refund`"])
  await expect(stale.resume("run")).rejects.toMatchObject({
    _tag: "StalePlan",
    hint: "Go on with the catalog of before; or cancel this run (`cancel`), and run a newly compiled plan.",
  })
  await stale.close()
})

test("A086: a journal that was changed is not taken further, and not shown", async () => {
  const file = await waitingIn("tampered")
  const db = new DatabaseSync(file)
  db.exec("DROP TRIGGER entry_stays; UPDATE entry SET payload = replace(payload, 'w2', 'w1') WHERE seq = 2")
  db.close()
  const { calls, runner } = opened(file)
  const tampered = { _tag: "JournalTampered", code: "RUN503", message: "entry 2 of run `run` is not what was written" }
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
  const { beginning, saltIn, seal } = await import("../../src/journal/chain.ts")
  const db = new DatabaseSync(file)
  db.exec("DROP TRIGGER entry_stays")
  const set = db.prepare("UPDATE entry SET payload = ?, hash = ? WHERE seq = ?")
  let last = beginning
  for (const { seq, atMs, event } of entries) {
    const swapped = JSON.parse(JSON.stringify(event).replace("/proratedCents", "/proratedCentz"))
    const sealed = seal("run", last, { seq, atMs, event: swapped })
    last = { hash: sealed.hash, salt: last.salt ?? saltIn(swapped) }
    set.run(sealed.payload ?? null, sealed.hash, seq)
  }
  db.prepare("UPDATE run SET hash = ?").run(last.hash)
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
