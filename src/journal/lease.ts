/** Who may write to a run, and what a store changes when somebody does: the same for every store, within its transaction. */
import { type Entry, type Event, isForeign, journalVersion, type Recorded } from "./entry.ts"
import { JournalConflict, LeaseLost, RunUnderWay, type Taken } from "./failure.ts"
import type { Lease, Writer } from "./journal.ts"
import { isTerminal, type Status } from "./status.ts"
import { advance, apply, type RunRow, start, type Tables } from "./tables.ts"

/** A run as a store keeps it. Who holds it is no function of its entries. */
export interface Held extends RunRow {
  /** Undefined where nobody holds it. */
  readonly owner: string | undefined
  readonly untilMs: number
  /** Not to be taken up before. */
  readonly dueMs: number | undefined
}

/** The tables, the runs and the entries of a store, within one transaction. */
export interface Rows extends Tables {
  run(runId: string): Held | undefined
  /** The run has come this far. */
  keepRun(before: Held | undefined, after: Held): void
  addEntry(run: RunRow, record: Recorded): void
}

/** As far as a Date goes. A number beyond what it can count exactly could be written, and never be read again. */
export const farthestMs = 8.64e15

const within = (ms: number): number => Math.min(Math.ceil(ms), farthestMs)

/**
 * Hold what was imported, or recovered, before it had ended: the store that it comes from may go on with it too, and may know of
 * calls that were lost here.
 */
const elsewhere = {
  imported: "the store it was imported from",
  recovered: "the store it was recovered from",
} as const

/** Who holds them there, as owners. */
export const owners: readonly string[] = Object.values(elsewhere)

/** How a run came into a store that did not begin it. */
export type Adoption = keyof typeof elsewhere

/** Of a run that nobody has taken up since. */
export const isAdopted = ({ owner }: Pick<Held, "owner">): boolean => owner !== undefined && owners.includes(owner)

export type Refused = JournalConflict | LeaseLost | RunUnderWay | Taken

/** Where it is refused, whatever was changed must be taken back. */
export function append(
  rows: Rows,
  runId: string,
  records: readonly Recorded[],
  as: Writer | undefined,
): Refused | undefined {
  const before = rows.run(runId)
  const refused = before && fence(before, records, as)
  if (refused !== undefined) return refused
  let run: RunRow | undefined = before
  for (const record of records) {
    if (record.seq !== (run === undefined ? 0 : run.seq + 1)) return new JournalConflict({ runId, seq: record.seq })
    if (run === undefined) {
      run = start(runId, record)
      if (as !== undefined && as.epoch !== run.epoch) return new LeaseLost({ runId })
    } else {
      const taken = apply(rows, run, record.event)
      if (taken !== undefined) return taken
      run = advance(run, record)
    }
    rows.addEntry(run, record)
  }
  if (run !== undefined) rows.keepRun(before, { ...run, ...leaseAfter(before, run.status, as) })
  return undefined
}

function fence(run: Held, records: readonly Recorded[], as: Writer | undefined): Refused | undefined {
  const { runId } = run
  const seq = records[0]?.seq
  // Somebody begins a run that is there.
  if (seq === 0) return new JournalConflict({ runId, seq })
  refuseOld(run)
  if (as !== undefined) return holds(run, as) ? undefined : new LeaseLost({ runId })
  if (run.owner === undefined || records.every(({ event }) => isForeign(event))) return undefined
  return underWay(run, run.owner)
}

const holds = ({ epoch, owner }: Held, as: Writer): boolean => epoch === as.epoch && owner === as.owner

function underWay({ runId, status, untilMs }: Held, owner: string): RunUnderWay {
  const takeOver = `\`${status === "in_doubt" ? "resolve" : "resume"}\` it (an open run: \`createGate\`) with \`takeOver: true\` (\`--take-over\`), if you know that`
  if (isAdopted({ owner })) {
    const standing =
      owner === elsewhere.imported
        ? "was imported before it had ended, and may go on in the store it comes from"
        : "was recovered before it had ended: its last entries may be lost, or the old store go on with it"
    const remedy =
      owner === elsewhere.imported
        ? `Otherwise ${takeOver} it does not.`
        : `Otherwise ${takeOver} the old store is out of use, and have seen what was made last.`
    return new RunUnderWay({ runId, standing, remedy })
  }
  return new RunUnderWay({
    runId,
    standing: `is held by \`${owner}\` until ${new Date(within(untilMs)).toISOString()}`,
    remedy: `Wait until then and \`${status === "in_doubt" ? "resolve" : "resume"}\` it; or ${takeOver} no process is at work on it any more.`,
  })
}

/** The fold refuses it before, in better words. */
function refuseOld({ runId, journal }: RunRow): void {
  if (journal !== journalVersion) throw new Error(`run ${runId} is one of journal version ${journal}`)
}

function leaseAfter(
  before: Held | undefined,
  status: Status,
  as: Writer | undefined,
): Pick<Held, "owner" | "untilMs" | "dueMs"> {
  if (as?.release !== undefined) {
    const { dueMs } = as.release
    return { owner: undefined, untilMs: 0, dueMs: dueMs === undefined ? undefined : within(dueMs) }
  }
  if (as !== undefined) return { owner: as.owner, untilMs: within(as.untilMs), dueMs: undefined }
  // What somebody else has written is a reason to look again; but a run that still waits waits as long as before.
  const dueMs = status === "running" ? undefined : before?.dueMs
  return { owner: before?.owner, untilMs: before?.untilMs ?? 0, dueMs }
}

export function takeUp(
  rows: Rows,
  runId: string,
  { owner, untilMs, nowMs, takeOver }: Lease & { readonly nowMs: number; readonly takeOver: boolean },
): Recorded | RunUnderWay | JournalConflict {
  const run = rows.run(runId)
  if (run === undefined) throw new Error(`there is no run ${runId}`)
  refuseOld(run)
  // It ended after whoever takes it up has looked.
  if (isTerminal(run.status)) return new JournalConflict({ runId, seq: run.seq })
  const other = isHeld(run, nowMs) ? run.owner : undefined
  if (other !== undefined && !takeOver) return underWay(run, other)
  const event: Event = {
    kind: "taken-up",
    epoch: run.epoch + 1,
    owner,
    takeOver: other !== undefined,
    ...(isAdopted(run) ? { adopted: true } : {}),
  }
  const record: Recorded = { seq: run.seq + 1, atMs: nowMs, event }
  const after = advance(run, record)
  rows.addEntry(after, record)
  // It stays due: who takes it up may end before anything is done. What it was to wait for may be the time of a clock that was set back.
  const dueMs = run.status === "running" && run.dueMs !== undefined ? Math.min(run.dueMs, nowMs) : run.dueMs
  rows.keepRun(run, { ...after, owner, untilMs: within(untilMs), dueMs })
  return record
}

export function renew(rows: Rows, runId: string, as: Writer): number | LeaseLost {
  const run = rows.run(runId)
  if (run === undefined || !holds(run, as)) return new LeaseLost({ runId })
  rows.keepRun(run, { ...run, untilMs: within(as.untilMs) })
  return run.seq
}

/**
 * Runs of another store, in the order in which they were written there. Those that have not ended must be taken from it, whatever
 * they wait for.
 */
export function adopt(rows: Rows, entries: readonly Entry[], adoption: Adoption): JournalConflict | Taken | undefined {
  const adopted = new Map<string, RunRow>()
  for (const { runId, seq, atMs, event } of entries) {
    const record = { seq, atMs, event }
    const before = adopted.get(runId)
    if (before === undefined && rows.run(runId) !== undefined) return new JournalConflict({ runId, seq })
    if (seq !== (before === undefined ? 0 : before.seq + 1)) return new JournalConflict({ runId, seq })
    const taken = before && apply(rows, before, event)
    if (taken !== undefined) return taken
    const after = before === undefined ? start(runId, record) : advance(before, record)
    adopted.set(runId, after)
    rows.addEntry(after, record)
  }
  for (const run of adopted.values()) {
    const holder = isTerminal(run.status)
      ? { owner: undefined, untilMs: 0 }
      : { owner: elsewhere[adoption], untilMs: farthestMs }
    rows.keepRun(undefined, { ...run, ...holder, dueMs: undefined })
  }
  return undefined
}

/** Nobody may hold a run for longer at once, in milliseconds. */
export const leaseMsMax = 3_600_000

/** A lease that ends later than any that was begun by now can is of a clock that was wrong: its run would wait for that time. */
export const isHeld = ({ owner, untilMs }: Pick<Held, "owner" | "untilMs">, nowMs: number): boolean =>
  owner !== undefined && untilMs > nowMs && (untilMs <= nowMs + leaseMsMax || owners.includes(owner))

/** Whether somebody must take up a run. A store may ask its own way. */
export function isDue({ journal, status, owner, untilMs, dueMs, updatedAtMs }: Held, nowMs: number): boolean {
  if (isTerminal(status) || journal !== journalVersion || isHeld({ owner, untilMs }, nowMs)) return false
  // Written at a time that is still to come: the clock was set back since, and how long it was to wait must be looked at again.
  return dueMs === undefined ? status === "running" : dueMs <= nowMs || (status === "running" && updatedAtMs > nowMs)
}

/** Since when it waits for that. */
export const dueSinceMs = ({ owner, untilMs, dueMs, updatedAtMs }: Held): number =>
  Math.max(owner === undefined ? 0 : untilMs, dueMs ?? updatedAtMs)
