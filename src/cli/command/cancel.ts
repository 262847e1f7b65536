/** `sequitur cancel`: asks for a run to be stopped; where nobody holds it, what it has done is undone in this process. */
import * as Effect from "effect/Effect"
import { requestCancel } from "../../run/cancel.ts"
import { follow } from "../follow.ts"
import { type OriginOptions, tryOriginOf } from "../origin.ts"
import { readEntries, useStore } from "../store.ts"
import { makeTell, tellEnd } from "../tell.ts"
import { exit, type Format } from "../terminal.ts"

export interface CancelOptions extends OriginOptions {
  readonly by: string
  readonly reason: string
  readonly format: Format
}

export async function cancelRun(runId: string, { by, reason, format, ...options }: CancelOptions): Promise<number> {
  const { store } = options
  const before = await readEntries(store, runId)
  const origin = await tryOriginOf(before, options)
  if (origin !== undefined) {
    return asked(
      await follow(
        { ...origin, store, format, before },
        async (runner) => (await runner.cancel(runId, { by, reason })).runId,
      ),
    )
  }
  const request = requestCancel(runId, { by, reason, onEvent: makeTell(format) })
  const entries = await useStore(store, (journal) => Effect.andThen(request, journal.read(runId)), { runId })
  return asked(tellEnd(runId, entries, store, format))
}

/** Where another process holds the run, it is that one that stops it: what was asked for is done. */
const asked = (code: number): number => (code === exit.refused ? exit.fine : code)
