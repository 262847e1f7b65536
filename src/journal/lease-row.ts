/** What is wrong with who holds a run, until when, and when it is due: as far as its entries can say. */
import type { LeaseRow } from "./journal.ts"
import { farthestMs, isAdopted } from "./lease.ts"
import type { RunState } from "./state.ts"
import { isTerminal } from "./status.ts"
import type { Sound } from "./verify.ts"

/** No lease is as long, and no run waits as long for anything but what its tools say. */
const yearMs = 366 * 86_400_000

export function findLease(lease: LeaseRow, run: Sound | undefined): string | undefined {
  const { state, holder } = run ?? {}
  if (state === undefined || isTerminal(state.status)) return undefined
  const { owner, untilMs, dueMs } = lease
  if (isAdopted(lease))
    return untilMs === farthestMs && dueMs === undefined ? undefined : "is held for another store, but not for ever"
  if (owner === undefined && untilMs !== 0) return "is held by nobody, but until a time"
  if (owner !== undefined && holder !== undefined && owner !== holder)
    return `is held by another than \`${holder}\`, who has taken it up last`
  if (untilMs > state.updatedAtMs + yearMs) return "is held for longer than anybody holds a run"
  return owner === undefined ? findDue(dueMs, state) : undefined
}

function findDue(
  dueMs: number | undefined,
  { status, started, startedAtMs, updatedAtMs }: RunState,
): string | undefined {
  const { deadlineMs, tools } = started
  if (status === "awaiting_approval") {
    const dueAtMs = deadlineMs === undefined ? undefined : Math.min(Math.ceil(startedAtMs + deadlineMs), farthestMs)
    return dueMs === dueAtMs ? undefined : "is not due at its deadline"
  }
  const finalMs = Object.values(tools).map(({ reconcile }) => reconcile?.finalAfterMs ?? 0)
  return dueMs !== undefined && dueMs > updatedAtMs + yearMs + Math.max(0, ...finalMs)
    ? "is due later than anything it waits for"
    : undefined
}
