/** The loop: journal → fold → next → action → perform → entry → journal. */
import { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AttemptFailed, Event } from "../journal/entry.ts"
import { record } from "../journal/failure.ts"
import type { JournalService } from "../journal/journal.ts"
import type { RunState } from "../journal/state.ts"
import type { Book } from "./book.ts"
import { perform, type TimeLimit, type Worker } from "./call/perform.ts"
import { Watch } from "./call/watch.ts"
import { BudgetExhausted, type RunExists, RunUnderWay, type StoreFailure } from "./failure.ts"
import { Ids, type IdsService } from "./ids.ts"
import { type Action, type CallAction, next } from "./next/next.ts"
import type { ReadyPlan } from "./next/prepare.ts"
import { backoffMs, decideRetry } from "./next/retry.ts"
import type { Toolbox } from "./toolbox.ts"

/** What the loop looks up once. */
interface Desk {
  readonly ready: ReadyPlan
  readonly book: Book
  readonly worker: Worker
  readonly clock: Clock
  readonly ids: IdsService
}

/** Takes a run as far as it goes: to its end, into doubt, or to where a person must decide. */
export const drive = (
  ready: ReadyPlan,
  toolbox: Toolbox,
  book: Book,
): Effect.Effect<RunState, RunExists | RunUnderWay | StoreFailure, Ids> =>
  // Only waiting can be interrupted: what has happened is always written down.
  alone(book, Effect.uninterruptible(work(ready, toolbox, book)))

/** Which runs of a journal are being driven in this process. */
const driven = new WeakMap<JournalService, Set<string>>()

/** A run has one driver. (Between processes the journal sees to it: who is second writes nothing.) */
const alone = <A, E, R>(
  { journal, state: { runId } }: Book,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | RunUnderWay, R> =>
  Effect.suspend((): Effect.Effect<A, E | RunUnderWay, R> => {
    const runs = driven.get(journal) ?? new Set()
    if (runs.has(runId)) return Effect.fail(new RunUnderWay({ runId }))
    driven.set(journal, runs.add(runId))
    return Effect.ensuring(
      effect,
      Effect.sync(() => runs.delete(runId)),
    )
  })

const work = Effect.fnUntraced(function* (ready: ReadyPlan, { handlers }: Toolbox, book: Book) {
  const context = yield* Effect.context<never>()
  const clock = yield* Clock
  const { runId, started } = book.state
  const { tenant, subject, roles } = started
  const principal = Object.freeze({ tenant, subject, roles: Object.freeze([...roles]) })
  const watch = new Watch(clock, Effect.runForkWith(context))
  const worker: Worker = { runId, principal, handlers, bounds: ready.catalog.bounds, watch, context }
  const desk: Desk = { ready, book, worker, clock, ids: yield* Ids }
  return yield* Effect.ensuring(
    loop(desk),
    Effect.sync(() => watch.close()),
  )
})

const loop = Effect.fnUntraced(function* (desk: Desk): Effect.fn.Return<RunState, RunExists | StoreFailure> {
  const { ready, book, clock } = desk
  for (;;) {
    const action = next(ready, book.state)
    const event = action.kind === "call" ? yield* call(desk, action) : settle(desk, action)
    if (event === undefined) {
      yield* book.flush()
      return book.state
    }
    const diverged = book.add(clock.currentTimeMillisUnsafe(), event)
    if (diverged !== undefined) return yield* diverged
  }
})

/** What an action that calls nothing writes down; undefined where there is nothing to do now. */
function settle({ book, clock, ids }: Desk, action: Exclude<Action, CallAction>): Event | undefined {
  switch (action.kind) {
    case "enter-state": {
      const { step, from, to } = action.transition
      return { kind: "state-entered", stepId: step.id, from, to }
    }
    case "request-approval": {
      const { step, from, to } = action.transition
      return {
        kind: "approval-requested",
        requestId: ids.make("apr"),
        stepId: step.id,
        from,
        to,
        follows: action.follows,
      }
    }
    case "mark-in-doubt": {
      const { stepId, attempt, failure } = action
      return { kind: "in-doubt", stepId, attempt, failure }
    }
    case "end": {
      const { status, failure } = action
      return { kind: "run-ended", status, ...(failure === undefined ? {} : { failure }) }
    }
    case "wait": {
      const late = checkDeadline(book.state, action.notAfterMs, clock.currentTimeMillisUnsafe())
      return late && { kind: "run-ended", status: "exhausted", failure: record(late) }
    }
    case "nothing":
      return undefined
  }
}

/** Intent, durable; the call; its outcome. */
function* call(
  { ready, book, worker, clock, ids }: Desk,
  action: CallAction,
): Effect.fn.Return<Event, RunExists | StoreFailure> {
  const { call, attempt, args, idempotencyKey, again } = action
  if (again !== undefined) {
    yield* book.flush()
    // However the clock was set meanwhile, it is never longer than was meant.
    const waitMs = Math.min(again.afterMs, again.atMs - clock.currentTimeMillisUnsafe())
    if (waitMs > 0) yield* Effect.interruptible(clock.sleep(Duration.millis(waitMs)))
  }
  const nowMs = clock.currentTimeMillisUnsafe()
  const late = checkDeadline(book.state, action.notAfterMs, nowMs)
  if (late !== undefined) return { kind: "run-ended", status: "exhausted", failure: record(late) }
  const diverged = book.add(nowMs, {
    kind: "intent",
    stepId: call.step.id,
    tool: call.tool.name,
    attempt,
    args,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
  if (diverged !== undefined) return yield* diverged
  yield* book.flush()
  const answer = yield* Effect.interruptible(perform(worker, action, limitOf(action, book.state, nowMs)))
  return answer.kind === "attempt-failed" ? withRetry(answer, action, ready, book.state, clock, ids) : answer
}

function checkDeadline(
  { startedAtMs }: RunState,
  notAfterMs: number | undefined,
  nowMs: number,
): BudgetExhausted | undefined {
  if (notAfterMs === undefined || nowMs <= notAfterMs) return undefined
  return new BudgetExhausted({ budget: "deadlineMs", used: nowMs - startedAtMs, max: notAfterMs - startedAtMs })
}

/** A read is cut off when the run's own time ends; an effect is always waited for as long as its tool may take. */
function limitOf({ call: { tool }, notAfterMs, workLeftMs }: CallAction, state: RunState, nowMs: number): TimeLimit {
  const limits: TimeLimit[] = [{ ms: tool.timeoutMs }]
  if (!tool.mutates && workLeftMs !== undefined) {
    limits.push({ ms: workLeftMs, exhausts: { budget: "wallMs", max: Math.round(state.workedMs + workLeftMs) } })
  }
  if (!tool.mutates && notAfterMs !== undefined) {
    limits.push({ ms: notAfterMs - nowMs, exhausts: { budget: "deadlineMs", max: notAfterMs - state.startedAtMs } })
  }
  return limits.reduce((least, limit) => (limit.ms < least.ms ? limit : least))
}

/** Whether and when a failed call is made again is decided here, once, and written down with the failure. */
function withRetry(
  answer: AttemptFailed,
  { call: { tool } }: CallAction,
  { catalog }: ReadyPlan,
  { step, retries }: RunState,
  clock: Clock,
  ids: IdsService,
): AttemptFailed {
  const failures = step.failures + 1
  const decision = decideRetry(tool, answer.failure, failures, { retries, max: catalog.budgets.retries })
  if (decision !== "again") return answer
  const afterMs = backoffMs(failures, ids.random())
  return { ...answer, again: { afterMs, atMs: clock.currentTimeMillisUnsafe() + afterMs } }
}
