/**
 * Order: a step refers only to calls before it. Order is list order.
 * Codes: SEQ201 (no such step), SEQ202 (later), SEQ203 (itself), SEQ204 (a transition), SEQ210 (no inputs declared).
 */
import type { Catalog } from "../catalog/catalog.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { suggest } from "../diagnostic/nearest.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Name, Plan, Read, Step } from "../plan/plan.ts"
import { child, type Pointer } from "../text/pointer.ts"

/** What a reference's source is: the index of an earlier call, or the run's inputs. */
export type Source = number | "input"

export interface Ordered {
  /** By step index: the source of each of its `reads`, in the same order; undefined where it is at fault. */
  readonly sources: readonly (readonly (Source | undefined)[])[]
  /** By step index: the earlier steps it waits on, by reference or `after`, ascending. */
  readonly waits: readonly (readonly number[])[]
}

export function checkOrder<P extends Plan>(plan: P, catalog: Catalog, report: Report): P & Ordered {
  const known = new Map<string, Step>()
  for (const step of plan.steps) if (!known.has(step.id)) known.set(step.id, step)
  const sources: (readonly (Source | undefined)[])[] = []
  const waits: (readonly number[])[] = []
  for (const step of plan.steps) {
    const reads = step.kind === "call" ? step.reads : noReads
    if (reads.length === 0 && step.after.length === 0) {
      sources.push(nothing)
      waits.push(nothing)
      continue
    }
    const own = reads.map((read) =>
      read.source === "input"
        ? checkInput(step, read.at, catalog, report)
        : checkName(step, read.source, read, known, report),
    )
    let waited: readonly number[] = nothing
    for (const source of own) if (typeof source === "number") waited = insert(waited, source)
    for (const name of step.after) {
      const index = checkName(step, name.id, name, known, report)
      if (index !== undefined) waited = insert(waited, index)
    }
    if (waited.some(report.spoilt)) report.spoil(step.index)
    sources.push(own)
    waits.push(waited)
  }
  return { ...plan, sources, waits }
}

const noReads: readonly Read[] = []
const nothing: readonly number[] = []

function insert(into: readonly number[], index: number): readonly number[] {
  if (into.length === 0) return [index]
  return into.includes(index) ? into : [...into, index].sort((a, b) => a - b)
}

function checkInput(step: Step, at: Pointer, catalog: Catalog, report: Report): "input" | undefined {
  if (catalog.inputs !== undefined) return "input"
  report.add(diagnose("SEQ210", at, { step: step.id }))
  return undefined
}

function checkName(
  step: Step,
  id: string,
  where: Read | Name,
  known: ReadonlyMap<string, Step>,
  report: Report,
): number | undefined {
  const named = known.get(id)
  if (named !== undefined && named.index < step.index && named.kind === "call") return named.index
  const at = "kind" in where ? child(where.at, "$from") : where.at
  if (named === undefined) {
    const earlier = [...known.values()].filter((other) => other.kind === "call" && other.index < step.index)
    const nearest = suggest(
      id,
      earlier.map((other) => other.id),
      "earlier calls",
    )
    report.add(diagnose("SEQ201", at, { step: step.id, missing: id.slice(0, 80), nearest }))
    return undefined
  }
  const related = [{ at: child(named.at, "id"), message: `\`${id}\` is here` }]
  if (named.index === step.index) report.add(diagnose("SEQ203", at, { step: step.id }))
  else if (named.index > step.index) report.add(diagnose("SEQ202", at, { step: step.id, later: id }, { related }))
  else if (named.kind === "transition")
    report.add(diagnose("SEQ204", at, { step: step.id, transition: id }, { related }))
  else return named.index
  return undefined
}
