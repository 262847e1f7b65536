/** A run derived anew from its plan and entries: the same, however the plan was spelt; and where an entry does not follow, which. */
import { Effect, Layer } from "effect"
import { compile } from "sequitur"
import { type Entry, execute, Journal, memory, seededIds } from "sequitur/run"
import { describe, expect, test } from "vitest"
import type { ApprovalRequested } from "../../src/journal/entry.ts"
import { replay } from "../../src/journal/state.ts"
import { rederive } from "../../src/run/rederive.ts"
import { footingFor } from "../../src/run/run.ts"
import * as counter from "./counter.ts"
import { accepted, countCalls, guarded, handlersOf, principal, scope } from "./desk.ts"

/** Keys in no order that any canonical form has. */
const text = `{"version": 1, "steps": [
  {"tool": "find", "id": "find", "args": {"accountId": {"path": "/accountId", "$from": "input"}}},
  {"transition": "CHANGING", "id": "open"},
  {"tool": "cancel", "id": "cancel", "args": {"id": {"$from": "find", "path": "/workspaces", "where": {"/role": "secondary"}, "pick": "/id"}}},
  {"tool": "refund", "id": "refund", "args": {"id": {"path": "/id", "$from": "cancel"}, "cents": {"$from": "cancel", "path": "/proratedCents"}}}
]}`

const entriesOfRun = (): Promise<readonly Entry[]> => {
  const plan = accepted(compile(guarded, text))
  const run = execute(plan, { ...scope, runId: "run", catalog: guarded, tools: handlersOf(countCalls()) as never })
  const read = Journal.use((journal) => journal.read("run"))
  return Effect.runPromise(Effect.provide(Effect.andThen(run, read), Layer.merge(memory(), seededIds(1))))
}

/** As a store gives them back: with the keys in order. */
const restored = (entries: readonly Entry[]): readonly Entry[] => JSON.parse(JSON.stringify(entries), sorted)
const sorted = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

const derive = (entries: readonly Entry[]) => {
  const state = replay("run", entries)
  if (state instanceof Error) throw state
  const ready = footingFor(state, { catalog: guarded, handlers: new Map(), fault: undefined })
  if (ready instanceof Error) throw ready
  return rederive(ready, "run", entries)
}

test("what a store gives back is derived anew, though it does not keep the order of keys", async () => {
  const entries = await entriesOfRun()
  expect(entries.at(-1)?.event.kind).toBe("approval-requested")
  expect(derive(entries)).toMatchObject({ status: "awaiting_approval" })
  expect(derive(restored(entries))).toMatchObject({ status: "awaiting_approval" })
})

test("an entry that could follow, but is not what the plan comes to, is named", async () => {
  const entries = await entriesOfRun()
  const forged = entries.map((entry) =>
    entry.event.kind === "intent" ? { ...entry, event: { ...entry.event, args: { accountId: "another" } } } : entry,
  )
  expect(derive(forged)).toMatchObject({ _tag: "JournalDiverged", fields: { seq: 1 } })
  const asked = entries.map((entry) =>
    entry.event.kind === "approval-requested" ? { ...entry, event: { ...entry.event, follows: [] } } : entry,
  )
  expect(derive(asked)).toMatchObject({ _tag: "JournalDiverged", fields: { seq: 3 } })
})

const deriveIn = (of: typeof counter.catalog, entries: readonly Entry[]) => {
  const state = replay("run", entries)
  if (state instanceof Error) throw state
  const ready = footingFor(state, { catalog: of as never, handlers: new Map(), fault: undefined })
  if (ready instanceof Error) throw ready
  return rederive(ready, "run", entries)
}

const keyOf = (entry: Entry | undefined) => (entry?.event.kind === "replayed" ? entry.event.idempotencyKey : undefined)

/** What is undefined is left out. */
const change = (entries: readonly Entry[], kind: string, fields: object): readonly Entry[] =>
  entries.map((entry) =>
    entry.event.kind === kind ? JSON.parse(JSON.stringify({ ...entry, event: { ...entry.event, ...fields } })) : entry,
  )

describe("whatever can be derived is compared", () => {
  const dear = Object.fromEntries(
    Object.entries(counter.tools).map(([name, tool]) => [name, { ...tool, cost: { microUsd: 5 } }]),
  )
  const of = counter.catalogWith({ budgets: { retries: 2, deadlineMs: 90_000 }, tools: dear as never })
  const plan = (tool: string, args: object) =>
    accepted(
      compile(of, JSON.stringify({ version: 1, steps: [{ id: "pay", tool, args: { invoice: "i1", ...args } }] })),
    )
  const entriesAfter = (tool: string, args: object = {}, before: readonly string[] = []) =>
    Effect.gen(function* () {
      const { provide, journal } = yield* counter.openStore
      const tools = counter.boxOn(counter.makeOutside(), {}, of)
      const who = { principal, sessionId: "s", taskId: "t", catalog: of, tools }
      for (const runId of [...before, "run"]) yield* provide(execute(plan(tool, args), { ...who, runId }))
      return yield* journal.read("run")
    }).pipe(Effect.runPromise)
  const reserve = { scope: "session", dimension: "cents", amount: 7, max: 1_000 }

  for (const [name, fields] of Object.entries({
    "what it reserves": { reserves: [{ ...reserve, amount: 1 }] },
    "of what": { reserves: [{ ...reserve, max: 2_000 }] },
    "whether it reserves": { reserves: undefined },
    "what it costs": { microUsd: 1 },
    "whether it costs": { microUsd: undefined },
    "its identity": { identity: "k1:other" },
    "its generation": { generation: 1 },
    "its business identity": { once: { scope: "tenant", digest: "d", call: "c" } },
    "that it is called again": { again: "key" },
  }))
    test(`of an intent: ${name}`, async () => {
      const entries = await entriesAfter("counted", { cents: 7 })
      expect(deriveIn(of, entries)).toMatchObject({ status: "succeeded" })
      const intent = entries.find(({ event }) => event.kind === "intent")
      expect(intent?.event).toMatchObject({ reserves: [reserve], microUsd: 5 })
      const state = replay("run", entries.slice(0, 1))
      const ready = footingFor(state as never, { catalog: of as never, handlers: new Map(), fault: undefined })
      expect(rederive(ready as never, "run", change(entries, "intent", fields))).toMatchObject({
        _tag: "JournalDiverged",
        fields: { seq: 1 },
      })
    })

  test("of a replayed effect: its arguments, its key, and that its result fits", async () => {
    for (const tool of ["keyed", "once"]) {
      const entries = await entriesAfter(tool, {}, ["before"])
      expect(entries[1]?.event.kind).toBe("replayed")
      expect(deriveIn(of, entries)).toMatchObject({ status: "succeeded" })
      for (const fields of [
        { args: { invoice: "i2" } },
        { result: { id: 7 } },
        ...(tool === "once" ? [] : [{ idempotencyKey: "k1:other" }]),
        { identity: keyOf(entries[1]), idempotencyKey: "k1:other" },
      ])
        expect(deriveIn(of, change(entries, "replayed", fields)), JSON.stringify(fields)).toMatchObject({
          _tag: "JournalDiverged",
          fields: { seq: 1 },
        })
    }
  })

  test("of the first entry: what the run goes by", async () => {
    const entries = await entriesAfter("keyed")
    for (const fields of [
      { budgets: undefined },
      { budgets: { retries: 3 } },
      { deadlineMs: 1 },
      { tools: { keyed: {} } },
    ])
      expect(deriveIn(of, change(entries, "run-started", fields)), JSON.stringify(fields)).toMatchObject({
        _tag: "JournalDiverged",
        fields: { seq: 0 },
      })
  })

  test("of a transition: where it leads from; of a refusal: that it can be", async () => {
    const entries = await entriesOfRun()
    const asked = entries.at(-1) as Entry
    expect(derive(change(entries, "approval-requested", { from: "CLOSED" }))).toMatchObject({ _tag: "JournalDiverged" })
    const { requestId, from, to } = asked.event as ApprovalRequested
    const add = (...events: readonly object[]) => [
      ...entries,
      ...events.map((event, index) => ({ ...asked, seq: asked.seq + 1 + index, event }) as Entry),
    ]
    const decided = {
      kind: "approval-decided",
      requestId,
      stepId: "open",
      decision: "approved",
      by: "dora",
      reason: "",
    }
    const entered = { kind: "state-entered", stepId: "open", from, to }
    expect(derive(add(decided, entered))).toMatchObject({ status: "running" })
    expect(derive(add(decided, { ...entered, from: to }))).toMatchObject({ _tag: "JournalDiverged" })
    for (const tag of ["OnceConflict", "LimitExhausted", "BudgetExhausted", "StepFailed"]) {
      const failure = { tag, code: "RUN112", message: "no", stepId: "cancel" }
      expect(derive(add(decided, entered, { kind: "step-refused", stepId: "cancel", failure }))).toMatchObject({
        _tag: "JournalDiverged",
      })
    }
  })
})
