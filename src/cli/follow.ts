/** Takes a run further in this process: tells each entry as it becomes durable, and in the end what came of it. */
import type { Catalog } from "../catalog/catalog.ts"
import { explainApproval } from "../explain/approval.ts"
import { explainEntry } from "../explain/history.ts"
import { explainRun, type RunView, viewRun } from "../explain/run.ts"
import { sqlite } from "../journal/sqlite.ts"
import { replay, type Status } from "../journal/state.ts"
import type { RunEntry } from "../run/book.ts"
import { createRunner, type Runner } from "../run/runner.ts"
import { loadTools } from "./modules.ts"
import { complain, defaultStore, exit, type Format, lookOf, print, printJson } from "./terminal.ts"

export interface FollowOptions {
  readonly catalog: Catalog
  readonly toolsPath: string
  readonly store: string
  readonly format: Format
}

export type Tell = (entry: RunEntry) => void

/** `act` starts the run or takes it up, and gives back its id. */
export async function follow(
  { catalog, toolsPath, store, format }: FollowOptions,
  act: (runner: Runner, tell: Tell) => Promise<string>,
): Promise<number> {
  const look = lookOf(process.stdout)
  let runId: string | undefined
  const tell: Tell = (entry) => {
    runId = entry.runId
    if (format === "json") {
      printJson(entry)
      return
    }
    // Said at once: whatever comes of this process, the run is found again by its id.
    if (entry.seq === 0) print(`run ${runId}`)
    print(explainEntry(entry, look))
  }
  process.once("SIGINT", () => {
    if (runId !== undefined) complain(`stopped; to go on: ${typed("resume", [runId], store)}`)
    process.exit(interrupted)
  })
  const runner = createRunner({ catalog, tools: await loadTools(toolsPath), store: sqlite(store), onEvent: tell })
  try {
    const view = await viewOf(runner, await act(runner, tell))
    if (format === "json") printJson({ run: view })
    else tellEnd(view, store)
    return exitOf(view.status)
  } finally {
    await runner.close()
  }
}

/** As shells have it for SIGINT. */
const interrupted = 130

async function viewOf(runner: Runner, runId: string): Promise<RunView> {
  const entries = await runner.entries(runId)
  const state = replay(runId, entries)
  if (state instanceof Error) throw state
  return viewRun(state, entries)
}

function tellEnd(view: RunView, store: string): void {
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

/** A command as it would be typed here and now. */
function typed(command: string, args: readonly string[], store = defaultStore): string {
  const name = process.env.npm_lifecycle_event === "sequitur" ? "npm run sequitur --" : "sequitur"
  const option = store === defaultStore ? [] : ["--store", quoted(store)]
  return [name, command, ...args.map(quoted), ...option].join(" ")
}

const quoted = (word: string): string => (/^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

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
