/** `sequitur worker`: takes up what is due, until it is stopped. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { explainEntry } from "../../explain/history.ts"
import { clip, printable } from "../../explain/printable.ts"
import type { Entry, RunStarted } from "../../journal/entry.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import { sqlite } from "../../journal/sqlite.ts"
import type { Driving } from "../../run/run.ts"
import type { Toolbox } from "../../run/toolbox.ts"
import { createWorker } from "../../run/worker.ts"
import { advise, isRefused } from "../advice.ts"
import { approversFor } from "../approvers.ts"
import { loadProviders, loadTools, nameOf } from "../modules.ts"
import { type OriginOptions, originOf } from "../origin.ts"
import {
  complain,
  exit,
  type Format,
  lookOf,
  print,
  printJson,
  reasonOf,
  secrets,
  signals,
  UsageError,
} from "../terminal.ts"
import { printTrouble } from "../trouble.ts"

export interface WorkerOptions extends Omit<OriginOptions, "tools"> {
  /** A module for each catalog that runs in the store may go by. */
  readonly tools?: readonly string[]
  readonly concurrency: number
  readonly every: number
  readonly once?: true
  readonly format: Format
}

export async function runWorker(options: WorkerOptions): Promise<number> {
  const { store, concurrency, every: everyMs, once: untilIdle, format } = options
  if (!existsSync(store)) throw new UsageError(`there is no store ${nameOf(store)}; name one with --store`)
  let [troubles, taken] = [0, 0]
  const tell = makeTellOfRun(format)
  const worker = createWorker({
    store: sqlite(store, { create: false }),
    tools: await makeFind(options),
    approvers: approversFor(options.approvers, resolve(options.catalog ?? "catalog.ts")),
    ...Object.assign({}, ...(await Promise.all((options.tools ?? []).map(loadProviders))).reverse()),
    concurrency,
    everyMs,
    untilIdle,
    onTakeUp: tell.onTakeUp,
    onEvent: (entry) => {
      taken++
      return tell.onEvent?.(entry)
    },
    onError: (error, runId) => {
      troubles++
      tellError(error, runId, store)
    },
  })
  let stopping = false
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) stopAtOnce(signal, format)
      stopping = true
      complain("stopping: calls under way are waited for; again to stop at once")
      worker.stop().catch(() => {})
    })
  }
  try {
    await worker.stopped
  } catch (error) {
    throw advise(error, { store })
  }
  if (untilIdle && taken === 0 && troubles === 0 && format === "pretty") print("nothing is due")
  return untilIdle && troubles > 0 ? exit.refused : exit.fine
}

/** Who takes a run up later settles what was under way. */
function stopAtOnce(signal: keyof typeof signals, format: Format): never {
  complain("stopped at once")
  if (format === "json") printTrouble({ code: "stopped", message: "stopped at once", hint: null })
  return process.exit(signals[signal])
}

/** The toolboxes that were named; else those that each run names itself. Each is loaded once. */
async function makeFind(
  options: WorkerOptions,
): Promise<readonly Toolbox[] | ((started: RunStarted) => Promise<Toolbox>)> {
  if (options.tools !== undefined) return Promise.all(options.tools.map(loadTools))
  const loaded = new Map<string, Promise<Toolbox>>()
  return async (started) => {
    const { store, catalog } = options
    const { toolsPath } = await originOf([{ event: started } as Entry], { store, ...(catalog && { catalog }) })
    const toolbox = loaded.get(toolsPath) ?? loadTools(toolsPath)
    loaded.set(toolsPath, toolbox)
    return toolbox
  }
}

function makeTellOfRun(format: Format): Pick<Driving, "onEvent" | "onTakeUp"> {
  const look = lookOf(process.stdout)
  const known = new Map<string, RunSecrets>()
  return {
    onTakeUp: (state) => {
      known.set(state.runId, RunSecrets.in(state, secrets))
    },
    onEvent: (entry) => {
      const ofRun = known.get(entry.runId) ?? new RunSecrets(secrets)
      ofRun.note(entry.event)
      if (entry.event.kind === "run-ended") known.delete(entry.runId)
      const shown = ofRun.redact(entry)
      if (format === "json") printJson(shown)
      else print(`${printable(entry.runId)} ${explainEntry(shown, look)}`)
    },
  }
}

function tellError(error: unknown, runId: string | undefined, store: string): void {
  const advised = runId === undefined ? error : advise(error, { store, runId })
  const name = isRefused(advised) ? ` ${advised.code}` : ""
  const place = runId === undefined ? "" : `run ${printable(runId)}: `
  complain(`error${name}: ${clip(`${place}${reasonOf(advised)}`, 1_000)}`)
  if (isRefused(advised)) complain(`hint: ${clip(advised.hint, 1_000)}`)
}
