/** What changed from one catalog to the next: part by part with whose plans it touches, then what it means to each plan given. */
import type { Change } from "../catalog/change.ts"
import type { CatalogDifference, PartDifference } from "../catalog/difference.ts"
import { changedParts } from "../catalog/slice.ts"
import type { Compiled } from "../compile.ts"
import type { Diagnostic } from "../diagnostic/diagnostic.ts"
import type { Status } from "../journal/status.ts"
import { drawColumns } from "./columns.ts"
import { sayDiagnostic } from "./diagnostic.ts"
import { type Look, paint } from "./look.ts"
import { clip, printable } from "./printable.ts"
import { explainStatus } from "./run.ts"
import { plural } from "./verdict.ts"

export interface PlanEffect {
  readonly file: string
  /** `stale`: it compiles, but to another plan: what was stored of it, or waits in a run, is not taken up any more. */
  readonly effect: "unchanged" | "stale" | "refused-now" | "refused" | "compiles-now"
  /** The parts of its slice that changed, where it compiles both before and after. */
  readonly changed: readonly string[]
  /** Why it is refused under the new catalog. */
  readonly diagnostics: readonly Diagnostic[]
  readonly more: number
}

export function viewEffect(file: string, before: Compiled, after: Compiled): PlanEffect {
  const diagnostics = after.ok ? [] : after.diagnostics.filter(({ severity }) => severity === "error")
  const told = { file, diagnostics, more: after.ok ? 0 : after.more }
  if (!before.ok || !after.ok) {
    const effect = before.ok ? "refused-now" : after.ok ? "compiles-now" : "refused"
    return { ...told, effect, changed: [] }
  }
  const changed = changedParts(before.plan.slice, after.plan.slice)
  return { ...told, effect: changed.length === 0 ? "unchanged" : "stale", changed }
}

/** A run that has not ended, and could not begin anything new under the new catalog. */
export interface StrandedRun {
  readonly runId: string
  readonly status: Status | "damaged"
  /** The parts of its slice that changed, in words; why, where it is another reason. */
  readonly changed: string
}

const sentence = 1_000

export function explainDifference({ parts, lowered, others }: CatalogDifference, look: Look): string {
  const sections = [
    ...parts.map((part) => [paint(look, "bold", headOf(part)), ...part.changes.map(sayChange)]),
    ...listed("bounds lowered, touch plans beyond them:", lowered, look),
    ...listed("no plan is touched by:", others, look),
  ]
  return sections.length === 0 ? "no difference" : sections.map((lines) => lines.join("\n")).join("\n\n")
}

function headOf({ part, tool, removed }: PartDifference): string {
  if (tool === null) return `${part} changed, touches every plan:`
  const name = clip(tool, sentence)
  return removed
    ? `tool \`${name}\` removed, no plan that uses it compiles`
    : `tool \`${name}\` changed, touches plans that use it:`
}

const listed = (head: string, changes: readonly Change[], look: Look): readonly (readonly string[])[] =>
  changes.length === 0 ? [] : [[paint(look, "bold", head), ...changes.map(sayChange)]]

function sayChange({ what, before, after }: Change): string {
  const place = `  ${clip(what, sentence)}`
  const [was, is] = [clip(before ?? "", sentence), clip(after ?? "", sentence)]
  if (before === null) return `${place} added: ${is}`
  if (after === null) return `${place} removed: ${was}`
  // Both may have been cut, before the place where they differ.
  return was === is ? `${place} changed` : `${place}: ${was} → ${is}`
}

const words: Readonly<Record<PlanEffect["effect"], string>> = {
  unchanged: "unchanged",
  stale: "stale but compiles",
  "refused-now": "refused now",
  refused: "refused before and now",
  "compiles-now": "compiles now",
}

export function explainEffects(plans: readonly PlanEffect[], look: Look): string {
  const rows = plans.map(({ file, effect, changed }) => [
    [clip(file, sentence)],
    [words[effect]],
    [clip(changed.join(", "), sentence)],
  ])
  const table = drawColumns([["plan"], ["verdict"], ["changed"]], rows, look)
  const refused = plans.filter(({ effect }) => effect === "refused-now")
  const why = refused.flatMap(({ file, diagnostics, more }) => [
    ...diagnostics.map((one) => sayDiagnostic(one, file, look)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ])
  const sections = [table, why, adviceOf(plans)].filter((lines) => lines.length > 0)
  return sections.map((lines) => lines.join("\n")).join("\n\n")
}

function adviceOf(plans: readonly PlanEffect[]): readonly string[] {
  const stale = plans.filter(({ effect }) => effect === "stale" || effect === "refused-now").length
  if (stale === 0) return []
  const verb = stale === 1 ? "is" : "are"
  return [
    `${plural(stale, "plan")} ${verb} out of date: stored ones must be compiled anew, and their waiting runs`,
    "go on only with the catalog of before.",
  ]
}

export function explainStranded(runs: readonly StrandedRun[], unended: number, look: Look): string {
  if (runs.length === 0) return `no run is stranded: ${plural(unended, "run")} not ended`
  const rows = runs.map(({ runId, status, changed }) => [
    [printable(runId)],
    [explainStatus(status, look)],
    [clip(changed, sentence)],
  ])
  return [
    ...drawColumns([["stranded run"], ["status"], ["changed"]], rows, look),
    "",
    "each goes on with the catalog of before alone (give a worker both), or is cancelled;",
    "what it has begun is settled and undone by its journal under either.",
  ].join("\n")
}
