/** What the gates would have said of calls that were made past them, and of tools that there are none of: by tool, to see what enforcing it would change. */
import type { CallObserved, Entry } from "../journal/entry.ts"
import { drawColumns } from "./columns.ts"
import type { Look } from "./look.ts"
import { clip } from "./printable.ts"

export interface ObservedTool {
  readonly tool: string
  /** Made past the gates. */
  readonly calls: number
  readonly passed: number
  readonly refused: number
  /** A person would have been asked. */
  readonly waited: number
  /** Whose handler failed, whatever the gates would have said. */
  readonly failed: number
  /** By code, how many calls it would have refused. */
  readonly codes: { readonly [code: string]: number }
}

/** By the name of the tool. */
export function observedIn(entries: Iterable<Pick<Entry, "event">>): readonly ObservedTool[] {
  const tools = new Map<string, ObservedTool>()
  for (const { event } of entries) {
    // A tool that there is none of cannot be made past the gates: it was refused, and would be.
    const unknown = event.kind === "call-refused" && event.diagnostics.some(({ code }) => code === "SEQ108")
    if (event.kind !== "call-observed" && !unknown) continue
    const { tool, diagnostics } = event
    const { waits, failure }: Pick<CallObserved, "waits" | "failure"> = event.kind === "call-observed" ? event : {}
    const { calls, passed, refused, waited, failed, codes } = tools.get(tool) ?? none
    const told = new Set(diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code))
    const counted = Object.fromEntries([...told].map((code) => [code, (codes[code] ?? 0) + 1]))
    tools.set(tool, {
      tool,
      calls: calls + 1,
      passed: passed + (told.size === 0 && waits === undefined ? 1 : 0),
      refused: refused + (told.size > 0 ? 1 : 0),
      waited: waited + (waits === true ? 1 : 0),
      failed: failed + (failure === undefined ? 0 : 1),
      codes: { ...codes, ...counted },
    })
  }
  return [...tools.values()].sort((one, other) => (one.tool < other.tool ? -1 : 1))
}

const none = { calls: 0, passed: 0, refused: 0, waited: 0, failed: 0, codes: {} as { readonly [code: string]: number } }

export function explainObserved(tools: readonly ObservedTool[], look: Look): string {
  const head = ["tool", "calls", "would pass", "would wait", "would be refused", "by", "failed"].map((title) => [title])
  const rows = tools.map(({ tool, calls, passed, waited, refused, codes, failed }) =>
    [clip(tool, 40), `${calls}`, `${passed}`, `${waited}`, `${refused}`, sayCodes(codes), `${failed}`].map((cell) => [
      cell,
    ]),
  )
  return drawColumns(head, rows, look).join("\n")
}

const sayCodes = (codes: ObservedTool["codes"]): string =>
  Object.entries(codes)
    .sort(([, one], [, other]) => other - one)
    .map(([code, count]) => `${code} × ${count}`)
    .join(", ")
