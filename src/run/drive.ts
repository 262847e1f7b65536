/** The loop: journal → fold → next → action → perform → entry → journal. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type {
  AnswerLost,
  AttemptFailed,
  Event,
  Intent,
  Observed,
  Outcome,
  Pause,
  Reconciled,
} from "../journal/entry.ts"
import { record } from "../journal/failure.ts"
import type { RunState } from "../journal/state.ts"
import type { Book, Flushed, FlushFailure } from "./book.ts"
import type { CalledTool, TimeLimit, Worker } from "./call/call.ts"
import { describeThrown } from "./call/describe.ts"
import { perform } from "./call/perform.ts"
import { performReconcile } from "./call/reconcile.ts"
import { Watch } from "./call/watch.ts"
import {
  BudgetExhausted,
  EffectInDoubt,
  HandlerMissing,
  type RunFailure,
  RuntimeCheckFailed,
  type StalePlan,
  StepFailed,
} from "./failure.ts"
import { Ids, type IdsService } from "./ids.ts"
import { nameEffect, Register } from "./look-up.ts"
import { stop } from "./next/compensate.ts"
import { type Action, type CallAction, type NewEffect, next } from "./next/next.ts"
import type { ReadyPlan } from "./next/prepare.ts"
import { backoffMs, decideRetry, failuresMax } from "./next/retry.ts"
import { promptMs } from "./next/settle.ts"
import { Pulse } from "./pulse.ts"
import type { Toolbox } from "./toolbox.ts"

/** What the loop looks up once. */
interface Desk {
  readonly ready: ReadyPlan | undefined
  readonly stale: StalePlan | undefined
  readonly book: Book
  readonly worker: Worker
  readonly clock: Clock
  readonly ids: IdsService
  readonly pulse: Pulse
  readonly register: Register
  /** Whether something that the run asked the store for was taken: from then on it looks before it asks. */
  cautious: boolean
  /** Whether the run must be let go of before its next step. */
  readonly stopping: () => boolean
}

/** What a run goes on with: its plan, or why nothing new may be begun. */
export type Footing = ReadyPlan | StalePlan

/** Takes a run as far as it goes: to its end, into doubt, or to where a person must decide. */
export const drive = (
  footing: Footing,
  toolbox: Toolbox,
  book: Book,
  leaseMs: number,
  stopping: () => boolean = () => false,
): Effect.Effect<RunState, RunFailure, Ids> =>
  // Only waiting can be interrupted: what has happened is always written down.
  Effect.uninterruptible(work(footing, toolbox, book, leaseMs, stopping))

const work = Effect.fnUntraced(function* (
  footing: Footing,
  { handlers, catalog }: Toolbox,
  book: Book,
  leaseMs: number,
  stopping: () => boolean,
): Effect.fn.Return<RunState, RunFailure, Ids> {
  const context = yield* Effect.context<never>()
  const clock = yield* Clock
  const { runId, started } = book.state
  const { tenant, subject, roles } = started
  const principal = Object.freeze({ tenant, subject, roles: Object.freeze([...roles]) })
  const fork = Effect.runForkWith(context)
  const watch = new Watch(clock, fork)
  const observe = (event: Observed): void => {
    fork(Effect.ignore(book.observe(event)))
  }
  const worker: Worker = {
    runId,
    principal,
    handlers,
    bounds: catalog.bounds,
    watch,
    context,
    observe,
    cutOff: undefined,
  }
  const pulse = new Pulse(book, clock, leaseMs, fork)
  const [ready, stale] = footing instanceof Error ? [undefined, footing] : [footing, undefined]
  const register = new Register(book.journal, ready)
  const ids = yield* Ids
  const desk: Desk = { ready, stale, book, worker, clock, ids, pulse, register, cautious: false, stopping }
  // Whatever breaks here (a clock or ids of the host's own, say), what has happened is written down.
  // Whoever stops says so, and the next need not wait for the lease to run out.
  const kept = Effect.onExit(loop(desk), (exit) => (Exit.isFailure(exit) ? Effect.ignore(letGo(desk)) : Effect.void))
  return yield* Effect.ensuring(
    kept,
    Effect.sync(() => {
      watch.close()
      pulse.close()
    }),
  )
})

const loop = Effect.fnUntraced(function* (desk: Desk): Effect.fn.Return<RunState, RunFailure> {
  const { ready, book, pulse } = desk
  for (;;) {
    if (pulse.takeNews()) yield* book.catchUp()
    if (desk.stopping()) {
      if ((yield* letGo(desk)) === "written") return book.state
      continue
    }
    const action = decide(ready, book.state)
    const event = yield* act(desk, action)
    if (event === "look-again") continue
    if (typeof event === "object") {
      const diverged = book.add(event)
      if (diverged !== undefined) return yield* diverged
      continue
    }
    if ((yield* book.flush({ dueMs: dueOf(action) })) === "overtaken") continue
    if (desk.stale !== undefined && action.kind === "needs-plan") return yield* desk.stale
    return book.state
  }
})

/** Results can come to more than the engine can hold in one text: then the next step is not called, and the run says so. */
function decide(ready: ReadyPlan | undefined, state: RunState): Action {
  try {
    return next(ready, state)
  } catch (error) {
    const { id: stepId, at } = (ready?.steps[state.done] ?? ready?.steps.at(-1))?.step ?? { id: "", at: "" }
    const problem = `what follows cannot be worked out: ${describeThrown(error)}`
    return stop(state, "failed", record(new RuntimeCheckFailed({ stepId, at, problem })))
  }
}

/** Before it rests: others may take it up at once, or when what it waits for is due. */
const letGo = ({ ready, book }: Desk): Effect.Effect<Flushed, FlushFailure> =>
  Effect.suspend(() => book.flush({ dueMs: dueOf(decide(ready, book.standing)) }))

/** When a run that rests must be taken up again. */
const dueOf = (action: Action): number | undefined =>
  action.kind === "wait" ? action.notAfterMs : action.kind === "reconcile" ? action.notBeforeMs : undefined

/** An event to be added; or to decide anew; or to stop here. */
type Acted = Event | "look-again" | "rest"

function* act(desk: Desk, action: Action): Effect.fn.Return<Acted, RunFailure> {
  const { ids } = desk
  switch (action.kind) {
    case "call":
      return yield* call(desk, action)
    case "call-again": {
      if (action.pause !== undefined && (yield* pause(desk, action.pause))) return "look-again"
      return yield* dispatch(desk, action.tool, action.intent, { ms: action.tool.timeoutMs })
    }
    case "reconcile":
      return yield* reconcile(desk, action)
    case "enter-state": {
      const { step, from, to } = action.transition
      const late = checkDeadline(desk, step.id, action.notAfterMs)
      return late ?? { kind: "state-entered", stepId: step.id, from, to }
    }
    case "request-approval": {
      const { step, from, to } = action.transition
      const { follows } = action
      return { kind: "approval-requested", requestId: ids.make("apr"), stepId: step.id, from, to, follows }
    }
    case "mark-in-doubt": {
      const { kind: _, ...doubt } = action
      return { kind: "in-doubt", ...doubt }
    }
    case "refuse": {
      const { kind: _, ...refused } = action
      return { kind: "step-refused", ...refused }
    }
    case "wind-down":
      return { kind: "winding-down", status: action.status, failure: action.failure }
    case "end": {
      const { status, failure } = action
      return { kind: "run-ended", status, ...(failure === undefined ? {} : { failure }) }
    }
    case "wait":
      return endAtDeadline(desk, action) ?? "rest"
    case "needs-plan":
    case "nothing":
      return "rest"
  }
}

/** A run that waits for a person past its deadline ends, and with it what it has asked. */
function endAtDeadline({ book, clock }: Desk, { stepId, notAfterMs }: Action & { kind: "wait" }): Event | undefined {
  const late = lateness(book.state, stepId, notAfterMs, clock.currentTimeMillisUnsafe())
  return late && { kind: "winding-down", status: "exhausted", failure: record(late) }
}

/** Intent, durable; the call; its outcome. */
function* call(desk: Desk, action: CallAction): Effect.fn.Return<Acted, RunFailure> {
  const { book } = desk
  const { stepId, tool, attempt, args, undoes, effect, microUsd } = action
  if (action.pause !== undefined && (yield* pause(desk, action.pause))) return "look-again"
  if (undoes === undefined) {
    const late = checkDeadline(desk, stepId, action.notAfterMs)
    if (late !== undefined) return late
  }
  // Whether the key is free again is asked of the store, which must know first that it was given up.
  const { released } = book.state.step
  if (released && (yield* book.flush()) === "overtaken") return "look-again"
  const found = effect === undefined ? {} : yield* name(desk, action, effect)
  if ("kind" in found) return found
  return yield* dispatch(
    desk,
    tool,
    {
      kind: "intent",
      stepId,
      tool: tool.name,
      attempt,
      args,
      ...(undoes === undefined ? {} : { undoes }),
      ...found,
      ...(microUsd === 0 ? {} : { microUsd }),
    },
    limitOf(desk, action),
  )
}

/** Most effects are new, and the store takes them or refuses them when the intent is written: only where it may refuse, it is asked. */
function* name(desk: Desk, action: CallAction, effect: NewEffect): ReturnType<Register["lookUp"]> {
  const { state } = desk.book
  if (!state.step.released && !desk.cautious) return nameEffect(effect)
  return yield* desk.register.lookUp(state, action, effect)
}

function* dispatch(
  desk: Desk,
  tool: CalledTool,
  intent: Intent,
  limit: TimeLimit,
): Effect.fn.Return<Acted, RunFailure> {
  const { book, worker, pulse } = desk
  const missing = checkHandler(worker, tool)
  if (missing !== undefined) return yield* missing
  const beganMs = tool.mutates ? worker.watch.nowMs() : 0
  const diverged = book.add(intent)
  if (diverged !== undefined) return yield* diverged
  if ((yield* book.flush()) === "overtaken") {
    desk.cautious = true
    return "look-again"
  }
  const tooLate = tool.mutates ? yield* checkPromptness(desk, tool, intent, worker.watch.nowMs() - beganMs) : undefined
  if (tooLate !== undefined) return tooLate
  const { stepId, attempt, args, idempotencyKey, undoes } = intent
  const made = {
    stepId,
    tool,
    attempt,
    args,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(undoes === undefined ? {} : { undoes }),
  }
  const stop = tool.mutates ? undefined : pulse.watch(() => worker.cutOff?.())
  const answer = yield* Effect.interruptible(perform(worker, made, limit))
  stop?.()
  return withPause(intent.again === undefined ? answer : lostAgain(answer), desk, tool)
}

/**
 * A process may stand still between an intent and its call: its machine sleeps, or another has the run by then. An effect that is
 * made so late would come after it was settled, or after its key was forgotten. So it is not made.
 */
function* checkPromptness(
  { book, clock }: Desk,
  { name: tool, timeoutMs }: CalledTool,
  { stepId, attempt, undoes, again }: Intent,
  tookMs: number,
): Effect.fn.Return<Event | undefined, RunFailure> {
  const { started, step, runId } = book.state
  const nowMs = clock.currentTimeMillisUnsafe()
  const { idempotency } = started.tools[tool] ?? {}
  const forgotten =
    again === "key" && idempotency?.kind === "key" && nowMs + timeoutMs > step.firstAtMs + idempotency.retentionMs
  // A clock may be set back, and a machine that sleeps may not count its sleep.
  const stoodMs = Math.max(tookMs, nowMs - step.lastAtMs)
  // Whoever has the run by then is asked for even if it was not long: a lease may be short.
  if (stoodMs > unnoticedMs || forgotten) yield* book.journal.renew(runId, book.lease)
  if (stoodMs <= promptMs && !forgotten) return undefined
  const about = { stepId, attempt, ...(undoes === undefined ? {} : { undoes }), tookMs: 0 }
  const said = forgotten
    ? "its key may be forgotten before another call would have ended, so none was made"
    : `its process stood still for ${Math.round(stoodMs)} ms, so this call was not made`
  // Of the calls before it by the same key this says nothing.
  if (again !== undefined)
    return { kind: "answer-lost", ...about, failure: record(new EffectInDoubt({ stepId, tool, said })) }
  const failure = record(new StepFailed({ stepId, tool, said }))
  return { kind: "attempt-failed", ...about, failure, again: { afterMs: 0, atMs: nowMs } }
}

/** As long as writing an entry may take, in milliseconds. */
const unnoticedMs = 50

/** That this call was not applied says nothing of the one before it by the same key. */
function lostAgain(answer: Outcome | AttemptFailed | AnswerLost): Outcome | AttemptFailed | AnswerLost {
  if (answer.kind !== "attempt-failed") return answer
  const { again: _, ...failed } = answer
  return { ...failed, kind: "answer-lost" }
}

/** A tool that the catalog has dropped may have left a call to be settled. */
const checkHandler = ({ handlers }: Worker, { name }: CalledTool): HandlerMissing | undefined =>
  handlers.has(name) ? undefined : new HandlerMissing({ problem: `no handler for \`${name}\`` })

function* reconcile(desk: Desk, action: Action & { kind: "reconcile" }): Effect.fn.Return<Acted, RunFailure> {
  const { book, clock, worker, ids } = desk
  const { intent, tool, notBeforeMs } = action
  const waitMs = notBeforeMs === undefined ? 0 : notBeforeMs - clock.currentTimeMillisUnsafe()
  if (waitMs > napMs) return "rest"
  if (waitMs > 0 && (yield* pause(desk, { afterMs: waitMs, atMs: notBeforeMs ?? 0 }))) return "look-again"
  const missing = checkHandler(worker, tool)
  if (missing !== undefined) return yield* missing
  const flushed = yield* book.flush()
  if (flushed === "overtaken") return "look-again"
  const { stepId, args, attempt, idempotencyKey = "", undoes } = intent
  const asked = { stepId, tool, attempt, args, idempotencyKey, ...(undoes === undefined ? {} : { undoes }) }
  const answer: Reconciled = yield* Effect.interruptible(performReconcile(worker, asked))
  if (answer.answer !== "unknown" && answer.answer !== "barred") return answer
  return { ...answer, again: pauseAfter(book.state.step.asked + 1, clock, ids) }
}

/** Longer waits are not sat out: the run is let go of, and taken up when it is due. */
const napMs = 60_000

/** True where something has come in between. */
function* pause({ book, clock, pulse }: Desk, { afterMs, atMs }: Pause): Effect.fn.Return<boolean, FlushFailure> {
  if ((yield* book.flush()) === "overtaken") return true
  // However the clock was set meanwhile, it is never longer than was meant.
  const waitMs = Math.min(afterMs, atMs - clock.currentTimeMillisUnsafe())
  if (waitMs > 0) yield* Effect.interruptible(pulse.sleep(waitMs))
  if (!pulse.takeNews()) return false
  yield* book.catchUp()
  return true
}

function checkDeadline({ book, clock }: Desk, stepId: string, notAfterMs: number | undefined): Event | undefined {
  if (notAfterMs === undefined) return undefined
  const late = lateness(book.state, stepId, notAfterMs, clock.currentTimeMillisUnsafe())
  return late && { kind: "step-refused", stepId, failure: record(late) }
}

function lateness(
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
function limitOf({ book: { state }, clock }: Desk, { tool, notAfterMs, workLeftMs }: CallAction): TimeLimit {
  let least: TimeLimit = { ms: tool.timeoutMs }
  if (tool.mutates) return least
  if (workLeftMs !== undefined && workLeftMs < least.ms)
    least = { ms: workLeftMs, exhausts: { budget: "wallMs", max: Math.round(state.workedMs + workLeftMs) } }
  if (notAfterMs === undefined) return least
  const leftMs = notAfterMs - clock.currentTimeMillisUnsafe()
  return leftMs < least.ms
    ? { ms: leftMs, exhausts: { budget: "deadlineMs", max: notAfterMs - state.startedAtMs } }
    : least
}

/** Whether and when a call is made again is decided here, once, and written down with what came of it. */
function withPause(
  answer: Event,
  { ready, book, clock, ids }: Desk,
  tool: CalledTool,
): AttemptFailed | AnswerLost | Event {
  const { step, retries, started } = book.state
  const failures = step.failures + 1
  if (answer.kind === "answer-lost") {
    const { kind } = started.tools[tool.name]?.idempotency ?? { kind: "none" }
    return kind === "none" || failures >= failuresMax ? answer : { ...answer, again: pauseAfter(failures, clock, ids) }
  }
  if (answer.kind !== "attempt-failed") return answer
  const spent = { retries, max: ready?.catalog.budgets.retries }
  const decision = decideRetry(tool, answer.stepId, answer.failure, failures, spent)
  return decision === "again" ? { ...answer, again: pauseAfter(failures, clock, ids) } : answer
}

function pauseAfter(failures: number, clock: Clock, ids: IdsService): Pause {
  const afterMs = backoffMs(failures, ids.random())
  return { afterMs, atMs: clock.currentTimeMillisUnsafe() + afterMs }
}
