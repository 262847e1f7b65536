/** The runs of a store, a line each. */
import type { RunSummary } from "../journal/journal.ts"
import { drawColumns } from "./columns.ts"
import { timeOf } from "./history.ts"
import type { Look } from "./look.ts"
import { clip, printable } from "./printable.ts"
import { explainStatus } from "./run.ts"

const nameRoom = 40
const goalRoom = 60

/** `due` are those that somebody must take up: nobody is at work on them. */
export function listRuns(runs: readonly RunSummary[], due: ReadonlySet<string>, look: Look): string {
  const head = ["run", "status", "started", "tenant", "subject", "goal"].map((title) => [title])
  const rows = runs.map(({ runId, status, startedAtMs, tenant, subject, goal }) =>
    [
      printable(runId),
      `${explainStatus(status, look)}${due.has(runId) ? ", due" : ""}`,
      timeOf(startedAtMs),
      clip(tenant, nameRoom),
      clip(subject, nameRoom),
      clip(goal ?? "", goalRoom),
    ].map((cell) => [cell]),
  )
  return [...drawColumns(head, rows, look), ...notesOn(runs, due)].join("\n")
}

/** What somebody must do something about. */
function notesOn(runs: readonly RunSummary[], due: ReadonlySet<string>): readonly string[] {
  const count = (of: RunSummary["status"]): number => runs.filter(({ status }) => status === of).length
  const notes = [
    [count("awaiting_approval"), "awaiting approval (`approve` or `deny`)"],
    [count("in_doubt"), "in doubt (`log` says at what, `resolve` settles it)"],
    [runs.filter(({ runId }) => due.has(runId)).length, "due (`worker`, or `resume`)"],
    [count("damaged"), "damaged (`log --verify`)"],
  ] as const
  const told = notes.flatMap(([found, what]) => (found === 0 ? [] : [`  ${found} ${what}`]))
  return told.length === 0 ? [] : ["", ...told]
}
