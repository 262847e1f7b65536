/** Rules about parameters and places that exist, and that can be kept. Codes: SEQ808, SEQ824. */
import type { Unplaced } from "../../diagnostic/diagnostic.ts"
import { diagnose } from "../../diagnostic/diagnostic.ts"
import { suggest } from "../../diagnostic/nearest.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import type { Built, Tool } from "../catalog.ts"
import { input, type Origin, overlaps, pathTo, readOrigin } from "../place.ts"
import type { Labels } from "../rule.ts"
import { wayTo } from "../schema/along.ts"
import { fit } from "../schema/fit.ts"
import { describe, type Shape } from "../schema/shape.ts"
import type { Rule, ToolSpec } from "../tool.ts"
import { isKnown, parameterOf } from "./parameter.ts"
import { cannotHold, unknownName, unknownParameter } from "./refuse.ts"

export const lintRules = (tool: Tool, { rules = {} }: ToolSpec, catalog: Built, at: Pointer): Unplaced[] =>
  Object.entries(rules).flatMap(([name, rule]) => lintRule(name, rule, tool, catalog, child(child(at, "rules"), name)))

function lintRule(name: string, rule: Rule, tool: Tool, catalog: Built, at: Pointer): Unplaced[] {
  const refuse = (problem: string, remedy: string): Unplaced[] => [cannotHold(at, "rules", tool, problem, remedy)]
  const [first, ...rest] = pathTo(name) ?? []
  if (first === undefined)
    return refuse(`names \`${name}\`, which is no parameter`, "Name a parameter, or begin with `/` and name one.")
  const parameter = parameterOf(tool, first)
  if (parameter === undefined) return [unknownParameter(at, `\`rules\` of \`${tool.name}\``, tool, first)]
  const way = wayTo(parameter.shape, rest)
  if (way.kind === "lost") {
    const nearest = suggest(way.token, way.known, "keys there")
    return [diagnose("SEQ808", at, { where: `\`rules\` of \`${tool.name}\``, what: `the place \`${name}\``, nearest })]
  }
  if (way.member !== undefined) return refuse(`names one member, \`${way.member}\`, of many alike`, "Write `*` for it.")
  const said: Unplaced[] = []
  // A list that is left out has no items in which something could be missing.
  const mayLack = way.optional || (parameter.optional && !rest.includes("*"))
  if (rule.mustState === true && !mayLack) {
    said.push(...refuse(`asks to state \`${name}\`, which is required anyway`, "Remove `mustState`."))
  }
  const taken = { tool, shape: way.shape, trusted: rule.trusted === true, public: rule.public === true }
  for (const [index, source] of (rule.from ?? []).entries())
    said.push(...lintSource(source, taken, catalog, child(child(at, "from"), index)))
  return said
}

/** The parameter that a source is for. */
interface Taken {
  readonly tool: Tool
  readonly shape: Shape
  readonly trusted: boolean
  readonly public: boolean
}

/** `tool#/pointer`, or `input#/pointer`, of a value that the parameter could have, and may. */
function lintSource(source: string, taken: Taken, catalog: Built, at: Pointer): Unplaced[] {
  const { tool } = taken
  const where = `\`rules\` of \`${tool.name}\``
  const refuse = (problem: string, remedy: string): Unplaced[] => [
    cannotHold(at, "rules", tool, `names \`${source}\`, ${problem}`, remedy),
  ]
  const origin = readOrigin(source)
  if (origin === undefined)
    return refuse("which is no place", "Write `tool#/pointer` or `input#/pointer`, with `*` for any item or key.")
  const { source: name, path } = origin
  const giver = name === input ? undefined : catalog.tools.get(name)
  if (name !== input && giver === undefined)
    return [unknownName(at, where, "tool", name, catalog.tools.keys(), "tools")]
  if (giver !== undefined && !isKnown(giver)) return []
  const shape = (giver === undefined ? catalog.inputs : giver.result)?.shape
  if (shape === undefined) {
    if (giver === undefined) return refuse("but the catalog declares no `inputs`", "Declare them.")
    return path.length === 0 ? [] : refuse(`but \`${name}\` declares no \`result\``, "Declare it.")
  }
  const way = wayTo(shape, path)
  if (way.kind === "lost") {
    const nearest = suggest(way.token, way.known, "keys there")
    return [diagnose("SEQ808", at, { where, what: `the place \`${source}\``, nearest })]
  }
  if (fit(way.shape, taken.shape) === "never-fits") {
    const kinds = `${describe(way.shape)}, and must be ${describe(taken.shape)}`
    return refuse(`which can never be given: it is ${kinds}`, "Name a place that holds what the parameter takes.")
  }
  return lintLabelled(origin, taken, giver?.labels ?? catalog.inputLabels).flatMap((problem) =>
    refuse(problem, "Name another place, or say otherwise of one of the two."),
  )
}

const lintLabelled = ({ path }: Origin, taken: Taken, { untrusted, private: hidden }: Labels): readonly string[] => [
  ...(taken.trusted && untrusted.some((place) => overlaps(place, path))
    ? ["which is untrusted, for a parameter that is `trusted`"]
    : []),
  ...(taken.public && hidden.some((place) => overlaps(place, path))
    ? ["which is private, for a parameter that is `public`"]
    : []),
]
