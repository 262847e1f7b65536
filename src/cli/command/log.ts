/** `sequitur log`: what happened in a run, entry by entry; and whether a store is what was written. */
import { explainEntry } from "../../explain/history.ts"
import { printable } from "../../explain/printable.ts"
import { plural } from "../../explain/verdict.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import { replay } from "../../journal/state.ts"
import { type Anchor, anchorOf, readAnchor, tellFinding, type Verified, verifyStore } from "../../journal/verify.ts"
import { defaultBounds } from "../../text/bounds.ts"
import { nameOf } from "../modules.ts"
import { readValue } from "../read-value.ts"
import { readEntries, useStore } from "../store.ts"
import { complain, exit, type Format, lookOf, print, printJson, secrets, UsageError } from "../terminal.ts"

export interface LogOptions {
  readonly store: string
  readonly tenant?: string
  readonly format: Format
  readonly verify?: true
  readonly head?: true
  readonly expect?: string
}

/** Reading holds every entry of a run against its hash; `--verify` the whole store against all that can be made anew of it. */
export async function logRun(runId: string | undefined, options: LogOptions): Promise<number> {
  const { store, tenant, format, verify, head, expect } = options
  if (runId === undefined && !verify && !head && expect === undefined)
    throw new UsageError("name a run; or say --verify, --head or --expect of the whole store")
  if (tenant !== undefined && (head || verify || expect !== undefined))
    throw new UsageError("--tenant is of one run; --verify, --head and --expect are of the whole store")
  if (head && (runId !== undefined || verify || expect !== undefined))
    throw new UsageError("--head is of the whole store, and stands alone")
  if (head) {
    printJson(await useStore(store, (journal) => journal.inspect(anchorOf)))
    return exit.fine
  }
  if (runId !== undefined) await tellEntries(runId, store, tenant, format)
  if (!verify && expect === undefined) return exit.fine
  const anchor = expect === undefined ? undefined : await readHead(expect)
  const verified = await useStore(store, (journal) => journal.inspect((whole) => verifyStore(whole, anchor)))
  return tellVerified(verified, anchor, format)
}

async function tellEntries(runId: string, store: string, tenant: string | undefined, format: Format): Promise<void> {
  const look = lookOf(process.stdout)
  const entries = await readEntries(store, runId, tenant)
  const ofRun = RunSecrets.of(entries, secrets)
  for (const entry of entries) {
    const shown = ofRun.redact(entry)
    if (format === "json") printJson(shown)
    else print(explainEntry(shown, look))
  }
  if (format === "pretty") tellContradictions(replay(runId, entries))
}

/** What is noted late may say that something happened of which the opposite was settled: that is easily read over. */
function tellContradictions(state: ReturnType<typeof replay>): void {
  if (state instanceof Error) return
  for (const { seq, event, contradicts } of state.observations) {
    if (contradicts)
      print(`entry ${seq} contradicts what was settled of ${printable(event.stepId)}: look at what is there outside`)
  }
}

async function readHead(file: string): Promise<Anchor> {
  const anchor = readAnchor(await readValue("the head", file, { ...defaultBounds, textBytes: headMax, nodes: headMax }))
  if (anchor === undefined) throw new UsageError(`${nameOf(file)} is no head: give what \`log --head\` printed`)
  return anchor
}

/** A head has a line for each run. */
const headMax = 100_000_000

function tellVerified({ runs, anchor, findings }: Verified, expected: Anchor | undefined, format: Format): number {
  if (format === "json") printJson({ verify: { runs, entries: anchor.store.entries, findings } })
  for (const finding of findings) complain(`error: ${tellFinding(finding)}`)
  if (findings.length > 0) return exit.refused
  if (format === "pretty") {
    const held = expected === undefined ? "" : `, and the ${expected.store.entries} of the head are among them`
    print(
      `verified: ${plural(runs, "run")}, ${plural(anchor.store.entries, "entry", "entries")}, each chained to the one before it${held}`,
    )
  }
  return exit.fine
}
