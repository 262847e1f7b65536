/** `sequitur cancel`: asks for a run to be stopped; where nobody holds it, what it has done is undone in this process. */
import * as Effect from "effect/Effect"
import { requestCancel } from "../../run/cancel.ts"
import { follow } from "../follow.ts"
import { type OriginOptions, tryOriginOf } from "../origin.ts"
import { readEntries, useStore } from "../store.ts"
import { makeTell, tellEnd } from "../tell.ts"
import type { Format } from "../terminal.ts"

export interface CancelOptions extends OriginOptions {
  readonly by: string
  readonly reason: string
  readonly format: Format
}

export async function cancelRun(runId: string, { by, reason, format, ...options }: CancelOptions): Promise<number> {
  const { store, tenant } = options
  const before = await readEntries(store, runId, tenant)
  const origin = await tryOriginOf(before, options)
  if (origin !== undefined) {
    return follow(
      { ...origin, along: options, store, format, before, word: true },
      async (runner) => (await runner.cancel(runId, { by, reason, tenant })).runId,
    )
  }
  const request = requestCancel(runId, { by, reason, tenant, onEvent: makeTell(format, before) })
  const entries = await useStore(store, (journal) => Effect.andThen(request, journal.read(runId)), {
    runId,
    along: options,
  })
  return tellEnd({ runId, entries, store, along: options, format, word: true })
}
