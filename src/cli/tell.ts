/** Tells a run: each entry as it becomes durable, and in the end what came of it. */
import { explainApproval } from "../explain/approval.ts"
import { explainEntry } from "../explain/history.ts"
import { clip } from "../explain/printable.ts"
import { explainRun, type RunView, viewRun } from "../explain/run.ts"
import type { Entry } from "../journal/entry.ts"
import { replay } from "../journal/state.ts"
import type { Status } from "../journal/status.ts"
import type { OnEvent } from "../run/book.ts"
import { exit, type Format, lookOf, print, printJson } from "./terminal.ts"
import { typed } from "./typed.ts"

/** Tells entries as they become durable. Their hashes are told by `log`. */
export function makeTell(format: Format): OnEvent {
  const look = lookOf(process.stdout)
  return (entry) => {
    if (format === "pretty") print(explainEntry(entry, look))
    else printJson(entry)
  }
}

/** What came of it; and the exit code for that. */
export function tellEnd(runId: string, entries: readonly Entry[], store: string, format: Format): number {
  const state = replay(runId, entries)
  if (state instanceof Error) throw state
  const view = viewRun(state, entries)
  if (format === "json") printJson({ run: view })
  else explainEnd(view, store)
  return exitOf(view.status)
}

function explainEnd(view: RunView, store: string): void {
  const look = lookOf(process.stdout)
  const { runId, status, awaiting, doubt, failure } = view
  print(`\n${explainRun(view, look)}`)
  if (failure !== null) print(`  more      ${typed("explain", [failure.code])}`)
  if (status === "running") print(`  to go on  ${typed("resume", [runId], store)}`)
  if (doubt !== null) {
    const settle = (answer: readonly string[]): string =>
      typed("resolve", [runId, doubt.stepId, ...answer, "--reason", "<how you know>"], store)
    print(`\nask the system behind ${clip(doubt.tool, 40)} what became of that key, then:`)
    print(`if it happened:  ${settle(["--applied", "<its result.json>"])}`)
    print(`if it did not:   ${settle(["--not-applied"])}`)
  }
  if (awaiting === null) return
  print(`\n${explainApproval(awaiting, look)}\n`)
  print(`to let it go on:  ${typed("approve", [runId, awaiting.stepId], store)}`)
  print(`to end it:        ${typed("deny", [runId, awaiting.stepId], store)}`)
}

export function exitOf(status: Status): number {
  switch (status) {
    case "succeeded":
      return exit.fine
    case "awaiting_approval":
      return exit.awaiting
    case "in_doubt":
      return exit.inDoubt
    case "cancelled":
      return exit.cancelled
    case "exhausted":
      return exit.exhausted
    case "failed":
    case "running":
      return exit.refused
  }
}
