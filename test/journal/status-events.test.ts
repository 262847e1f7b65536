/**
 * Every status and situation of a run, of a whole plan and open, and every kind of event: what may follow does, what may not is
 * refused by its code, and what has ended never moves. A kind of event without a row here is a type error, and fails.
 */
import { describe, expect, test } from "vitest"
import type { StepDocument } from "../../src/document/document.ts"
import type { Event, Intent } from "../../src/journal/entry.ts"
import { eventKinds, misshapen } from "../../src/journal/event-shape.ts"
import { record } from "../../src/journal/failure.ts"
import { begin, fold, type RunState } from "../../src/journal/state.ts"
import { isTerminal, type Status } from "../../src/journal/status.ts"
import { advance, type RunRow, start } from "../../src/journal/tables.ts"
import { ApprovalExpired, EffectInDoubt, RunCancelled, StepFailed } from "../../src/run/failure.ts"
import { storyStarted } from "./story.ts"

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
const closed: Event = { kind: "run-closed" }
const facts = { from: "A", to: "B", inputs: null, results: {}, follows: [] }
const ruled = { kind: "rule-evaluated", stepId: "open", rule: "r@1", inputs: facts, holds: true, tookMs: 1 } as const
const undo: Intent = { ...pay, tool: "refund", undoes: true, idempotencyKey: "k1:undo" }

const toGuard = [look, looked]
const toPay = [...toGuard, asked, approved, entered]
const toBook = [...toPay, pay, paid]

/** How a run of a whole plan may stand, by the entries that led there. */
const whole = {
  "running: before a call": [],
  "running: in a read": [look],
  "running: before a guard": toGuard,
  "running: let through by its rule": [...toGuard, ruled],
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

/** What only an open run comes to. Any other situation it comes to as well, by steps that are added; `all done`, it rests. */
const openOnly = {
  "running: closed, open": [...whole["running: all done"], closed],
  "running: closed before a call, open": [closed],
  "running: closed while it waited, open": [...toGuard, asked, closed],
} as const satisfies Readonly<Record<string, readonly Event[]>>

type Whole = keyof typeof whole
type Open = keyof typeof openOnly | `${Whole}, open`
type Situation = Whole | Open

const wholeNames = Object.keys(whole) as readonly Whole[]
const openTwin = (name: Whole): Open => `${name}, open`
const openNames: readonly Open[] = [
  ...wholeNames.map(openTwin),
  ...(Object.keys(openOnly) as readonly (keyof typeof openOnly)[]),
]
const names: readonly Situation[] = [...wholeNames, ...openNames]
const isOpenRun = (name: Situation): name is Open => name.endsWith(", open")

const planOf = storyStarted("acme").document.steps
const openStarted: Event = { ...storyStarted("acme"), document: { version: 1, steps: [] }, open: {} }

/** The step that the plan of the other runs has next, proposed as a call; a transition is its host's. */
const nextStep = ({ started: { document } }: RunState): Event | undefined => {
  const seen = document.steps.length
  const step = planOf[seen]
  if (step === undefined) return undefined
  const callId = step.tool === undefined ? {} : { callId: `c-${step.id}` }
  return { kind: "step-added", ...callId, step, seen, planHash: `${seen}`.repeat(64) }
}

function eventsOf(name: Situation): readonly Event[] {
  const stories: { readonly [name: string]: readonly Event[] } = { ...whole, ...openOnly }
  return stories[name] ?? stories[name.replace(/, open$/, "")] ?? []
}

/** The entries of the same story: in an open run each step is added when it comes to it, and it is closed before it ends well. */
function standIn(situation: Situation): { readonly state: RunState; readonly row: RunRow } {
  const first = { seq: 0, atMs: 0, event: isOpenRun(situation) ? openStarted : storyStarted("acme") }
  const begun = begin("r", first)
  if (begun instanceof Error) throw begun
  let state = begun
  let row = start("r", first)
  const take = (event: Event): void => {
    const entry = { seq: state.seq + 1, atMs: state.seq + 1, event }
    const next = fold(state, entry)
    if (next instanceof Error) throw next
    state = next
    row = advance(row, entry)
  }
  const grow = (): void => {
    const added = nextStep(state)
    const entry = added && { seq: state.seq + 1, atMs: 0, event: added }
    if (added !== undefined && entry !== undefined && !(fold(state, entry) instanceof Error)) take(added)
  }
  for (const event of eventsOf(situation)) {
    if (isOpenRun(situation)) {
      if ("stepId" in event || event === closed) grow()
      if (event.kind === "run-ended" && event.status === "succeeded") take(closed)
    }
    take(event)
  }
  if (isOpenRun(situation)) grow()
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
  "rule-evaluated": (state) => [
    { ...ruled, stepId: planned(state) },
    { ...ruled, stepId: planned(state), holds: false, failure },
  ],
  reread: (state) => {
    const again = { kind: "reread", stepId: "look", before: planned(state), tool: "look", tookMs: 1 } as const
    return [
      { ...again, result: 1 },
      { ...again, failure },
    ]
  },
  "step-added": ({ done }) => [
    added("new", { id: "new", tool: "look", args: {} }, done),
    added("new", { id: "new", tool: "pay", args: {} }, 0),
    { kind: "step-added", step: { id: "new", transition: "OPEN" }, seen: done, planHash: "n" },
  ],
  "step-given-up": (state) => [{ kind: "step-given-up", stepId: planned(state), failure }],
  "call-refused": () => [{ kind: "call-refused", callId: "new", tool: "none", digest: "d", diagnostics: [] }],
  "call-observed": () => [
    { ...watched, result: 1 },
    { ...watched, waits: true, failure },
  ],
  "circuit-reset": () => [{ kind: "circuit-reset" }, { kind: "circuit-reset", tool: "pay" }],
  "run-closed": () => [{ kind: "run-closed" }],
  "run-ended": () => [
    { kind: "run-ended", status: "succeeded" },
    { kind: "run-ended", status: "failed", failure },
    { kind: "run-ended", status: "cancelled", failure: cancelled },
    { kind: "run-ended", status: "exhausted", failure },
  ],
}

const added = (callId: string, step: StepDocument, seen: number): Event & { kind: "step-added" } => ({
  kind: "step-added",
  callId,
  step,
  seen,
  planHash: "n",
})

const watched = {
  kind: "call-observed",
  callId: "new",
  tool: "pay",
  digest: "d",
  tookMs: 1,
  diagnostics: [],
} as const

const planned = ({ started, done }: RunState): string => started.document.steps[done]?.id ?? "book"

function openIn({ step: { open, attempts } }: RunState) {
  const { stepId = "pay", undoes } = open ?? {}
  return { stepId, attempt: Math.max(1, attempts), ...(undoes === undefined ? {} : { undoes }) }
}

type Allowed = { readonly [At in Situation]?: readonly Status[] }

/** In these situations, of a whole plan and of an open run. */
const each = (statuses: readonly Status[], ...among: readonly Whole[]): Allowed =>
  Object.fromEntries(among.flatMap((name) => [name, openTwin(name)].map((one) => [one, statuses])))

const only = (statuses: readonly Status[], ...among: readonly Situation[]): Allowed =>
  Object.fromEntries(among.map((name) => [name, statuses]))

/** Whatever status it has, it keeps. */
const kept = (...among: readonly Situation[]): Allowed =>
  Object.fromEntries(among.map((name) => [name, [standIn(name).state.status]]))

const running = wholeNames.filter((name) => name.startsWith("running"))
const idle = running.filter((name) => !/ in an? |answer lost/.test(name))
const atGuard = ["running: before a guard", "running: let through by its rule", "running: agreed to"] as const
const closedOnes = Object.keys(openOnly) as readonly (keyof typeof openOnly)[]
const goingOn = openNames.filter((name) => !isTerminal(standIn(name).state.status))

/** What may be added to a run, and where that takes it. All else is refused. */
const allowed: { readonly [Kind in Event["kind"]]: Allowed } = {
  "run-started": {},
  "taken-up": {
    ...each(["running"], ...running),
    ...only(["running"], ...closedOnes),
    ...each(["awaiting_approval"], "awaiting_approval"),
    ...each(["in_doubt"], "in_doubt"),
  },
  "state-entered": each(["running"], ...atGuard),
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
    ...(["running: before a call", "running: before an effect", "running: winding down"] as const),
    ...atGuard,
  ),
  "approval-requested": each(
    ["awaiting_approval"],
    ...(["running: before a call", "running: before a guard", "running: before an effect"] as const),
    "running: let through by its rule",
  ),
  "request-delivered": each(["awaiting_approval"], "awaiting_approval"),
  "approval-decided": each(["running"], "awaiting_approval"),
  "approval-lapsed": each(["running"], "running: agreed to"),
  // A rule is asked once.
  "rule-evaluated": each(["running"], "running: before a guard", "running: agreed to"),
  // Right before an effect, and nothing else.
  reread: each(["running"], "running: before an effect"),
  "in-doubt": each(["in_doubt"], "running: in an effect", "running: its answer lost", "running: in an undo"),
  resolved: each(["running"], "in_doubt"),
  "cancel-requested": {
    ...each(["running"], "awaiting_approval", ...running.filter((name) => name !== "running: to be cancelled")),
    ...only(["running"], ...closedOnes),
    ...each(["in_doubt"], "in_doubt"),
  },
  observed: {
    ...kept(...names),
    ...each(["in_doubt", "running"], "in_doubt"),
  },
  "winding-down": {
    ...each(["running"], "running: in a read", ...idle.filter((name) => name !== "running: winding down")),
    ...each(["running"], "awaiting_approval"),
    ...only(["running"], ...closedOnes),
  },
  "run-ended": {
    ...each(["cancelled", "exhausted", "failed"], "awaiting_approval", "running: in a read", ...idle),
    ...only(["cancelled", "exhausted", "failed"], ...closedOnes),
    ...only(["cancelled", "exhausted", "failed", "succeeded"], "running: all done", "running: closed, open"),
  },
  "step-added": only(["running"], "running: all done, open"),
  "step-given-up": only(
    ["running"],
    ...(["running: before a call, open", "running: in a read, open", "running: before an effect, open"] as const),
    ...(["running: cannot go on, open", "running: closed before a call, open"] as const),
    ...(["running: closed while it waited, open", ...atGuard.map(openTwin)] as const),
  ),
  // What a model asks for, and what is said of it, is kept however the run stands.
  "call-refused": kept(...goingOn),
  "call-observed": kept(...goingOn),
  "circuit-reset": kept(...goingOn),
  "run-closed": only(["running"], "awaiting_approval, open", ...idle.map(openTwin)),
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
  for (const name of names) expect(name.split(/[:,]/)[0]).toBe(standIn(name).state.status)
})

test.each(names)("a call that was watched is a step of an open run that rests, and of no other: %s", (name) => {
  const { state } = standIn(name)
  const event = { ...watched, result: 1, made: { step: { id: "new", tool: "pay", args: {} }, seen: 0, planHash: "n" } }
  expect(misshapen(event, state.started)).toBeUndefined()
  const after = fold(state, { seq: state.seq + 1, atMs: 100, event })
  if (name !== "running: all done, open") return expect(after).toMatchObject({ code: "RUN504" })
  expect(after).toMatchObject({ status: "running", done: state.done + 1, sideEffects: state.sideEffects })
  // It is not this run's to make once more, nor to undo.
  if (after instanceof Error) throw after
  for (const about of [
    { stepId: "new", tool: "pay" },
    { stepId: "look", tool: "pay" },
  ]) {
    const grown = fold(after, {
      seq: after.seq + 1,
      atMs: 100,
      event: added("pay", { id: "then", tool: "pay", args: {} }, 1),
    })
    if (grown instanceof Error) throw grown
    const again: Event = { kind: "reread", ...about, before: "then", tookMs: 1, result: 1 }
    expect(fold(grown, { seq: grown.seq + 1, atMs: 100, event: again })).toMatchObject({ code: "RUN504" })
    const undoing = fold(grown, { seq: grown.seq + 1, atMs: 100, event: winding })
    if (undoing instanceof Error) throw undoing
    const undone: Event = { ...undo, stepId: "new" }
    expect(fold(undoing, { seq: undoing.seq + 1, atMs: 100, event: undone })).toMatchObject({ code: "RUN504" })
  }
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
      const { status, open } = advance(row, entry)
      const { open: call, lost } = after.step
      expect([status, open?.stepId, open?.key, open?.lost ?? false]).toEqual([
        after.status,
        ...[call?.stepId, call?.idempotencyKey, lost !== undefined],
      ])
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
