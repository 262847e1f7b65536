/** Tells a run: each entry as it becomes durable, and in the end what came of it. */
import { explainApproval, explainSaid } from "../explain/approval.ts"
import { explainEntry } from "../explain/history.ts"
import { clip } from "../explain/printable.ts"
import { type DoubtView, explainRun, type RunView, viewRun } from "../explain/run.ts"
import type { Entry } from "../journal/entry.ts"
import { RunSecrets } from "../journal/secrets.ts"
import { type RunState, replay } from "../journal/state.ts"
import type { Status } from "../journal/status.ts"
import { shownIn, type WaitingApproval, waitingIn } from "../run/approval/waiting.ts"
import type { OnEvent } from "../run/listener.ts"
import { exit, type Format, lookOf, print, printJson, secrets } from "./terminal.ts"
import { type Along, signedBy, typed } from "./typed.ts"

/** Tells entries as they become durable, but for their secrets. Their hashes are told by `log`. */
export function makeTell(format: Format, before: readonly Entry[] = []): OnEvent {
  const look = lookOf(process.stdout)
  const ofRun = RunSecrets.of(before, secrets)
  return (entry) => {
    ofRun.note(entry.event)
    const shown = ofRun.redact(entry)
    if (format === "pretty") print(explainEntry(shown, look))
    else printJson(shown)
  }
}

/** Where a run stands after a command, and what the command was about. */
export interface End {
  readonly runId: string
  readonly entries: readonly Entry[]
  readonly store: string
  /** What the command was told beside it. */
  readonly along?: Along | undefined
  readonly format: Format
  /** A person's word that is taken by the journal: who acts on it may be another process. */
  readonly word?: boolean | undefined
  /** It was to be denied. */
  readonly deny?: boolean | undefined
}

/** What came of it; and the exit code for that. */
export function tellEnd({ runId, entries, store, along = {}, format, word = false, deny = false }: End): number {
  const state = replay(runId, entries)
  if (state instanceof Error) throw state
  const view = viewRun(state, entries, RunSecrets.of(entries, secrets))
  const open = state.open !== undefined
  if (format === "json") printJson({ run: view })
  else explainEnd(view, { store, along, unsigned: state.started.unsigned, word, open, waiting: shownWaiting(state) })
  if ((word || open) && view.status === "running") return exit.fine
  // The run has failed because the command did what it was to do.
  return deny && view.status === "failed" && view.failure?.code === "RUN301" ? exit.fine : exitOf(view.status)
}

function shownWaiting(state: RunState): WaitingApproval | undefined {
  const waiting = waitingIn(state)
  return waiting && shownIn(waiting, state)
}

interface Standing {
  readonly store: string
  readonly along: Along
  readonly unsigned: true | undefined
  readonly word: boolean
  readonly open: boolean
  readonly waiting: WaitingApproval | undefined
}

function explainEnd(view: RunView, { store, along, unsigned, word, open, waiting }: Standing): void {
  const look = lookOf(process.stdout)
  const { runId, status, awaiting, doubt, failure } = view
  print(`\n${explainRun(view, look)}`)
  if (failure !== null) print(`  more      ${typed("explain", [failure.code])}`)
  const resume = typed("resume", [runId], store, along)
  if (status === "running" && open) print("  open      for further calls, by the gate that began it")
  else if (status === "running" && !word) print(`  to go on  ${resume}`)
  else if (status === "running") {
    print("  left to   the process that holds the run, which acts on it within a second or so;")
    print(`            where none does, to a worker, or: ${resume}`)
    print("            (with --take-over, where it was imported or recovered)")
  }
  if (doubt !== null) explainDoubt(view, doubt, store, along)
  if (awaiting === null) return
  const decide = (how: "approve" | "deny"): string =>
    typed(how, [runId, awaiting.stepId, ...signedBy(unsigned)], store, along)
  const said = waiting === undefined ? [] : explainSaid(waiting)
  print(`\n${[explainApproval(awaiting, look), ...said].join("\n")}\n`)
  print(`to let it go on:  ${decide("approve")}`)
  print(`to end it:        ${decide("deny")}`)
}

function explainDoubt({ runId, cancel }: RunView, doubt: DoubtView, store: string, along: Along): void {
  const { stepId, tool, undoes, attempt, again } = doubt
  const about = ["--attempt", `${attempt}`, "--reason", "<how you know>"]
  const settle = (answer: readonly string[]): string =>
    typed("resolve", [runId, stepId, ...answer, ...about], store, along)
  const [name, step] = [clip(tool, 40), clip(stepId, 40)]
  const labels = undoes ? ["if it was undone:  ", "if it was not:     "] : ["if it happened:  ", "if it did not:   "]
  const [happened = "", not = ""] = labels
  print(undoes ? `\n${step} did take effect; whether ${name} has undone it is not known.` : "")
  print(`ask the system behind ${name} what became of that key, then:`)
  print(`${happened}${settle(["--applied", "<its result.json>"])}`)
  print(`${not}${settle(["--not-applied"])}`)
  if (undoes || cancel === null) print(`${" ".repeat(not.length)}(${name} is then called again at once)`)
  if (again) print(`${"to try it again:".padEnd(not.length)}${settle(["--retry"])}`)
  if (undoes) print(`${"to leave it:".padEnd(not.length)}${settle(["--give-up"])}`)
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
