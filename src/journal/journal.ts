/** The journal as a service. A store is a layer of it: memory, SQLite, and whatever keeps the promises written here. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { Sealed } from "./chain.ts"
import type { Entry, Recorded, Reserve } from "./entry.ts"
import type {
  JournalConflict,
  JournalNewer,
  JournalTampered,
  LeaseLost,
  RunUnderWay,
  StoreUnavailable,
  Taken,
} from "./failure.ts"
import type { Status } from "./status.ts"

/**
 * Beside the entries a store keeps tables: what is held by whom, which effects were made, which business identities are
 * claimed, what limits have left. They are a function of the entries (`tables.ts`) and change in the same transaction.
 */
export interface JournalService {
  /**
   * Puts entries at the end of a run, all or none, and durably when it returns. Their numbers must follow the last entry: where
   * another writer was first, nothing is written and it is a `JournalConflict`. Where an intent asks for what is not free
   * (the key of another effect, a claimed business identity, more than a limit has left), nothing is written either: `Taken`.
   *
   * A run is written by whoever holds its lease (`as`). Without it foreign entries alone are taken (see `isForeign`), or any
   * while nobody holds the run.
   */
  readonly append: (
    runId: string,
    records: readonly Recorded[],
    as?: Writer,
  ) => Effect<void, StoreUnavailable | JournalConflict | LeaseLost | RunUnderWay | Taken>
  /**
   * Makes `owner` the holder of a run: the epoch rises, and whoever held it before writes nothing more. The entry that says so
   * (`taken-up`, with the new epoch) is written in the same transaction. Refused while another holds it, unless `takeOver`. A run
   * that has ended meanwhile is a `JournalConflict`.
   */
  readonly takeUp: (
    runId: string,
    as: Lease & { readonly nowMs: number; readonly takeOver: boolean },
  ) => Effect<Recorded, StoreUnavailable | RunUnderWay | JournalConflict>
  /** Goes on holding a run. */
  readonly renew: (runId: string, as: Writer) => Effect<void, StoreUnavailable | LeaseLost>
  /**
   * The number and epoch of a run's last entry: how its holder sees that others have written. Undefined where there is none.
   * `adopted`: it comes from another store, and nobody has taken it up here.
   */
  readonly look: (
    runId: string,
  ) => Effect<{ readonly seq: number; readonly epoch: number; readonly adopted: boolean } | undefined, StoreUnavailable>
  /** All entries of a run, their chain verified; none where there is no such run, or it is another tenant's. */
  readonly read: (
    runId: string,
    options?: { readonly tenant?: string | undefined },
  ) => Effect<readonly Entry[], StoreUnavailable | JournalTampered | JournalNewer>
  /** The runs of a tenant, or of all, by the time they started. Their chains are not verified: that is for whoever reads one. */
  readonly list: (options?: { readonly tenant?: string | undefined }) => Effect<readonly RunSummary[], StoreUnavailable>
  /** Runs that somebody must take up by now: decided, due, or left by a holder whose lease has run out. Longest waiting first. */
  readonly due: (nowMs: number, limit: number) => Effect<readonly string[], StoreUnavailable>
  /** The newest generation of an effect; undefined where it was never begun. */
  readonly effect: (tenant: string, identity: string) => Effect<EffectRow | undefined, StoreUnavailable>
  /** Who holds a business identity. */
  readonly claim: (
    tenant: string,
    tool: string,
    claim: { readonly scope: string; readonly digest: string },
  ) => Effect<ClaimRow | undefined, StoreUnavailable>
  /** What is committed or in doubt of a limit, by all runs in its scope. */
  readonly used: (
    tenant: string,
    of: { readonly scope: Reserve["scope"]; readonly scopeId: string; readonly dimension: string },
  ) => Effect<number, StoreUnavailable>
  /** Looks at the whole store as it is at one moment, to verify or copy it. */
  readonly inspect: <A>(look: (whole: Whole) => A) => Effect<A, StoreUnavailable>
  /**
   * Takes over whole runs from another store, in one transaction: all or none. That one may go on with those that have not
   * ended: here they are under way, until somebody takes them up with `takeOver`. Only for entries that were verified (see
   * `export.ts`). A run that is here already is a `JournalConflict`.
   */
  readonly adopt: (entries: readonly Entry[]) => Effect<void, StoreUnavailable | JournalConflict | Taken>
}

/** All that a store holds. */
export interface Whole {
  /** In the order in which they were written, across all runs. */
  readonly entries: () => Iterable<Sealed>
  /** By their first entries. */
  readonly runs: () => Iterable<string>
  readonly entriesOf: (runId: string) => Iterable<Sealed>
  readonly tables: () => Iterable<TableRow>
  /** Who holds its runs: no function of the entries, but not anything either. */
  readonly leases: () => Iterable<LeaseRow>
  /** What the store itself finds wrong with its file. */
  readonly faults: () => readonly string[]
}

export interface LeaseRow {
  readonly runId: string
  readonly owner: string | undefined
  readonly untilMs: number
  readonly dueMs: number | undefined
}

/** One row of a table, told so that it can be compared. */
export interface TableRow {
  readonly table: "run" | "link" | "effect" | "claim" | "used"
  readonly key: string
  readonly value: string
}

export class Journal extends Context.Service<Journal, JournalService>()("sequitur/Journal") {}

export interface Lease {
  readonly owner: string
  /** By the clock of whoever holds it. The epoch is what fences; this only says when others may try. */
  readonly untilMs: number
}

export interface Writer extends Lease {
  readonly epoch: number
  /** With these entries the writer lets go of the run: it waits, or has ended. */
  readonly release?: { readonly dueMs: number | undefined }
}

export interface RunSummary {
  readonly runId: string
  readonly tenant: string
  readonly subject: string
  readonly sessionId: string
  readonly goal: string | undefined
  /** `damaged` where what is kept of it cannot be so: `read` says where, and the others are listed all the same. */
  readonly status: Status | "damaged"
  readonly entries: number
  readonly startedAtMs: number
  readonly updatedAtMs: number
}

export interface EffectRow {
  readonly identity: string
  readonly generation: number
  readonly key: string
  readonly runId: string
  readonly stepId: string
  /**
   * `open`: its outcome is not known. `applied`: it happened; `used`: and another run goes by its result. `released`: it was undone,
   * or proved not to have happened.
   */
  readonly state: "open" | "applied" | "used" | "released"
}

export interface ClaimRow {
  readonly digest: string
  readonly call: string
  /** Of the effect that claimed it. */
  readonly identity: string
}
