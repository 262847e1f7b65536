/** Writes what a person has said of a run at its end, and the end of the run with it where that is all there is left. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Event, RunEnded } from "../journal/entry.ts"
import type { JournalService } from "../journal/journal.ts"
import { fold, type RunState } from "../journal/state.ts"
import { type OnEvent, tell } from "./book.ts"
import type { RunFailure } from "./failure.ts"
import { stop } from "./next/compensate.ts"

/** How a run is to end after what was said. */
export type Ending = Required<Omit<RunEnded, "kind">> & { readonly status: Exclude<RunEnded["status"], "succeeded"> }

/** Nobody need take up a run that has nothing left to do but to end: nothing is under way, and nothing to be undone. */
export const put = Effect.fnUntraced(function* (
  journal: JournalService,
  state: RunState,
  event: Event,
  ending: Ending | undefined,
  onEvent: OnEvent | undefined,
): Effect.fn.Return<RunState, RunFailure> {
  const atMs = (yield* Clock).currentTimeMillisUnsafe()
  const entries = [{ seq: state.seq + 1, atMs, event }]
  let after = fold(state, { seq: state.seq + 1, atMs, event })
  if (after instanceof Error) return yield* after
  if (ending !== undefined && stop(after, ending.status, ending.failure).kind === "end") {
    const last = { seq: state.seq + 2, atMs, event: { kind: "run-ended", ...ending } } as const
    entries.push(last)
    after = fold(after, last)
    if (after instanceof Error) return yield* after
  }
  yield* Effect.catchTag(journal.append(state.runId, entries), "Taken", () => Effect.die("nothing was asked for"))
  tell(onEvent, state.runId, entries)
  return after
})
