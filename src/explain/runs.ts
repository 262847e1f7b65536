/** The runs of a store, a line each. */
import type { RunSummary } from "../journal/journal.ts"
import { drawColumns } from "./columns.ts"
import { timeOf } from "./history.ts"
import type { Look } from "./look.ts"
import { clip, printable } from "./printable.ts"
import { explainStatus } from "./run.ts"

const nameRoom = 40
const goalRoom = 60

/** A run, and what is to be done about it. */
export interface ListedRun extends Omit<RunSummary, "sessionId"> {
  /** Somebody must take it up: nobody is at work on it. */
  readonly due: boolean
  /** Somebody has asked for it to be stopped, and it has not ended yet. */
  readonly cancelling: boolean
}

export function listRuns(runs: readonly ListedRun[], look: Look): string {
  const head = ["run", "status", "started", "tenant", "subject", "goal"].map((title) => [title])
  const rows = runs.map(({ runId, status, startedAtMs, tenant, subject, goal, due, cancelling }) =>
    [
      printable(runId),
      `${explainStatus(status, look)}${cancelling ? ", being cancelled" : ""}${due ? ", due" : ""}`,
      timeOf(startedAtMs),
      clip(tenant, nameRoom),
      clip(subject, nameRoom),
      clip(goal ?? "", goalRoom),
    ].map((cell) => [cell]),
  )
  return [...drawColumns(head, rows, look), ...notesOn(runs)].join("\n")
}

/** What somebody must do something about. */
function notesOn(runs: readonly ListedRun[]): readonly string[] {
  const count = (of: RunSummary["status"]): number => runs.filter(({ status }) => status === of).length
  const notes = [
    [count("awaiting_approval"), "awaiting approval (`approve` or `deny`)"],
    [count("in_doubt"), "in doubt (`log` says at what, `resolve` settles it)"],
    [runs.filter(({ due }) => due).length, "due (`worker`, or `resume`)"],
    [count("damaged"), "damaged (`log --verify`)"],
  ] as const
  const told = notes.flatMap(([found, what]) => (found === 0 ? [] : [`  ${found} ${what}`]))
  return told.length === 0 ? [] : ["", ...told]
}
