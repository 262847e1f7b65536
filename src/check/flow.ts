/**
 * Flow: a parameter gets its values only from where it may, no untrusted data reaches a trusted one, and no private data a
 * public one. Labels are followed place by place through references, joined texts, choices and tools. What is not followed is
 * whether a step succeeds: `hangsOn` tells where untrusted data has a say in that.
 * Codes: SEQ601 (another place), SEQ602 (untrusted), SEQ603 (private).
 */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { input, names, type Origin, overlaps, type Path, sayOrigin } from "../catalog/place.ts"
import { isLabelled, type Labels, type ParameterRule } from "../catalog/rule.ts"
import { diagnose, type Place } from "../diagnostic/diagnostic.ts"
import { orList } from "../diagnostic/nearest.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Call, Concat, Expression, Plan, Read, Selection, Step } from "../plan/plan.ts"
import { isObject, type Json } from "../text/json.ts"
import { child, type Pointer } from "../text/pointer.ts"
import { argumentName, asWritten } from "./arguments.ts"
import { clean, endorse, join, type Label } from "./label.ts"
import { type Leaf, leavesAt } from "./leaves.ts"
import type { Ordered, Source } from "./order.ts"
import type { Typed } from "./references.ts"
import type { Tooled } from "./tools.ts"
import { relatedTo, sayPlace, sayTrail, type Trail } from "./trail.ts"

/** What the planner had seen when it wrote: its literals are its reading of the user's wish, or perhaps of somebody else's. */
export type Literals = "trusted" | "untrusted"

export interface Flowed {
  readonly literals: Literals
  /** By step index: the untrusted data that has a say in whether it succeeds. */
  readonly hangs: readonly (Hanging | undefined)[]
}

export interface Hanging {
  /** Arguments that do not fit keep a call from being made; an answer that does not fit comes after it. */
  readonly by: "arguments" | "answer"
  /** The way that the data took. */
  readonly path: string
}

type Asked = Plan & Tooled & Ordered & Typed
type Marks = Label<Trail>

interface Visit {
  readonly plan: Asked
  readonly catalog: Catalog
  readonly literals: Literals
  readonly sources: Sources
  /** By step index: what its arguments make of its result. Undefined where that is not known, or was told. */
  readonly results: (Marks | undefined)[]
}

export function checkFlow<P extends Asked>(plan: P, catalog: Catalog, report: Report, literals: Literals): P & Flowed {
  const hangs: (Hanging | undefined)[] = []
  if (!isWatched(plan, catalog)) return { ...plan, literals, hangs }
  const sources = new Map(plan.steps.flatMap((step) => sourcesOf(step, plan)))
  const visit: Visit = { plan, catalog, literals, sources, results: [] }
  for (const step of plan.steps) {
    const tool = plan.tools[step.index]
    if (step.kind === "transition" || tool === undefined) continue
    const marks = marksOfArguments(step, visit)
    const refused = checkRules(step, tool, visit, report)
    visit.results[step.index] = refused || marks === undefined ? undefined : endorse(marks, tool.endorses)
    hangs[step.index] = hangOn(step, tool, marks)
  }
  return { ...plan, literals, hangs }
}

/** Most catalogs say nothing of data, and their plans should not pay for it. */
const isWatched = ({ tools }: Asked, { inputLabels }: Catalog): boolean =>
  isLabelled(inputLabels) ||
  tools.some((tool) => tool !== undefined && (tool.rules.length > 0 || isLabelled(tool.labels)))

function checkRules(step: Call, tool: Tool, visit: Visit, report: Report): boolean {
  let refused = false
  for (const rule of tool.rules) {
    if (rule.from === undefined && !rule.trusted && !rule.public) continue
    for (const leaf of leavesAt(step.args, rule.path))
      refused = checkLeaf(leaf, rule, { step, tool, visit, report }) || refused
  }
  return refused
}

interface Asking {
  readonly step: Call
  readonly tool: Tool
  readonly visit: Visit
  readonly report: Report
}

/** Whether it was refused. Of a value from another place that alone is told. */
function checkLeaf(leaf: Leaf, rule: ParameterRule, { step, tool, visit, report }: Asking): boolean {
  const marks = marksOf(leaf.expression, leaf.rest, step, visit)
  if (marks === undefined) return false
  const at = asWritten(leaf.at, visit.plan)
  const argument = argumentName(leaf.at, step)
  const about = { argument, tool: tool.name }
  const origin = originOf(leaf, visit.sources, visit.plan)
  if (rule.from !== undefined && !(origin !== undefined && isNamed(origin, rule.from))) {
    const path = `${argument} ← ${sayLeaf(leaf, origin)}`
    const params = { ...about, path, places: orList(rule.from.map(sayOrigin)) }
    report.add(diagnose("SEQ601", at, params, relatedGiver(leaf.expression, visit)))
    return true
  }
  const untrusted = rule.trusted ? marks.untrusted : undefined
  const hidden = rule.public ? marks.private : undefined
  for (const [code, trail] of [
    ["SEQ602", untrusted],
    ["SEQ603", hidden],
  ] as const) {
    if (trail === undefined) continue
    const ways = sayWays(code === "SEQ602" ? "trusted" : "public", visit.catalog)
    const params = { ...about, path: sayTrail(trail, argument), ways }
    report.add(diagnose(code, at, params, relatedTo(trail, at)))
  }
  return untrusted !== undefined || hidden !== undefined
}

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
    source: source === input ? input : (tools[source]?.name ?? ""),
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

function sayWays(endorsed: "trusted" | "public", { tools }: Catalog): string {
  const ways = [...tools.values()]
    .filter(({ endorses }) => endorses[endorsed])
    .map(({ name }) => name)
    .sort()
  return ways.length === 0 ? "" : `, or pass it through ${orList(ways)} first`
}

/** In what a read names: the path, or what it picks of any item there. */
const placeOf = (read: Read): Path => (read.kind === "reference" ? read.path : [...read.path, "*", ...read.pick])

type Sources = ReadonlyMap<Read, Source>

function sourcesOf(step: Step, { sources }: Asked): readonly (readonly [Read, Source])[] {
  const reads = step.kind === "call" ? step.reads : []
  return reads.flatMap((read, index) => {
    const source = sources[step.index]?.[index]
    return source === undefined ? [] : [[read, source] as const]
  })
}

/** What the call's result comes of: all that it is given. */
function marksOfArguments(step: Call, visit: Visit): Marks | undefined {
  const { args, id } = step
  // A call without arguments says nothing.
  if (args.kind === "literal" && isEmpty(args.value)) return clean
  if (args.kind !== "object") return via(marksOf(args, [], step, visit), `${id}.args`, args.at)
  return joinAll(args.entries, ([name, value]) => via(marksOf(value, [], step, visit), `${id}.${name}`, value.at))
}

const isEmpty = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0

/** Of the value of an expression; of what is read, of a place in it. Undefined where it is at fault. */
function marksOf(expression: Expression, rest: Path, step: Call, visit: Visit): Marks | undefined {
  switch (expression.kind) {
    case "literal":
      return literalMarks(expression.at, visit)
    case "object":
      return joinAll(expression.entries, ([, value]) => marksOf(value, [], step, visit))
    case "array":
      return joinAll(expression.items, (item) => marksOf(item, [], step, visit))
    case "concat":
      return concatMarks(expression, step, visit)
    case "reference":
      return readMarks(expression, [...expression.path, ...rest], visit)
    case "selection":
      return selectionMarks(expression, rest, step, visit)
    case "broken":
      return undefined
  }
}

const literalMarks = (at: Pointer, { literals }: Visit): Marks =>
  literals === "trusted"
    ? clean
    : {
        untrusted: { says: "a literal (untrusted: its writer has seen untrusted data)", at, next: undefined },
        private: undefined,
      }

const concatMarks = ({ parts, at }: Concat, step: Call, visit: Visit): Marks | undefined =>
  via(
    joinAll(parts, (part) => marksOf(part, [], step, visit)),
    `${step.id}.$concat`,
    at,
  )

/** What is picked, and all that was looked at to choose it. */
function selectionMarks(read: Selection, rest: Path, step: Call, visit: Visit): Marks | undefined {
  const picked = readMarks(read, [...placeOf(read), ...rest], visit)
  const chosen = joinAll(read.where, ({ path, value }) =>
    joinMaybe(readMarks(read, [...read.path, "*", ...path], visit), marksOf(value, [], step, visit)),
  )
  return joinMaybe(picked, via(chosen, `${step.id}.where`, child(read.at, "where")))
}

/** Of a place in a result or in the inputs: what is declared of it, and what came through the tool. */
function readMarks(read: Read, path: Path, visit: Visit): Marks | undefined {
  const { plan, catalog, results, sources } = visit
  const source = sources.get(read)
  if (source === undefined || !plan.given.has(read)) return undefined
  const says = sayPlace(read.source, path)
  if (source === input) return declared(catalog.inputLabels, path, says, "the inputs", read.at)
  const tool = plan.tools[source]
  const giver = plan.steps[source]
  if (tool === undefined || giver === undefined) return undefined
  const at = child(giver.at, "tool")
  return joinMaybe(declared(tool.labels, path, says, tool.name, at), via(results[source], says, at))
}

function declared(labels: Labels, path: Path, says: string, by: string, at: Pointer): Marks {
  const has = (places: readonly Path[]): boolean => places.some((place) => overlaps(place, path))
  const trail = (label: string): Trail => ({ says: `${says} (${label}: ${by})`, at, next: undefined })
  return {
    untrusted: has(labels.untrusted) ? trail("untrusted") : undefined,
    private: has(labels.private) ? trail("private") : undefined,
  }
}

/** One place further on its way. */
function via(marks: Marks | undefined, says: string, at: Pointer): Marks | undefined {
  if (marks === undefined || marks === clean) return marks
  const on = (trail: Trail | undefined): Trail | undefined => trail && { says, at, next: trail }
  return { untrusted: on(marks.untrusted), private: on(marks.private) }
}

const joinMaybe = (one: Marks | undefined, other: Marks | undefined): Marks | undefined =>
  one === undefined || other === undefined ? undefined : join(one, other)

function joinAll<A>(parts: readonly A[], marksOfPart: (part: A) => Marks | undefined): Marks | undefined {
  let all: Marks | undefined = clean
  for (const part of parts) {
    all = joinMaybe(all, marksOfPart(part))
    if (all === undefined) return undefined
  }
  return all
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
