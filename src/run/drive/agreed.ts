/** Before a deed that people have agreed to: whether they have agreed to this very deed, and what they have signed counts still. */
import * as Effect from "effect/Effect"
import type { Asked } from "../../journal/asked.ts"
import type { ApprovalRequested, Because, Event, Failure } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import { scopeIdOf } from "../../journal/tables.ts"
import { missingApprovers, proveAgain, withoutSecrets } from "../approval/bound.ts"
import { provePlan } from "../approval/plan.ts"
import { ApprovalMismatch, ApproversUnavailable, InputsRefused, type RunFailure } from "../failure.ts"
import type { Cover, PlanCover } from "../next/cover.ts"
import type { Asks, CallAgain } from "../next/next.ts"
import type { Desk } from "./desk.ts"

/** The event that says it counts no more; undefined where it does, or where nobody was asked. */
export function* checkAgreed(
  desk: Desk,
  asked: Asked | undefined,
  asks: Asks | undefined,
): Effect.fn.Return<Event | undefined, RunFailure> {
  if (asked === undefined) return undefined
  const { requestId, stepId } = asked.request
  const failure = (yield* differs(desk, asked, asks)) ?? (yield* unproved(desk, asked))
  return failure && { kind: "approval-lapsed", requestId, stepId, failure }
}

/** A call that is to be made once more under what was agreed to: where that counts no more, nobody but a person can settle it. */
export function* checkStill(
  desk: Desk,
  { asked, cover, intent: { stepId, attempt, undoes } }: CallAgain,
): Effect.fn.Return<Event | undefined, RunFailure> {
  if (undoes === true) return undefined
  const by = asked ?? (cover?.kind === "guard" ? cover.asked : undefined)
  const failure =
    by === undefined ? cover?.kind === "plan" && (yield* unprovedPlan(desk, stepId, cover)) : yield* unproved(desk, by)
  if (failure === undefined || failure === false) return undefined
  return { kind: "in-doubt", stepId, attempt, failure }
}

/** Whether the decision that stands for a person's counts still, and for this: they were shown as much. */
export function* isCovered(
  desk: Desk,
  stepId: string,
  cover: Cover,
  because: readonly Because[],
): Effect.fn.Return<boolean, RunFailure> {
  if (cover.kind === "plan") return (yield* unprovedPlan(desk, stepId, cover)) === undefined
  const { asked, asks } = cover
  if (asked.decided?.decision !== "approved" || !because.every((why) => isShown(why, asked.request))) return false
  return ((yield* differs(desk, asked, asks)) ?? (yield* unproved(desk, asked))) === undefined
}

const isShown = (why: Because, { because = [] }: ApprovalRequested): boolean =>
  because.some((shown) => {
    if (why.kind === "always" || shown.kind === "always") return why.kind === shown.kind
    return shown.dimension === why.dimension && shown.scope === why.scope && why.total <= shown.total
  })

/** Why what was signed of the whole plan does not do now. */
function* unprovedPlan(
  { book, clock, approvers }: Desk,
  stepId: string,
  cover: PlanCover,
): Effect.fn.Return<Failure | undefined, RunFailure> {
  const { state } = book
  if (approvers === undefined) return yield* new InputsRefused(missingApprovers)
  const nowMs = Math.max(clock.currentTimeMillisUnsafe(), state.updatedAtMs)
  const failure = yield* Effect.promise(() => provePlan(state, stepId, cover.approvers, approvers, nowMs))
  if (failure instanceof ApproversUnavailable) return yield* withoutSecrets(failure, state)
  return failure && record(failure)
}

/** What they were shown must be what is done: the same inputs, as many people, and no more in a scope than they were told. */
function* differs(
  { book }: Desk,
  { request, agreed }: Asked,
  asks: Asks | undefined,
): Effect.fn.Return<Failure | undefined, RunFailure> {
  const { runId, started } = book.state
  const { stepId, inputs, because = [] } = request
  const refuse = (field: string): Failure => record(new ApprovalMismatch({ runId, stepId, field }))
  if (asks !== undefined && inputs !== undefined && inputs !== asks.inputs) return refuse("inputs")
  const people = new Set(agreed.map(({ by }) => by)).size
  if (asks !== undefined && people < (asks.approvers.approvers ?? 1)) return refuse("approvers")
  for (const why of because) {
    if (why.kind !== "above" || why.scope === undefined || why.own === undefined) continue
    const scopeId = scopeIdOf(why.scope, started)
    const used = yield* book.journal.used(started.tenant, { scope: why.scope, scopeId, dimension: why.dimension })
    if (used + why.own > why.total) return refuse("total")
  }
  return undefined
}

/** Why what they have signed does not count now. A catalog that takes names as they are given asks for nothing more. */
function* unproved(
  { book, clock, approvers, ready }: Desk,
  asked: Asked,
): Effect.fn.Return<Failure | undefined, RunFailure> {
  const { state } = book
  if (state.started.unsigned === true && ready?.catalog.approvals !== "signed") return undefined
  // Runs that began before decisions were signed go on as they began.
  if (asked.request.inputs === undefined) return undefined
  if (approvers === undefined) return yield* new InputsRefused(missingApprovers)
  // A clock that is set back revives nothing.
  const nowMs = Math.max(clock.currentTimeMillisUnsafe(), state.updatedAtMs)
  for (const decision of asked.agreed) {
    const found = yield* Effect.promise(() => proveAgain(state, asked, decision, approvers, nowMs))
    if (found instanceof ApproversUnavailable) return yield* withoutSecrets(found, state)
    if (found !== undefined) return record(found)
  }
  return undefined
}
