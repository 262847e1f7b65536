/** Whether a person is asked before a call, or a guard; or what stands for their word. */
import type * as Effect from "effect/Effect"
import { isAbove } from "../../catalog/authority.ts"
import type { ApprovalRequested, Because } from "../../journal/entry.ts"
import { scopeIdOf } from "../../journal/tables.ts"
import type { RunFailure, StoreFailure } from "../failure.ts"
import type { Ask } from "../next/ask.ts"
import type { Asks, CallAction, EnterState } from "../next/next.ts"
import type { ReadyTransition } from "../next/prepare.ts"
import { isCovered } from "./agreed.ts"
import type { Desk } from "./desk.ts"

/** The request; or that nobody need be asked, or that somebody has agreed who stands for those that would be. */
export function* permit(
  desk: Desk,
  { stepId, ask, cover }: CallAction,
): Effect.fn.Return<ApprovalRequested | "unasked" | "covered", RunFailure> {
  if (ask === undefined) return "unasked"
  const because = yield* reasonsOf(desk, ask)
  if (because.length === 0) return "unasked"
  if (cover !== undefined && (yield* isCovered(desk, stepId, cover, because))) return "covered"
  const { follows, inputs, approvers } = ask
  return { kind: "approval-requested", requestId: desk.ids.make("apr"), stepId, because, follows, inputs, ...approvers }
}

/** The request at a guard, where what stands for a decision does not do. */
export function* permitCrossing(
  desk: Desk,
  { transition, asks, cover }: EnterState,
): Effect.fn.Return<ApprovalRequested | undefined, RunFailure> {
  if (cover === undefined || asks === undefined || (yield* isCovered(desk, transition.step.id, cover, [])))
    return undefined
  return yield* requestCrossing(desk, transition, asks, undefined)
}

export function* requestCrossing(
  desk: Desk,
  { step, from, to }: ReadyTransition,
  { approvers, ...asks }: Asks,
  ask: Ask | undefined,
): Effect.fn.Return<ApprovalRequested, StoreFailure> {
  const because = ask === undefined ? [] : yield* reasonsOf(desk, ask)
  return {
    kind: "approval-requested",
    requestId: desk.ids.make("apr"),
    stepId: step.id,
    from,
    to,
    ...(because.length === 0 ? {} : { because }),
    ...asks,
    ...approvers,
  }
}

/** Why a person is asked, with what only the store knows. */
function* reasonsOf({ book }: Desk, ask: Ask): Effect.fn.Return<readonly Because[], StoreFailure> {
  const { started } = book.state
  const because = [...ask.because]
  for (const { scope, dimension, above, own } of ask.wider) {
    const scopeId = scopeIdOf(scope, started)
    const used = yield* book.journal.used(started.tenant, { scope, scopeId, dimension })
    if (isAbove(above, used, own)) because.push({ kind: "above", dimension, above, total: used + own, scope, own })
  }
  return because
}
