/** Tells a run: each entry as it becomes durable, and in the end what came of it. */
import { explainApproval } from "../explain/approval.ts"
import { explainEntry } from "../explain/history.ts"
import { explainRun, type RunView, viewRun } from "../explain/run.ts"
import { genesis, link } from "../journal/chain.ts"
import type { Entry, Event } from "../journal/entry.ts"
import { replay, type Status } from "../journal/state.ts"
import type { OnEvent } from "../run/book.ts"
import { canonical } from "../text/canonical.ts"
import { restoreJson } from "../text/restore-json.ts"
import { exit, type Format, lookOf, print, printJson } from "./terminal.ts"
import { typed } from "./typed.ts"

/**
 * Tells entries as `log` would tell them: written down once more, and chained to the one before. An entry whose predecessor was
 * not told here has no hash.
 */
export function makeTell(before: readonly Entry[], format: Format): OnEvent {
  const look = lookOf(process.stdout)
  let last: Pick<Entry, "seq" | "hash"> = before.at(-1) ?? { seq: -1, hash: genesis }
  return ({ runId, seq, atMs, event: given }) => {
    const text = canonical(given as never)
    const event = restoreJson(text) as unknown as Event
    const told = { runId, seq, atMs, event }
    if (format === "pretty") {
      print(explainEntry(told, look))
    } else if (seq === last.seq + 1) {
      last = { seq, hash: link(last.hash, runId, seq, atMs, text) }
      printJson({ ...told, hash: last.hash })
    } else printJson(told)
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
  const { runId, status, awaiting, failure } = view
  print(`\n${explainRun(view, look)}`)
  if (failure !== null) print(`  more      ${typed("explain", [failure.code])}`)
  if (status === "running") print(`  to go on  ${typed("resume", [runId], store)}`)
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
