/** Takes a run further in this process, until it ends, waits for a person, or is stopped. */
import type { Catalog } from "../catalog/catalog.ts"
import { propertiesOf } from "../catalog/schema/shape.ts"
import type { Entry } from "../journal/entry.ts"
import { sqlite } from "../journal/sqlite.ts"
import type { KeySet } from "../run/approval/key-set.ts"
import type { OnEvent } from "../run/listener.ts"
import { createRunner, type Runner } from "../run/runner.ts"
import { advise } from "./advice.ts"
import { loadProviders, loadTools } from "./modules.ts"
import { makeTell, tellEnd } from "./tell.ts"
import { complain, type Format, print, signals } from "./terminal.ts"
import { printTrouble } from "./trouble.ts"
import { type Along, signedBy, typed } from "./typed.ts"

export interface FollowOptions {
  readonly catalog: Catalog
  readonly toolsPath: string
  readonly approvers?: KeySet | undefined
  readonly store: string
  /** What the command was told beside its run. */
  readonly along?: Along
  readonly format: Format
  /** What the journal has of the run already, and the step that it waits at. */
  readonly before?: readonly Entry[]
  readonly waitsAt?: string | undefined
  /** As `tellEnd` has it. */
  readonly word?: boolean
  readonly deny?: boolean
  /** Called when a new run has its first entry: until then everything can still be refused. */
  readonly onBegin?: () => void
}

/** `act` starts the run or takes it up, and gives back its id. */
export async function follow(
  {
    catalog,
    toolsPath,
    approvers,
    store,
    along = {},
    format,
    before = [],
    waitsAt,
    word,
    deny,
    onBegin,
  }: FollowOptions,
  act: (runner: Runner) => Promise<string>,
): Promise<number> {
  let runId = before[0]?.runId
  let ended = false
  const tellEntry = makeTell(format, before)
  const onEvent: OnEvent = (entry) => {
    runId = entry.runId
    ended = entry.event.kind === "run-ended"
    if (entry.seq === 0) {
      onBegin?.()
      // Said at once: whatever comes of this process, the run is found again by its id.
      if (format === "pretty") print(`run ${runId}`)
    }
    tellEntry(entry)
  }
  let runner: Runner | undefined
  let stopped: Promise<never> | undefined
  const hurry = Promise.withResolvers<void>()
  const stop = async (signal: keyof typeof signals): Promise<never> => {
    if (runner !== undefined) complain("stopping: a call under way is waited for; again to stop at once")
    const drained = closeWithin(graceMs + stopMs, runner?.close({ graceMs }))
    const released = await Promise.race([
      drained,
      hurry.promise.then(() => closeWithin(stopMs, runner?.close({ graceMs: 0 }))),
    ])
    const takeOver = released ? [] : ["--take-over"]
    const hint =
      runId === undefined || ended ? null : `to go on: ${typed("resume", [runId, ...takeOver], store, along)}`
    complain(hint === null ? "stopped" : `stopped; ${hint}`)
    if (format === "json") printTrouble({ code: "stopped", message: "stopped", hint })
    return process.exit(signals[signal])
  }
  let signalled = 0
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      signalled += 1
      if (signalled === 1) stopped = stop(signal)
      else if (signalled === 2) hurry.resolve()
      else process.exit(signals[signal])
    })
  }
  runner = createRunner({
    catalog,
    tools: await loadTools(toolsPath),
    store: sqlite(store),
    approvers,
    ...(await loadProviders(toolsPath)),
    onEvent,
  })
  try {
    const followed = await act(runner)
    // It was let go of.
    await stopped
    const entries = await runner.entries(followed)
    return tellEnd({ runId: followed, entries, store, along, format, word, deny })
  } catch (error) {
    await stopped
    const { inputs } = catalog
    throw advise(error, {
      store,
      along,
      runId,
      waitsAt,
      signing: signedBy(catalog.approvals === "unsigned" ? true : undefined),
      inputs: inputs && [...propertiesOf(inputs.shape).keys()],
    })
  } finally {
    await runner.close()
  }
}

/** A run that is let go of need not be waited for by whoever goes on with it. True where it was. */
function closeWithin(ms: number, closing: Promise<void> | undefined): Promise<boolean> {
  const closed = Promise.resolve(closing).then(
    () => true,
    () => false,
  )
  return Promise.race([closed, new Promise<boolean>((done) => setTimeout(done, ms, false))])
}

/** For a call under way; and, without waiting for it, for letting go of its run. */
const graceMs = 30_000
const stopMs = 2_000
