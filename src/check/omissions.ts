/** Omissions: what matters and may be left out is stated all the same.   Codes: SEQ506. */
import { Kind } from "@sinclair/typebox"
import type { Catalog, Tool } from "../catalog/catalog.ts"
import type { Path } from "../catalog/place.ts"
import { shapeAlong } from "../catalog/schema/along.ts"
import { asShape, branchesOf, describe, isConstant, type Shape } from "../catalog/schema/shape.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import type { JsonPatch } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Expression, Plan } from "../plan/plan.ts"
import { isObject, type Json } from "../text/json.ts"
import { child, type Pointer } from "../text/pointer.ts"
import { argumentName, asWritten } from "./arguments.ts"
import { leavesAt } from "./leaves.ts"
import type { Tooled } from "./tools.ts"

export function checkOmissions<P extends Plan & Tooled>(plan: P, _catalog: Catalog, report: Report): P {
  for (const step of plan.steps) {
    const tool = plan.tools[step.index]
    // A name that is not known may be the one that is missed.
    if (step.kind === "transition" || tool === undefined || report.spoilt(step.index)) continue
    for (const { at, path } of omissionsOf(tool, step.args)) {
      const shape = shapeAlong(tool.params.shape, path)
      const missing = child(at, path.at(-1) ?? "")
      const argument = argumentName(missing, step)
      const params = { tool: tool.name, argument, expected: describe(shape) }
      report.add(
        diagnose("SEQ506", asWritten(at, plan), params, { mend: () => mendOmission(shape, asWritten(missing, plan)) }),
      )
    }
  }
  return plan
}

export interface Omission {
  /** The object that lacks it. */
  readonly at: Pointer
  /** What it lacks: the rule's path, or the part of it up to the object that was left out with all that is in it. */
  readonly path: Path
}

/**
 * Asked of a plan's arguments, and once more of resolved ones, `{ kind: "literal", at, value }`: what a reference gives may
 * lack it too. What would stand in each item of a list that was left out is as little missed as in an empty one.
 */
export function omissionsOf(tool: Tool, args: Expression): readonly Omission[] {
  const found = tool.rules
    .filter(({ mustState }) => mustState)
    .flatMap(({ path }) => path.map((_, index) => path.slice(0, index + 1)).slice(path.lastIndexOf("*") + 1))
    .flatMap((path) =>
      leavesAt(args, path.slice(0, -1))
        .filter(
          ({ expression, rest }) =>
            rest.length === 0 && lacks(expression, path.at(-1) ?? "") && canHold(tool, path, expression),
        )
        .map(({ at }) => ({ at, path })),
    )
  // Two rules may be about what is in the same object.
  return [...new Map(found.map((one) => [`${one.at} ${one.path.at(-1)}`, one])).values()]
}

function lacks(expression: Expression, name: string): boolean {
  if (expression.kind === "object") return !expression.entries.some(([key]) => key === name)
  return expression.kind === "literal" && isObject(expression.value) && !Object.hasOwn(expression.value, name)
}

/** Whether it may be stated there at all: of a union count the branches that the object given does not contradict. */
function canHold({ params }: Tool, path: Path, expression: Expression): boolean {
  const name = path.at(-1) ?? ""
  const entries = entriesOf(expression)
  return branchesOf(shapeAlong(params.shape, path.slice(0, -1))).some((branch) => {
    if (branch[Kind] !== "Object") return branch[Kind] === "Unknown"
    const { properties, additionalProperties } = branch
    if (additionalProperties === false && !Object.hasOwn(properties, name)) return false
    return !entries.some(([key, value]) => {
      if (!Object.hasOwn(properties, key)) return additionalProperties === false
      const shape = asShape(properties[key] as Shape)
      return value !== undefined && shape[Kind] === "Literal" && shape.const !== value
    })
  })
}

/** A value is undefined where it is not known yet. */
function entriesOf(expression: Expression): readonly (readonly [string, Json | undefined])[] {
  if (expression.kind === "literal") return isObject(expression.value) ? Object.entries(expression.value) : []
  if (expression.kind !== "object") return []
  return expression.entries.map(([key, inner]) => [key, inner.kind === "literal" ? inner.value : undefined] as const)
}

/** Where there is one value only, that is what is meant. */
function mendOmission(schema: Shape, path: Pointer): JsonPatch | undefined {
  const shape = asShape(schema)
  if (!isConstant(shape)) return undefined
  const value: Json = shape[Kind] === "Literal" ? shape.const : null
  return [{ op: "add", path, value }]
}
