/**
 * One plan against another: whether the second does the same outside, at most as much of it, and asks nobody about more. Steps are
 * known by what they do, not by their ids: by tool, occurrence, state and arguments, where a reference is what its source does.
 */
import { sha256 } from "#sha256"
import { changedParts } from "../catalog/slice.ts"
import type { Call, Expression, Read } from "../plan/plan.ts"
import { argumentOf, canonicalExpression } from "../plan/same.ts"
import { canonical } from "../text/canonical.ts"
import { demand } from "../text/demand.ts"
import type { Json } from "../text/json.ts"
import type { ApprovalNeed, CheckedStep, CompiledPlan, Total } from "./compiled.ts"
import { isCompiledPlan } from "./seal.ts"

/**
 * `same`: the same effects in the same order, and the same radius. `smaller`: the same effects, and less of something. `other`: fewer
 * effects, or in another order, and nothing more. `grew`: an effect that was not there, other arguments, more of a dimension,
 * somebody to be asked who was not, or another catalog. An approval of the first may stand for the second where it is `same` or
 * `smaller`, and for nothing else.
 */
export interface PlanDifference {
  readonly kind: "same" | "smaller" | "other" | "grew"
  /** Effects of the second that the first has not. */
  readonly added: readonly EffectStep[]
  /** Effects of the first that the second has not. */
  readonly removed: readonly EffectStep[]
  /** The same tool, with other arguments; with none named, in another state of the machine, behind another guard perhaps. */
  readonly changed: readonly (EffectStep & { readonly before: string; readonly arguments: readonly string[] })[]
  readonly reordered: boolean
  /** Dimensions whose worst case differs. */
  readonly radius: readonly { readonly dimension: string; readonly before: number; readonly after: number }[]
  /** Of the second, what the first does not wait for. */
  readonly approvals: readonly ApprovalNeed[]
  /** Parts of the catalog that differ. */
  readonly catalog: readonly string[]
}

export interface EffectStep {
  readonly stepId: string
  readonly tool: string
}

/** Throws a `TypeError` for what no compiling made. */
export function diffPlans(before: CompiledPlan, after: CompiledPlan): PlanDifference {
  for (const plan of [before, after]) demand(isCompiledPlan(plan), "`diffPlans` takes two compiled plans")
  const [one, other] = [effectsOf(before), effectsOf(after)]
  const { pairs, removed, added } = pair(one, other)
  const same = pairs.filter(({ was, is }) => isWithin(was, is))
  const changed = pairs.filter(({ was, is }) => !isWithin(was, is))
  const places = same.map(({ was }) => was.index)
  const reordered = places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0))
  const radius = diffRadius(before.blast, after.blast)
  const approvals = newApprovals(before.approvals, after.approvals)
  const catalog = changedParts(shared(before, after), shared(after, before))
  const grew =
    added.length + changed.length + approvals.length + catalog.length > 0 ||
    radius.some(({ before, after }) => after > before)
  const less = radius.length > 0 || same.some(({ was, is }) => was.whole !== is.whole)
  return {
    kind: grew ? "grew" : removed.length > 0 || reordered ? "other" : less ? "smaller" : "same",
    added: added.map(tell),
    removed: removed.map(tell),
    changed: changed.map(({ was, is }) => ({ ...tell(is), before: was.step.id, arguments: argumentsOf(was, is) })),
    reordered,
    radius,
    approvals,
    catalog,
  }
}

interface Effect {
  readonly step: Call
  readonly index: number
  readonly checked: CheckedStep
  /** By parameter, what is given. */
  readonly args: ReadonlyMap<string, string>
  /** All of it, and without the numbers that limits count. */
  readonly whole: string
  readonly rest: string
}

const tell = ({ step }: Effect): EffectStep => ({ stepId: step.id, tool: step.tool })

/** Hashes, because a step may refer to others again and again, and each to others. */
function effectsOf(plan: CompiledPlan): readonly Effect[] {
  const doings = new Map<string, string>()
  for (const [source, { tool, result, carries }] of Object.entries(plan.earlier))
    doings.set(source, sha256(canonical([source, tool, result, carries] as Json, true)))
  return plan.steps.flatMap((checked, index): readonly Effect[] => {
    const { step, effect } = checked
    if (step.kind === "transition") return []
    const args = new Map(namesIn(step).map((name) => [name, sayArgument(step, name, doings)]))
    const counted = new Set(effect?.counted)
    // What leads to the state may be guarded.
    const about = [step.tool, step.occurrence, effect === undefined ? null : (checked.before ?? null)]
    const whole = sha256(canonical([...about, [...args].sort()] as Json))
    const rest = sha256(canonical([...about, [...args].filter(([name]) => !counted.has(name)).sort()] as Json))
    doings.set(step.id, whole)
    return effect === undefined ? [] : [{ step, index, checked, args, whole, rest }]
  })
}

const namesIn = ({ args }: Call): readonly string[] =>
  args.kind === "object"
    ? args.entries.map(([name]) => name)
    : args.kind === "literal"
      ? Object.keys(args.value as object)
      : []

function sayArgument({ args }: Call, name: string, doings: ReadonlyMap<string, string>): string {
  const argument = argumentOf(args, name)
  return argument === undefined ? "" : canonicalExpression(rename(argument, doings))
}

/** With what a source does in the place of its name. */
function rename(expression: Expression, doings: ReadonlyMap<string, string>): Expression {
  const renameRead = <R extends Read>(read: R): R => ({ ...read, source: doings.get(read.source) ?? read.source })
  switch (expression.kind) {
    case "object":
      return { ...expression, entries: expression.entries.map(([key, inner]) => [key, rename(inner, doings)]) }
    case "array":
      return { ...expression, items: expression.items.map((inner) => rename(inner, doings)) }
    case "concat": {
      const parts = expression.parts.map((part) => (part.kind === "literal" ? part : renameAll(part)))
      return { ...expression, parts }
    }
    case "reference":
    case "selection":
      return renameAll(expression)
    default:
      return expression
  }

  function renameAll(read: Read): Read {
    if (read.kind === "reference") return renameRead(read)
    const where = read.where.map((match) => ({
      ...match,
      value: match.value.kind === "reference" ? renameRead(match.value) : match.value,
    }))
    return { ...renameRead(read), where }
  }
}

interface Pair {
  readonly was: Effect
  readonly is: Effect
}

/** Equal ones first, then those that differ in a counted number only, then the same tool. */
function pair(before: readonly Effect[], after: readonly Effect[]) {
  const left = new Set(before)
  const found = new Map<Effect, Effect>()
  const alike: readonly ((was: Effect, is: Effect) => boolean)[] = [
    (was, is) => was.whole === is.whole,
    (was, is) => was.rest === is.rest,
    (was, is) => was.step.tool === is.step.tool,
  ]
  for (const isAlike of alike) {
    for (const is of after) {
      const was = found.has(is) ? undefined : [...left].find((one) => isAlike(one, is))
      if (was === undefined) continue
      left.delete(was)
      found.set(is, was)
    }
  }
  const pairs = after.flatMap((is): readonly Pair[] => {
    const was = found.get(is)
    return was === undefined ? [] : [{ was, is }]
  })
  return { pairs, removed: [...left], added: after.filter((is) => !found.has(is)) }
}

/** The same effect, or the same but for a number that a limit counts, and that is no more. */
function isWithin(was: Effect, is: Effect): boolean {
  if (was.whole === is.whole) return true
  const worst = (dimension: string): number => was.checked.blast.find((one) => one.dimension === dimension)?.max ?? 0
  return was.rest === is.rest && is.checked.blast.every(({ dimension, max }) => max <= worst(dimension))
}

const argumentsOf = (was: Effect, is: Effect): readonly string[] =>
  [...new Set([...was.args.keys(), ...is.args.keys()])].filter((name) => was.args.get(name) !== is.args.get(name))

function diffRadius(before: readonly Total[], after: readonly Total[]): PlanDifference["radius"] {
  const maxOf = (totals: readonly Total[], name: string): number =>
    totals.find(({ dimension }) => dimension === name)?.max ?? 0
  return [...new Set([...before, ...after].map(({ dimension }) => dimension))]
    .map((dimension) => ({ dimension, before: maxOf(before, dimension), after: maxOf(after, dimension) }))
    .filter(({ before, after }) => before !== after)
}

/** By what is asked about, not by the step that asks. One that may be asked counts as one that will. */
function newApprovals(before: readonly ApprovalNeed[], after: readonly ApprovalNeed[]): readonly ApprovalNeed[] {
  const left = before.map(aboutOf)
  return after.filter((need) => {
    const place = left.indexOf(aboutOf(need))
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

function aboutOf(need: ApprovalNeed): string {
  switch (need.kind) {
    case "transition":
      return canonical(["transition", need.from, need.to])
    case "always":
      return canonical(["always", need.tool, need.approvers])
    case "above":
      return canonical(["above", need.tool, need.dimension, need.above, need.approvers])
  }
}

/** A tool that one of the plans does not use is no change of the catalog. */
const shared = ({ slice }: CompiledPlan, { slice: other }: CompiledPlan): CompiledPlan["slice"] =>
  Object.fromEntries(Object.entries(slice).filter(([part]) => !part.startsWith("tool ") || part in other))
