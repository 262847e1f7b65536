/** What a tool requires exists, and can come first. Codes: SEQ808, SEQ819, SEQ824. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import type { Built, Tool } from "../catalog.ts"
import { fit } from "../schema/fit.ts"
import { describe, propertyOf } from "../schema/shape.ts"
import { isKnown } from "./parameter.ts"
import { unknownName, unknownParameter } from "./refuse.ts"

export function lintRequires(tool: Tool, { tools }: Built, at: Pointer): Unplaced[] {
  const where = `\`requires\` of \`${tool.name}\``
  return tool.requires.flatMap((requirement, index) => {
    const place = child(child(at, "requires"), index)
    const required = tools.get(requirement.tool)
    if (required === undefined) {
      return [unknownName(place, where, "tool", requirement.tool, tools.keys(), "tools")]
    }
    const circle = circleBack(tool.name, required.name, tools)
    if (circle !== undefined) {
      const around = circle.map((name) => `\`${name}\``).join(", which requires ")
      return [diagnose("SEQ819", place, { tool: tool.name, required: around })]
    }
    return (requirement.same ?? []).flatMap((parameter) => lintSame(parameter, tool, required, where, place))
  })
}

function lintSame(parameter: string, tool: Tool, required: Tool, where: string, at: Pointer): Unplaced[] {
  const sides = [...new Set([tool, required])].filter(isKnown)
  const lacking = sides.filter(({ params }) => propertyOf(params.shape, parameter) === undefined)
  if (lacking.length > 0) return lacking.map((side) => unknownParameter(at, where, side, parameter))
  const [own, other] = sides.map(({ params }) => propertyOf(params.shape, parameter))
  // Where both may be left out, both being left out is the same.
  if (own === undefined || other === undefined || (own.optional && other.optional)) return []
  if (fit(own.shape, other.shape) !== "never-fits") return []
  const kinds = `${describe(own.shape)} here and ${describe(other.shape)} there`
  const problem = `wants the same \`${parameter}\` in \`${required.name}\`, but it is ${kinds}`
  const remedy = "Let both take the same values, or compare another parameter."
  return [diagnose("SEQ824", at, { policy: "requires", tool: tool.name, problem, remedy })]
}

/** From a tool by what it requires to another: the names on the shortest way, both ends with it. */
function circleBack(to: string, from: string, tools: Built["tools"]): readonly string[] | undefined {
  const ways = new Map<string, readonly string[]>([[from, [from]]])
  for (const [name, way] of ways) {
    if (name === to) return way
    for (const { tool } of tools.get(name)?.requires ?? []) if (!ways.has(tool)) ways.set(tool, [...way, tool])
  }
  return undefined
}

/** The tool and all that must have been called before it, however far back: each at least once. */
export function requiredBy(tool: Tool, tools: Built["tools"]): ReadonlySet<Tool> {
  const all = new Set([tool])
  for (const one of all) {
    for (const { tool: name } of one.requires) {
      const required = tools.get(name)
      if (required !== undefined) all.add(required)
    }
  }
  return all
}
