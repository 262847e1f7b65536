/** What the gates would have said of calls that were made past them, and of those that nobody could have made: by tool, to see what enforcing it would change. */
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
  /** The gates would have let it through, but what came of it cannot be used in a run, or would be in doubt there. */
  readonly failing: number
  /** Whose handler failed, whatever the gates would have said. */
  readonly failed: number
  /** By code, how many calls it would have refused, or would have failed over what came of them. */
  readonly codes: { readonly [code: string]: number }
}

/** By the name of the tool. */
export function observedIn(entries: Iterable<Pick<Entry, "event">>): readonly ObservedTool[] {
  const tools = new Map<string, ObservedTool>()
  for (const { event } of entries) {
    // A tool that there is none of cannot be made past the gates: it was refused, and would be.
    const unknown = event.kind === "call-refused" && event.diagnostics.some(({ code }) => code === "SEQ108")
    const unmade = event.kind === "call-refused" && event.watched === true
    if (event.kind !== "call-observed" && !unknown && !unmade) continue
    const { tool, diagnostics } = event
    const { waits, failure, wouldFail }: Outcome = event.kind === "call-observed" ? event : {}
    const { calls, passed, refused, waited, failing, failed, codes } = tools.get(tool) ?? none
    const told = new Set(diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code))
    const fails = told.size === 0 && wouldFail !== undefined
    const named = fails ? [wouldFail] : [...told]
    const counted = Object.fromEntries(named.map((code) => [code, (codes[code] ?? 0) + 1]))
    tools.set(tool, {
      tool,
      calls: calls + 1,
      passed: passed + (told.size === 0 && waits === undefined && !fails ? 1 : 0),
      refused: refused + (told.size > 0 ? 1 : 0),
      waited: waited + (waits === true ? 1 : 0),
      failing: failing + (fails ? 1 : 0),
      failed: failed + (failure === undefined ? 0 : 1),
      codes: { ...codes, ...counted },
    })
  }
  return [...tools.values()].sort((one, other) => (one.tool < other.tool ? -1 : 1))
}

type Outcome = Pick<CallObserved, "waits" | "failure" | "wouldFail">

const none = {
  ...{ calls: 0, passed: 0, refused: 0, waited: 0, failing: 0, failed: 0 },
  codes: {} as { readonly [code: string]: number },
}

export function explainObserved(tools: readonly ObservedTool[], look: Look): string {
  const head = ["tool", "calls", "would pass", "would wait", "would be refused", "would fail", "by", "failed"].map(
    (title) => [title],
  )
  const rows = tools.map(({ tool, calls, passed, waited, refused, failing, codes, failed }) =>
    [
      clip(tool, 40),
      `${calls}`,
      `${passed}`,
      `${waited}`,
      `${refused}`,
      `${failing}`,
      sayCodes(codes),
      `${failed}`,
    ].map((cell) => [cell]),
  )
  return [...drawColumns(head, rows, look), ...legend(tools)].join("\n")
}

/** What no gate says, and only shows when they hold. */
function legend(tools: readonly ObservedTool[]): readonly string[] {
  const told = Object.entries(reasons).filter(([code]) => tools.some(({ codes }) => Object.hasOwn(codes, code)))
  return told.map(([code, reason]) => `${code}: ${reason}`)
}

const reasons = {
  RUN103: "the tool's result is too large for a run; the effect would have happened",
  RUN104: "the tool's result is no plain JSON; the effect would have happened",
  RUN105: "the tool's result is not as the catalog declares it; the effect would have happened",
  RUN109:
    "the tool threw, and nobody would know whether its effect has happened: the run would take no further call. It says that nothing has by throwing `NotApplied`",
} as const

const sayCodes = (codes: ObservedTool["codes"]): string =>
  Object.entries(codes)
    .sort(([, one], [, other]) => other - one)
    .map(([code, count]) => `${code} × ${count}`)
    .join(", ")
