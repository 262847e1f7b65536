/** The loop: journal → fold → next → action → perform → entry → journal. */
import { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AttemptFailed, Event } from "../journal/entry.ts"
import { record } from "../journal/failure.ts"
import type { JournalService } from "../journal/journal.ts"
import type { RunState } from "../journal/state.ts"
import type { Book } from "./book.ts"
import { describeThrown } from "./call/describe.ts"
import { perform, type TimeLimit, type Worker } from "./call/perform.ts"
import { Watch } from "./call/watch.ts"
import {
  BudgetExhausted,
  type OutcomeNotRecorded,
  type RunExists,
  RuntimeCheckFailed,
  RunUnderWay,
  type StoreFailure,
} from "./failure.ts"
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
export const drive = (ready: ReadyPlan, toolbox: Toolbox, book: Book): Effect.Effect<RunState, DriveFailure, Ids> =>
  // Only waiting can be interrupted: what has happened is always written down.
  alone(book, Effect.uninterruptible(work(ready, toolbox, book)))

type DriveFailure = RunExists | RunUnderWay | OutcomeNotRecorded | StoreFailure

/** Which runs of a journal are being driven in this process. */
const driven = new WeakMap<JournalService, Set<string>>()

/** A run has one driver. (Between processes the journal sees to it: who is second writes nothing.) */
const alone = <A, E, R>(
  { journal, state: { runId } }: Book,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | RunUnderWay, R> =>
  Effect.suspend((): Effect.Effect<A, E | RunUnderWay, R> => {
    const runs = driven.get(journal) ?? new Set()
    if (runs.has(runId)) {
      const standing = "is under way in this process"
      return Effect.fail(
        new RunUnderWay({ runId, standing, remedy: "Wait for it to stop, then look at its `status`." }),
      )
    }
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
  // Whatever breaks here (a clock or ids of the host's own, say), what has happened is written down.
  const kept = Effect.onExit(loop(desk), (exit) => (Exit.hasDies(exit) ? Effect.ignore(book.flush()) : Effect.void))
  return yield* Effect.ensuring(
    kept,
    Effect.sync(() => watch.close()),
  )
})

const loop = Effect.fnUntraced(function* (desk: Desk): Effect.fn.Return<RunState, Exclude<DriveFailure, RunUnderWay>> {
  const { ready, book, clock } = desk
  for (;;) {
    const action = decide(ready, book.state)
    const event = action.kind === "call" ? yield* call(desk, action) : settle(desk, action)
    if (event === undefined) {
      yield* book.flush()
      return book.state
    }
    const diverged = book.add(clock.currentTimeMillisUnsafe(), event)
    if (diverged !== undefined) return yield* diverged
  }
})

/** Results can come to more than the engine can hold in one text: then the next step is not called, and the run says so. */
function decide(ready: ReadyPlan, state: RunState): Action {
  try {
    return next(ready, state)
  } catch (error) {
    const { id: stepId, at } = (ready.steps[state.done] ?? ready.steps.at(-1))?.step ?? { id: "", at: "" }
    const problem = `what follows cannot be worked out: ${describeThrown(error)}`
    return { kind: "end", status: "failed", failure: record(new RuntimeCheckFailed({ stepId, at, problem })) }
  }
}

/** What an action that calls nothing writes down; undefined where there is nothing to do now. */
function settle({ book, clock, ids }: Desk, action: Exclude<Action, CallAction>): Event | undefined {
  switch (action.kind) {
    case "enter-state": {
      const { step, from, to } = action.transition
      const late = checkDeadline(book.state, step.id, action.notAfterMs, clock.currentTimeMillisUnsafe())
      if (late !== undefined) return { kind: "run-ended", status: "exhausted", failure: record(late) }
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
      const late = checkDeadline(book.state, action.stepId, action.notAfterMs, clock.currentTimeMillisUnsafe())
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
): Effect.fn.Return<Event, Exclude<DriveFailure, RunUnderWay>> {
  const { call, attempt, args, idempotencyKey, again } = action
  if (again !== undefined) {
    yield* book.flush()
    // However the clock was set meanwhile, it is never longer than was meant.
    const waitMs = Math.min(again.afterMs, again.atMs - clock.currentTimeMillisUnsafe())
    if (waitMs > 0) yield* Effect.interruptible(clock.sleep(Duration.millis(waitMs)))
  }
  const nowMs = clock.currentTimeMillisUnsafe()
  const late = checkDeadline(book.state, call.step.id, action.notAfterMs, nowMs)
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
  stepId: string,
  notAfterMs: number | undefined,
  nowMs: number,
): BudgetExhausted | undefined {
  if (notAfterMs === undefined || nowMs <= notAfterMs) return undefined
  const [used, max] = [nowMs - startedAtMs, notAfterMs - startedAtMs]
  return new BudgetExhausted({ budget: "deadlineMs", stepId, used, max, because: "" })
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
  { call }: CallAction,
  { catalog }: ReadyPlan,
  { step, retries }: RunState,
  clock: Clock,
  ids: IdsService,
): AttemptFailed {
  const failures = step.failures + 1
  const decision = decideRetry(call, answer.failure, failures, { retries, max: catalog.budgets.retries })
  if (decision !== "again") return answer
  const afterMs = backoffMs(failures, ids.random())
  return { ...answer, again: { afterMs, atMs: clock.currentTimeMillisUnsafe() + afterMs } }
}
