import fc from "fast-check"
import { expect, test } from "vitest"
import { explainApproval } from "../../src/explain/approval.ts"
import { explainEntry } from "../../src/explain/history.ts"
import { plain } from "../../src/explain/look.ts"
import { explainRun, viewRun } from "../../src/explain/run.ts"
import { listRuns } from "../../src/explain/runs.ts"
import { chained } from "../../src/journal/chain.ts"
import type { ApprovalRequested, Event, Failure, RunStarted } from "../../src/journal/entry.ts"
import { replay } from "../../src/journal/state.ts"

const started: RunStarted = {
  kind: "run-started",
  journal: 2,
  salt: "s",
  spent: {},
  tools: {},
  tenant: "acme",
  subject: "ada",
  roles: [],
  sessionId: "s1",
  taskId: "t1",
  planHash: "0123456789abcdef",
  catalogHash: "ca7a109",
  slice: {},
  compiler: "0.1.0",
  document: {
    version: 1,
    steps: [
      { id: "find", tool: "list", args: {} },
      { id: "open", transition: "MUTATING" },
      { id: "pay", tool: "refund", args: {} },
      { id: "tell", tool: "notify", args: {} },
    ],
  },
  inputs: null,
  origin: {},
}
const request: ApprovalRequested = {
  kind: "approval-requested",
  requestId: "apr_1",
  stepId: "open",
  from: "LOOKING",
  to: "MUTATING",
  follows: [
    {
      stepId: "pay",
      tool: "refund",
      effect: "destructive",
      description: "Refund an amount.",
      args: { cents: 2450, to: { $from: "find", path: "/card" } },
    },
    { stepId: "tell", tool: "notify", effect: "write", description: "Send a message.", args: {} },
  ],
}
const failure: Failure = {
  tag: "StepFailed",
  code: "RUN101",
  message: "step `pay` failed: `refund` said: no",
  stepId: "pay",
}
const events: readonly Event[] = [
  started,
  { kind: "intent", stepId: "find", tool: "list", attempt: 1, args: {} },
  { kind: "attempt-failed", stepId: "find", attempt: 1, tookMs: 5, failure, again: { afterMs: 100, atMs: 1_100 } },
  { kind: "intent", stepId: "find", tool: "list", attempt: 2, args: {} },
  { kind: "outcome", stepId: "find", attempt: 2, tookMs: 5, result: { card: "c1" } },
  request,
  { kind: "approval-decided", requestId: "apr_1", stepId: "open", decision: "approved", by: "eve", reason: "seen" },
  { kind: "state-entered", stepId: "open", from: "LOOKING", to: "MUTATING" },
  {
    kind: "intent",
    stepId: "pay",
    tool: "refund",
    attempt: 1,
    args: { cents: 2450 },
    idempotencyKey: "k1:0123456789abcdef0123",
  },
  { kind: "attempt-failed", stepId: "pay", attempt: 1, tookMs: 5, failure },
  { kind: "run-ended", status: "failed", failure },
]
const entriesOf = (some: readonly Event[]) =>
  chained(
    "run_1",
    some.map((event, seq) => ({ seq, atMs: 1_000 + seq, event })),
  )
const stateOf = (some: readonly Event[]) => {
  const state = replay("run_1", entriesOf(some))
  if (state instanceof Error) throw state
  return viewRun(state, entriesOf(some))
}

test("a journal is told line by line", () => {
  const lines = entriesOf(events).map((entry) => explainEntry(entry, plain).replace(entry.hash.slice(0, 8), "hash"))
  expect(`\n${lines.join("\n")}\n`).toBe(`
   0 hash 1970-01-01T00:00:01.000Z                run started by ada of acme, session s1, task t1, plan 0123456789ab
   1 hash 1970-01-01T00:00:01.001Z  find          calls list {}
   2 hash 1970-01-01T00:00:01.002Z  find          failed RUN101: step \`pay\` failed: \`refund\` said: no; again at 1970-01-01T00:00:01.100Z
   3 hash 1970-01-01T00:00:01.003Z  find          calls list {} (attempt 2)
   4 hash 1970-01-01T00:00:01.004Z  find          answered {"card":"c1"}
   5 hash 1970-01-01T00:00:01.005Z  open          asks for approval: LOOKING → MUTATING, before pay, tell
   6 hash 1970-01-01T00:00:01.006Z  open          approved by eve: seen
   7 hash 1970-01-01T00:00:01.007Z  open          state LOOKING → MUTATING
   8 hash 1970-01-01T00:00:01.008Z  pay           calls refund {"cents":2450}  key k1:0123456789ab…
   9 hash 1970-01-01T00:00:01.009Z  pay           failed RUN101: step \`pay\` failed: \`refund\` said: no
  10 hash 1970-01-01T00:00:01.010Z                run failed RUN101: step \`pay\` failed: \`refund\` said: no
`)
})

test("a run in doubt, and an answer that cannot be used, are told as such", () => {
  const [doubt, odd, lost] = entriesOf([
    { kind: "in-doubt", stepId: "pay", attempt: 1, failure: { ...failure, code: "RUN109", message: "not known" } },
    {
      kind: "outcome",
      stepId: "pay",
      attempt: 1,
      tookMs: 1,
      result: 7,
      failure: { ...failure, code: "RUN105", message: "wrong shape" },
    },
    {
      kind: "outcome",
      stepId: "pay",
      attempt: 1,
      tookMs: 1,
      failure: { ...failure, code: "RUN103", message: "too large" },
    },
  ]).map((entry) => explainEntry(entry, plain))
  expect(doubt).toMatch(/pay {11}in doubt RUN109: not known$/)
  expect(odd).toMatch(/answered 7, but RUN105: wrong shape$/)
  expect(lost).toMatch(/answered with what cannot be kept, but RUN103: too large$/)
})

test("a clock that is wrong does not stop the log", () => {
  const [entry] = chained("r", [{ seq: 0, atMs: Number.MAX_VALUE, event: started }])
  if (entry === undefined) throw new Error("there is one")
  expect(explainEntry(entry, plain)).toContain(`${Number.MAX_VALUE} ms`)
})

test("what came of a run: done, failed and not begun", () => {
  const view = stateOf(events)
  expect(view.results).toEqual({ find: { card: "c1" } })
  expect(view.awaiting).toBeNull()
  expect(view.steps.map(({ id, came, effect }) => [id, came, effect])).toEqual([
    ["find", "done", false],
    ["open", "done", false],
    ["pay", "failed", true],
    ["tell", "not-begun", false],
  ])
  expect(`\n${explainRun(view, plain)}\n`).toBe(`
run run_1 failed
  because   RUN101: step \`pay\` failed: \`refund\` said: no
  read      find (list)
  failed    pay (refund)
  not begun tell (notify)
`)
})

test("what came of a run that stands in the middle of a call", () => {
  expect(explainRun(stateOf(events.slice(0, 9)), plain)).toContain(
    "\n  begun     pay (refund)\n  not begun tell (notify)",
  )
  const doubt: Event = {
    kind: "in-doubt",
    stepId: "pay",
    attempt: 1,
    failure: { ...failure, code: "RUN109", tag: "EffectInDoubt" },
  }
  expect(explainRun(stateOf([...events.slice(0, 9), doubt]), plain)).toContain("\n  in doubt  pay (refund)")
})

test("what another run has done is no read, and a step whose call failed was begun, also when all is undone", () => {
  const undo = { kind: "call", tool: "void_refund", args: [] } as const
  const policy = { version: "1", effect: "write", timeoutMs: 1, idempotency: { kind: "none" } } as const
  const [key, undoKey] = ["k1:0", "k1:1"]
  const winding: Event = { kind: "winding-down", status: "failed", failure: { ...failure, stepId: "tell" } }
  const undoing: Event = {
    kind: "intent",
    stepId: "pay",
    tool: "void_refund",
    attempt: 1,
    args: {},
    undoes: true,
    idempotencyKey: undoKey,
  }
  const lost = { ...failure, code: "RUN109", tag: "EffectInDoubt", message: "not known" } as const
  const some: readonly Event[] = [
    { ...started, tools: { refund: { ...policy, undo }, void_refund: policy, notify: policy } },
    ...events.slice(1, 9),
    { kind: "outcome", stepId: "pay", attempt: 1, tookMs: 1, result: 1 },
    { kind: "intent", stepId: "tell", tool: "notify", attempt: 1, args: {}, idempotencyKey: key },
    { kind: "attempt-failed", stepId: "tell", attempt: 1, tookMs: 1, failure },
    winding,
    undoing,
  ]
  expect(`\n${explainRun(stateOf(some), plain)}\n`).toBe(`
run run_1 running
  to end    failed, RUN101: step \`pay\` failed: \`refund\` said: no
  did       pay (refund)
  read      find (list)
  undoing   pay (refund)
  failed    tell (notify)
`)
  const doubt: readonly Event[] = [
    { kind: "answer-lost", stepId: "pay", attempt: 1, undoes: true, tookMs: 1, failure: lost },
    { kind: "in-doubt", stepId: "pay", attempt: 1, undoes: true, failure: lost },
  ]
  expect(`\n${explainRun(stateOf([...some, ...doubt]), plain)}\n`).toBe(`
run run_1 in doubt
  to end    failed, RUN101: step \`pay\` failed: \`refund\` said: no
  because   RUN109: not known
  did       pay (refund)
  read      find (list)
  undo in doubt pay (refund)
  its key   k1:1
  failed    tell (notify)
`)
  const replayed: readonly Event[] = [
    ...events.slice(0, 8),
    {
      kind: "replayed",
      stepId: "pay",
      tool: "refund",
      args: {},
      idempotencyKey: key,
      from: { runId: "run_0", stepId: "pay" },
      result: 1,
    },
  ]
  expect(explainRun(stateOf(replayed), plain)).toContain("\n  replayed  pay (refund)\n  read      find (list)\n")
})

test("what waits for a person is shown whole, as JSON", () => {
  const { awaiting } = stateOf(events.slice(0, 6))
  expect(awaiting).toEqual(request)
  expect(`\n${explainApproval(request, plain)}\n`).toBe(`
approval needed at \`open\`: LOOKING → MUTATING. If approved:
  pay   refund (destructive): Refund an amount.
    "cents": 2450
    "to": {"$from":"find","path":"/card"}
  tell  notify (write): Send a message.
    without arguments
`)
})

test("A027: what waits for a person cannot be made to look like something else", () => {
  const text = 'ok\u001b[2K\u001b[1A\n  "cents": 1\u202e0042\u200b \\u202e'
  const shown = explainApproval(
    {
      ...request,
      follows: [{ stepId: "pay", tool: "refund", effect: "write", description: "", args: { note: text } }],
    },
    plain,
  )
  expect(shown.split("\n")).toHaveLength(3)
  expect(shown).toContain('"note": "ok\\u001b[2K\\u001b[1A\\n  \\"cents\\": 1\\u202e0042\\u200b \\\\u202e"')
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, value) => {
      const one = explainApproval(
        {
          ...request,
          follows: [{ stepId: "pay", tool: name, effect: "write", description: value, args: { [name]: value } }],
        },
        plain,
      )
      expect(one.split("\n")).toHaveLength(3)
      expect(one.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v)
    }),
  )
})

test("runs are a list, their ids whole", () => {
  const runId = `run_${"0".repeat(60)}`
  const summary = {
    runId,
    tenant: "acme",
    subject: "ada\u001b[0m",
    goal: undefined,
    entries: 3,
    startedAtMs: 0,
    updatedAtMs: 1,
  }
  const runs = [
    { ...summary, status: "awaiting_approval", due: true, cancelling: false },
    { ...summary, status: "running", due: false, cancelling: true },
  ] as const
  const shown = listRuns(runs, plain).split("\n")
  expect(shown.slice(2)).toEqual([
    `${runId}  awaiting approval, due    1970-01-01T00:00:00.000Z  acme    ada\\u001b[0m`,
    `${runId}  running, being cancelled  1970-01-01T00:00:00.000Z  acme    ada\\u001b[0m`,
    "",
    "  1 awaiting approval (`approve` or `deny`)",
    "  1 due (`worker`, or `resume`)",
  ])
})
