/** The tables of a store, kept in maps: those of the memory journal, and those that others are held against. */
import { type Link, write } from "./chain.ts"
import type { Recorded } from "./entry.ts"
import type { ClaimRow, EffectRow, RunSummary, TableRow } from "./journal.ts"
import { type Held, isAdopted, type Rows } from "./lease.ts"
import type { Begun, Counter, OpenCall, RunRow } from "./tables.ts"

type Owned = Begun & { readonly tenant: string }
type Claimed = ClaimRow & { readonly tenant: string; readonly tool: string; readonly scope: string }
type Used = Counter & { readonly tenant: string; readonly used: number }

/** No two lists of parts make one key. */
const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts)

export class MapRows implements Rows {
  readonly #runs = new Map<string, Held>()
  readonly #effects = new Map<string, Owned>()
  /** By run and step: the identity of the effect. */
  readonly #begun = new Map<string, string>()
  readonly #claims = new Map<string, Claimed>()
  /** By tenant and identity: the keys of its claims. */
  readonly #claimed = new Map<string, readonly string[]>()
  readonly #used = new Map<string, Used>()
  /** How to take back what was done since the last `keep`, last first. */
  #undo: (() => void)[] = []

  keep(): void {
    this.#undo = []
  }

  takeBack(): void {
    for (const undo of this.#undo.reverse()) undo()
    this.#undo = []
  }

  undoing(undo: () => void): void {
    this.#undo.push(undo)
  }

  #set<V>(map: Map<string, V>, key: string, value: V | undefined): void {
    const before = map.get(key)
    this.undoing(() => (before === undefined ? map.delete(key) : map.set(key, before)))
    if (value === undefined) map.delete(key)
    else map.set(key, value)
  }

  runs(): Iterable<Held> {
    return this.#runs.values()
  }

  run(runId: string): Held | undefined {
    return this.#runs.get(runId)
  }

  keepRun(_: Held | undefined, after: Held): void {
    this.#set(this.#runs, after.runId, after)
  }

  addEntry(_run: RunRow, _record: Recorded): void {}

  effect(tenant: string, identity: string): Begun | undefined {
    return this.#effects.get(keyOf(tenant, identity))
  }

  identityOf(runId: string, stepId: string): string | undefined {
    return this.#begun.get(keyOf(runId, stepId))
  }

  openEffect(tenant: string, row: Begun): void {
    this.#set(this.#effects, keyOf(tenant, row.identity), { ...row, tenant })
    if (!row.undoes) this.#set(this.#begun, keyOf(row.runId, row.stepId), row.identity)
  }

  closeEffect(tenant: string, { identity }: Begun, state: EffectRow["state"]): void {
    const key = keyOf(tenant, identity)
    const row = this.#effects.get(key)
    if (row !== undefined) this.#set(this.#effects, key, { ...row, state })
  }

  claim(tenant: string, tool: string, { scope, digest }: { readonly scope: string; readonly digest: string }) {
    return this.#claims.get(keyOf(tenant, tool, scope, digest))
  }

  addClaim(tenant: string, tool: string, scope: string, row: ClaimRow): void {
    const key = keyOf(tenant, tool, scope, row.digest)
    const by = keyOf(tenant, row.identity)
    this.#set(this.#claims, key, { ...row, tenant, tool, scope })
    this.#set(this.#claimed, by, [...(this.#claimed.get(by) ?? []), key])
  }

  dropClaim(tenant: string, identity: string): void {
    const by = keyOf(tenant, identity)
    for (const key of this.#claimed.get(by) ?? []) this.#set(this.#claims, key, undefined)
    this.#set(this.#claimed, by, undefined)
  }

  used(tenant: string, { scope, scopeId, dimension }: Counter): number {
    return this.#used.get(keyOf(tenant, scope, scopeId, dimension))?.used ?? 0
  }

  addUsed(tenant: string, of: Counter, amount: number): void {
    const { scope, scopeId, dimension } = of
    const used = this.used(tenant, of) + amount
    this.#set(this.#used, keyOf(tenant, scope, scopeId, dimension), { tenant, scope, scopeId, dimension, used })
  }

  *told(): Generator<TableRow> {
    for (const run of this.#runs.values()) yield tellRun(run)
    for (const { tenant, ...row } of this.#effects.values()) yield tellEffect(tenant, row)
    for (const { tenant, tool, scope, ...row } of this.#claims.values()) yield tellClaim(tenant, tool, scope, row)
    for (const { tenant, used, ...of } of this.#used.values()) yield tellUsed(tenant, of, used)
  }
}

/** What of a row anybody may know. */
export const effectRow = ({ identity, generation, key, runId, stepId, state }: EffectRow): EffectRow => ({
  identity,
  generation,
  key,
  runId,
  stepId,
  state,
})

export const lastOf = (run: Held): { readonly seq: number; readonly epoch: number; readonly adopted: boolean } => ({
  seq: run.seq,
  epoch: run.epoch,
  adopted: isAdopted(run),
})

export const claimRow = ({ digest, call, identity }: ClaimRow): ClaimRow => ({ digest, call, identity })

export const summarise = ({
  runId,
  tenant,
  subject,
  sessionId,
  goal,
  status,
  seq,
  startedAtMs,
  updatedAtMs,
}: RunRow): RunSummary => ({
  runId,
  tenant,
  subject,
  sessionId,
  goal,
  status,
  entries: seq + 1,
  startedAtMs,
  updatedAtMs,
})

/** Who holds a run, and until when, is not told: no entry says so. */
export function tellRun(run: RunRow): TableRow {
  const { runId, journal, tenant, subject, sessionId, taskId, goal, status, open, seq, startedAtMs, updatedAtMs } = run
  const call = open === undefined ? null : tellOpen(open)
  const times = [startedAtMs, updatedAtMs]
  const value = [journal, tenant, subject, sessionId, taskId, goal ?? null, status, call, seq, ...times, run.epoch]
  return { table: "run", key: runId, value: write(value) }
}

const tellOpen = ({ stepId, undoes, identity, key, lost }: OpenCall) => [
  stepId,
  undoes,
  identity ?? null,
  key ?? null,
  lost,
]

export function tellEffect(tenant: string, row: Begun): TableRow {
  const { identity, generation, key, runId, stepId, undoes, state, reserves } = row
  const value = [generation, key, runId, stepId, undoes, state, reserves]
  return { table: "effect", key: keyOf(tenant, identity), value: write(value) }
}

/** Where the chain of a run has come to. */
export const tellLink = (runId: string, { hash, salt }: Link): TableRow => ({
  table: "link",
  key: runId,
  value: write([hash, salt ?? null]),
})

export const tellClaim = (tenant: string, tool: string, scope: string, row: ClaimRow): TableRow => ({
  table: "claim",
  key: keyOf(tenant, tool, scope, row.digest),
  value: write([row.call, row.identity]),
})

export const tellUsed = (tenant: string, { scope, scopeId, dimension }: Counter, used: number): TableRow => ({
  table: "used",
  key: keyOf(tenant, scope, scopeId, dimension),
  value: write(used),
})
