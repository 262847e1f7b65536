/** The fold: every event in every situation a run can be in, and nothing that should not follow follows. */
import { expect, test } from "vitest"
import { JournalDiverged, JournalNewer, JournalOlder } from "../../src/journal/failure.ts"
import { begin, fold, type RunState, replay } from "../../src/journal/state.ts"
import { isTerminal } from "../../src/journal/status.ts"
import { events, type Name, named, recorded, started, wholeRun } from "./entries.ts"

const stateAfter = (names: readonly Name[]): RunState => {
  const state = replay("run", named(names))
  if (state instanceof Error) throw state
  return state
}

/** Each situation by the entries that lead to it, and the only events that may come next. */
const situations: Record<string, { readonly after: readonly Name[]; readonly next: readonly Name[] }> = {
  begun: { after: ["started"], next: ["readIntent", "failed", "exhausted", "cancelled"] },
  "read under way": {
    after: ["started", "readIntent"],
    next: ["readOutcome", "readFailed", "failed", "exhausted", "cancelled"],
  },
  "read failed": {
    after: ["started", "readIntent", "readFailed"],
    next: ["readAgain", "failed", "exhausted", "cancelled"],
  },
  "read done": {
    after: ["started", "readIntent", "readOutcome"],
    next: ["requested", "entered", "failed", "exhausted", "cancelled"],
  },
  awaiting: {
    after: ["started", "readIntent", "readOutcome", "requested"],
    next: ["approved", "denied", "failed", "exhausted", "cancelled"],
  },
  approved: {
    after: ["started", "readIntent", "readOutcome", "requested", "approved"],
    next: ["entered", "failed", "exhausted", "cancelled"],
  },
  denied: {
    after: ["started", "readIntent", "readOutcome", "requested", "denied"],
    next: ["failed", "exhausted", "cancelled"],
  },
  entered: {
    after: ["started", "readIntent", "readOutcome", "requested", "approved", "entered"],
    next: ["writeIntent", "failed", "exhausted", "cancelled"],
  },
  "effect under way": {
    after: ["started", "readIntent", "readOutcome", "requested", "approved", "entered", "writeIntent"],
    next: ["writeOutcome", "writeInDoubt"],
  },
  "effect done": {
    after: [...wholeRun.slice(0, -1)],
    next: ["succeeded", "failed", "exhausted", "cancelled"],
  },
  "in doubt": {
    after: ["started", "readIntent", "readOutcome", "requested", "approved", "entered", "writeIntent", "writeInDoubt"],
    next: [],
  },
  succeeded: { after: wholeRun, next: [] },
  failed: { after: ["started", "failed"], next: [] },
  exhausted: { after: ["started", "exhausted"], next: [] },
  cancelled: { after: ["started", "cancelled"], next: [] },
}

for (const [situation, { after, next }] of Object.entries(situations)) {
  test(`${situation}: ${next.length === 0 ? "nothing" : next.join(", ")} may follow, and nothing else`, () => {
    const state = stateAfter(after)
    const may = (Object.keys(events) as Name[]).filter(
      (name) => !(fold(state, { seq: after.length, atMs: 0, event: events[name] }) instanceof JournalDiverged),
    )
    expect(may.sort()).toEqual([...next].sort())
  })
}

test("A067: no event of any kind moves a terminal state", () => {
  const terminal = Object.values(situations).filter(({ after }) => isTerminal(stateAfter(after).status))
  expect(terminal.map(({ after }) => stateAfter(after).status).sort()).toEqual([
    "cancelled",
    "exhausted",
    "failed",
    "succeeded",
  ])
  for (const { after } of terminal) {
    for (const event of Object.values(events)) {
      expect(fold(stateAfter(after), { seq: after.length, atMs: 0, event })).toBeInstanceOf(JournalDiverged)
    }
  }
})

test("a state keeps what it was when another is folded over it", () => {
  const before = stateAfter(["started", "readIntent"])
  const [one, other] = [events.readOutcome, { ...events.readOutcome, result: { found: false } }].map((event) =>
    fold(before, { seq: 2, atMs: 0, event }),
  )
  expect(before.calls.get("read")).toBeUndefined()
  expect(one instanceof Error ? one : one?.calls.get("read")?.result).toEqual({ found: true })
  expect(other instanceof Error ? other : other?.calls.get("read")?.result).toEqual({ found: false })
})

test("entries are numbered without gaps", () => {
  const state = stateAfter(["started"])
  for (const seq of [0, 2, -1, 1.5]) {
    expect(fold(state, { seq, atMs: 0, event: events.readIntent })).toBeInstanceOf(JournalDiverged)
  }
})

test("a run of a newer version is refused by name", () => {
  const newer = started({ journal: 3 as never })
  const state = begin("run", { seq: 0, atMs: 0, event: newer })
  expect(state).toBeInstanceOf(JournalNewer)
  expect((state as JournalNewer).message).toContain("version 3")
})

test("a run of an older version is refused by name", () => {
  const state = begin("run", { seq: 0, atMs: 0, event: started({ journal: 1 as never }) })
  expect(state).toBeInstanceOf(JournalOlder)
  expect((state as JournalOlder).message).toContain("written in journal version 1; this sequitur goes on with 2 alone")
})

test("an empty journal, and one that begins in the middle, are no run", () => {
  expect(replay("run", [])).toBeInstanceOf(JournalDiverged)
  expect(replay("run", recorded([events.readIntent]))).toBeInstanceOf(JournalDiverged)
  expect(replay("run", [{ seq: 3, atMs: 0, event: started() }])).toBeInstanceOf(JournalDiverged)
})

test("a step that is not the plan's next, or calls another tool, cannot follow", () => {
  const state = stateAfter(["started"])
  const intent = events.readIntent
  for (const event of [
    { ...intent, stepId: "write", tool: "cancel" },
    { ...intent, tool: "cancel" },
    { ...intent, attempt: 2 },
  ]) {
    expect(fold(state, { seq: 1, atMs: 0, event })).toBeInstanceOf(JournalDiverged)
  }
})

test("an answer to another attempt, and a decision of another request, cannot follow", () => {
  const open = stateAfter(["started", "readIntent"])
  expect(fold(open, { seq: 2, atMs: 0, event: { ...events.readOutcome, attempt: 2 } })).toBeInstanceOf(JournalDiverged)
  const waiting = stateAfter(["started", "readIntent", "readOutcome", "requested"])
  expect(fold(waiting, { seq: 4, atMs: 0, event: { ...events.approved, requestId: "apr_2" } })).toBeInstanceOf(
    JournalDiverged,
  )
})

test("an effect whose answer could not be used is done, and the run can only end", () => {
  const before = wholeRun.slice(0, 7)
  const event = { ...events.writeOutcome, failure: events.writeInDoubt.failure }
  const state = fold(stateAfter(before), { seq: 7, atMs: 0, event })
  if (state instanceof Error) throw state
  expect(state).toMatchObject({ done: 3, status: "running", failure: events.writeInDoubt.failure })
  expect(fold(state, { seq: 8, atMs: 0, event: events.succeeded })).toBeInstanceOf(JournalDiverged)
  expect(fold(state, { seq: 8, atMs: 0, event: events.failed })).toMatchObject({ status: "failed" })
})

test("two steps never own one key", () => {
  const document = {
    version: 1 as const,
    steps: [
      { id: "a", tool: "cancel", args: {} },
      { id: "b", tool: "cancel", args: {} },
    ],
  }
  const intent = (stepId: string) => ({ ...events.writeIntent, stepId })
  const first = [started({ document }), intent("a"), { ...events.writeOutcome, stepId: "a" }, intent("b")]
  expect(replay("run", recorded(first))).toBeInstanceOf(JournalDiverged)
})

test("time worked is that of the calls and of waiting between them, not of waiting for a person", () => {
  const state = stateAfter(["started", "readIntent", "readFailed"])
  expect(state.workedMs).toBe(101)
  const [done, waited] = [stateAfter(wholeRun.slice(0, 3)), stateAfter(wholeRun.slice(0, 5))]
  expect(waited.workedMs).toBe(done.workedMs)
})
