/**
 * Order: a step refers only to calls before it. Order is list order.
 * Codes: SEQ201 (no such step), SEQ202 (later), SEQ203 (itself), SEQ204 (a transition), SEQ210 (no inputs declared).
 */
import type { Catalog } from "../catalog/catalog.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { suggest } from "../diagnostic/nearest.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Plan, Step } from "../plan/plan.ts"
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
    const earlier = (id: string, at: Pointer): number | undefined => checkName(step, id, at, known, report)
    const own: (Source | undefined)[] = []
    const waited: number[] = []
    for (const read of step.kind === "call" ? step.reads : []) {
      const source =
        read.source === "input"
          ? checkInput(step, read.at, catalog, report)
          : earlier(read.source, child(read.at, "$from"))
      own.push(source)
      if (typeof source === "number") waited.push(source)
    }
    for (const name of step.after) {
      const index = earlier(name.id, name.at)
      if (index !== undefined) waited.push(index)
    }
    if (waited.some(report.spoilt)) report.spoil(step.index)
    sources.push(own)
    waits.push(waited.length > 1 ? [...new Set(waited)].sort((a, b) => a - b) : waited)
  }
  return { ...plan, sources, waits }
}

function checkInput(step: Step, at: Pointer, catalog: Catalog, report: Report): "input" | undefined {
  if (catalog.inputs !== undefined) return "input"
  report.add(diagnose("SEQ210", at, { step: step.id }))
  return undefined
}

function checkName(
  step: Step,
  id: string,
  at: Pointer,
  known: ReadonlyMap<string, Step>,
  report: Report,
): number | undefined {
  const named = known.get(id)
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
