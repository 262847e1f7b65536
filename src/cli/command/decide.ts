/** `sequitur approve` and `sequitur deny`: records a person's decision; a run that was approved goes on in this process. */
import * as Effect from "effect/Effect"
import type { Entry } from "../../journal/entry.ts"
import { replay } from "../../journal/state.ts"
import { decide } from "../../run/approval.ts"
import { awaitedBy } from "../../run/report.ts"
import { follow } from "../follow.ts"
import { type OriginOptions, originOf } from "../origin.ts"
import { readEntries, useStore } from "../store.ts"
import { makeTell, tellEnd } from "../tell.ts"
import type { Format } from "../terminal.ts"

export interface DenyOptions {
  readonly store: string
  readonly by: string
  readonly reason: string
  readonly format: Format
}

export type ApproveOptions = DenyOptions & OriginOptions

export async function approveRun(
  runId: string,
  stepId: string,
  { by, reason, format, ...options }: ApproveOptions,
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

/** A denial ends the run by the journal alone: no catalog, no tools. */
export async function denyRun(
  runId: string,
  stepId: string,
  { store, by, reason, format }: DenyOptions,
): Promise<number> {
  const before = await readEntries(store, runId)
  const denial = decide(runId, stepId, { decision: "denied", by, reason, onEvent: makeTell(format) })
  const place = { runId, waitsAt: waitingIn(runId, before) }
  const entries = await useStore(store, (journal) => Effect.andThen(denial, journal.read(runId)), place)
  return tellEnd(runId, entries, store, format)
}

function waitingIn(runId: string, entries: readonly Entry[]): string | undefined {
  const state = replay(runId, entries)
  return state instanceof Error || state.status !== "awaiting_approval" ? undefined : awaitedBy(state)?.stepId
}
