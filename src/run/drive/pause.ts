/** Waiting: between one call and the next, and no longer than until something has come in between. */
import * as Effect from "effect/Effect"
import type { Retry } from "../../catalog/policy.ts"
import type { Pause } from "../../journal/entry.ts"
import type { CallAction, CallAgain } from "../next/next.ts"
import { backoffMs } from "../next/retry.ts"
import type { FlushFailure } from "./book.ts"
import type { Desk } from "./desk.ts"

/** Longer waits are not sat out: the run is let go of, and taken up when it is due. */
export const napMs = 60_000

export const isLong = ({ clock }: Desk, { pause }: CallAction | CallAgain): boolean =>
  pause !== undefined && Math.min(pause.afterMs, pause.atMs - clock.currentTimeMillisUnsafe()) > napMs

/** True where something has come in between. */
export function* pause(
  { book, clock, pulse, stopping }: Desk,
  { afterMs, atMs }: Pause,
): Effect.fn.Return<boolean, FlushFailure> {
  if ((yield* book.flush()) === "overtaken") return true
  // However the clock was set meanwhile, it is never longer than was meant.
  const waitMs = Math.min(afterMs, atMs - clock.currentTimeMillisUnsafe())
  if (waitMs > 0) yield* Effect.interruptible(pulse.sleep(waitMs))
  if (!pulse.takeNews()) return stopping()
  yield* book.catchUp()
  return true
}

/** The pause before what has failed so often is tried again. */
export function pauseAfter(
  retry: Retry,
  failures: number,
  { clock, ids }: Pick<Desk, "clock" | "ids">,
  leastMs = 0,
): Pause {
  const afterMs = Math.max(leastMs, backoffMs(retry, failures, ids.random()))
  return { afterMs, atMs: clock.currentTimeMillisUnsafe() + afterMs }
}
