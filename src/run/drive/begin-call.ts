/** A new call: of the plan's next step, of a read once more, or of an undo. */
import type * as Effect from "effect/Effect"
import type { Intent } from "../../journal/entry.ts"
import type { RunFailure } from "../failure.ts"
import type { CallAction, NewEffect } from "../next/next.ts"
import { checkAgreed } from "./agreed.ts"
import { checkDeadline, limitOf } from "./deadline.ts"
import type { Acted, Desk } from "./desk.ts"
import { dispatch } from "./dispatch.ts"
import { nameEffect, type Register } from "./look-up.ts"
import { isLong, pause } from "./pause.ts"
import { permit } from "./permit.ts"
import { reread } from "./reread.ts"
import { trust } from "./trust.ts"
import { validate } from "./validate.ts"

export function* beginCall(desk: Desk, action: CallAction): Effect.fn.Return<Acted, RunFailure> {
  const { book } = desk
  const { stepId, tool, attempt, args, undoes, effect } = action
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
  const permission = yield* permit(desk, action)
  if (typeof permission === "object") return permission
  const refused = (yield* reread(desk, action)) ?? (yield* validate(desk, action, found.idempotencyKey))
  if (refused !== undefined) return refused
  const trusted = yield* trust(desk, { stepId, tool, attempt, args, undoes, idempotencyKey: effect?.keyAt(0) })
  if (trusted === "look-again") return trusted
  // So is how long that took: what was fresh before may not be now.
  const aged = yield* reread(desk, action)
  if (aged !== undefined) return aged
  if (undoes === undefined) {
    // All that was asked meanwhile took a while, perhaps.
    const late = checkDeadline(desk, stepId, action.notAfterMs)
    if (late !== undefined) return late
    const still = permission === "covered" ? yield* permit(desk, action) : permission
    if (typeof still === "object") return still
  }
  const lapsed = yield* checkAgreed(desk, action.asked, action.asks)
  if (lapsed !== undefined) return lapsed
  return yield* dispatch(
    desk,
    tool,
    intentOf(action, permission === "covered" ? agreedTo(found) : found),
    limitOf(desk, action),
    trusted,
  )
}

/** What is written down before a call is made; `named`: its effect, as the store knew it then. */
export function intentOf(
  { stepId, tool, attempt, args, undoes, microUsd }: CallAction,
  named: Partial<ReturnType<typeof nameEffect>>,
): Intent {
  return {
    kind: "intent",
    stepId,
    tool: tool.name,
    attempt,
    args,
    ...(undoes === undefined ? {} : { undoes }),
    ...named,
    ...(microUsd === 0 ? {} : { microUsd }),
  }
}

/** What people have agreed to is not held to what may be done without them. */
export const agreedTo = <Named extends Pick<Intent, "reserves">>({ reserves, ...named }: Named) => ({
  ...named,
  ...(reserves === undefined ? {} : { reserves: reserves.map(({ above: _, ...reserve }) => reserve) }),
})

/** Most effects are new, and the store takes them or refuses them when the intent is written: only where it may refuse, it is asked. */
function* name(desk: Desk, action: CallAction, effect: NewEffect): ReturnType<Register["lookUp"]> {
  const { state } = desk.book
  // What was made before is not asked about again.
  const begun = state.effects.has(effect.identity)
  if (!begun && !state.step.released && !desk.cautious && action.ask === undefined) return nameEffect(effect)
  return yield* desk.register.lookUp(state, action, effect)
}
