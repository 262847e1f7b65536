/**
 * What a store keeps beside the entries, as a function of them: the same changes made in the same order give the same tables,
 * in any store, and `verify` makes them anew to see whether they were altered.
 */

import { isSettling } from "./asked.ts"
import {
  type Event,
  type Intent,
  journalVersion,
  type Observed,
  type Recorded,
  type Reserve,
  type RunStarted,
} from "./entry.ts"
import { Taken } from "./failure.ts"
import type { ClaimRow, EffectRow } from "./journal.ts"
import { isTerminal, type Status } from "./status.ts"

/** The tables, as whatever keeps them lets them be read and changed. All within one transaction. */
export interface Tables {
  /** The newest generation of an effect. */
  effect(tenant: string, identity: string): Begun | undefined
  /** Of the effect that a step of a run has begun last. Asked only where that was undone: it may take a while. */
  identityOf(runId: string, stepId: string): string | undefined
  openEffect(tenant: string, row: Begun): void
  closeEffect(tenant: string, row: Begun, state: EffectRow["state"]): void
  claim(tenant: string, tool: string, claim: { readonly scope: string; readonly digest: string }): ClaimRow | undefined
  addClaim(tenant: string, tool: string, scope: string, row: ClaimRow): void
  /** Gives up what an effect has claimed. */
  dropClaim(tenant: string, identity: string): void
  used(tenant: string, of: Counter): number
  addUsed(tenant: string, of: Counter, amount: number): void
}

export interface Counter {
  readonly scope: Reserve["scope"]
  readonly scopeId: string
  readonly dimension: string
}

/** With what it has reserved, to be given back where it did not happen. */
export interface Begun extends EffectRow {
  /** It undoes another: of the same step. */
  readonly undoes: boolean
  readonly reserves: readonly Reserve[]
}

/** What is known of a run without reading its entries. */
export interface RunRow {
  readonly runId: string
  readonly journal: number
  readonly tenant: string
  readonly subject: string
  readonly sessionId: string
  readonly taskId: string
  readonly goal: string | undefined
  readonly status: Status
  /** The call without an answer. */
  readonly open: OpenCall | undefined
  /** Of the last entry. */
  readonly seq: number
  readonly startedAtMs: number
  readonly updatedAtMs: number
  readonly epoch: number
}

export interface OpenCall {
  readonly stepId: string
  readonly undoes: boolean
  /** Of an effect, as is its key. */
  readonly identity: string | undefined
  readonly key: string | undefined
  /** Nobody waits for its answer any more. */
  readonly lost: boolean
}

export type Scoped = Pick<RunStarted, "tenant" | "sessionId" | "taskId">

export const scopeIdOf = (scope: Reserve["scope"], { tenant, sessionId, taskId }: Scoped): string =>
  scope === "tenant" ? tenant : scope === "session" ? sessionId : taskId

/** The run that begins with this entry. */
export function start(runId: string, { seq, atMs, event }: Recorded): RunRow {
  if (event.kind !== "run-started") throw new Error("a run begins with `run-started`")
  const { journal, tenant, subject, sessionId, taskId, document } = event
  return {
    runId,
    journal,
    tenant,
    subject,
    sessionId,
    taskId,
    goal: document.goal,
    status: "running",
    open: undefined,
    seq,
    startedAtMs: atMs,
    updatedAtMs: atMs,
    epoch: 1,
  }
}

/** The run after one entry more, which could follow: the fold says the same, and knows why. */
export function advance(run: RunRow, { seq, atMs, event }: Recorded): RunRow {
  const epoch = event.kind === "taken-up" ? event.epoch : run.epoch
  return { ...run, status: statusAfter(run, event), open: openAfter(run, event), seq, updatedAtMs: atMs, epoch }
}

function statusAfter(run: RunRow, event: Event): Status {
  const { status } = run
  if (isTerminal(status)) return status
  switch (event.kind) {
    case "run-ended":
      return event.status
    case "approval-requested":
      return "awaiting_approval"
    case "in-doubt":
      return "in_doubt"
    case "approval-decided":
      return isSettling(event) ? "running" : status
    case "resolved":
    case "winding-down":
    case "step-given-up":
    case "run-closed":
      return "running"
    case "cancel-requested":
      return status === "in_doubt" ? status : "running"
    case "observed":
      return settles(run, event) ? "running" : status
    default:
      return status
  }
}

function openAfter(run: RunRow, event: Event): OpenCall | undefined {
  const { open } = run
  switch (event.kind) {
    case "intent":
      return {
        stepId: event.stepId,
        undoes: event.undoes === true,
        identity: event.identity ?? event.idempotencyKey,
        key: event.idempotencyKey,
        lost: false,
      }
    case "outcome":
    case "attempt-failed":
    case "winding-down":
    case "step-given-up":
      return undefined
    case "resolved":
      return event.answer === "again" ? open : undefined
    case "reconciled":
      return event.answer === "applied" || event.answer === "barred" ? undefined : open
    case "observed":
      return settles(run, event) ? undefined : open
    case "answer-lost":
    case "taken-up":
      return open && { ...open, lost: true }
    default:
      return open
  }
}

/** Whether a late answer is that of the call whose answer was lost. */
function settles({ status, open }: RunRow, { stepId, undoes, idempotencyKey, answer }: Observed): boolean {
  if (answer !== "answered" || open?.lost !== true || status === "awaiting_approval" || isTerminal(status)) return false
  return open.stepId === stepId && open.undoes === (undoes === true) && open.key === idempotencyKey
}

/** Makes the changes of one event; gives back why it cannot be taken, and then nothing may be kept of its transaction. */
export function apply(tables: Tables, run: RunRow, event: Event): Taken | undefined {
  const { runId, tenant } = run
  const close = (about: { readonly stepId: string; readonly undoes?: true }, state: "applied" | "released"): void => {
    const { open } = run
    if (open?.identity === undefined || open.stepId !== about.stepId || open.undoes !== (about.undoes === true)) return
    const row = tables.effect(tenant, open.identity)
    if (row === undefined || row.runId !== runId || row.state !== "open") return
    tables.closeEffect(tenant, row, state)
    if (state === "released") giveBack(tables, run, row)
    // What was undone may be done again, under another key; what it counted stays counted.
    if (open.undoes) mark(open.stepId, state === "applied" ? "released" : "applied")
  }
  /** How an effect stands that is being undone: while nobody knows whether it was, it is nobody's to use. */
  const mark = (stepId: string, state: EffectRow["state"]): void => {
    const identity = tables.identityOf(runId, stepId)
    const row = identity === undefined ? undefined : tables.effect(tenant, identity)
    if (row === undefined || row.runId !== runId) return
    tables.closeEffect(tenant, row, state)
    if (state === "released") tables.dropClaim(tenant, row.identity)
  }
  switch (event.kind) {
    case "intent": {
      if (event.idempotencyKey === undefined || event.again !== undefined) return undefined
      // What another run goes by is not undone under it.
      const made = event.undoes === true ? tables.identityOf(runId, event.stepId) : undefined
      if (made !== undefined && tables.effect(tenant, made)?.state === "used")
        return new Taken({ stepId: event.stepId, what: "key" })
      const taken = take(tables, run, event, event.idempotencyKey)
      if (taken === undefined && event.undoes === true) mark(event.stepId, "open")
      return taken
    }
    case "replayed": {
      const row = tables.effect(tenant, event.identity ?? event.idempotencyKey)
      if (row === undefined || !isDone(row) || row.key !== event.idempotencyKey)
        return new Taken({ stepId: event.stepId, what: "key" })
      if (row.runId !== runId) tables.closeEffect(tenant, row, "used")
      return undefined
    }
    case "outcome":
      close(event, "applied")
      return undefined
    case "attempt-failed":
      close(event, "released")
      return undefined
    case "reconciled":
      if (event.answer === "applied") close(event, "applied")
      if (event.answer === "barred") close(event, "released")
      return undefined
    case "resolved":
      // An undo that was given up has not happened: what it would undo stands.
      if (event.answer !== "again") close(event, event.answer === "applied" ? "applied" : "released")
      return undefined
    case "observed":
      if (settles(run, event)) close(event, "applied")
      return undefined
    default:
      return undefined
  }
}

/** It has happened, and was not undone. */
export const isDone = ({ state }: Pick<EffectRow, "state">): boolean => state === "applied" || state === "used"

function take(tables: Tables, run: RunRow, intent: Intent, key: string): Taken | undefined {
  const { runId, tenant } = run
  const { stepId, tool, identity = key, generation = 0, once, reserves = [] } = intent
  const newest = tables.effect(tenant, identity)
  const row: Begun = {
    identity,
    generation,
    key,
    runId,
    stepId,
    undoes: intent.undoes === true,
    state: "open",
    reserves,
  }
  if (run.journal < journalVersion) {
    // Before there were tables nothing was refused; what such a run has done is done all the same.
    if (newest === undefined || newest.state === "released") tables.openEffect(tenant, row)
    return undefined
  }
  if (newest !== undefined && (newest.state !== "released" || newest.generation + 1 !== generation))
    return new Taken({ stepId, what: "key" })
  if (newest === undefined && generation !== 0) return new Taken({ stepId, what: "key" })
  if (once !== undefined) {
    if (tables.claim(tenant, tool, once) !== undefined) return new Taken({ stepId, what: "claim" })
  }
  for (const { scope, dimension, amount, max, above = max } of reserves) {
    const counter = { scope, scopeId: scopeIdOf(scope, run), dimension }
    const used = tables.used(tenant, counter)
    if (used + amount > Math.min(max, above)) return new Taken({ stepId, what: "limit" })
    tables.addUsed(tenant, counter, amount)
  }
  tables.openEffect(tenant, row)
  if (once !== undefined) tables.addClaim(tenant, tool, once.scope, { digest: once.digest, call: once.call, identity })
  return undefined
}

function giveBack(tables: Tables, run: Scoped, { identity, reserves }: Begun): void {
  for (const { scope, dimension, amount } of reserves)
    tables.addUsed(run.tenant, { scope, scopeId: scopeIdOf(scope, run), dimension }, -amount)
  tables.dropClaim(run.tenant, identity)
}
