/** Writes what a person has said of a run at its end, and the end of the run with it where that is all there is left. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Event, Recorded, RunEnded } from "../journal/entry.ts"
import type { JournalService } from "../journal/journal.ts"
import { fold, type RunState } from "../journal/state.ts"
import type { RunFailure } from "./failure.ts"
import { type OnEvent, tell } from "./listener.ts"
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
  const first = { seq: state.seq + 1, atMs, event }
  const said = fold(state, first)
  if (said instanceof Error) return yield* said
  const write = (entries: readonly Recorded[], after: RunState) =>
    journal.append(state.runId, entries).pipe(
      Effect.catchTag("Taken", () => Effect.die("nothing was asked for")),
      Effect.map(() => {
        tell(onEvent, state.runId, entries)
        return after
      }),
    )
  if (ending === undefined || stop(said, ending.status, ending.failure).kind !== "end")
    return yield* write([first], said)
  const last = { seq: state.seq + 2, atMs, event: { kind: "run-ended", ...ending } } as const
  const after = fold(said, last)
  if (after instanceof Error) return yield* after
  // Who holds it after all ends it; or whoever takes it up when it is let go of, or its lease has run out.
  return yield* Effect.catchTag(write([first, last], after), "RunUnderWay", () => write([first], said))
})
