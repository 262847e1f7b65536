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

/** One of them at a time: what it says is held against what was known when all are as fresh as they must be. */
export function* reread(
  desk: Desk,
  { stepId: before, basis }: CallAction,
): Effect.fn.Return<Reread | "look-again" | undefined, RunFailure> {
  const { book, clock, worker, pulse, ready } = desk
  const nowMs = clock.currentTimeMillisUnsafe()
  const old = basis?.reads.find(({ sinceMs }) => nowMs - sinceMs > basis.maxAgeMs)
  const tool = old && ready?.catalog.tools.get(old.tool)
  if (old === undefined || tool === undefined) return undefined
  const missing = checkHandler(worker, tool)
  if (missing !== undefined) return yield* missing
  if ((yield* book.flush()) === "overtaken") return "look-again"
  const { stepId, args } = old
  const retry = retryIn(book.state, tool.name)
  for (let attempt = 1; ; attempt++) {
    const call = { stepId, tool, attempt, args }
    const trusted = yield* trust(desk, call)
    if (trusted === "look-again") return trusted
    const stop = pulse.watch(() => worker.cutOff?.())
    const answer = yield* Effect.interruptible(perform(worker, { ...call, ...trusted }, { ms: tool.timeoutMs }))
    stop()
    if (pulse.takeNews()) {
      yield* book.catchUp()
      return "look-again"
    }
    const { tookMs, failure } = answer
    const about = { kind: "reread", stepId, before, tool: tool.name, tookMs } as const
    if (answer.kind === "outcome" && answer.result !== undefined && failure === undefined)
      return { ...about, result: answer.result }
    if (failure !== undefined && attempt >= retry.times) return { ...about, failure }
    if (yield* pause(desk, pauseAfter(retry, attempt, desk))) return "look-again"
  }
}
