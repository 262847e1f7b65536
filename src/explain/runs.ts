/** The runs of a store, a line each. */
import type { RunSummary } from "../journal/journal.ts"
import { drawColumns } from "./columns.ts"
import { timeOf } from "./history.ts"
import type { Look } from "./look.ts"
import { clip, printable } from "./printable.ts"
import { explainStatus } from "./run.ts"

const nameRoom = 40
const goalRoom = 60

export function listRuns(runs: readonly RunSummary[], look: Look): string {
  const head = ["run", "status", "started", "tenant", "subject", "goal"].map((title) => [title])
  const rows = runs.map(({ runId, status, startedAtMs, tenant, subject, goal }) =>
    [
      printable(runId),
      explainStatus(status, look),
      timeOf(startedAtMs),
      clip(tenant, nameRoom),
      clip(subject, nameRoom),
      clip(goal ?? "", goalRoom),
    ].map((cell) => [cell]),
  )
  return drawColumns(head, rows, look).join("\n")
}
