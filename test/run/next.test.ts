/** `next` is a function of the plan and what has happened: the same beginning of a journal is the same action, in every process. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, asyncProperty, sample } from "fast-check"
import { type Entry, memory } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, expect, test } from "vitest"
import type { Event } from "../../src/journal/entry.ts"
import { fold, type RunState, replay } from "../../src/journal/state.ts"
import { isTerminal } from "../../src/journal/status.ts"
import { next } from "../../src/run/next/next.ts"
import { prepare, type ReadyPlan } from "../../src/run/next/prepare.ts"
import { rederive } from "../../src/run/rederive.ts"
import { catalogOf, type Journey, journeys, planOfJourney, travel } from "./journey.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-next-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const readyFor = (journey: Journey): ReadyPlan => {
  const plan = planOfJourney(journey)
  // The plan's own catalog is not this one, only an equal one.
  const ready = prepare(plan, catalogOf(journey))
  if (ready instanceof Error) throw ready
  return ready
}

const stateOf = (entries: readonly Entry[]): RunState => {
  const state = replay("run", entries)
  if (state instanceof Error) throw state
  return state
}

const endless = Number.POSITIVE_INFINITY

test("every entry of every run is what `next` says of the entries before it, and a cut leaves no other way", async () => {
  const seen = new Map<string, number>()
  await assert(
    asyncProperty(journeys, async (journey) => {
      const entries = await travel(journey)
      const [one, other] = [readyFor(journey), readyFor(journey)]
      expect(rederive(one, "run", entries)).toMatchObject({ seq: entries.length - 1 })
      for (let length = 1; length <= entries.length; length++) {
        const cut = entries.slice(0, length)
        const state = takenUp(cut)
        const action = next(one, state)
        expect(JSON.stringify(next(other, takenUp(cut)))).toBe(JSON.stringify(action))
        seen.set(action.kind, (seen.get(action.kind) ?? 0) + 1)
        if (length === entries.length) {
          expect(["nothing", "wait"]).toContain(action.kind)
          expect(isTerminal(state.status) || state.status === "in_doubt").toBe(action.kind === "nothing")
        } else if (state.step.open?.idempotencyKey !== undefined) expect(action.kind).toBe("mark-in-doubt")
        // Cut off here, a read is called again, if there is a retry left for that.
        else if (state.step.open !== undefined) expect(action).toMatchObject(afterCut(state, journey))
      }
    }),
    { numRuns: 150 },
  )
  expect([...seen.keys()].sort()).toEqual(
    ["call", "end", "enter-state", "mark-in-doubt", "nothing", "request-approval", "wait"].sort(),
  )
})

test("an entry that `next` would not have written is found by its number", async () => {
  let altered = 0
  await assert(
    asyncProperty(journeys, async (journey) => {
      const entries = await travel(journey)
      const ready = readyFor(journey)
      for (const [seq, { event }] of entries.entries()) {
        const change = changed(event)
        if (change === undefined) continue
        altered++
        const forged = entries.map((entry) => (entry.seq === seq ? { ...entry, event: change } : entry))
        expect(rederive(ready, "run", forged)).toMatchObject({ _tag: "JournalDiverged", fields: { seq } })
      }
    }),
    { numRuns: 50 },
  )
  expect(altered).toBeGreaterThan(100)
})

/** The same event with something else in it that its fold would not notice. */
function changed(event: Event): Event | undefined {
  switch (event.kind) {
    case "intent":
      return { ...event, args: { ...event.args, more: 1 } }
    case "approval-requested":
      return { ...event, follows: [...event.follows, ...event.follows, { ...nothing }] }
    case "run-ended":
      return event.failure && { ...event, failure: { ...event.failure, message: "it was so" } }
    default:
      return undefined
  }
}

const nothing = { stepId: "x", tool: "x", effect: "read", description: "", args: {} }

/** As whoever takes up a run finds it that was cut off there. */
function takenUp(entries: readonly Entry[]): RunState {
  const state = stateOf(entries)
  if (state.step.open === undefined) return state
  const event = { kind: "taken-up", epoch: state.epoch + 1, owner: "other", takeOver: true } as const
  const taken = fold(state, { seq: state.seq + 1, atMs: state.updatedAtMs, event })
  if (taken instanceof Error) throw taken
  return taken
}

const afterCut = ({ retries, step, workedMs }: RunState, { budgets }: Journey): object =>
  retries >= (budgets.retries ?? endless) || workedMs >= (budgets.wallMs ?? endless)
    ? { kind: "end", status: "exhausted" }
    : { kind: "call", attempt: step.attempts + 1 }

test("the same seed and the same clock write the same bytes, in memory and in SQLite", async () => {
  const drawn = sample(journeys, { numRuns: 20, seed: 7 })
  for (const [index, journey] of drawn.entries()) {
    const entries = await travel(journey, memory(), 1, 1)
    expect(JSON.stringify(await travel(journey, memory(), 1, 1))).toBe(JSON.stringify(entries))
    expect(JSON.stringify(await travel(journey, sqlite(join(folder, `${index}.db`)), 1, 1))).toBe(
      JSON.stringify(entries),
    )
  }
  const other = await Promise.all(drawn.map((journey) => travel(journey, undefined, 2)))
  const same = await Promise.all(drawn.map((journey) => travel(journey)))
  expect(JSON.stringify(other)).not.toBe(JSON.stringify(same))
})
