/**
 * Flow: a parameter gets its values only from where it may, no untrusted data reaches a trusted one, and no private data a
 * public one. Labels are followed place by place through references, joined texts, choices and tools. What is not followed is
 * whether a step succeeds: `hangsOn` tells where untrusted data has a say in that.
 * Codes: SEQ601 (another place), SEQ602 (untrusted), SEQ603 (private).
 */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { input, names, type Origin, type Path, sayOrigin } from "../catalog/place.ts"
import { isLabelled, type ParameterRule, unlabelled } from "../catalog/rule.ts"
import { diagnose, type Place } from "../diagnostic/diagnostic.ts"
import { orList } from "../diagnostic/nearest.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Carried } from "../plan/earlier.ts"
import type { Call, Expression } from "../plan/plan.ts"
import { child, type Pointer, parsePointer } from "../text/pointer.ts"
import { argumentName, asWritten } from "./arguments.ts"
import { copiedMarks, marksOfCall } from "./copied.ts"
import { writtenAt } from "./keys.ts"
import { cameToNothing, type Known, stoodAt } from "./known.ts"
import { endorse } from "./label.ts"
import { type Leaf, leavesAt } from "./leaves.ts"
import {
  type Asked,
  joinMaybe,
  type Literals,
  literalMarks,
  type Marks,
  marksOf,
  marksOfArguments,
  placeOf,
  resultMarks,
  type Seen,
  type Sources,
  shapeOfArguments,
  sourcesOf,
  type Visit,
  type Writer,
} from "./marks.ts"
import type { Tooled } from "./tools.ts"
import { relatedTo, sayPlace, sayTrail } from "./trail.ts"

export interface Flowed {
  readonly literals: Literals
  /** By step index: the untrusted data that has a say in whether it succeeds. */
  readonly hangs: readonly (Hanging | undefined)[]
  /** By step index: the labels that its result has of what the step was given. */
  readonly carried: readonly (readonly Carried[])[]
}

export interface Hanging {
  /** Arguments that do not fit keep a call from being made; an answer that does not fit comes after it. */
  readonly by: "arguments" | "answer"
  /** The way that the data took. */
  readonly path: string
}

export function checkFlow<P extends Asked>(
  plan: P,
  catalog: Catalog,
  report: Report,
  { literals: said, seen = [], inputs }: Writer,
  known?: Known,
): P & Flowed {
  const hangs: (Hanging | undefined)[] = []
  const written: Seen = {
    untrusted: said === "untrusted" || seen.includes("untrusted"),
    private: seen.includes("private"),
  }
  const literals = written.untrusted ? "untrusted" : "trusted"
  const isMarked =
    written.untrusted || written.private || known?.aside?.shown?.some((one) => one !== undefined) === true
  if (!isMarked && !isWatched(plan, catalog)) return { ...plan, literals, hangs, carried: [] }
  const sources = new Map(plan.steps.flatMap((step) => sourcesOf(step, plan)))
  const results: (Marks | undefined)[] = []
  const visitAs = (seen: Seen): Visit => ({ plan, catalog, seen, owned: inputs === "planner", sources, results })
  const whole = visitAs(written)
  // A value that was shown, once, may stand in any literal from then on.
  const first = { untrusted: Number.POSITIVE_INFINITY, private: Number.POSITIVE_INFINITY }
  const note = (index: number): void => {
    for (const label of ["untrusted", "private"] as const)
      if (shows(plan.tools[index], results[index], label)) first[label] = Math.min(first[label], index)
  }
  const seenOf = (count: number): Seen => ({ untrusted: first.untrusted < count, private: first.private < count })
  for (const step of plan.steps) {
    const tool = plan.tools[step.index]
    if (step.kind === "transition" || tool === undefined || cameToNothing(known, step.index)) {
      note(step.index)
      continue
    }
    const visit =
      known === undefined
        ? whole
        : visitAs(
            [whole.seen, seenOf(known.seen[step.index] ?? 0), seenAside(known, step.index, catalog)].reduce(joinSeen),
          )
    hangs[step.index] = hangOn(step, tool, flowInto(step, tool, visit, report, known))
    note(step.index)
  }
  return { ...plan, literals, hangs, carried: plan.steps.map(({ index }) => carriedBy(results[index])) }
}

/** Of one call: what its arguments are marked with. What they make of its result is noted among `visit.results`. */
export function flowInto(
  step: Call,
  tool: Tool,
  visit: Visit,
  report: Report,
  known: Known | undefined,
): Marks | undefined {
  const marks = known === undefined ? marksOfArguments(step, visit) : marksOfCall(step, tool, visit, known)
  const refused = checkRules(step, tool, visit, report, known)
  visit.results[step.index] = refused || marks === undefined ? undefined : endorse(marks, tool.endorses)
  if (!refused) checkUndo(step, tool, visit.results[step.index], visit, report, known)
  return marks
}

/** Whether whoever sees what a call gave has seen data that is marked so. */
export const shows = (tool: Tool | undefined, result: Marks | undefined, label: keyof Seen): boolean =>
  tool !== undefined && (tool.labels[label].length > 0 || result?.[label] !== undefined)

export function seenAside({ aside }: Known, index: number, { tools }: Catalog): Seen {
  const shown = aside?.tools.slice(0, aside.by[index]) ?? []
  const labels = (aside !== undefined && index < aside.by.length ? aside.shown?.[index] : aside?.now) ?? []
  const has = (label: keyof Seen): boolean =>
    labels.includes(label) || shown.some((tool) => (tools.get(tool)?.labels[label].length ?? 0) > 0)
  return { untrusted: has("untrusted"), private: has("private") }
}

export const joinSeen = (one: Seen, other: Seen): Seen => ({
  untrusted: one.untrusted || other.untrusted,
  private: one.private || other.private,
})

const carriedBy = (marks: Marks | undefined): readonly Carried[] =>
  (["untrusted", "private"] as const).filter((label) => marks?.[label] !== undefined)

/** Most catalogs say nothing of data, and their plans should not pay for it. An untrusted literal is data in any of them. */
const isWatched = ({ tools, earlier }: Asked, { inputLabels, tools: all }: Catalog): boolean =>
  isLabelled(inputLabels) ||
  Object.values(earlier).some(
    ({ tool, carries }) => carries.length > 0 || isLabelled(all.get(tool)?.labels ?? unlabelled),
  ) ||
  tools.some((tool) => tool !== undefined && isWatchedTool(tool, all))

export const isWatchedTool = (tool: Tool, all: Catalog["tools"]): boolean =>
  tool.rules.length > 0 || isLabelled(tool.labels) || hasRuledUndo(tool, all)

const hasRuledUndo = ({ compensation }: Tool, tools: Catalog["tools"]): boolean =>
  compensation.kind === "call" && (tools.get(compensation.tool)?.rules.length ?? 0) > 0

function checkRules(step: Call, tool: Tool, visit: Visit, report: Report, known: Known | undefined): boolean {
  let refused = false
  for (const rule of tool.rules) {
    if (rule.from === undefined && !rule.trusted && !rule.public) continue
    for (const leaf of leavesAt(step.args, rule.path))
      refused = checkLeaf(leaf, rule, { step, tool, visit, report, known }) || refused
  }
  return refused
}

/** What an undo will be given must be what its tool takes. What the catalog itself writes is the host's word. */
function checkUndo(
  step: Call,
  { compensation, ...of }: Tool,
  result: Marks | undefined,
  visit: Visit,
  report: Report,
  known?: Known,
): void {
  const undo = compensation.kind === "call" ? visit.catalog.tools.get(compensation.tool) : undefined
  if (compensation.kind !== "call" || undo === undefined) return
  for (const { name, source } of compensation.args) {
    const start = source.kind === "literal" ? undefined : parsePointer(source.path)
    if (start === undefined) continue
    for (const rule of undo.rules) {
      const [parameter, ...rest] = rule.path
      if (parameter !== name || (rule.from === undefined && !rule.trusted && !rule.public)) continue
      const path = [...start, ...rest]
      if (source.kind === "from-result")
        checkUndoResult(path, name, rule, { step, tool: undo, visit, report, of, result })
      else
        for (const leaf of leavesAt(step.args, path))
          checkLeaf(leaf, { ...rule, path }, { step, tool: undo, visit, report, known })
    }
  }
}

interface AskingUndo extends Omit<Asking, "known"> {
  /** The tool that is undone. */
  readonly of: Pick<Tool, "name" | "labels">
  /** What came through it. */
  readonly result: Marks | undefined
}

function checkUndoResult(path: Path, argument: string, rule: ParameterRule, asking: AskingUndo): void {
  const { step, tool, visit, report, of, result } = asking
  const at = child(step.at, "tool")
  const place = sayPlace(step.id, path)
  const about = { argument, tool: tool.name }
  if (rule.from !== undefined && !isNamed({ source: of.name, path }, rule.from)) {
    const how = "or undo by a tool that takes what this one gives"
    const params = {
      ...about,
      path: `${argument} ← ${place} (${of.name})`,
      places: orList(rule.from.map(sayOrigin)),
      how,
    }
    report.add(diagnose("SEQ601", at, params))
    return
  }
  const marks = resultMarks(path, place, { tool: of, at }, result)
  tellMarks(marks, rule, { argument, tool: tool.name, at }, visit, report)
}

interface Asking {
  readonly step: Call
  readonly tool: Tool
  readonly visit: Visit
  readonly report: Report
  readonly known: Known | undefined
}

/** Whether it was refused. Of a value from another place that alone is told. */
function checkLeaf(leaf: Leaf, rule: ParameterRule, { step, tool, visit, report, known }: Asking): boolean {
  const written = writtenAt(step.args, shapeOfArguments(step, visit), placeIn(step, leaf), rule.path)
  const { expression } = leaf
  const given =
    known !== undefined && expression.kind === "literal" && rule.from !== undefined
      ? copiedMarks(expression, rule.from, step, visit, known)
      : marksOf(expression, leaf.rest, step, visit, written.shape)
  const marks = written.madeUp ? joinMaybe(given, literalMarks(leaf.at, visit)) : given
  if (marks === undefined) return false
  const argument = argumentName(leaf.at, step)
  const about = { argument, tool: tool.name }
  const origin = originOf(leaf, visit.sources, visit.plan)
  const isKnown = (from: readonly Origin[]): boolean =>
    known !== undefined &&
    expression.kind === "literal" &&
    stoodAt(expression.value, from, step.index, visit.plan, known).length > 0
  const isOut = (from: readonly Origin[]): boolean => !(origin !== undefined && isNamed(origin, from)) && !isKnown(from)
  const foreign = written.madeUp && visit.seen.untrusted
  // Inputs that the planner has written are a way round the rule, as literals are.
  const own = origin?.source === input && visit.owned === true && visit.seen.untrusted
  if (rule.from !== undefined && (foreign || own || isOut(rule.from))) {
    const says = own ? `${sayLeaf(leaf, origin)}, which its writer gives as well` : sayLeaf(leaf, origin)
    const path = `${argument} ← ${foreign ? "a key that the plan makes" : says}`
    // A single call has values only, of calls that are behind.
    const how = known === undefined ? "by a `$from` that leads there" : "as it stands there"
    const params = { ...about, path, places: orList(rule.from.map(sayOrigin)), how }
    report.add(diagnose("SEQ601", asWritten(leaf.at, visit.plan), params, relatedGiver(leaf.expression, visit)))
    return true
  }
  const at = asWritten(leaf.at, visit.plan)
  return tellMarks(marks, rule, { ...about, at, copies: known !== undefined }, visit, report)
}

interface About {
  readonly argument: string
  readonly tool: string
  readonly at: Pointer
  /** It was written in a single call, which has values only. */
  readonly copies?: boolean
}

function tellMarks(
  marks: Marks | undefined,
  rule: ParameterRule,
  { at, copies = false, ...about }: About,
  visit: Visit,
  report: Report,
): boolean {
  const untrusted = rule.trusted ? marks?.untrusted : undefined
  const hidden = rule.public ? marks?.private : undefined
  for (const [code, trail] of [
    ["SEQ602", untrusted],
    ["SEQ603", hidden],
  ] as const) {
    if (trail === undefined) continue
    const wanted = code === "SEQ602" ? "trusted" : "public"
    const { argument } = about
    const remedy = copies ? sayCopy(argument, rule, wanted) : sayTaken(argument, wanted, visit.catalog)
    const params = { ...about, path: sayTrail(trail, argument), remedy }
    report.add(diagnose(code, at, params, relatedTo(trail, at)))
  }
  return untrusted !== undefined || hidden !== undefined
}

/** Where in the arguments it stands. */
const placeIn = (step: Call, { at }: Leaf): Path => parsePointer(at.slice(step.args.at.length)) ?? []

/** The call whose result was taken. */
function relatedGiver(expression: Expression, { plan, sources }: Visit): Place {
  const isRead = expression.kind === "reference" || expression.kind === "selection"
  const source = isRead ? sources.get(expression) : undefined
  const giver = typeof source === "number" ? plan.steps[source] : undefined
  return giver === undefined ? {} : { related: [{ at: child(giver.at, "tool"), message: `\`${giver.id}\` is here` }] }
}

const isNamed = ({ source, path }: Origin, from: readonly Origin[]): boolean =>
  from.some((one) => one.source === source && names(one.path, path))

/** The one place whose value a leaf has; undefined for what the plan itself makes. */
function originOf({ expression, rest }: Omit<Leaf, "at">, sources: Sources, { tools }: Tooled): Origin | undefined {
  if (expression.kind !== "reference" && expression.kind !== "selection") return undefined
  const source = sources.get(expression)
  if (source === undefined) return undefined
  return {
    source: source === input ? input : ((typeof source === "number" ? tools[source] : source.of)?.name ?? ""),
    path: [...placeOf(expression), ...rest],
  }
}

function sayLeaf({ expression, rest }: Leaf, origin: Origin | undefined): string {
  switch (expression.kind) {
    case "reference":
    case "selection": {
      const place = sayPlace(expression.source, [...placeOf(expression), ...rest])
      return origin === undefined || origin.source === input ? place : `${place} (${origin.source})`
    }
    case "concat":
      return "a text that `$concat` makes"
    case "literal":
      return "a literal"
    default:
      return `an ${expression.kind} that the plan makes`
  }
}

function sayTaken(argument: string, wanted: "trusted" | "public", { tools }: Catalog): string {
  const ways = [...tools.values()]
    .filter(({ endorses }) => endorses[wanted])
    .map(({ name }) => name)
    .sort()
  const through = ways.length === 0 ? "" : `, or pass it through ${orList(ways)} first`
  return wanted === "trusted"
    ? `Take \`${argument}\` from what is trusted${through}.`
    : `Give \`${argument}\` what others may see${through}.`
}

/** A single call can only copy, and only from where the catalog says: no such place is itself marked. */
function sayCopy(argument: string, { from = [] }: ParameterRule, wanted: "trusted" | "public"): string {
  const label = wanted === "trusted" ? "untrusted" : "private"
  if (from.length === 0)
    return `Do not ask for this again: since ${label} data was shown here, nothing that is written counts as ${wanted} at \`${argument}\`. Leave it out if it may be, or say that it cannot be done here.`
  const [asked, given] = [from.filter(({ source }) => source !== input), from.filter((one) => one.source === input)]
  const ways = [
    ...(asked.length === 0
      ? []
      : [
          `Call ${orList([...new Set(asked.map(({ source }) => source))])}, with nothing of the ${label} data in the call, and write \`${argument}\` exactly as it stands at ${orList(asked.map(sayOrigin))} of the answer`,
        ]),
    ...(given.length === 0 ? [] : [`Write \`${argument}\` exactly as it stands at ${orList(given.map(sayOrigin))}`]),
  ]
  return `${ways.join("; or: ")}.`
}

/** Arguments that cannot be found or do not fit, or an answer that is not of its shape, end the run. */
function hangOn({ id }: Call, { name, labels }: Tool, marks: Marks | undefined): Hanging | undefined {
  if (marks?.untrusted !== undefined) return { by: "arguments", path: sayTrail(marks.untrusted) }
  return labels.untrusted.length > 0 ? { by: "answer", path: `${id} (untrusted: ${name})` } : undefined
}

export interface Provenance {
  readonly at: Pointer
  readonly argument: string
  /** `tool#/pointer`, `input#/pointer` or `literal`, each once. */
  readonly from: readonly string[]
}

/** Where each argument comes from that a rule is about. */
export function provenanceOf(step: Call, tool: Tool, plan: Asked): readonly Provenance[] {
  if (tool.rules.length === 0) return []
  const sources = new Map(sourcesOf(step, plan))
  return tool.rules.flatMap(({ path }) =>
    leavesAt(step.args, path).map((leaf) => ({
      at: asWritten(leaf.at, plan),
      argument: argumentName(leaf.at, step),
      from: [...new Set(originsIn(leaf.expression, leaf.rest, sources, plan))],
    })),
  )
}

function originsIn(expression: Expression, rest: Path, sources: Sources, plan: Tooled): readonly string[] {
  switch (expression.kind) {
    case "literal":
      return ["literal"]
    case "object":
      return expression.entries.flatMap(([, value]) => originsIn(value, [], sources, plan))
    case "array":
      return expression.items.flatMap((item) => originsIn(item, [], sources, plan))
    case "concat":
      return expression.parts.flatMap((part) => originsIn(part, [], sources, plan))
    default: {
      const origin = originOf({ expression, rest }, sources, plan)
      return origin === undefined ? [] : [sayOrigin(origin)]
    }
  }
}
