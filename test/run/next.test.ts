/** `next` is a function of the plan and what has happened: the same beginning of a journal is the same action, in every process. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, asyncProperty, sample } from "fast-check"
import type { Entry } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, expect, test } from "vitest"
import type { Event } from "../../src/journal/entry.ts"
import { isTerminal, type RunState, replay } from "../../src/journal/state.ts"
import { type Action, next } from "../../src/run/next/next.ts"
import { prepare, type ReadyPlan } from "../../src/run/next/prepare.ts"
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

/** The part of an action that ends up in its entry. */
function written(action: Action): unknown {
  switch (action.kind) {
    case "call": {
      const { call, attempt, args, idempotencyKey } = action
      return { kind: "intent", stepId: call.step.id, tool: call.tool.name, attempt, args, idempotencyKey }
    }
    case "enter-state":
      return { kind: "state-entered", stepId: action.transition.step.id }
    case "request-approval":
      return { kind: "approval-requested", stepId: action.transition.step.id, follows: action.follows }
    case "end":
      return { kind: "run-ended", status: action.status, failure: action.failure }
    default:
      return { kind: action.kind }
  }
}

function expected(event: Event): unknown {
  switch (event.kind) {
    case "intent":
      return { ...event, idempotencyKey: event.idempotencyKey }
    case "state-entered":
      return { kind: event.kind, stepId: event.stepId }
    case "approval-requested":
      return { kind: event.kind, stepId: event.stepId, follows: event.follows }
    case "run-ended":
      return { kind: event.kind, status: event.status, failure: event.failure }
    case "approval-decided":
      return { kind: "wait" }
    default:
      throw new Error(`what a call answers is not for \`next\` to say: ${event.kind}`)
  }
}

test("every entry of every run is what `next` says of the entries before it, and a cut leaves no other way", async () => {
  const seen = new Map<string, number>()
  await assert(
    asyncProperty(journeys, async (journey) => {
      const entries = await travel(journey)
      const [one, other] = [readyFor(journey), readyFor(journey)]
      for (let length = 1; length <= entries.length; length++) {
        const state = stateOf(entries.slice(0, length))
        const action = next(one, state)
        expect(written(next(other, stateOf(entries.slice(0, length))))).toEqual(written(action))
        const event = entries[length]?.event
        seen.set(action.kind, (seen.get(action.kind) ?? 0) + 1)
        if (event === undefined) {
          expect(["nothing", "wait"]).toContain(action.kind)
          expect(isTerminal(state.status) || state.status === "in_doubt").toBe(action.kind === "nothing")
        } else if (exhaustedByClock(event)) continue
        else if (state.step.open?.idempotencyKey !== undefined) expect(action.kind).toBe("mark-in-doubt")
        // Cut off here, a read is called again, if there is a retry left for that.
        else if (state.step.open !== undefined) expect(action).toMatchObject(afterCut(state, journey))
        else expect(written(action)).toEqual(expected(event))
      }
    }),
    { numRuns: 150 },
  )
  expect([...seen.keys()].sort()).toEqual(
    ["call", "end", "enter-state", "mark-in-doubt", "nothing", "request-approval", "wait"].sort(),
  )
})

const afterCut = ({ retries, step, workedMs }: RunState, { budgets }: Journey): object =>
  retries >= (budgets.retries ?? Number.POSITIVE_INFINITY) || workedMs >= (budgets.wallMs ?? Number.POSITIVE_INFINITY)
    ? { kind: "end", status: "exhausted" }
    : { kind: "call", attempt: step.attempts + 1 }

/** A deadline is the clock's to tell, not `next`'s. */
const exhaustedByClock = (event: Event): boolean =>
  event.kind === "run-ended" && (event.failure?.message.includes("deadlineMs") ?? false)

test("the same seed and the same clock write the same bytes, in memory and in SQLite", async () => {
  const drawn = sample(journeys, { numRuns: 25, seed: 7 })
  for (const [index, journey] of drawn.entries()) {
    const entries = await travel(journey)
    expect(JSON.stringify(await travel(journey))).toBe(JSON.stringify(entries))
    expect(JSON.stringify(await travel(journey, sqlite(join(folder, `${index}.db`))))).toBe(JSON.stringify(entries))
  }
  const other = await Promise.all(drawn.map((journey) => travel(journey, undefined, 2)))
  const same = await Promise.all(drawn.map((journey) => travel(journey)))
  expect(JSON.stringify(other)).not.toBe(JSON.stringify(same))
})
