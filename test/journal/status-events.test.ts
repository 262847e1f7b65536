/**
 * Every status and situation of a run, and every kind of event: what may follow does, what may not is refused by its code, and what
 * has ended never moves. A kind of event without a row here is a type error, and fails.
 */
import { describe, expect, test } from "vitest"
import type { Event, Intent } from "../../src/journal/entry.ts"
import { eventKinds, misshapen } from "../../src/journal/event-shape.ts"
import { record } from "../../src/journal/failure.ts"
import { fold, type RunState } from "../../src/journal/state.ts"
import { isTerminal, type Status } from "../../src/journal/status.ts"
import { advance, type RunRow, start } from "../../src/journal/tables.ts"
import { ApprovalExpired, EffectInDoubt, RunCancelled, StepFailed } from "../../src/run/failure.ts"
import { startStory, storyStarted } from "./story.ts"

const failure = record(new StepFailed({ stepId: "pay", tool: "pay", said: "no" }))
const doubt = record(new EffectInDoubt({ stepId: "pay", tool: "pay", said: "late" }))
const cancelled = record(new RunCancelled({ by: "bob", reason: "changed my mind" }))
const expired = record(new ApprovalExpired({ runId: "r", stepId: "open", until: "then" } as never))

const look: Intent = { kind: "intent", stepId: "look", tool: "look", attempt: 1, args: {} }
const looked: Event = { kind: "outcome", stepId: "look", attempt: 1, tookMs: 1, result: 1 }
const asked = {
  kind: "approval-requested",
  requestId: "apr_1",
  stepId: "open",
  from: "A",
  to: "B",
  follows: [],
} as const
const approved = {
  kind: "approval-decided",
  requestId: "apr_1",
  stepId: "open",
  decision: "approved",
  by: "eve",
  reason: "",
} as const
const entered: Event = { kind: "state-entered", stepId: "open", from: "A", to: "B" }
const pay: Intent = { kind: "intent", stepId: "pay", tool: "pay", attempt: 1, args: {}, idempotencyKey: "k1:pay" }
const lost: Event = { kind: "answer-lost", stepId: "pay", attempt: 1, tookMs: 1, failure: doubt }
const paid: Event = { kind: "outcome", stepId: "pay", attempt: 1, tookMs: 1, result: 1 }
const book: Intent = { ...pay, stepId: "book", idempotencyKey: "k1:book" }
const booked: Event = { ...paid, stepId: "book" } as Event
const refused: Event = { kind: "step-refused", stepId: "book", failure }
const cancel: Event = { kind: "cancel-requested", by: "bob", reason: "changed my mind" }
const winding: Event = { kind: "winding-down", status: "failed", failure }
const undo: Intent = { ...pay, tool: "refund", undoes: true, idempotencyKey: "k1:undo" }

const toGuard = [look, looked]
const toPay = [...toGuard, asked, approved, entered]
const toBook = [...toPay, pay, paid]

/** How a run may stand, by the entries that led there. */
const situations = {
  "running: before a call": [],
  "running: in a read": [look],
  "running: before a guard": toGuard,
  "running: agreed to": [...toGuard, asked, approved],
  "running: before an effect": toPay,
  "running: in an effect": [...toPay, pay],
  "running: its answer lost": [...toPay, pay, lost],
  "running: cannot go on": [...toBook, refused],
  "running: to be cancelled": [...toBook, cancel],
  "running: winding down": [...toBook, refused, winding],
  "running: in an undo": [...toBook, refused, winding, undo],
  "running: all done": [...toBook, book, booked],
  awaiting_approval: [...toGuard, asked],
  in_doubt: [...toPay, pay, lost, { kind: "in-doubt", stepId: "pay", attempt: 1, failure: doubt }],
  succeeded: [...toBook, book, booked, { kind: "run-ended", status: "succeeded" }],
  failed: [...toBook, refused, { kind: "run-ended", status: "failed", failure }],
  cancelled: [...toBook, cancel, { kind: "run-ended", status: "cancelled", failure: cancelled }],
  exhausted: [...toBook, { kind: "run-ended", status: "exhausted", failure }],
} as const satisfies Readonly<Record<string, readonly Event[]>>

type Situation = keyof typeof situations
const names = Object.keys(situations) as readonly Situation[]

function standIn(situation: Situation): { readonly state: RunState; readonly row: RunRow } {
  let state = startStory("r", "acme")
  let row = start("r", { seq: 0, atMs: 0, event: storyStarted("acme") })
  for (const event of situations[situation] as readonly Event[]) {
    const entry = { seq: state.seq + 1, atMs: state.seq + 1, event }
    const next = fold(state, entry)
    if (next instanceof Error) throw next
    state = next
    row = advance(row, entry)
  }
  return { state, row }
}

/** Events of a kind that fit a situation as well as any could: whatever is refused is refused for what it is. */
const fitting: { readonly [Kind in Event["kind"]]: (state: RunState) => readonly (Event & { kind: Kind })[] } = {
  "run-started": () => [storyStarted("acme")],
  "taken-up": ({ epoch }) => [{ kind: "taken-up", epoch: epoch + 1, owner: "o", takeOver: false }],
  "state-entered": (state) => [{ kind: "state-entered", stepId: planned(state), from: "A", to: "B" }],
  intent: (state) => {
    const { open, attempts } = state.step
    const attempt = attempts + 1
    if (open !== undefined)
      return [
        { ...open, attempt },
        { ...open, attempt, again: "key" as const },
      ]
    const stepId = planned(state)
    const effect = stepId === "look" ? {} : { idempotencyKey: `k1:${stepId}` }
    return [
      { kind: "intent", stepId, tool: stepId === "look" ? "look" : "pay", attempt, args: {}, ...effect },
      { ...undo, attempt },
    ]
  },
  outcome: (state) => [{ kind: "outcome", ...openIn(state), tookMs: 1, result: 1 }],
  "attempt-failed": (state) => [{ kind: "attempt-failed", ...openIn(state), tookMs: 1, failure }],
  "answer-lost": (state) => [{ kind: "answer-lost", ...openIn(state), tookMs: 1, failure: doubt }],
  reconciled: (state) =>
    (["applied", "not-applied", "barred", "unknown"] as const).map((answer) => {
      const { attempt: _, ...about } = openIn(state)
      return { kind: "reconciled", ...about, tookMs: 1, answer, ...(answer === "applied" ? { result: 1 } : {}) }
    }),
  replayed: (state) => [
    {
      kind: "replayed",
      stepId: planned(state),
      tool: planned(state) === "look" ? "look" : "pay",
      args: {},
      idempotencyKey: "k1:other",
      from: { runId: "q", stepId: "pay" },
      result: 1,
    },
  ],
  "step-refused": (state) => [
    { kind: "step-refused", stepId: planned(state), failure },
    { kind: "step-refused", stepId: "pay", undoes: true, failure },
  ],
  "approval-requested": (state) => [{ ...asked, requestId: "apr_2", stepId: planned(state) }],
  "request-delivered": ({ asked: all }) => [
    { kind: "request-delivered", requestId: all.get("open")?.request.requestId ?? "apr_1", stepId: "open" },
  ],
  "approval-decided": () => [approved, { ...approved, decision: "denied" }],
  "approval-lapsed": () => [{ kind: "approval-lapsed", requestId: "apr_1", stepId: "open", failure: expired }],
  "in-doubt": (state) => [{ kind: "in-doubt", ...openIn(state), failure: doubt }],
  resolved: (state) => {
    const { attempt: _, ...about } = openIn(state)
    const said = { kind: "resolved", ...about, by: "eve", reason: "looked" } as const
    return [
      { ...said, answer: "applied", result: 1 },
      { ...said, answer: "not-applied" },
      { ...said, answer: "again" },
    ]
  },
  "cancel-requested": () => [{ kind: "cancel-requested", by: "bob", reason: "changed my mind" }],
  observed: (state) =>
    (["answered", "not-applied", "threw"] as const).map((answer) => {
      const { open } = state.step
      const key = open?.idempotencyKey === undefined ? {} : { idempotencyKey: open.idempotencyKey }
      return { kind: "observed", ...openIn(state), ...key, answer, ...(answer === "answered" ? { result: 1 } : {}) }
    }),
  "winding-down": () => [{ kind: "winding-down", status: "failed", failure }],
  "run-ended": () => [
    { kind: "run-ended", status: "succeeded" },
    { kind: "run-ended", status: "failed", failure },
    { kind: "run-ended", status: "cancelled", failure: cancelled },
    { kind: "run-ended", status: "exhausted", failure },
  ],
}

const planned = ({ started, done }: RunState): string => started.document.steps[done]?.id ?? "book"

function openIn({ step: { open, attempts } }: RunState) {
  const { stepId = "pay", undoes } = open ?? {}
  return { stepId, attempt: Math.max(1, attempts), ...(undoes === undefined ? {} : { undoes }) }
}

type Allowed = { readonly [At in Situation]?: readonly Status[] }

const each = (statuses: readonly Status[], ...among: readonly Situation[]): Allowed =>
  Object.fromEntries(among.map((name) => [name, statuses]))

const running = names.filter((name) => name.startsWith("running"))
const idle = running.filter((name) => !/ in an? |answer lost/.test(name))

/** What a person, a process or a call that was given up may add to a run, and where that takes it. All else is refused. */
const allowed: { readonly [Kind in Event["kind"]]: Allowed } = {
  "run-started": {},
  "taken-up": {
    ...each(["running"], ...running),
    awaiting_approval: ["awaiting_approval"],
    in_doubt: ["in_doubt"],
  },
  "state-entered": each(["running"], "running: before a guard", "running: agreed to"),
  intent: each(
    ["running"],
    ...(["running: before a call", "running: before an effect"] as const),
    ...(["running: its answer lost", "running: winding down"] as const),
  ),
  outcome: each(
    ["running"],
    ...(["running: in a read", "running: in an effect"] as const),
    ...(["running: its answer lost", "running: in an undo"] as const),
  ),
  "attempt-failed": each(
    ["running"],
    ...(["running: in a read", "running: in an effect"] as const),
    ...(["running: its answer lost", "running: in an undo"] as const),
  ),
  "answer-lost": each(["running"], "running: in a read", "running: in an effect", "running: in an undo"),
  reconciled: each(["running"], "running: its answer lost"),
  replayed: each(["running"], "running: before a call", "running: before an effect"),
  "step-refused": each(
    ["running"],
    ...(["running: before a call", "running: before a guard", "running: agreed to"] as const),
    ...(["running: before an effect", "running: winding down"] as const),
  ),
  "approval-requested": each(
    ["awaiting_approval"],
    ...(["running: before a call", "running: before a guard", "running: before an effect"] as const),
  ),
  "request-delivered": { awaiting_approval: ["awaiting_approval"] },
  "approval-decided": { awaiting_approval: ["running"] },
  "approval-lapsed": each(["running"], "running: agreed to"),
  "in-doubt": each(["in_doubt"], "running: in an effect", "running: its answer lost", "running: in an undo"),
  resolved: { in_doubt: ["running"] },
  "cancel-requested": {
    ...each(["running"], ...running.filter((name) => name !== "running: to be cancelled")),
    awaiting_approval: ["running"],
    in_doubt: ["in_doubt"],
  },
  observed: {
    ...each(["running"], ...running),
    awaiting_approval: ["awaiting_approval"],
    in_doubt: ["in_doubt", "running"],
    ...Object.fromEntries((["succeeded", "failed", "cancelled", "exhausted"] as const).map((end) => [end, [end]])),
  },
  "winding-down": {
    ...each(["running"], "running: in a read", ...idle.filter((name) => name !== "running: winding down")),
    awaiting_approval: ["running"],
  },
  "run-ended": {
    ...each(["cancelled", "exhausted", "failed"], "awaiting_approval", "running: in a read", ...idle),
    "running: all done": ["cancelled", "exhausted", "failed", "succeeded"],
  },
}

test("every kind of event has its row, and every status its situations", () => {
  expect([...eventKinds].sort()).toEqual(Object.keys(allowed).sort())
  expect([...eventKinds].sort()).toEqual(Object.keys(fitting).sort())
  const statuses = new Set(names.map((name) => standIn(name).state.status))
  const all: { readonly [One in Status]: true } = {
    running: true,
    awaiting_approval: true,
    in_doubt: true,
    succeeded: true,
    failed: true,
    cancelled: true,
    exhausted: true,
  }
  expect([...statuses].sort()).toEqual(Object.keys(all).sort())
  for (const name of names) expect(name.split(":")[0]).toBe(standIn(name).state.status)
})

describe.each(eventKinds)("%s", (kind) => {
  test.each(names)("%s", (name) => {
    const { state, row } = standIn(name)
    const before = JSON.stringify({ ...state, calls: [...state.calls], asked: [...state.asked] })
    const reached = new Set<Status>()
    for (const event of fitting[kind](state)) {
      expect(misshapen(event, kind === "run-started" ? undefined : state.started)).toBeUndefined()
      const entry = { seq: state.seq + 1, atMs: 100, event }
      const after = fold(state, entry)
      if (after instanceof Error) {
        expect(after).toMatchObject({ _tag: "JournalDiverged", code: "RUN504", again: false })
        expect(after.message).toMatch(/cannot follow: \S/)
        continue
      }
      reached.add(after.status)
      // What stores keep beside the entries says the same.
      expect(advance(row, entry).status).toBe(after.status)
      if (!isTerminal(state.status)) continue
      // A late truth is kept, and moves nothing.
      const { seq: _1, updatedAtMs: _2, observations, ...rest } = after
      const { seq: _3, updatedAtMs: _4, observations: earlier, ...unmoved } = state
      expect([rest, observations.length]).toEqual([unmoved, earlier.length + 1])
    }
    expect([...reached].sort()).toEqual([...(allowed[kind][name] ?? [])].sort())
    expect(JSON.stringify({ ...state, calls: [...state.calls], asked: [...state.asked] })).toBe(before)
  })
})
