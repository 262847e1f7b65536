/** A run derived anew from its plan and entries: the same, however the plan was spelt; and where an entry does not follow, which. */
import { Effect, Layer } from "effect"
import { compile } from "sequitur"
import { type Entry, execute, Journal, memory, seededIds } from "sequitur/run"
import { expect, test } from "vitest"
import { replay } from "../../src/journal/state.ts"
import { rederive } from "../../src/run/rederive.ts"
import { footingFor } from "../../src/run/run.ts"
import { accepted, countCalls, guarded, handlersOf, scope } from "./desk.ts"

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
