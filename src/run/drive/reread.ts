/** Right before an effect: the reads that it is based on once more, where they are older than the catalog lets them be. */
import * as Effect from "effect/Effect"
import type { Reread } from "../../journal/entry.ts"
import { perform } from "../call/perform.ts"
import type { RunFailure } from "../failure.ts"
import type { CallAction } from "../next/next.ts"
import { retryIn } from "../next/retry.ts"
import type { Desk } from "./desk.ts"
import { checkHandler } from "./dispatch.ts"
import { pause, pauseAfter } from "./pause.ts"
import { trust } from "./trust.ts"

/**
 * One of them at a time, each once before a call: where reading takes longer than its answer may stand, it would otherwise be read for
 * ever. Whoever takes the run up later begins anew.
 */
export function* reread(
  desk: Desk,
  { stepId: before, attempt: callAttempt, basis }: CallAction,
): Effect.fn.Return<Reread | "look-again" | undefined, RunFailure> {
  const { book, clock, worker, pulse, ready } = desk
  if (basis === undefined) return undefined
  const clockMs = clock.currentTimeMillisUnsafe()
  // Of a clock that was set back behind the read, nobody knows how old it is.
  const isOld = (sinceMs: number): boolean =>
    clockMs < sinceMs || Math.max(clockMs, book.state.updatedAtMs) - sinceMs > basis.maxAgeMs
  const call = `${callAttempt} ${before}`
  const fresh = desk.fresh.call === call ? desk.fresh.reads : new Set<string>()
  const old = basis.reads.find(({ stepId, sinceMs }) => isOld(sinceMs) && !fresh.has(stepId))
  const tool = old && ready?.catalog.tools.get(old.tool)
  if (old === undefined || tool === undefined) return undefined
  const missing = checkHandler(worker, tool)
  if (missing !== undefined) return yield* missing
  if ((yield* book.flush()) === "overtaken") return "look-again"
  const { stepId, args } = old
  const retry = retryIn(book.state, tool.name)
  for (let attempt = 1; ; attempt++) {
    const calling = { stepId, tool, attempt, args }
    const trusted = yield* trust(desk, calling)
    if (trusted === "look-again") return trusted
    const stop = pulse.watch(() => worker.cutOff?.())
    const answer = yield* Effect.interruptible(perform(worker, { ...calling, ...trusted }, { ms: tool.timeoutMs }))
    stop()
    if (pulse.takeNews()) {
      yield* book.catchUp()
      return "look-again"
    }
    const { tookMs, failure } = answer
    const about = { kind: "reread", stepId, before, tool: tool.name, tookMs } as const
    desk.fresh = { call, reads: new Set([...fresh, stepId]) }
    if (answer.kind === "outcome" && answer.result !== undefined && failure === undefined)
      return { ...about, result: answer.result }
    if (failure !== undefined && attempt >= retry.times) return { ...about, failure }
    if (yield* pause(desk, pauseAfter(retry, attempt, desk))) return "look-again"
  }
}
