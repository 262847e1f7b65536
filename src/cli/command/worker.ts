/** `sequitur worker`: takes up what is due, until it is stopped. */
import { existsSync } from "node:fs"
import { explainEntry } from "../../explain/history.ts"
import { clip, printable } from "../../explain/printable.ts"
import type { Entry, RunStarted } from "../../journal/entry.ts"
import { sqlite } from "../../journal/sqlite.ts"
import type { OnEvent } from "../../run/listener.ts"
import type { Toolbox } from "../../run/toolbox.ts"
import { createWorker } from "../../run/worker.ts"
import { advise, isRefused } from "../advice.ts"
import { loadTools, nameOf } from "../modules.ts"
import { type OriginOptions, originOf } from "../origin.ts"
import { complain, exit, type Format, lookOf, print, printJson, reasonOf, UsageError } from "../terminal.ts"

export interface WorkerOptions extends OriginOptions {
  readonly concurrency: number
  readonly every: number
  readonly once?: true
  readonly format: Format
}

export async function runWorker(options: WorkerOptions): Promise<number> {
  const { store, concurrency, every: everyMs, once: untilIdle, format } = options
  if (!existsSync(store)) throw new UsageError(`there is no store ${nameOf(store)}; name one with --store`)
  let troubles = 0
  const worker = createWorker({
    store: sqlite(store, { create: false }),
    tools: makeFind(options),
    concurrency,
    everyMs,
    untilIdle,
    onEvent: makeTellOfRun(format),
    onError: (error, runId) => {
      troubles++
      tellError(error, runId, store)
    },
  })
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      complain("stopping: calls under way are waited for; again to stop at once")
      process.once(signal, () => process.exit(exit.refused))
      worker.stop().catch(() => {})
    })
  }
  try {
    await worker.stopped
  } catch (error) {
    throw advise(error, { store })
  }
  return untilIdle && troubles > 0 ? exit.refused : exit.fine
}

/** Each run names its own modules; each is loaded once. */
function makeFind(options: OriginOptions): (started: RunStarted) => Promise<Toolbox> {
  const loaded = new Map<string, Promise<Toolbox>>()
  return async (started) => {
    const { toolsPath } = await originOf([{ event: started } as Entry], options)
    const toolbox = loaded.get(toolsPath) ?? loadTools(toolsPath)
    loaded.set(toolsPath, toolbox)
    return toolbox
  }
}

function makeTellOfRun(format: Format): OnEvent {
  const look = lookOf(process.stdout)
  return (entry) => {
    if (format === "json") printJson(entry)
    else print(`${printable(entry.runId)} ${explainEntry(entry, look)}`)
  }
}

function tellError(error: unknown, runId: string | undefined, store: string): void {
  const advised = runId === undefined ? error : advise(error, { store, runId })
  const name = isRefused(advised) ? ` ${advised.code}` : ""
  const place = runId === undefined ? "" : `run ${printable(runId)}: `
  complain(`error${name}: ${clip(`${place}${reasonOf(advised)}`, 1_000)}`)
  if (isRefused(advised)) complain(`hint: ${clip(advised.hint, 1_000)}`)
}
