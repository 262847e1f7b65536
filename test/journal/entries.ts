/** Entries for the tests of the journal room. */
import type { Event, Recorded, RunStarted } from "../../src/journal/entry.ts"
import { record } from "../../src/journal/failure.ts"
import { ApprovalDenied, EffectInDoubt, StepFailed } from "../../src/run/failure.ts"

export const started = (change: Partial<RunStarted> = {}): RunStarted => ({
  kind: "run-started",
  journal: 2,
  salt: "5a".repeat(16),
  tenant: "acme",
  subject: "ann",
  roles: [],
  sessionId: "s1",
  taskId: "t1",
  planHash: "0".repeat(64),
  catalogHash: "0".repeat(64),
  slice: {},
  compiler: "0.1.0",
  document: {
    version: 1,
    steps: [
      { id: "read", tool: "find", args: {} },
      { id: "open", transition: "CHANGING" },
      { id: "write", tool: "cancel", args: {} },
    ],
  },
  inputs: null,
  origin: {},
  spent: {},
  tools: {
    find: { version: "1", effect: "read", timeoutMs: 1_000, idempotency: { kind: "natural" } },
    cancel: { version: "1", effect: "write", timeoutMs: 1_000, idempotency: { kind: "none" } },
  },
  ...change,
})

/** One event of each kind that a run of that plan can have, and which may stand alone in it. */
export const events = {
  started: started(),
  readIntent: { kind: "intent", stepId: "read", tool: "find", attempt: 1, args: {} },
  readAgain: { kind: "intent", stepId: "read", tool: "find", attempt: 2, args: {} },
  readOutcome: { kind: "outcome", stepId: "read", attempt: 1, tookMs: 1, result: { found: true } },
  readFailed: {
    kind: "attempt-failed",
    stepId: "read",
    attempt: 1,
    tookMs: 1,
    failure: record(new StepFailed({ stepId: "read", tool: "find", said: "no" })),
    again: { afterMs: 100, atMs: 100 },
  },
  requested: {
    kind: "approval-requested",
    requestId: "apr_1",
    stepId: "open",
    from: "LOOKING",
    to: "CHANGING",
    follows: [],
  },
  approved: {
    kind: "approval-decided",
    requestId: "apr_1",
    stepId: "open",
    decision: "approved",
    by: "bob",
    reason: "",
  },
  denied: { kind: "approval-decided", requestId: "apr_1", stepId: "open", decision: "denied", by: "bob", reason: "no" },
  entered: { kind: "state-entered", stepId: "open", from: "LOOKING", to: "CHANGING" },
  writeIntent: { kind: "intent", stepId: "write", tool: "cancel", attempt: 1, args: {}, idempotencyKey: "k1:1" },
  writeAgain: { kind: "intent", stepId: "write", tool: "cancel", attempt: 2, args: {}, idempotencyKey: "k1:1" },
  writeOutcome: { kind: "outcome", stepId: "write", attempt: 1, tookMs: 1, result: null },
  writeInDoubt: {
    kind: "in-doubt",
    stepId: "write",
    attempt: 1,
    failure: record(new EffectInDoubt({ stepId: "write", tool: "cancel", said: "late" })),
  },
  succeeded: { kind: "run-ended", status: "succeeded" },
  failed: {
    kind: "run-ended",
    status: "failed",
    failure: record(new ApprovalDenied({ stepId: "open", by: "bob", reason: "no" })),
  },
  exhausted: {
    kind: "run-ended",
    status: "exhausted",
    failure: record(new ApprovalDenied({ stepId: "open", by: "bob", reason: "no" })),
  },
  cancelled: {
    kind: "run-ended",
    status: "cancelled",
    failure: record(new ApprovalDenied({ stepId: "open", by: "bob", reason: "no" })),
  },
} as const satisfies Record<string, Event>

export type Name = keyof typeof events

/** Events in their places, a second apart. */
export const recorded = (list: readonly Event[]): readonly Recorded[] =>
  list.map((event, seq) => ({ seq, atMs: 1_000 * seq, event }))

export const named = (names: readonly Name[]): readonly Recorded[] => recorded(names.map((name) => events[name]))

/** A whole run, with a retry and an approval in it. */
export const wholeRun: readonly Name[] = [
  "started",
  "readIntent",
  "readOutcome",
  "requested",
  "approved",
  "entered",
  "writeIntent",
  "writeOutcome",
  "succeeded",
]
