/**
 * Order: a step refers only to calls before it. Order is list order.
 * Codes: SEQ201 (no such step), SEQ202 (later), SEQ203 (itself), SEQ204 (a transition), SEQ210 (no inputs declared).
 */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { intended, suggest } from "../diagnostic/nearest.ts"
import type { JsonPatch } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import { isUnread } from "../document/document.ts"
import { type Earlier, type EarlierResult, noEarlier } from "../plan/earlier.ts"
import type { Name, Plan, Read, Step } from "../plan/plan.ts"
import { child, type Pointer } from "../text/pointer.ts"
import { callsBefore, giversOf, gives } from "./givers.ts"
import { moveStep } from "./rearrange.ts"

/** What a reference's source is: the index of an earlier call, the run's inputs, or a result of an earlier run. */
export type Source = number | "input" | Given

export interface Given extends EarlierResult {
  readonly of: Tool
}

export interface Ordered {
  /** By step index: the source of each of its `reads`, in the same order; undefined where it is at fault. */
  readonly sources: readonly (readonly (Source | undefined)[])[]
  /** By step index: the earlier steps it waits on, by reference or `after`, ascending. */
  readonly waits: readonly (readonly number[])[]
}

export function checkOrder<P extends Plan>(
  plan: P,
  catalog: Catalog,
  report: Report,
  earlier: Earlier = noEarlier,
): P & Ordered {
  const known = new Map<string, Step>()
  const named = plan.steps.filter((step) => !isUnread(step, "id"))
  for (const step of named) if (!known.has(step.id)) known.set(step.id, step)
  const visit: Visit = { plan, catalog, report, known, earlier, complete: named.length === plan.steps.length }
  const sources: (readonly (Source | undefined)[])[] = []
  const waits: (readonly number[])[] = []
  for (const step of plan.steps) {
    const reads = step.kind === "call" ? step.reads : noReads
    if (reads.length === 0 && step.after.length === 0) {
      sources.push(nothing)
      waits.push(nothing)
      continue
    }
    const own = reads.map((read): Source | undefined => {
      if (read.source === "input") return checkInput(step, read.at, catalog, report)
      return givenBy(read, plan, catalog) ?? checkName(step, read.source, read, visit)
    })
    let waited: readonly number[] = nothing
    for (const source of own) if (typeof source === "number") waited = insert(waited, source)
    for (const name of step.after) {
      const index = checkName(step, name.id, name, visit)
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

/** What an earlier run gave. No id of a step is spelt as its name is. */
function givenBy({ source }: Read, { earlier }: Plan, { tools }: Catalog): Given | undefined {
  const result = Object.hasOwn(earlier, source) ? earlier[source] : undefined
  const of = result && tools.get(result.tool)
  return result === undefined || of === undefined ? undefined : { ...result, of }
}

function checkInput(step: Step, at: Pointer, catalog: Catalog, report: Report): "input" | undefined {
  if (catalog.inputs !== undefined) return "input"
  report.add(diagnose("SEQ210", at, { step: step.id }))
  return undefined
}

interface Visit {
  readonly plan: Plan
  readonly catalog: Catalog
  readonly report: Report
  readonly known: ReadonlyMap<string, Step>
  /** Of all that may be named, also what no step does. */
  readonly earlier: Earlier
  /** Every step has an id. */
  readonly complete: boolean
}

function checkName(step: Step, id: string, where: Read | Name, visit: Visit): number | undefined {
  const { report, known, complete } = visit
  const named = known.get(id)
  if (named !== undefined && named.index < step.index && named.kind === "call") return named.index
  const at = "kind" in where ? child(where.at, "$from") : where.at
  if (named === undefined && !complete) {
    // A step whose id could not be read, which was told, may be the one that is named.
    report.spoil(step.index)
    return undefined
  }
  if (named === undefined) {
    const earlier = [...known.values()].filter((other) => other.kind === "call" && other.index < step.index)
    const inputs = "kind" in where && visit.catalog.inputs !== undefined ? ["input"] : []
    const given = "kind" in where ? Object.keys(visit.earlier) : []
    const nearest = suggest(id, [...earlier.map((other) => other.id), ...inputs, ...given], "earlier calls")
    const mend = () => mendUnknown(step, id, where, at, visit)
    report.add(diagnose("SEQ201", at, { step: step.id, missing: id.slice(0, 80), nearest }, { mend }))
    return undefined
  }
  const related = [{ at: child(named.at, "id"), message: `\`${id}\` is here` }]
  if (named.index === step.index) {
    report.add(diagnose("SEQ203", at, { step: step.id }, { mend: () => mendOwn(step, where, at, visit) }))
  } else if (named.index > step.index) {
    const mend = () => mendLater(step, named, where, visit)
    report.add(diagnose("SEQ202", at, { step: step.id, later: id }, { related, mend }))
  } else if (named.kind === "transition") {
    const mend = () => mendTransition(step, where, at, visit)
    report.add(diagnose("SEQ204", at, { step: step.id, transition: id }, { related, mend }))
  } else return named.index
  return undefined
}

/** The name that was meant, if it gives what is asked for. */
function mendUnknown(
  step: Step,
  id: string,
  where: Read | Name,
  at: Pointer,
  { plan, catalog }: Visit,
): JsonPatch | undefined {
  const earlier = callsBefore(step, plan)
  const inputs = "kind" in where && catalog.inputs !== undefined ? ["input"] : []
  const meant = intended(id, [...earlier.map((other) => other.id), ...inputs])
  const source = meant === "input" ? meant : earlier.find((other) => other.id === meant)
  if (meant === undefined || source === undefined) return undefined
  const right = !("kind" in where) || gives(source, where, step, catalog)
  return right ? [{ op: "replace", path: at, value: meant }] : undefined
}

/** Out of order: the later step belongs before, if it gives what is asked for. */
function mendLater(step: Step, named: Step, where: Read | Name, { plan, catalog }: Visit): JsonPatch | undefined {
  const right = named.kind === "call" && (!("kind" in where) || gives(named, where, step, catalog))
  return right ? moveStep(plan, catalog, named.index, step.index, { index: step.index, what: named.id }) : undefined
}

/** One off: the call just before, if it gives what is asked for and is the only one of its tool that does. */
function mendOwn(step: Step, where: Read | Name, at: Pointer, { plan, catalog }: Visit): JsonPatch | undefined {
  if (!("kind" in where)) return withoutNames(step, where, plan)
  const givers = giversOf(where, step, plan, catalog)
  const last = callsBefore(step, plan).at(-1)
  const sure = last !== undefined && givers.filter(({ tool }) => tool === last.tool).length === 1
  return sure && givers.includes(last) ? [{ op: "replace", path: at, value: last.id }] : undefined
}

/** A transition gives nothing: the one call before it that gives what is asked for was meant. */
function mendTransition(step: Step, where: Read | Name, at: Pointer, { plan, catalog }: Visit): JsonPatch | undefined {
  if (!("kind" in where)) return withoutNames(step, where, plan)
  const [giver, ...others] = giversOf(where, step, plan, catalog)
  return giver === undefined || others.length > 0 ? undefined : [{ op: "replace", path: at, value: giver.id }]
}

/** Order is list order: naming a transition, or itself, under `after` changes nothing. */
function withoutNames(step: Step, { id }: Name, { document }: Plan): JsonPatch {
  const after = document.steps[step.index]?.after ?? []
  return [{ op: "replace", path: child(step.at, "after"), value: after.filter((name) => name !== id) }]
}
