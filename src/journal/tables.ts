/**
 * What a store keeps beside the entries, as a function of them: the same changes made in the same order give the same tables,
 * in any store, and `verify` makes them anew to see whether they were altered.
 */
import type { Event, Intent, Reserve, RunStarted } from "./entry.ts"
import { Taken } from "./failure.ts"
import type { ClaimRow, EffectRow } from "./journal.ts"

/** The tables, as whatever keeps them lets them be read and changed. All within one transaction. */
export interface Tables {
  /** The newest generation of an effect. */
  effect(tenant: string, identity: string): EffectRow | undefined
  /** The effect that a step of a run (or the undoing of one) has begun last. */
  effectOf(runId: string, stepId: string, undoes: boolean): Begun | undefined
  openEffect(tenant: string, row: Begun, undoes: boolean): void
  closeEffect(tenant: string, row: Begun, state: "applied" | "released"): void
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
  readonly reserves: readonly Reserve[]
}

export type Scoped = Pick<RunStarted, "tenant" | "sessionId" | "taskId">

export const scopeIdOf = (scope: Reserve["scope"], { tenant, sessionId, taskId }: Scoped): string =>
  scope === "tenant" ? tenant : scope === "session" ? sessionId : taskId

/** Makes the changes of one event; gives back why it cannot be taken, and then nothing may be kept of its transaction. */
export function apply(tables: Tables, runId: string, run: Scoped, event: Event): Taken | undefined {
  const { tenant } = run
  const close = (stepId: string, undoes: true | undefined, state: "applied" | "released"): void => {
    const row = tables.effectOf(runId, stepId, undoes === true)
    if (row === undefined || row.state !== "open") return
    tables.closeEffect(tenant, row, state)
    if (state === "released") giveBack(tables, run, row)
    else if (undoes === true) release(stepId)
  }
  // What was undone may be done again, under another key; what it counted stays counted.
  const release = (stepId: string): void => {
    const row = tables.effectOf(runId, stepId, false)
    if (row === undefined) return
    tables.closeEffect(tenant, row, "released")
    tables.dropClaim(tenant, row.identity)
  }
  switch (event.kind) {
    case "intent":
      return event.idempotencyKey === undefined || event.again !== undefined
        ? undefined
        : take(tables, runId, run, event, event.idempotencyKey)
    case "outcome":
      close(event.stepId, event.undoes, "applied")
      return undefined
    case "attempt-failed":
      close(event.stepId, event.undoes, "released")
      return undefined
    case "reconciled":
      if (event.answer === "applied") close(event.stepId, event.undoes, "applied")
      if (event.answer === "barred") close(event.stepId, event.undoes, "released")
      return undefined
    case "resolved":
      close(event.stepId, event.undoes, event.answer === "applied" ? "applied" : "released")
      return undefined
    case "observed":
      // Under one key it happens once, whichever call says so.
      if (
        event.answer === "answered" &&
        tables.effectOf(runId, event.stepId, event.undoes === true)?.key === event.idempotencyKey
      )
        close(event.stepId, event.undoes, "applied")
      return undefined
    default:
      return undefined
  }
}

function take(tables: Tables, runId: string, run: Scoped, intent: Intent, key: string): Taken | undefined {
  const { tenant } = run
  const { stepId, tool, identity = key, generation = 0, once, reserves = [], undoes } = intent
  const newest = tables.effect(tenant, identity)
  if (newest !== undefined && (newest.state !== "released" || newest.generation + 1 !== generation))
    return new Taken({ stepId, what: "key" })
  if (newest === undefined && generation !== 0) return new Taken({ stepId, what: "key" })
  if (once !== undefined) {
    if (tables.claim(tenant, tool, once) !== undefined) return new Taken({ stepId, what: "claim" })
  }
  for (const { scope, dimension, amount, max } of reserves) {
    const counter = { scope, scopeId: scopeIdOf(scope, run), dimension }
    const used = tables.used(tenant, counter)
    if (used + amount > max) return new Taken({ stepId, what: "limit" })
    tables.addUsed(tenant, counter, amount)
  }
  const row: Begun = { identity, generation, key, runId, stepId, state: "open", reserves }
  tables.openEffect(tenant, row, undoes === true)
  if (once !== undefined) tables.addClaim(tenant, tool, once.scope, { digest: once.digest, call: once.call, identity })
  return undefined
}

function giveBack(tables: Tables, run: Scoped, { identity, reserves }: Begun): void {
  for (const { scope, dimension, amount } of reserves)
    tables.addUsed(run.tenant, { scope, scopeId: scopeIdOf(scope, run), dimension }, -amount)
  tables.dropClaim(run.tenant, identity)
}
