/** What simulation and damaged files have found, each in its smallest form. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Catalog, type CompiledPlan, compile } from "sequitur"
import {
  decide,
  execute,
  type Ids,
  Journal,
  type JournalService,
  memory,
  notApplied,
  reconciled,
  requestCancel,
  seededIds,
  toolbox,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { expect, test } from "vitest"
import type { Event } from "../../src/journal/entry.ts"
import { fold, type RunState, replay } from "../../src/journal/state.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { next } from "../../src/run/next/next.ts"
import { prepare, type ReadyPlan } from "../../src/run/next/prepare.ts"
import { rederive } from "../../src/run/rederive.ts"
import { catalog } from "./simulate/catalog.ts"

function planOf(...steps: readonly object[]): CompiledPlan {
  const compiled = compile(catalog as Catalog, JSON.stringify({ version: 1, steps }))
  if (compiled.ok) return compiled.plan
  throw new Error(compiled.diagnostics.map(({ message }) => message).join("\n"))
}

const put = { id: "put", tool: "put", args: { n: 1 } }
const bar = { id: "bar", tool: "bar", args: { n: 1 } }
const open = { id: "open", transition: "OPEN" }

const equip = (instead: { readonly [tool: string]: unknown } = {}) => {
  const done = () => ({ receipt: "r" })
  const asked = { call: done, reconcile: () => reconciled.unknown() }
  const tools = { get: done, put: done, unput: done, pay: done, refund: done, mail: done, unwire: done }
  const all = { ...tools, book: asked, unbook: asked, bar: asked, wire: asked, ...instead }
  return { catalog: catalog as Catalog, tools: toolbox(catalog as never, all as never) as never }
}

const who = { principal: { tenant: "acme", subject: "ann" }, sessionId: "s", taskId: "t" }

const inStore = <A>(use: (journal: JournalService) => Effect.Effect<A, unknown, Journal | Ids>): Promise<A> =>
  Effect.gen(function* () {
    const services = yield* Layer.build(Layer.merge(memory(), seededIds(1)))
    return yield* Effect.provideContext(use(Context.get(services, Journal)), services)
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

test("a run whose first effect another one takes just then begins all the same, with what that one has recorded", () =>
  inStore((journal) =>
    Effect.gen(function* () {
      const plan = planOf(put)
      yield* execute(plan, { ...who, runId: "one", ...equip() })
      let looked = 0
      const before: JournalService = {
        ...journal,
        // It looks before the other has written.
        effect: (tenant, identity) => (looked++ === 0 ? Effect.succeed(undefined) : journal.effect(tenant, identity)),
      }
      const other = execute(plan, { ...who, runId: "other", ...equip() })
      expect(yield* Effect.provideService(other, Journal, before)).toMatchObject({ status: "succeeded" })
      const kinds = (yield* journal.read("other")).map(({ event }) => event.kind)
      expect(kinds).toEqual(["run-started", "replayed", "run-ended"])
    }),
  ))

test("a run that is cancelled while its call fails ends as cancelled, as its journal would have it", () =>
  inStore((journal) =>
    Effect.gen(function* () {
      const plan = planOf(bar)
      const call = () =>
        Effect.flatMap(Effect.provideService(requestCancel("run", { by: "carol" }), Journal, journal), () =>
          Effect.fail(notApplied("no")),
        )
      const report = yield* execute(plan, { ...who, runId: "run", ...equip({ bar: { call, reconcile: call } }) })
      expect(report).toMatchObject({ status: "cancelled" })
      const state = rederive(prepare(plan, catalog as Catalog) as ReadyPlan, "run", yield* journal.read("run"))
      expect(state).toMatchObject({ status: "cancelled" })
    }),
  ))

test("what waits for a decision and is being cancelled is not decided any more", () =>
  inStore(() =>
    Effect.gen(function* () {
      expect(yield* execute(planOf(put, open), { ...who, runId: "run", ...equip() })).toMatchObject({
        status: "awaiting_approval",
      })
      expect(yield* requestCancel("run", { by: "carol" })).toMatchObject({ status: "running" })
      const error = yield* Effect.flip(decide("run", "open", { by: "dora", decision: "approved" }))
      expect(error).toMatchObject({ _tag: "AlreadyCancelled", fields: { by: "carol" } })
    }),
  ))

test("only answers that it cannot tell bring an effect into doubt: three in a row", () =>
  inStore((journal) =>
    Effect.gen(function* () {
      const plan = planOf(bar)
      const hang = { call: () => Effect.never, reconcile: () => reconciled.unknown() }
      const fiber = yield* Effect.forkChild(execute(plan, { ...who, runId: "run", ...equip({ bar: hang }) }))
      yield* TestClock.adjust(10)
      yield* Fiber.interrupt(fiber)
      const asked = { kind: "reconciled", stepId: "bar", tookMs: 1 } as const
      const unknown: Event = { ...asked, answer: "unknown", again: { afterMs: 1, atMs: 1 } }
      const notYet: Event = { ...asked, answer: "not-applied" }
      let state = replay("run", yield* journal.read("run")) as RunState
      const add = (...events: readonly Event[]): string => {
        for (const event of events) state = fold(state, { seq: state.seq + 1, atMs: 20, event }) as RunState
        return next(prepare(plan, catalog as Catalog) as ReadyPlan, state).kind
      }
      expect(add({ kind: "taken-up", epoch: 2, owner: "own", takeOver: true })).toBe("reconcile")
      expect(add(notYet, unknown, unknown)).toBe("reconcile")
      expect(add(notYet, unknown, unknown)).toBe("reconcile")
      expect(add(unknown)).toBe("mark-in-doubt")
    }),
  ))

test("tables that are declared in another way are a fault of the file, and damaged names a typed error", () => {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-declared-"))
  const file = join(folder, "journal.db")
  const faults = Effect.runPromise(
    Effect.provide(
      Journal.use((journal) => journal.inspect((whole) => verifyStore(whole).findings)),
      sqlite(file),
    ),
  )
  const alter = (sql: string): void => {
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
  }
  const look = () =>
    Effect.runPromise(
      Journal.use((journal) => journal.inspect((whole) => verifyStore(whole).findings)).pipe(
        Effect.provide(sqlite(file)),
        Effect.match({ onSuccess: (findings): unknown => findings, onFailure: ({ _tag }): unknown => _tag }),
      ),
    )
  return faults
    .then(async (before) => {
      expect(before).toEqual([])
      alter("DROP TRIGGER entry_stays")
      expect(await look()).toEqual([{ kind: "file", problem: "its tables are not declared as they were" }])
      alter("ALTER TABLE run RENAME COLUMN salt TO pepper")
      expect(await look()).toBe("StoreUnavailable")
    })
    .finally(() => rmSync(folder, { recursive: true, force: true }))
})
