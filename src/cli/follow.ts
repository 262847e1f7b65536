/** Takes a run further in this process, until it ends, waits for a person, or is stopped. */
import type { Catalog } from "../catalog/catalog.ts"
import { propertiesOf } from "../catalog/schema/shape.ts"
import type { Entry } from "../journal/entry.ts"
import { sqlite } from "../journal/sqlite.ts"
import type { OnEvent } from "../run/listener.ts"
import { createRunner, type Runner } from "../run/runner.ts"
import { advise } from "./advice.ts"
import { loadTools } from "./modules.ts"
import { makeTell, tellEnd } from "./tell.ts"
import { complain, type Format, print, signals } from "./terminal.ts"
import { printTrouble } from "./trouble.ts"
import { typed } from "./typed.ts"

export interface FollowOptions {
  readonly catalog: Catalog
  readonly toolsPath: string
  readonly store: string
  readonly format: Format
  /** What the journal has of the run already, and the step that it waits at. */
  readonly before?: readonly Entry[]
  readonly waitsAt?: string | undefined
  /** As `tellEnd` has it. */
  readonly word?: boolean
  /** Called when a new run has its first entry: until then everything can still be refused. */
  readonly onBegin?: () => void
}

/** `act` starts the run or takes it up, and gives back its id. */
export async function follow(
  { catalog, toolsPath, store, format, before = [], waitsAt, word, onBegin }: FollowOptions,
  act: (runner: Runner) => Promise<string>,
): Promise<number> {
  let runId = before[0]?.runId
  const tellEntry = makeTell(format)
  const onEvent: OnEvent = (entry) => {
    runId = entry.runId
    if (entry.seq === 0) {
      onBegin?.()
      // Said at once: whatever comes of this process, the run is found again by its id.
      if (format === "pretty") print(`run ${runId}`)
    }
    tellEntry(entry)
  }
  let runner: Runner | undefined
  let stopped: Promise<never> | undefined
  const stop = async (signal: keyof typeof signals): Promise<never> => {
    const released = await closeWithin(stopMs, runner)
    const takeOver = released ? [] : ["--take-over"]
    const hint = runId === undefined ? null : `to go on: ${typed("resume", [runId, ...takeOver], store)}`
    complain(hint === null ? "stopped" : `stopped; ${hint}`)
    if (format === "json") printTrouble({ code: "stopped", message: "stopped", hint })
    return process.exit(signals[signal])
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stopped ??= stop(signal)
    })
  }
  runner = createRunner({ catalog, tools: await loadTools(toolsPath), store: sqlite(store), onEvent })
  try {
    const followed = await act(runner)
    return tellEnd({ runId: followed, entries: await runner.entries(followed), store, format, word })
  } catch (error) {
    await stopped
    const { inputs } = catalog
    throw advise(error, { store, runId, waitsAt, inputs: inputs && [...propertiesOf(inputs.shape).keys()] })
  } finally {
    await runner.close()
  }
}

/** A run that is let go of need not be waited for by whoever goes on with it. True where it was. */
async function closeWithin(ms: number, runner: Runner | undefined): Promise<boolean> {
  const closed = Promise.resolve(runner?.close()).then(
    () => true,
    () => false,
  )
  return Promise.race([closed, new Promise<boolean>((done) => setTimeout(done, ms, false))])
}

const stopMs = 2_000
