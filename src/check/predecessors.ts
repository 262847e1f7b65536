/**
 * Predecessors: what a tool requires has been called before, about the same thing.
 * Codes: SEQ208 (none), SEQ209 (about another thing).
 */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { accepts } from "../catalog/schema/accept.ts"
import { fit } from "../catalog/schema/fit.ts"
import { propertiesOf, propertyOf } from "../catalog/schema/shape.ts"
import type { Requirement } from "../catalog/tool.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { nearestTo } from "../diagnostic/nearest.ts"
import type { JsonPatch } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import { isUnread } from "../document/document.ts"
import type { Call, Expression, Plan } from "../plan/plan.ts"
import { argumentOf, canonicalExpression } from "../plan/same.ts"
import { canonical } from "../text/canonical.ts"
import type { Json, JsonObject } from "../text/json.ts"
import { child } from "../text/pointer.ts"
import type { RuntimeCheck } from "./compiled.ts"
import { cameToNothing, type Known } from "./known.ts"
import { insertCall, lacks, moveStep } from "./rearrange.ts"
import type { Tooled } from "./tools.ts"

export interface Preceded {
  /** By step index: `same` parameters that only the run can compare. */
  readonly sameness: readonly (readonly RuntimeCheck[])[]
}

export function checkPredecessors<P extends Plan & Tooled>(
  plan: P,
  catalog: Catalog,
  report: Report,
  known?: Known,
): P & Preceded {
  const byTool = new Map<string, Call[]>()
  const compare = compareBy(new Map())
  const sameness = plan.steps.map((step): readonly RuntimeCheck[] => {
    const tool = plan.tools[step.index]
    if (step.kind === "transition" || tool === undefined || cameToNothing(known, step.index)) return nothing
    const checks =
      tool.requires.length === 0
        ? nothing
        : tool.requires.flatMap((requirement) =>
            checkRequirement(step, tool, requirement, byTool.get(requirement.tool) ?? [], {
              plan,
              catalog,
              report,
              compare,
            }),
          )
    const calls = byTool.get(step.tool)
    if (calls === undefined) byTool.set(step.tool, [step])
    else calls.push(step)
    return checks
  })
  return { ...plan, sameness }
}

const nothing: readonly RuntimeCheck[] = []

function checkRequirement(
  step: Call,
  tool: Tool,
  requirement: Requirement,
  earlier: readonly Call[],
  visit: Visit,
): readonly RuntimeCheck[] {
  const { plan, report, compare } = visit
  if (earlier.length === 0) {
    if (isMisspelt(requirement.tool, step, plan)) return nothing
    // What is wrong in the step's own arguments would be wrong in a call with the same.
    const sound = !report.spoilt(step.index)
    const mend = () => mendMissing(step, tool, requirement, sound, visit)
    const params = { tool: tool.name, required: requirement.tool, step: step.id }
    report.add(diagnose("SEQ208", child(step.at, "tool"), params, { mend }))
    return nothing
  }
  const same = requirement.same ?? []
  if (same.length === 0 || report.spoilt(step.index) || earlier.some((other) => report.spoilt(other.index)))
    return nothing
  if (earlier.some((other) => same.every((parameter) => compare(step, other, parameter) === "equal"))) return nothing
  const verdicts = earlier.map((other) => same.map((parameter) => compare(step, other, parameter)))
  const open = verdicts.some((verdict) => verdict.every((one) => one !== "different"))
  const parameters = same.map((parameter) => `\`${parameter}\``).join(", ")
  if (open) {
    return [
      {
        at: child(step.at, "args"),
        kind: "same",
        says: `an earlier \`${requirement.tool}\` had the same ${parameters}`,
      },
    ]
  }
  const [other] = earlier
  const parameter = same.find((_, index) => verdicts[0]?.[index] === "different") ?? same[0] ?? ""
  if (other === undefined) return nothing
  const at =
    argumentOf(step.args, parameter)?.kind === undefined
      ? child(step.at, "tool")
      : child(child(step.at, "args"), parameter)
  const related = [{ at: child(child(other.at, "args"), parameter), message: `\`${other.id}\` is about another` }]
  const found = `\`${other.id}\` has ${written(other, parameter)} and \`${step.id}\` has ${written(step, parameter)}`
  report.add(diagnose("SEQ209", at, { tool: tool.name, required: requirement.tool, parameter, found }, { related }))
  return nothing
}

/** The call is there, but later; or it is a read, and its arguments are all those that must be the same. */
function mendMissing(
  step: Call,
  tool: Tool,
  { tool: required, same = [] }: Requirement,
  sound: boolean,
  { plan, catalog }: Visit,
): JsonPatch | undefined {
  const { index } = step
  const fault = { index, what: lacks(required) }
  const later = plan.steps.find((other) => other.index > index && other.kind === "call" && other.tool === required)
  const moved = later && moveStep(plan, catalog, later.index, index, fault)
  if (moved !== undefined) return moved
  const wanted = catalog.tools.get(required)
  // Nobody's fix adds an effect. And what stands later was surely meant, so a second one is not.
  if (wanted === undefined || wanted.mutates || !sound || later !== undefined) return undefined
  const args = impliedArgs(step, tool, wanted, same, plan)
  return args && insertCall(plan, catalog, index, wanted, args, fault)
}

/** All that the required tool needs, if `same` says it all. */
function impliedArgs(
  { index, args }: Call,
  tool: Tool,
  wanted: Tool,
  same: readonly string[],
  { document }: Plan,
): JsonObject | undefined {
  const written = document.steps[index]?.args ?? {}
  const implied: Record<string, Json> = {}
  let literal = true
  for (const parameter of same) {
    const [own, other] = [propertyOf(tool.params.shape, parameter), propertyOf(wanted.params.shape, parameter)]
    const [argument, value] = [argumentOf(args, parameter), written[parameter]]
    if (own === undefined || other === undefined || argument === undefined || value === undefined) return undefined
    const right =
      argument.kind === "literal" ? accepts(other.shape, argument.value) : fit(own.shape, other.shape) !== "never-fits"
    if (!right) return undefined
    literal &&= argument.kind === "literal"
    implied[parameter] = argument.kind === "literal" ? argument.value : value
  }
  const complete = [...propertiesOf(wanted.params.shape)].every(([name, { optional }]) => optional || name in implied)
  const accepted = wanted.params.exact || !literal || wanted.params.judge(implied as never).length === 0
  return complete && accepted ? implied : undefined
}

/** An earlier call of no tool, which may have been meant to be the required one: that was told already. */
const isMisspelt = (required: string, step: Call, { steps, tools }: Plan & Tooled): boolean =>
  steps.some(
    (other) =>
      other.kind === "call" &&
      other.index < step.index &&
      tools[other.index] === undefined &&
      (isUnread(other, "tool", "kind") || nearestTo(other.tool, [required]).length > 0),
  )

/** Equal texts are equal values; different constants are different; anything else only the run can tell. */
type Compare = (step: Call, other: Call, parameter: string) => "equal" | "different" | "open"

interface Visit {
  readonly plan: Plan & Tooled
  readonly catalog: Catalog
  readonly report: Report
  readonly compare: Compare
}

/** Each argument is written out at most once, however many it is compared with. */
const compareBy =
  (texts: Map<string, string>): Compare =>
  (step, other, parameter) => {
    const [a, b] = [argumentOf(step.args, parameter), argumentOf(other.args, parameter)]
    if (a === undefined || b === undefined) return a === b ? "equal" : "different"
    if (a.kind === "literal" && typeof a.value === "string" && b.kind === "literal")
      return a.value === b.value ? "equal" : "different"
    if (a.kind !== b.kind || ("source" in a && "source" in b && a.source !== b.source)) return "open"
    const textOf = (index: number, argument: Expression): string => {
      const key = `${index} ${parameter}`
      const text = texts.get(key) ?? canonicalExpression(argument)
      texts.set(key, text)
      return text
    }
    if (textOf(step.index, a) === textOf(other.index, b)) return "equal"
    return a.kind === "literal" && b.kind === "literal" ? "different" : "open"
  }

function written(step: Call, parameter: string): string {
  const argument = argumentOf(step.args, parameter)
  if (argument === undefined) return "none"
  return argument.kind === "literal" ? `\`${canonical(argument.value).slice(0, 60)}\`` : "a reference"
}
