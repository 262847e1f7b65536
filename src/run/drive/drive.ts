/** The loop: journal → fold → next → action → perform → entry → journal. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Observed } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { RunState } from "../../journal/state.ts"
import { approversIn } from "../approval/key-set.ts"
import type { Worker } from "../call/call.ts"
import { describeThrown } from "../call/describe.ts"
import { Watch } from "../call/watch.ts"
import { type RunFailure, RuntimeCheckFailed, type StalePlan } from "../failure.ts"
import { Ids } from "../ids.ts"
import { stop } from "../next/compensate.ts"
import { type Action, next } from "../next/next.ts"
import type { ReadyPlan } from "../next/prepare.ts"
import type { Driving } from "../run.ts"
import type { Toolbox } from "../toolbox.ts"
import { checkAgreed, checkStill } from "./agreed.ts"
import { beginCall } from "./begin-call.ts"
import type { Book, Flushed, FlushFailure } from "./book.ts"
import { checkDeadline, endAtDeadline } from "./deadline.ts"
import type { Acted, Desk } from "./desk.ts"
import { dispatch } from "./dispatch.ts"
import { Register } from "./look-up.ts"
import { isLong, pause } from "./pause.ts"
import { Pulse } from "./pulse.ts"
import { reconcile } from "./reconcile.ts"

/** What a run goes on with: its plan, or why nothing new may be begun. */
export type Footing = ReadyPlan | StalePlan

export interface Keeping {
  /** An open run that rests is held on to: its next step is to come soon. */
  readonly keep?: boolean | undefined
}

/** Takes a run as far as it goes: to its end, into doubt, or to where a person must decide. */
export const drive = (
  footing: Footing,
  toolbox: Toolbox,
  book: Book,
  leaseMs: number,
  driving: Pick<Driving, "stopping" | "approvers"> & Keeping,
): Effect.Effect<RunState, RunFailure, Ids> =>
  // Only waiting can be interrupted: what has happened is always written down.
  Effect.uninterruptible(work(footing, toolbox, book, leaseMs, driving))

const work = Effect.fnUntraced(function* (
  footing: Footing,
  { handlers, catalog }: Toolbox,
  book: Book,
  leaseMs: number,
  { stopping = () => false, approvers: keySet, keep = false }: Pick<Driving, "stopping" | "approvers"> & Keeping,
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
  const pulse = new Pulse(book, clock, leaseMs, fork, stopping)
  const [ready, stale] = footing instanceof Error ? [undefined, footing] : [footing, undefined]
  const register = new Register(book.journal, ready)
  const ids = yield* Ids
  const approvers = keySet && approversIn(keySet)
  const desk: Desk = { ready, stale, book, worker, clock, ids, pulse, register, approvers, cautious: false, stopping }
  // Whatever breaks here (a clock or ids of the host's own, say), what has happened is written down.
  // Whoever stops says so, and the next need not wait for the lease to run out.
  const kept = Effect.onExit(loop(desk, keep), (exit) =>
    Exit.isFailure(exit) ? Effect.ignore(letGo(desk)) : Effect.void,
  )
  return yield* Effect.ensuring(
    kept,
    Effect.sync(() => {
      watch.close()
      pulse.close()
    }),
  )
})

const loop = Effect.fnUntraced(function* (desk: Desk, keep: boolean): Effect.fn.Return<RunState, RunFailure> {
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
    const release = keep && action.kind === "rest" ? undefined : { dueMs: dueOf(action) }
    if ((yield* book.flush(release)) === "overtaken") continue
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
function dueOf(action: Action): number | undefined {
  if (action.kind === "wait" || action.kind === "rest") return action.notAfterMs
  if (action.kind === "reconcile") return action.notBeforeMs
  return action.kind === "call" || action.kind === "call-again" ? action.pause?.atMs : undefined
}

function* act(desk: Desk, action: Action): Effect.fn.Return<Acted, RunFailure> {
  const { ids } = desk
  switch (action.kind) {
    case "call":
      return yield* beginCall(desk, action)
    case "call-again": {
      if (isLong(desk, action)) return "rest"
      if (action.pause !== undefined && (yield* pause(desk, action.pause))) return "look-again"
      const doubtful = yield* checkStill(desk, action)
      return doubtful ?? (yield* dispatch(desk, action.tool, action.intent, { ms: action.tool.timeoutMs }))
    }
    case "reconcile":
      return yield* reconcile(desk, action)
    case "enter-state": {
      const { step, from, to } = action.transition
      const late =
        checkDeadline(desk, step.id, action.notAfterMs) ?? (yield* checkAgreed(desk, action.asked, action.asks))
      return late ?? { kind: "state-entered", stepId: step.id, from, to }
    }
    case "request-approval": {
      const { step, from, to } = action.transition
      const { approvers, ...asks } = action.asks
      return {
        kind: "approval-requested",
        requestId: ids.make("apr"),
        stepId: step.id,
        from,
        to,
        ...asks,
        ...approvers,
      }
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
    case "give-up":
      return { kind: "step-given-up", stepId: action.stepId, failure: action.failure }
    case "wait":
    case "rest":
      return endAtDeadline(desk, action) ?? "rest"
    case "needs-plan":
    case "nothing":
      return "rest"
  }
}
