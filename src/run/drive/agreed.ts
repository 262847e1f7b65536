/** Before a step that people have agreed to: whether what they have signed counts still. */
import * as Effect from "effect/Effect"
import type { Asked } from "../../journal/asked.ts"
import type { Event } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import { isUnsigned, missingApprovers, proveAgain } from "../approval/bound.ts"
import { InputsRefused, type RunFailure } from "../failure.ts"
import type { Desk } from "./desk.ts"

/** The event that says it counts no more; undefined where it does, or where nobody was asked. */
export function* checkAgreed(desk: Desk, asked: Asked | undefined): Effect.fn.Return<Event | undefined, RunFailure> {
  const { state } = desk.book
  if (asked === undefined || isUnsigned(state.started)) return undefined
  const { approvers } = desk
  if (approvers === undefined) return yield* new InputsRefused(missingApprovers)
  // A clock that is set back revives nothing.
  const nowMs = Math.max(desk.clock.currentTimeMillisUnsafe(), state.updatedAtMs)
  for (const decision of asked.agreed) {
    const unproved = yield* Effect.promise(() => proveAgain(state, asked, decision, approvers, nowMs))
    if (unproved === undefined) continue
    const { requestId, stepId } = asked.request
    return { kind: "approval-lapsed", requestId, stepId, failure: record(unproved) }
  }
  return undefined
}
