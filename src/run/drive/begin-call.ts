/** A new call: of the plan's next step, of a read once more, or of an undo. */
import type * as Effect from "effect/Effect"
import { isAbove } from "../../catalog/authority.ts"
import type { ApprovalRequested } from "../../journal/entry.ts"
import { scopeIdOf } from "../../journal/tables.ts"
import type { RunFailure, StoreFailure } from "../failure.ts"
import type { CallAction, NewEffect } from "../next/next.ts"
import { checkAgreed } from "./agreed.ts"
import { checkDeadline, limitOf } from "./deadline.ts"
import type { Acted, Desk } from "./desk.ts"
import { dispatch } from "./dispatch.ts"
import { nameEffect, type Register } from "./look-up.ts"
import { isLong, pause } from "./pause.ts"

export function* beginCall(desk: Desk, action: CallAction): Effect.fn.Return<Acted, RunFailure> {
  const { book } = desk
  const { stepId, tool, attempt, args, undoes, effect, microUsd } = action
  if (isLong(desk, action)) return "rest"
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
  const first = (yield* askFirst(desk, action)) ?? (yield* checkAgreed(desk, action.asked, action.asks))
  if (first !== undefined) return first
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
  // What was made before is not asked about again.
  const begun = state.effects.has(effect.identity)
  if (!begun && !state.step.released && !desk.cautious && action.ask === undefined) return nameEffect(effect)
  return yield* desk.register.lookUp(state, action, effect)
}

/** The request, where a person is to be asked about the call. */
function* askFirst(
  { book, ids }: Desk,
  { stepId, ask }: CallAction,
): Effect.fn.Return<ApprovalRequested | undefined, StoreFailure> {
  if (ask === undefined) return undefined
  const { tenant } = book.state.started
  const because = [...ask.because]
  for (const { scope, dimension, above, own } of ask.wider) {
    const scopeId = scopeIdOf(scope, book.state.started)
    const used = yield* book.journal.used(tenant, { scope, scopeId, dimension })
    if (isAbove(above, used, own)) because.push({ kind: "above", dimension, above, total: used + own, scope, own })
  }
  if (because.length === 0) return undefined
  const { follows, inputs, approvers } = ask
  return { kind: "approval-requested", requestId: ids.make("apr"), stepId, because, follows, inputs, ...approvers }
}
