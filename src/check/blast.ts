/**
 * Blast radius: the worst a plan can do stays within each limit, per step and in total. An interval analysis in
 * non-negative safe integers, saturating at 2^53-1.
 * Codes: SEQ401 (one step), SEQ402 (the plan), SEQ404 (what is spent is no count).
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { Blast, Catalog } from "../catalog/catalog.ts"
import { countOf, intervalOf } from "../catalog/schema/interval.ts"
import { unionOf } from "../catalog/schema/make.ts"
import { branchesOf } from "../catalog/schema/shape.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { suggest } from "../diagnostic/nearest.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Call, Expression, Plan } from "../plan/plan.ts"
import { argumentOf } from "../plan/same.ts"
import { child, type Pointer, root } from "../text/pointer.ts"
import type { Total } from "./compiled.ts"
import { cameToNothing, type Known } from "./known.ts"
import type { Typed } from "./references.ts"
import type { Tooled } from "./tools.ts"

export interface Bounded {
  /** By step index. */
  readonly costs: readonly (readonly Total[])[]
  /** Of the whole plan, for every limit of the catalog. */
  readonly totals: readonly Total[]
}

/** What is already committed or in doubt in a limit's scope, by dimension. */
export type Spent = { readonly [dimension: string]: number }

export function checkBlast<P extends Plan & Tooled & Typed>(
  plan: P,
  catalog: Catalog,
  report: Report,
  spent: Spent,
  known?: Known,
): P & Bounded {
  checkSpent(spent, catalog, report)
  const costs = plan.steps.map((step): readonly Total[] => {
    const tool = plan.tools[step.index]
    if (step.kind === "transition" || tool === undefined || report.spoilt(step.index)) return nothing
    if (cameToNothing(known, step.index)) return nothing
    return tool.blast.length === 0 ? nothing : tool.blast.map((blast) => costOf(blast, step, plan))
  })
  const totals = [...catalog.limits.values()].map(({ dimension, max }) =>
    checkDimension(dimension, max, spent, costs, plan, report),
  )
  return { ...plan, costs, totals }
}

const nothing: readonly Total[] = []

/** The host's own numbers: one that is no count would switch its limit off. */
function checkSpent(spent: Spent, { limits }: Catalog, report: Report): void {
  // What a Map holds, or what is inherited, would be counted as nothing.
  if (typeof spent !== "object" || spent === null || ![Object.prototype, null].includes(Object.getPrototypeOf(spent))) {
    const remedy = "Give a plain object: `{ spent: { cents: 900 } }`."
    report.add(diagnose("SEQ404", root, { dimension: "every limit", problem: "is no plain object", remedy }))
    return
  }
  for (const [dimension, value] of Object.entries(spent)) {
    if (!limits.has(dimension)) {
      const remedy = suggest(dimension, limits.keys(), "limits")
      report.add(diagnose("SEQ404", root, { dimension, problem: "is no limit of the catalog", remedy }))
    } else if (!Number.isSafeInteger(value) || value < 0) {
      const problem = `must be a non-negative integer up to 2^53-1, but is ${String(value)}`
      report.add(
        diagnose("SEQ404", root, { dimension, problem, remedy: "Give what is committed or in doubt, as a count." }),
      )
    }
  }
}

function checkDimension(
  dimension: string,
  max: number,
  spent: Spent,
  costs: Bounded["costs"],
  plan: Plan & Tooled,
  report: Report,
): Total {
  const given = Object.hasOwn(Object(spent), dimension) ? (spent[dimension] ?? 0) : 0
  // What is no count was told already.
  const before = Number.isSafeInteger(given) && given >= 0 ? given : 0
  const total = { min: 0, max: 0 }
  let within = before
  let told = false
  costs.forEach((cost, index) => {
    const own = cost.find((one) => one.dimension === dimension)
    const step = plan.steps[index]
    if (own === undefined || step === undefined) return
    total.min = add(total.min, own.min)
    total.max = add(total.max, own.max)
    const at = placeOf(plan, index, dimension)
    // A step that passes the limit alone is at fault by itself: what the others come to is asked without it.
    if (own.max > max) {
      const how = own.min === own.max ? "" : ", or write the value itself instead of a reference"
      report.add(diagnose("SEQ401", at, { step: step.id, worst: own.max, dimension, max, how }))
      return
    }
    const left = max - within
    within = add(within, own.max)
    // What passes the total is one fault, however many steps follow.
    if (told || own.max <= left) return
    told = true
    const already = before === 0 ? "" : `, ${before} already spent`
    const worst = worstOf(costs, dimension, before)
    report.add(diagnose("SEQ402", at, { worst, dimension, spent: already, max, step: step.id }))
  })
  return { dimension, ...total }
}

const worstOf = (costs: Bounded["costs"], dimension: string, before: number): number =>
  costs.reduce((sum, cost) => add(sum, cost.find((one) => one.dimension === dimension)?.max ?? 0), before)

/** The argument that counts, or the tool where it is a constant. */
function placeOf(plan: Plan & Tooled, index: number, dimension: string): Pointer {
  const step = plan.steps[index] as Call
  const blast = plan.tools[index]?.blast.find((one) => one.dimension === dimension)
  return blast === undefined || blast.kind === "constant"
    ? child(step.at, "tool")
    : child(child(step.at, "args"), blast.parameter)
}

export function costOf(blast: Blast, step: Call, plan: Typed): Total {
  const { dimension } = blast
  if (blast.kind === "constant") return { dimension, min: blast.value, max: blast.value }
  const argument = argumentOf(step.args, blast.parameter)
  const range = argument === undefined ? { min: 0, max: blast.max } : rangeOf(argument, blast, plan)
  return { dimension, min: clamp(Math.ceil(range.min)), max: clamp(Math.floor(range.max)) }
}

/** A literal counts as itself, a reference as the lesser of its source's and its parameter's bound. */
function rangeOf(
  argument: Expression,
  blast: Exclude<Blast, { kind: "constant" }>,
  plan: Typed,
): { min: number; max: number } {
  const ask = blast.kind === "count" ? countOf : intervalOf
  if (argument.kind === "literal") {
    const value =
      blast.kind === "count" ? (Array.isArray(argument.value) ? argument.value.length : 0) : Number(argument.value)
    return { min: value, max: value }
  }
  if (argument.kind === "array") return { min: argument.items.length, max: argument.items.length }
  const given = argument.kind === "object" ? undefined : plan.given.get(argument)
  const source = given === undefined ? null : ask(countable(given, blast.kind))
  return {
    min: Math.max(blast.min, source?.min ?? 0),
    max: Math.min(blast.max, source?.max ?? blast.max),
  }
}

/** What of a source can come to be counted: the rest of a union fails its runtime check before. */
function countable(given: TSchema, kind: "argument" | "count"): TSchema {
  const kinds = kind === "count" ? ["Array", "Tuple", "Unknown"] : ["Number", "Integer", "Literal", "Unknown"]
  return unionOf(
    branchesOf(given).filter(
      (branch) => kinds.includes(branch[Kind]) && (branch[Kind] !== "Literal" || typeof branch.const === "number"),
    ),
  )
}

const clamp = (value: number): number => Math.min(Math.max(0, value), Number.MAX_SAFE_INTEGER)

const add = (a: number, b: number): number => clamp(a + b)
