/** An undo that works: its tool has an effect of its own, needs no person, and its arguments fit. Codes: SEQ808, SEQ823. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { suggest } from "../../diagnostic/nearest.ts"
import type { Json } from "../../text/json.ts"
import { child, type Pointer, parsePointer } from "../../text/pointer.ts"
import type { Built, CatalogSpec, Tool } from "../catalog.ts"
import { isFrom, type UndoArgument, type UndoSource } from "../policy.ts"
import { accepts } from "../schema/accept.ts"
import { shapeAt } from "../schema/at.ts"
import { fit } from "../schema/fit.ts"
import { unknown } from "../schema/make.ts"
import { describe, propertiesOf, type Shape } from "../schema/shape.ts"
import { show } from "../schema/show.ts"
import { isKnown, parameterOf } from "./parameter.ts"
import { unknownName, unknownParameter } from "./refuse.ts"

export function lintCompensate(tool: Tool, { tools }: Built, spec: CatalogSpec, at: Pointer): Unplaced[] {
  const { compensation } = tool
  if (compensation.kind !== "call") return []
  const place = child(at, "compensate")
  const refuse = (problem: string, remedy: string, where: Pointer = place): Unplaced =>
    diagnose("SEQ823", where, { tool: tool.name, problem, remedy })
  if (!tool.mutates) return [refuse("undoes nothing: the tool is a read", "Remove `compensate`.")]
  const undo = tools.get(compensation.tool)
  if (undo === undefined) {
    const where = `\`compensate\` of \`${tool.name}\``
    return [unknownName(child(place, "tool"), where, "tool", compensation.tool, tools.keys(), "tools")]
  }
  const said = [...whyNot(tool, undo, spec)].map(({ problem, remedy }) => refuse(problem, remedy, child(place, "tool")))
  if (!isKnown(undo)) return said
  const toArgs = child(place, "args")
  for (const argument of compensation.args) {
    const parameter = parameterOf(undo, argument.name)
    const where = child(toArgs, argument.name)
    if (parameter === undefined) {
      said.push(unknownParameter(where, `\`compensate\` of \`${tool.name}\``, undo, argument.name))
      continue
    }
    const misfit = misfitOf(argument, parameter.shape, tool, undo)
    if (misfit !== undefined) said.push(refuse(misfit.problem, misfit.remedy, where))
  }
  const given = new Set(compensation.args.map(({ name }) => name))
  for (const [name, { shape, optional }] of propertiesOf(undo.params.shape)) {
    if (given.has(name) || (optional && !mustState(undo, name))) continue
    said.push(
      refuse(
        `lacks \`${name}\`, which \`${undo.name}\` ${optional ? "asks to state" : "needs"}`,
        `Add \`${name}\`: ${describe(shape)}.`,
        toArgs,
      ),
    )
  }
  return said.length > 0
    ? said
    : judgeLiterals(compensation.args, undo).map((text) => refuse(text, literalRemedy, toArgs))
}

/** Or something in it: what would stand in each item of a list that was left out is not missed. */
const mustState = ({ rules }: Tool, name: string): boolean =>
  rules.some(({ mustState, path }) => mustState && path[0] === name && !path.includes("*"))

const literalRemedy = "Write arguments that the schema of the undo accepts."

interface Fault {
  readonly problem: string
  readonly remedy: string
}

/** The machine and what is required do not hold for an undo, so neither is asked for here. */
function* whyNot(tool: Tool, undo: Tool, { tools }: CatalogSpec): Iterable<Fault> {
  if (undo.name === tool.name) {
    yield { problem: "is the tool itself", remedy: "Name a tool that takes its effect back." }
  } else if (!undo.mutates) {
    yield { problem: `is \`${undo.name}\`, which is a read`, remedy: "Name a tool that takes the effect back." }
  }
  if (tools[undo.name]?.authority?.approval !== undefined) {
    const problem = `is \`${undo.name}\`, which needs approval`
    yield { problem, remedy: "Name a tool that needs none: a run that fails must not wait for a person to be undone." }
  }
}

function misfitOf({ name, source }: UndoArgument, parameter: Shape, tool: Tool, undo: Tool): Fault | undefined {
  const wanted = `\`${name}\` of \`${undo.name}\` must be ${describe(parameter)}`
  if (source.kind === "literal") {
    if (holdsSource(source.value)) {
      const remedy = `Give the whole of \`${name}\` with \`fromResult\` or \`fromArgs\`, or as a literal.`
      return { problem: `has a \`fromResult\` or \`fromArgs\` inside \`${name}\``, remedy }
    }
    if (accepts(parameter, source.value)) return undefined
    return { problem: `is given ${show(source.value)}, but ${wanted}`, remedy: `Give ${describe(parameter)}.` }
  }
  const whole = source.kind === "from-args" ? tool.params.shape : (tool.result?.shape ?? unknown)
  const origin = source.kind === "from-args" ? "arguments" : "result"
  const tokens = parsePointer(source.path)
  if (tokens === undefined) {
    const remedy = "Begin with `/`; write each key or index after a `/`."
    return { problem: `reads \`${source.path}\`, which is no JSON Pointer`, remedy }
  }
  const read = `\`${source.path}\` of the ${origin}`
  if (isUntold(source, tool)) {
    return { problem: `reads ${read}, which the tool does not declare`, remedy: "Declare its `result`." }
  }
  const place = shapeAt(whole, tokens)
  if (!place.ok) {
    return place.why === "optional"
      ? { problem: `reads ${read}, which may be absent`, remedy: "Read what is always there." }
      : {
          problem: `reads ${read}, which does not exist`,
          remedy:
            place.known.length === 0
              ? "Read what is declared."
              : suggest(tokens[place.index] ?? "", place.known, "keys"),
        }
  }
  if (fit(place.shape, parameter) !== "never-fits") return undefined
  return {
    problem: `reads ${read}, ${describe(place.shape)}, but ${wanted}`,
    remedy: "Read a value of the right kind.",
  }
}

/** Only a whole argument is looked up: deeper, what looks like a source would be passed on as it stands. */
const holdsSource = (value: Json): boolean =>
  isFrom(value) || (typeof value === "object" && value !== null && Object.values(value).some(holdsSource))

/** A part of a result that was never declared. */
const isUntold = ({ kind, path }: Exclude<UndoSource, { kind: "literal" }>, { result }: Tool): boolean =>
  kind === "from-result" && result === undefined && path !== ""

/** The author's own validator, where all is known. */
function judgeLiterals(args: readonly UndoArgument[], undo: Tool): readonly string[] {
  const known = args.flatMap(({ name, source }) => (source.kind === "literal" ? [[name, source.value] as const] : []))
  if (known.length < args.length) return []
  return undo.params
    .judge(Object.fromEntries(known))
    .map(({ at, message }) => `is refused by \`${undo.name}\` at \`${at || "/"}\`: ${message}`)
}
