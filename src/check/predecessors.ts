/**
 * Predecessors: what a tool requires has been called before, about the same thing.
 * Codes: SEQ208 (none), SEQ209 (about another thing).
 */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import type { Requirement } from "../catalog/tool.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { nearestTo } from "../diagnostic/nearest.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Call, Expression, Plan } from "../plan/plan.ts"
import { argumentOf, canonicalExpression } from "../plan/same.ts"
import { canonical } from "../text/canonical.ts"
import { child } from "../text/pointer.ts"
import type { RuntimeCheck } from "./compiled.ts"
import type { Tooled } from "./tools.ts"

export interface Preceded {
  /** By step index: `same` parameters that only the run can compare. */
  readonly sameness: readonly (readonly RuntimeCheck[])[]
}

export function checkPredecessors<P extends Plan & Tooled>(plan: P, _catalog: Catalog, report: Report): P & Preceded {
  const byTool = new Map<string, Call[]>()
  const compare = compareBy(new Map())
  const sameness = plan.steps.map((step): readonly RuntimeCheck[] => {
    const tool = plan.tools[step.index]
    if (step.kind === "transition" || tool === undefined) return nothing
    const checks =
      tool.requires.length === 0
        ? nothing
        : tool.requires.flatMap((requirement) =>
            checkRequirement(step, tool, requirement, byTool.get(requirement.tool) ?? [], { plan, report, compare }),
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
  { plan, report, compare }: Visit,
): readonly RuntimeCheck[] {
  if (earlier.length === 0) {
    if (isMisspelt(requirement.tool, step, plan)) return nothing
    report.add(
      diagnose("SEQ208", child(step.at, "tool"), { tool: tool.name, required: requirement.tool, step: step.id }),
    )
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

/** An earlier call of no tool that was surely meant to be the required one: that was told already. */
const isMisspelt = (required: string, step: Call, { steps, tools }: Plan & Tooled): boolean =>
  steps.some(
    (other) =>
      other.kind === "call" &&
      other.index < step.index &&
      tools[other.index] === undefined &&
      nearestTo(other.tool, [required]).length > 0,
  )

/** Equal texts are equal values; different constants are different; anything else only the run can tell. */
type Compare = (step: Call, other: Call, parameter: string) => "equal" | "different" | "open"

interface Visit {
  readonly plan: Plan & Tooled
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
