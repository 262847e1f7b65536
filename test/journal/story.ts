/** Runs as they could be: at every point an event of those that may follow, drawn by numbers. */
import type { Event, Intent, Observed, Recorded } from "../../src/journal/entry.ts"
import { record } from "../../src/journal/failure.ts"
import { begin, fold, type RunState } from "../../src/journal/state.ts"
import { EffectInDoubt, StepFailed } from "../../src/run/failure.ts"
import { started } from "./entries.ts"

const failure = record(new StepFailed({ stepId: "pay", tool: "pay", said: "no" }))
const doubt = record(new EffectInDoubt({ stepId: "pay", tool: "pay", said: "late" }))

const policy = {
  version: "1",
  effect: "write",
  timeoutMs: 1_000,
  idempotency: { kind: "key", retentionMs: 1_000 },
} as const

/** Two effects that can be undone, with a read and a transition before them. Few tenants, so that runs meet. */
export const startStory = (runId: string, tenant: string): RunState => {
  const state = begin(runId, { seq: 0, atMs: 0, event: storyStarted(tenant) })
  if (state instanceof Error) throw state
  return state
}

export const storyStarted = (tenant: string) =>
  started({
    tenant,
    sessionId: "s",
    document: {
      version: 1,
      goal: "pay",
      steps: [
        { id: "look", tool: "look", args: {} },
        { id: "open", transition: "OPEN" },
        { id: "pay", tool: "pay", args: {} },
        { id: "book", tool: "pay", args: {} },
      ],
    },
    tools: {
      look: { version: "1", effect: "read", timeoutMs: 1_000, idempotency: { kind: "natural" } },
      pay: { ...policy, undo: { kind: "call", tool: "refund", args: [] } },
      refund: policy,
    },
  })

/** Numbers from a seed, each below what is asked for. */
export function drawFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, below)
  }
}

/** Which event may follow, by the numbers drawn. Some of them a store will find taken. */
export function tell(state: RunState, draw: (below: number) => number): Event | undefined {
  const may = candidates(state, draw).filter(
    (event) => !(fold(state, { seq: state.seq + 1, atMs: 0, event }) instanceof Error),
  )
  return may[draw(may.length)]
}

export const recordedAfter = (state: RunState, event: Event): Recorded => ({
  seq: state.seq + 1,
  atMs: 10 * (state.seq + 1),
  event,
})

function candidates(state: RunState, draw: (below: number) => number): readonly Event[] {
  const { open } = state.step
  const attempt = state.step.attempts + 1
  const planned = state.started.document.steps[state.done]
  const events: Event[] = [{ kind: "run-ended", status: "succeeded" }]
  // Not so often that no run gets anywhere.
  if (draw(6) === 0) events.push(observe(state, draw))
  if (draw(20) === 0) events.push({ kind: "cancel-requested", by: "bob", reason: "" })
  if (draw(8) === 0) events.push({ kind: "winding-down", status: "failed", failure })
  if (draw(20) === 0) events.push({ kind: "run-ended", status: "cancelled", failure })
  if (planned?.tool !== undefined)
    events.push(begun(planned.id, planned.tool, attempt, draw), begun(planned.id, planned.tool, attempt, draw))
  if (planned !== undefined && planned.tool === undefined) {
    const about = { stepId: planned.id, from: "A", to: "B" }
    const requestId = `apr_${planned.id}`
    events.push({ kind: "state-entered", ...about }, { kind: "approval-requested", requestId, ...about, follows: [] })
    const decision = draw(2) === 0 ? "approved" : "denied"
    events.push({ kind: "approval-decided", requestId, stepId: planned.id, decision, by: "bob", reason: "" })
  }
  for (const [stepId, call] of state.calls)
    if (call.idempotencyKey !== undefined)
      events.push({ ...intent(stepId, "refund", attempt, `u-${call.idempotencyKey}`, draw(2)), undoes: true })
  if (open !== undefined) events.push(...answers(open, state.step.attempts, draw), ...again(open, attempt))
  return events
}

const keyOf = (id: string, generation: number) => `k1:${id}:${generation}`

function intent(stepId: string, tool: string, attempt: number, id: string, generation: number): Intent {
  const made = { kind: "intent", stepId, tool, attempt, args: { id }, idempotencyKey: keyOf(id, generation) } as const
  return generation === 0 ? made : { ...made, identity: keyOf(id, 0), generation }
}

function begun(stepId: string, tool: string, attempt: number, draw: (below: number) => number): Intent {
  if (tool === "look") return { kind: "intent", stepId, tool, attempt, args: {} }
  const id = `${draw(8)}`
  const digest = `d${draw(2)}`
  const reserve = { scope: "tenant", dimension: "money", amount: 1 + draw(3), max: 4 } as const
  return {
    ...intent(stepId, tool, attempt, id, draw(2) * draw(2) * (1 + draw(2))),
    ...(draw(2) === 0 ? { once: { scope: "tenant", digest, call: "c" } as const } : {}),
    ...(draw(2) === 0 ? { reserves: [reserve, { ...reserve, scope: "session", max: 100 }] as const } : {}),
  }
}

const again = (open: Intent, attempt: number): readonly Event[] =>
  (["key", "not-applied", undefined] as const).map((why) => {
    const { once: _, reserves: __, again: ___, ...rest } = open
    return { ...rest, attempt, ...(why === undefined ? {} : { again: why }) }
  })

function answers(open: Intent, attempt: number, draw: (below: number) => number): readonly Event[] {
  const about = { stepId: open.stepId, ...(open.undoes === true ? { undoes: true as const } : {}) }
  const answer = (["applied", "not-applied", "barred", "unknown"] as const)[draw(4)] ?? "unknown"
  const lost = { kind: "answer-lost", ...about, attempt, tookMs: 1, failure: doubt } as const
  return [
    lost,
    lost,
    { kind: "outcome", ...about, attempt, tookMs: 1, result: draw(9) },
    { kind: "attempt-failed", ...about, attempt, tookMs: 1, failure, again: { afterMs: 1, atMs: 1 } },
    { kind: "attempt-failed", ...about, attempt, tookMs: 1, failure },
    { kind: "reconciled", ...about, tookMs: 1, answer, ...(answer === "applied" ? { result: 1 } : {}) },
    { kind: "in-doubt", ...about, attempt, failure: doubt },
    { kind: "resolved", ...about, answer: "applied", by: "bob", reason: "", result: 1 },
    { kind: "resolved", ...about, answer: "not-applied", by: "bob", reason: "" },
  ]
}

function observe({ step, calls }: RunState, draw: (below: number) => number): Observed {
  const [stepId, key] = draw(2) === 0 ? ([...calls].at(-1) ?? []) : []
  const answer = (["answered", "not-applied", "threw"] as const)[draw(3)] ?? "threw"
  const undoes = step.open?.undoes === true ? { undoes: true as const } : {}
  const about = step.open?.idempotencyKey ?? key?.idempotencyKey
  return {
    kind: "observed",
    stepId: step.open?.stepId ?? stepId ?? "pay",
    attempt: 1,
    ...undoes,
    ...(about === undefined ? {} : { idempotencyKey: about }),
    answer,
    ...(answer === "answered" ? { result: 1 } : { failure }),
  }
}
