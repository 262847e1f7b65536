/**
 * The tables of a store as rows of SQLite. All within the transaction that is open.
 *
 * A run that somebody holds comes up again with every entry, and so does the effect that it has begun last: they are kept as they
 * were written, for as long as no other connection has written since.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite"
import { beginning, type Link, restore, type Sealed, saltIn, seal, write } from "../chain.ts"
import type { Recorded, Reserve } from "../entry.ts"
import { JournalTampered } from "../failure.ts"
import type { ClaimRow, EffectRow, LeaseRow, RunSummary, TableRow } from "../journal.ts"
import { type Held, leaseMsMax, owners, type Rows } from "../lease.ts"
import { summarise, tellClaim, tellEffect, tellLink, tellRun, tellUsed } from "../rows.ts"
import { isStatus, type Status } from "../status.ts"
import type { Begun, Counter, OpenCall, RunRow } from "../tables.ts"

/** Runs and effects. Most are let go of before. */
const keptMax = 1_000

type Row = Readonly<Record<string, SQLOutputValue>>

const runColumns = `run, journal, salt, tenant, subject, session, task, goal, status, open, seq, hash, started_ms,
  updated_ms, epoch, owner, until_ms, due_ms`

const entryColumns = "run, seq, at_ms, clear, payload, hash"

export class SqliteRows implements Rows {
  readonly #db: DatabaseSync
  readonly #statements
  readonly #runs = new Map<string, Held>()
  readonly #links = new Map<string, Link>()
  /** By identity: those without an outcome. */
  readonly #open = new Map<string, Begun & { readonly tenant: string }>()
  /** Of the file, as of the last look: it changes when another connection has written. */
  #version: unknown

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = prepare(db)
  }

  /** When a transaction begins: what is kept still stands, or is forgotten. */
  recall(): void {
    const version = this.#statements.version.get()?.data_version
    if (version !== this.#version || this.#links.size > keptMax || this.#open.size > keptMax) this.forget()
    this.#version = version
  }

  /** When changes were taken back. */
  forget(): void {
    this.#runs.clear()
    this.#links.clear()
    this.#open.clear()
  }

  run(runId: string): Held | undefined {
    const known = this.#runs.get(runId)
    if (known !== undefined) return known
    const read = this.readRun(runId)
    if (read === undefined) return undefined
    this.#runs.set(runId, read.run)
    this.#links.set(runId, read.link)
    return read.run
  }

  /** A run, and where its chain has come to, whatever is kept. */
  readRun(runId: string): { readonly run: Held; readonly link: Link } | undefined {
    const row = this.#statements.run.get(runId)
    return row && { run: heldOf(row), link: { hash: text(row.hash), salt: maybeText(row.salt) } }
  }

  keepRun(before: Held | undefined, after: Held): void {
    const { runId, status, seq, updatedAtMs, epoch, owner = null, untilMs, dueMs = null } = after
    const { hash, salt = null } = this.#links.get(runId) ?? beginning
    const open = after.open === undefined ? null : writeOpen(after.open)
    if (after.owner === undefined) {
      this.#runs.delete(runId)
      this.#links.delete(runId)
    } else this.#runs.set(runId, after)
    if (before === undefined) {
      const { journal, tenant, subject, sessionId, taskId, goal = null, startedAtMs } = after
      const fixed = [runId, journal, salt, tenant, subject, sessionId, taskId, goal, status, open]
      this.#statements.addRun.run(...fixed, seq, hash, startedAtMs, updatedAtMs, epoch, owner, untilMs, dueMs)
      return
    }
    this.#statements.keepRun.run(open, seq, hash, updatedAtMs, epoch, owner, untilMs, dueMs, runId)
    if (before.status !== status) this.#statements.keepStatus.run(status, runId)
  }

  addEntry({ runId }: RunRow, record: Recorded): void {
    const last = this.#links.get(runId) ?? beginning
    const { seq, atMs, clear, payload = null, hash } = seal(runId, last, record)
    this.#statements.addEntry.run(runId, seq, atMs, clear, payload, hash)
    this.#links.set(runId, { hash, salt: last.salt ?? saltIn(record.event) })
  }

  effect(tenant: string, identity: string): Begun | undefined {
    const known = this.#open.get(identity)
    return known?.tenant === tenant ? known : this.readEffect(tenant, identity)
  }

  readEffect(tenant: string, identity: string): Begun | undefined {
    const row = this.#statements.effect.get(tenant, identity)
    return row && begunOf(row)
  }

  /** By the entries of its run: an index for what is seldom asked would be one more page to write for every effect. */
  identityOf(runId: string, stepId: string): string | undefined {
    for (const row of this.#select(`SELECT ${entryColumns} FROM entry WHERE run = ? ORDER BY seq DESC`, runId)) {
      if (!text(row.clear).includes('"kind":"intent"')) continue
      const event = restore(sealedOf(row))
      if (event.kind === "intent" && event.stepId === stepId && event.undoes !== true)
        return event.identity ?? event.idempotencyKey
    }
    return undefined
  }

  openEffect(tenant: string, row: Begun): void {
    const { identity, generation, key, runId, stepId, undoes, state, reserves } = row
    const about = [runId, stepId, undoes ? 1 : 0, state, JSON.stringify(reserves)]
    this.#statements.openEffect.run(tenant, identity, generation, key, ...about)
    this.#open.set(identity, { ...row, tenant })
  }

  closeEffect(tenant: string, { identity }: Begun, state: EffectRow["state"]): void {
    this.#statements.closeEffect.run(state, tenant, identity)
    this.#open.delete(identity)
  }

  claim(
    tenant: string,
    tool: string,
    { scope, digest }: { readonly scope: string; readonly digest: string },
  ): ClaimRow | undefined {
    const row = this.#statements.claim.get(tenant, tool, scope, digest)
    return row && claimOf(row)
  }

  addClaim(tenant: string, tool: string, scope: string, { digest, call, identity }: ClaimRow): void {
    this.#statements.addClaim.run(tenant, tool, scope, digest, call, identity)
  }

  dropClaim(tenant: string, identity: string): void {
    this.#statements.dropClaim.run(tenant, identity)
  }

  used(tenant: string, { scope, scopeId, dimension }: Counter): number {
    return Number(this.#statements.used.get(tenant, scope, scopeId, dimension)?.used ?? 0)
  }

  addUsed(tenant: string, { scope, scopeId, dimension }: Counter, amount: number): void {
    this.#statements.addUsed.run(tenant, scope, scopeId, dimension, amount)
  }

  /** The runs of a tenant, or of all, by the time they started. */
  list(tenant: string | undefined): readonly RunSummary[] {
    const { ofTenant, ofAll } = this.#statements
    return (tenant === undefined ? ofAll.all() : ofTenant.all(tenant)).map((row) => {
      const run = heldOf(row, "unread")
      return isSound(row) ? summarise(run) : { ...summarise(run), status: "damaged" }
    })
  }

  due(nowMs: number, journal: number, limit: number): readonly string[] {
    return this.#statements.due.all({ now: nowMs, journal, limit }).map(({ run }) => text(run))
  }

  *entries(): Generator<Sealed> {
    for (const row of this.#select(`SELECT ${entryColumns} FROM entry ORDER BY n`)) yield sealedOf(row)
  }

  *entriesOf(runId: string): Generator<Sealed> {
    for (const row of this.#select(`SELECT ${entryColumns} FROM entry WHERE run = ? ORDER BY seq`, runId))
      yield sealedOf(row)
  }

  sealed(runId: string): readonly Sealed[] {
    return this.#statements.entriesOf.all(runId).map(sealedOf)
  }

  runs(): readonly string[] {
    return this.#db
      .prepare("SELECT run FROM entry GROUP BY run ORDER BY min(n)")
      .all()
      .map(({ run }) => text(run))
  }

  *told(): Generator<TableRow> {
    for (const row of this.#select(`SELECT ${runColumns} FROM run`)) {
      yield tellRun(heldOf(row))
      yield tellLink(text(row.run), { hash: text(row.hash), salt: maybeText(row.salt) })
    }
    for (const row of this.#select("SELECT * FROM effect")) yield tellEffect(text(row.tenant), begunOf(row))
    for (const row of this.#select("SELECT * FROM claim"))
      yield tellClaim(text(row.tenant), text(row.tool), text(row.scope), claimOf(row))
    for (const { tenant, scope, scope_id: scopeId, dimension, used } of this.#select("SELECT * FROM used")) {
      const of = { scope: text(scope) as Reserve["scope"], scopeId: text(scopeId), dimension: text(dimension) }
      yield tellUsed(text(tenant), of, Number(used))
    }
  }

  *leases(): Generator<LeaseRow> {
    for (const row of this.#select("SELECT run, owner, until_ms, due_ms FROM run")) yield leaseOf(row)
  }

  /** A statement of its own: others may be under way. */
  #select(sql: string, ...values: readonly SQLInputValue[]): Iterable<Row> {
    return reading(this.#db, sql).iterate(...values)
  }
}

/** One number too large to be exact must not keep anybody from reading the other rows. */
export function reading(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql)
  statement.setReadBigInts(true)
  return statement
}

function prepare(db: DatabaseSync) {
  const run = `SELECT ${runColumns} FROM run`
  return {
    version: db.prepare("PRAGMA data_version"),
    run: reading(db, `${run} WHERE run = ?`),
    ofAll: reading(db, `${run} ORDER BY started_ms, run`),
    ofTenant: reading(db, `${run} WHERE tenant = ? ORDER BY started_ms, run`),
    addRun: db.prepare(`INSERT INTO run (${runColumns}) VALUES (${Array(18).fill("?").join(", ")})`),
    keepRun: db.prepare(`
      UPDATE run SET open = ?, seq = ?, hash = ?, updated_ms = ?, epoch = ?, owner = ?, until_ms = ?, due_ms = ?
      WHERE run = ?`),
    keepStatus: db.prepare("UPDATE run SET status = ? WHERE run = ?"),
    due: db.prepare(`
      SELECT run FROM run
      WHERE status IN ('running', 'awaiting_approval', 'in_doubt') AND journal = :journal
        AND (owner IS NULL OR until_ms <= :now OR (until_ms > :now + ${leaseMsMax} AND owner NOT IN (${owners.map((owner) => `'${owner}'`).join(", ")})))
        AND (due_ms <= :now OR (status = 'running' AND (due_ms IS NULL OR updated_ms > :now)))
      ORDER BY max(iif(owner IS NULL, 0, until_ms), coalesce(due_ms, updated_ms)), run LIMIT :limit`),
    addEntry: db.prepare(`INSERT INTO entry (${entryColumns}) VALUES (?, ?, ?, ?, ?, ?)`),
    entriesOf: reading(db, `SELECT ${entryColumns} FROM entry WHERE run = ? ORDER BY seq`),
    effect: reading(db, "SELECT * FROM effect WHERE tenant = ? AND identity = ?"),
    openEffect: db.prepare(`
      INSERT INTO effect (tenant, identity, generation, key, run, step, undoes, state, reserves)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (tenant, identity) DO UPDATE SET generation = excluded.generation, key = excluded.key,
        run = excluded.run, step = excluded.step, undoes = excluded.undoes, state = excluded.state,
        reserves = excluded.reserves`),
    closeEffect: db.prepare("UPDATE effect SET state = ? WHERE tenant = ? AND identity = ?"),
    claim: reading(db, "SELECT * FROM claim WHERE tenant = ? AND tool = ? AND scope = ? AND digest = ?"),
    addClaim: db.prepare("INSERT INTO claim (tenant, tool, scope, digest, call, identity) VALUES (?, ?, ?, ?, ?, ?)"),
    dropClaim: db.prepare("DELETE FROM claim WHERE tenant = ? AND identity = ?"),
    used: reading(db, "SELECT used FROM used WHERE tenant = ? AND scope = ? AND scope_id = ? AND dimension = ?"),
    addUsed: db.prepare(`
      INSERT INTO used (tenant, scope, scope_id, dimension, used) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (tenant, scope, scope_id, dimension) DO UPDATE SET used = used + excluded.used`),
  }
}

const text = (value: SQLOutputValue | undefined): string => String(value)
const maybeText = (value: SQLOutputValue | undefined): string | undefined =>
  value === null || value === undefined ? undefined : text(value)

/** A row that cannot be so is refused, or read as far as it goes. */
function heldOf(row: Row, damage: "refused" | "unread" = "refused"): Held {
  if (damage === "refused" && !isSound(row)) throw new JournalTampered({ runId: text(row.run), seq: Number(row.seq) })
  const open = damage === "unread" ? undefined : maybeText(row.open)
  return {
    journal: Number(row.journal),
    tenant: text(row.tenant),
    subject: text(row.subject),
    sessionId: text(row.session),
    taskId: text(row.task),
    goal: maybeText(row.goal),
    status: text(row.status) as Status,
    open: open === undefined ? undefined : readOpen(open),
    seq: Number(row.seq),
    startedAtMs: Number(row.started_ms),
    updatedAtMs: Number(row.updated_ms),
    epoch: Number(row.epoch),
    ...leaseOf(row),
  }
}

const leaseOf = (row: Row): LeaseRow => ({
  runId: text(row.run),
  owner: maybeText(row.owner),
  untilMs: Number(row.until_ms),
  dueMs: row.due_ms === null ? undefined : Number(row.due_ms),
})

function isSound({ status, open }: Row): boolean {
  return isStatus(text(status)) && (open === null || readOpen(text(open)) !== undefined)
}

const writeOpen = ({ stepId, undoes, identity, key, lost }: OpenCall): string =>
  write([stepId, undoes, identity ?? null, key ?? null, lost])

function readOpen(written: string): OpenCall | undefined {
  try {
    const [stepId, undoes, identity, key, lost] = JSON.parse(written) as readonly unknown[]
    const open = { stepId, undoes, identity: identity ?? undefined, key: key ?? undefined, lost } as OpenCall
    return writeOpen(open) === written && typeof stepId === "string" ? open : undefined
  } catch {
    return undefined
  }
}

const begunOf = (row: Row): Begun => ({
  identity: text(row.identity),
  generation: Number(row.generation),
  key: text(row.key),
  runId: text(row.run),
  stepId: text(row.step),
  undoes: Number(row.undoes) === 1,
  state: text(row.state) as Begun["state"],
  reserves: JSON.parse(text(row.reserves)) as readonly Reserve[],
})

const claimOf = (row: Row): ClaimRow => ({
  digest: text(row.digest),
  call: text(row.call),
  identity: text(row.identity),
})

export const sealedOf = (row: Row): Sealed => ({
  runId: text(row.run),
  seq: Number(row.seq),
  atMs: Number(row.at_ms),
  clear: text(row.clear),
  payload: maybeText(row.payload),
  hash: text(row.hash),
})
