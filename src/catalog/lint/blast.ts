/** What a tool counts is there, whole, not negative, bounded, and has a limit. Codes: SEQ811, SEQ813. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { suggest } from "../../diagnostic/nearest.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import type { Built, Tool } from "../catalog.ts"
import { countOf, intervalOf } from "../schema/interval.ts"
import { propertiesOf, propertyOf } from "../schema/shape.ts"
import type { Argument, Count, ToolSpec } from "../tool.ts"

export function lintBlast(tool: Tool, spec: ToolSpec, catalog: Built, at: Pointer): Unplaced[] {
  return Object.entries(spec.blast ?? {}).flatMap(([dimension, cost]) => {
    const place = child(child(at, "blast"), dimension)
    const said: Unplaced[] = []
    if (!catalog.limits.has(dimension)) said.push(diagnose("SEQ813", place, { tool: tool.name, dimension }))
    const fault = typeof cost === "number" ? undefined : blastFault(tool, cost)
    if (fault !== undefined) said.push(diagnose("SEQ811", place, { dimension, tool: tool.name, ...fault }))
    return said
  })
}

/** What is counted must be there, whole, not negative, and bounded. */
function blastFault(
  tool: Tool,
  { kind, parameter, max }: Argument | Count,
): { problem: string; remedy: string } | undefined {
  const property = propertyOf(tool.params.shape, parameter)
  if (property === undefined) {
    return {
      problem: `counts \`${parameter}\`, which is no parameter`,
      remedy: suggest(parameter, propertiesOf(tool.params.shape).keys(), "parameters"),
    }
  }
  if (property.optional)
    return {
      problem: `counts \`${parameter}\`, which may be left out`,
      remedy: `Make \`${parameter}\` required, or count a constant.`,
    }
  const interval = kind === "count" ? countOf(property.shape) : intervalOf(property.shape)
  if (interval === null) {
    const wanted = kind === "count" ? "an array" : "a number"
    return {
      problem: `counts \`${parameter}\`, which is not always ${wanted}`,
      remedy: `Make \`${parameter}\` ${wanted}.`,
    }
  }
  if ("integer" in interval && !interval.integer) {
    return {
      problem: `counts \`${parameter}\`, which may be a fraction`,
      remedy: `Make \`${parameter}\` an integer, in the smallest unit.`,
    }
  }
  if (interval.min < 0)
    return {
      problem: `counts \`${parameter}\`, which may be negative`,
      remedy: `Give \`${parameter}\` a minimum of 0 or more.`,
    }
  if (max === undefined && interval.max > Number.MAX_SAFE_INTEGER - 1) {
    const remedy =
      kind === "count"
        ? `Give \`${parameter}\` a maximum number of items, or say \`count("${parameter}", { max: … })\`.`
        : `Give \`${parameter}\` a maximum, or say \`arg("${parameter}", { max: … })\`.`
    return { problem: `counts \`${parameter}\`, which has no upper bound`, remedy }
  }
  if (
    max !== undefined &&
    Number.isFinite(interval.max) &&
    interval.max < Number.MAX_SAFE_INTEGER &&
    max < interval.max
  ) {
    return {
      problem: `has a \`max\` of ${max}, below the schema's own ${interval.max}`,
      remedy: `Raise \`max\`, or lower the maximum of \`${parameter}\`.`,
    }
  }
  return undefined
}
