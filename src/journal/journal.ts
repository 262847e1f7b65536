/** The journal as a service. A store is a layer of it: memory, SQLite, and whatever keeps the promises written here. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import { isObject } from "../text/json.ts"
import type { Entry, Event, Recorded, RunStarted } from "./entry.ts"
import { type JournalConflict, type JournalNewer, JournalTampered, type StoreUnavailable } from "./failure.ts"
import type { Status } from "./state.ts"

export interface JournalService {
  /**
   * Puts entries at the end of a run, all or none, and durably when it returns. Their numbers must follow the last entry:
   * where another writer was first, nothing is written and it is a `JournalConflict`.
   */
  readonly append: (runId: string, records: readonly Recorded[]) => Effect<void, StoreUnavailable | JournalConflict>
  /** All entries of a run, their chain verified; none where there is no such run, or it is another tenant's. */
  readonly read: (
    runId: string,
    options?: { readonly tenant?: string | undefined },
  ) => Effect<readonly Entry[], StoreUnavailable | JournalTampered | JournalNewer>
  /** The runs of a tenant, or of all, by the time they started. Their chains are not verified: that is for whoever reads one. */
  readonly list: (options?: {
    readonly tenant?: string | undefined
  }) => Effect<readonly RunSummary[], StoreUnavailable | JournalTampered>
}

export class Journal extends Context.Service<Journal, JournalService>()("sequitur/Journal") {}

export interface RunSummary {
  readonly runId: string
  readonly tenant: string
  readonly subject: string
  readonly goal: string | undefined
  readonly status: Status
  readonly entries: number
  readonly startedAtMs: number
  readonly updatedAtMs: number
}

/** A run by its first and its last entry. Throws a `JournalTampered` where they are no such entries. */
export function summarise(runId: string, first: Recorded, last: Recorded): RunSummary {
  if (!isStart(first.event)) throw new JournalTampered({ runId, seq: first.seq })
  if (!isObject(last.event)) throw new JournalTampered({ runId, seq: last.seq })
  const { tenant, subject, document } = first.event
  return {
    runId,
    tenant,
    subject,
    goal: document.goal,
    status: statusAfter(last.event),
    entries: last.seq + 1,
    startedAtMs: first.atMs,
    updatedAtMs: last.atMs,
  }
}

function isStart(event: unknown): event is RunStarted {
  if (!isObject(event) || event.kind !== "run-started" || !isObject(event.document)) return false
  const { tenant, subject, document } = event
  const goal: unknown = document.goal
  return [tenant, subject, goal ?? ""].every((text) => typeof text === "string")
}

function statusAfter(event: Event): Status {
  switch (event.kind) {
    case "run-ended":
      return event.status
    case "approval-requested":
      return "awaiting_approval"
    case "in-doubt":
      return "in_doubt"
    default:
      return "running"
  }
}
