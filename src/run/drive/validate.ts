/** Before an effect is begun: its tool's own look at the call, where the catalog says that it has one. */
import * as Effect from "effect/Effect"
import type { Event } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import { performValidate } from "../call/validate.ts"
import type { RunFailure } from "../failure.ts"
import type { CallAction } from "../next/next.ts"
import type { Desk } from "./desk.ts"
import { checkHandler } from "./dispatch.ts"
import { trust } from "./trust.ts"

/** The event that refuses it; undefined where it may be made. An undo is not asked: what it undoes has happened. */
export function* validate(
  desk: Desk,
  { stepId, tool, attempt, args, undoes, effect }: CallAction,
  idempotencyKey: string | undefined,
): Effect.fn.Return<Event | "look-again" | undefined, RunFailure> {
  if (tool.validate !== true || effect === undefined || undoes === true) return undefined
  const { book, worker, pulse } = desk
  const missing = checkHandler(worker, tool)
  if (missing !== undefined) return yield* missing
  // What calls before it have answered is not to wait for this.
  if ((yield* book.flush()) === "overtaken") return "look-again"
  const asked = { stepId, tool, attempt, args, idempotencyKey }
  const trusted = yield* trust(desk, asked, "validate")
  if (trusted === "look-again") return trusted
  const stop = pulse.watch(() => worker.cutOff?.())
  const refused = yield* Effect.interruptible(performValidate(worker, { ...asked, ...trusted }))
  stop()
  // Whoever has cancelled the run meanwhile has cut it off: that is no refusal.
  if (pulse.takeNews()) {
    yield* book.catchUp()
    return "look-again"
  }
  return refused && { kind: "step-refused", stepId, failure: record(refused) }
}
