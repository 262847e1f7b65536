/**
 * A run that comes from another store is held to its plan and to the catalog before anything is called for it: its chain says only
 * that nobody has altered it since it was written, and not who wrote it.
 */
import { judgeWhole } from "../catalog/schema/judge.ts"
import type { Entry, RunStarted } from "../journal/entry.ts"
import { JournalDiverged, type JournalNewer, type JournalOlder } from "../journal/failure.ts"
import { canonical } from "../text/canonical.ts"
import type { Footing } from "./drive/drive.ts"
import { StalePlan } from "./failure.ts"
import { tellIssues } from "./misfits.ts"
import type { ReadyPlan } from "./next/prepare.ts"
import { isWithin, rederive } from "./rederive.ts"

/** Why it is not taken up. Without its plan nothing can be said of it, so that it is not even settled. */
export function holdToPlan(
  footing: Footing,
  runId: string,
  started: RunStarted,
  entries: readonly Entry[],
): StalePlan | JournalDiverged | JournalNewer | JournalOlder | undefined {
  if (footing instanceof StalePlan) return footing
  const problem = differs(footing, started)
  if (problem !== undefined) return new JournalDiverged({ runId, seq: 0, problem })
  const derived = rederive(footing, runId, entries)
  return derived instanceof Error ? derived : undefined
}

/** What settling, undoing and the end of the run go by, and what the plan reads. */
function differs(
  { policies, catalog }: ReadyPlan,
  { tools, inputs, deadlineMs, open }: RunStarted,
): string | undefined {
  for (const name of new Set([...Object.keys(policies), ...Object.keys(tools)])) {
    const [said, declared] = [tools[name], policies[name]]
    if (said === undefined || declared === undefined || canonical(said as never) !== canonical(declared as never))
      return `what it says of tool \`${name}\` is not what the catalog says`
  }
  const most = catalog.budgets.deadlineMs
  if (open === undefined ? deadlineMs !== most : !isWithin(deadlineMs, most)) return "its deadline is not the catalog's"
  if (catalog.inputs === undefined) return inputs === null ? undefined : "it has inputs, and the catalog declares none"
  const issues = judgeWhole(catalog.inputs, inputs)
  return issues.length === 0 ? undefined : `its inputs are refused ${tellIssues(issues)}`
}
