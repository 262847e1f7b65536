/** Asks the outside what became of an effect whose answer was lost, when it is time to. */
import * as Effect from "effect/Effect"
import type { Reconciled } from "../../journal/entry.ts"
import { performReconcile } from "../call/reconcile.ts"
import type { RunFailure } from "../failure.ts"
import type { Action } from "../next/next.ts"
import { retryIn } from "../next/retry.ts"
import type { Acted, Desk } from "./desk.ts"
import { checkHandler } from "./dispatch.ts"
import { napMs, pause, pauseAfter } from "./pause.ts"
import { trust } from "./trust.ts"

export function* reconcile(desk: Desk, action: Action & { kind: "reconcile" }): Effect.fn.Return<Acted, RunFailure> {
  const { book, clock, worker } = desk
  const { intent, tool, notBeforeMs } = action
  const waitMs = notBeforeMs === undefined ? 0 : notBeforeMs - clock.currentTimeMillisUnsafe()
  if (waitMs > napMs) return "rest"
  if (waitMs > 0 && (yield* pause(desk, { afterMs: waitMs, atMs: notBeforeMs ?? 0 }))) return "look-again"
  const missing = checkHandler(worker, tool)
  if (missing !== undefined) return yield* missing
  const flushed = yield* book.flush()
  if (flushed === "overtaken") return "look-again"
  const { stepId, args, attempt, idempotencyKey = "", undoes } = intent
  const about = { stepId, tool, attempt, args, idempotencyKey, undoes }
  const trusted = yield* trust(desk, about, "reconcile")
  if (trusted === "look-again") return trusted
  const asked = { ...about, ...trusted }
  const askedAtMs = clock.currentTimeMillisUnsafe()
  const told = yield* Effect.interruptible(performReconcile(worker, asked))
  const answer: Reconciled = { ...told, askedAtMs }
  if (answer.answer !== "unknown" && answer.answer !== "barred") return answer
  return { ...answer, again: pauseAfter(retryIn(book.state, tool.name), book.state.step.asked + 1, desk) }
}
