/** What must hold when a story is over, by what is kept and what has happened outside. */
import { Effect } from "effect"
import type { Entry, JournalService } from "sequitur/run"
import { write } from "../../../src/journal/chain.ts"
import { type Intent, isForeign } from "../../../src/journal/entry.ts"
import type { RunState } from "../../../src/journal/state.ts"
import { isTerminal } from "../../../src/journal/status.ts"
import { type Anchor, tellFinding, verifyStore } from "../../../src/journal/verify.ts"
import { prepare } from "../../../src/run/next/prepare.ts"
import { rederive } from "../../../src/run/rederive.ts"
import { retriesMax } from "./catalog.ts"
import type { Acknowledged } from "./mount.ts"
import type { Outside } from "./outside.ts"
import type { Started } from "./stage.ts"

export interface Ended {
  readonly journal: JournalService
  readonly runs: ReadonlyMap<string, Started>
  readonly outside: Outside
  readonly acknowledged: readonly Acknowledged[]
  readonly anchor: Anchor | undefined
  /** Whether the store is held against its entries as well. */
  readonly verified: boolean
}

export function check({ journal, runs, outside, acknowledged, anchor, verified }: Ended): readonly string[] {
  const problems: string[] = []
  const entriesOf = new Map<string, readonly Entry[]>()
  for (const run of runs.values()) {
    const entries = Effect.runSync(journal.read(run.runId))
    entriesOf.set(run.runId, entries)
    // Its machine ended before it had begun.
    if (entries.length > 0) problems.push(...checkRun(run, entries, outside))
    else if (run.heard) problems.push(`${run.runId}: somebody was told of it, and nothing is kept`)
  }
  for (const { runId, record } of acknowledged) {
    const entry = entriesOf.get(runId)?.[record.seq]
    if (entry === undefined || write(entry.event) !== write(record.event))
      problems.push(`${runId}: entry ${record.seq} (${record.event.kind}) was acknowledged, and is lost`)
  }
  if (!verified) return problems
  const { findings } = Effect.runSync(journal.inspect((whole) => verifyStore(whole, anchor)))
  return [...problems, ...findings.map(tellFinding)]
}

function checkRun(
  { runId, plan, catalog, ended }: Started,
  entries: readonly Entry[],
  outside: Outside,
): readonly string[] {
  const ready = prepare(plan, catalog)
  if (ready instanceof Error) return [`${runId}: ${ready.message}`]
  const state = rederive(ready, runId, entries)
  if (state instanceof Error) return [`${runId}: ${state.message}`]
  const problems = [...checkEffects(state, outside), ...checkKeys(entries, outside), ...checkDoubts(state, entries)]
  if (!isTerminal(state.status)) problems.push(`it has not ended, but is ${state.status}`)
  if (ended.size > 1 || (ended.size === 1 && !ended.has(state.status)))
    problems.push(`it ended as ${state.status}, and somebody was told ${[...ended].join(", ")}`)
  if (entries.filter(({ event }) => event.kind === "run-ended").length !== 1) problems.push("it has not ended once")
  return problems.map((problem) => `${runId}: ${problem}`)
}

/** What the run says it has done, it has done; and nothing else. */
function checkEffects({ calls, undone }: RunState, outside: Outside): string[] {
  const problems: string[] = []
  for (const [stepId, { idempotencyKey, replayed }] of calls) {
    if (idempotencyKey === undefined) continue
    const kept = outside.kept.get(idempotencyKey)
    if (kept?.effects !== 1) problems.push(`${stepId} is settled, and has happened ${kept?.effects ?? 0} times`)
    const isUndone = undone.get(stepId)?.kind === "undone"
    if (!replayed && isUndone !== (kept?.undoneBy !== undefined) && (isUndone || undone.get(stepId) === undefined))
      problems.push(`${stepId} is ${isUndone ? "" : "not "}undone, by what it says`)
  }
  return problems
}

/** Of a key that was given up, nothing has happened; and no key had a successor before. */
function checkKeys(entries: readonly Entry[], outside: Outside): string[] {
  const problems: string[] = []
  let open: Intent | undefined
  for (const { event } of entries) {
    if (event.kind === "intent") open = event
    const givenUp =
      event.kind === "attempt-failed" ||
      (event.kind === "reconciled" && event.answer === "barred") ||
      (event.kind === "resolved" && event.answer === "not-applied")
    const key = givenUp ? open?.idempotencyKey : undefined
    const effects = key === undefined ? 0 : (outside.kept.get(key)?.effects ?? 0)
    if (effects > 0) problems.push(`${open?.stepId} was said not to have happened, and has`)
  }
  return problems
}

/** In doubt only where nothing else could tell. */
function checkDoubts({ started }: RunState, entries: readonly Entry[]): string[] {
  const problems: string[] = []
  let unknown = 0
  let first = 0
  let open: Intent | undefined
  let beforeMs = 0
  let failures = 0
  let retries = 0
  for (const { event, atMs } of entries) {
    // Its clock was set back: how old the key is, is not known.
    if (atMs < first && !isForeign(event)) first = Number.NEGATIVE_INFINITY
    if (event.kind === "answer-lost" || event.kind === "attempt-failed") failures++
    if (event.kind === "intent") {
      if (open?.stepId !== event.stepId || open.undoes !== event.undoes) failures = 0
      if (event.attempt > 1 && event.undoes === undefined) retries++
      open = event
      unknown = 0
      if (event.again === undefined) first = atMs
    }
    if (event.kind === "reconciled" && event.answer === "unknown") unknown++
    if (event.kind === "in-doubt" && open !== undefined) {
      const { idempotency, reconcile, timeoutMs } = started.tools[open.tool] ?? {}
      const takes =
        idempotency?.kind === "natural" ||
        (idempotency?.kind === "key" && beforeMs + (timeoutMs ?? 0) <= first + idempotency.retentionMs)
      const repeatable = takes && failures < 3
      const askable = reconcile !== undefined && unknown < 3
      const { cause } = event.failure
      if (cause?.tag === "BudgetExhausted") {
        if (retries < retriesMax) problems.push(`${open.stepId} is left to a person, and its budget is not used up`)
      } else if (open.attempt < 10 && (repeatable || askable))
        problems.push(`${open.stepId} is left to a person, and ${repeatable ? "may be repeated" : "can be asked for"}`)
    }
    beforeMs = atMs
  }
  return problems
}
