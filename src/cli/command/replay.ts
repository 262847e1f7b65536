/** `sequitur replay`: derives every action of a run anew, and holds the journal against it. */
import { explainStatus } from "../../explain/run.ts"
import { plural } from "../../explain/verdict.ts"
import type { Entry } from "../../journal/entry.ts"
import { type RunState, replay } from "../../journal/state.ts"
import { StalePlan } from "../../run/failure.ts"
import { rederive } from "../../run/rederive.ts"
import { keyedFooting } from "../../run/run.ts"
import { loadProviders, type Providers } from "../modules.ts"
import { catalogOf, type OriginOptions, tryOriginOf } from "../origin.ts"
import { readEntries } from "../store.ts"
import { complain, exit, type Format, lookOf, print, printJson } from "../terminal.ts"

export interface ReplayOptions extends Omit<OriginOptions, "tools"> {
  readonly format: Format
}

export async function replayRun(runId: string, { format, ...options }: ReplayOptions): Promise<number> {
  const entries = await readEntries(options.store, runId, options.tenant)
  const state = replay(runId, entries)
  if (state instanceof Error) throw state
  const catalog = await catalogOf(entries, options)
  const toolbox = { catalog, handlers: new Map(), fault: undefined }
  const footing = keyedFooting(state, toolbox, await keySecretOf(state, entries, options))
  if (footing instanceof Error && !(footing instanceof StalePlan)) throw footing
  const partly = footing instanceof StalePlan
  const derived = rederive(partly ? undefined : footing, runId, entries)
  if (derived instanceof Error) throw derived
  const { status } = derived
  if (format === "json") printJson({ replay: { runId, entries: entries.length, status, whole: !partly } })
  else {
    const what = `${plural(entries.length, "entry", "entries")}, each as it follows from those before it`
    print(`replayed: ${what}; ${explainStatus(status, lookOf(process.stdout))}`)
  }
  // Then only what needs no plan could be held against it.
  if (partly) complain(`note: ${footing.message}; new calls were taken as they stand`)
  return exit.fine
}

/** Nothing is called, so the tools are looked for only where keys cannot be made without what stands beside them. */
async function keySecretOf(
  { started }: RunState,
  entries: readonly Entry[],
  options: OriginOptions,
): Promise<Providers["keySecret"]> {
  const origin = started.keyed === undefined ? undefined : await tryOriginOf(entries, options)
  return origin && (await loadProviders(origin.toolsPath)).keySecret
}
