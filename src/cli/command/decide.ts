/** `sequitur approve` and `sequitur deny`: records a person's decision, and goes on from there in this process. */
import * as Effect from "effect/Effect"
import { awaitedBy } from "../../journal/asked.ts"
import type { Entry } from "../../journal/entry.ts"
import { replay } from "../../journal/state.ts"
import { decide } from "../../run/approval/decide.ts"
import { follow } from "../follow.ts"
import { type OriginOptions, originOf, tryOriginOf } from "../origin.ts"
import { readEntries, useStore } from "../store.ts"
import { makeTell, tellEnd } from "../tell.ts"
import type { Format } from "../terminal.ts"

export interface DecideOptions extends OriginOptions {
  readonly by: string
  readonly reason: string
  readonly format: Format
}

export async function approveRun(
  runId: string,
  stepId: string,
  { by, reason, format, ...options }: DecideOptions,
): Promise<number> {
  const { store } = options
  const before = await readEntries(store, runId)
  const origin = await originOf(before, options)
  const waitsAt = waitingIn(runId, before)
  return follow(
    { ...origin, store, format, before, waitsAt },
    async (runner) => (await runner.approve(runId, stepId, { by, reason })).runId,
  )
}

/** A denial is taken by the journal alone; what the run has done is undone by its tools, where they are found. */
export async function denyRun(
  runId: string,
  stepId: string,
  { by, reason, format, ...options }: DecideOptions,
): Promise<number> {
  const { store } = options
  const before = await readEntries(store, runId)
  const waitsAt = waitingIn(runId, before)
  const origin = await tryOriginOf(before, options)
  if (origin !== undefined) {
    return follow(
      { ...origin, store, format, before, waitsAt, word: true },
      async (runner) => (await runner.deny(runId, stepId, { by, reason })).runId,
    )
  }
  const denial = decide(runId, stepId, { decision: "denied", by, reason, onEvent: makeTell(format) })
  const entries = await useStore(store, (journal) => Effect.andThen(denial, journal.read(runId)), { runId, waitsAt })
  return tellEnd({ runId, entries, store, format, word: true })
}

function waitingIn(runId: string, entries: readonly Entry[]): string | undefined {
  const state = replay(runId, entries)
  return state instanceof Error || state.status !== "awaiting_approval" ? undefined : awaitedBy(state)?.stepId
}
