/** What is known of values while data is followed through a plan: their labels, and the ways by which they got them. */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { input, overlaps, type Path } from "../catalog/place.ts"
import type { Labels } from "../catalog/rule.ts"
import { itemsOf, type Shape } from "../catalog/schema/shape.ts"
import type { Carried } from "../plan/earlier.ts"
import type { Call, Concat, Expression, Plan, Read, Selection, Step } from "../plan/plan.ts"
import { isObject, type Json } from "../text/json.ts"
import { child, type Pointer } from "../text/pointer.ts"
import { isMadeUp, partOf } from "./keys.ts"
import { clean, join, type Label } from "./label.ts"
import type { Given, Ordered, Source } from "./order.ts"
import type { Typed } from "./references.ts"
import type { Tooled } from "./tools.ts"
import { sayPlace, type Trail } from "./trail.ts"

/** What the planner had seen when it wrote: its literals are its reading of the user's wish, or perhaps of somebody else's. */
export type Literals = "trusted" | "untrusted"

/** Whoever wrote the plan: what they had been shown, and what of the run is their word. */
export interface Writer {
  readonly literals: Literals
  /** Labels of what they had been shown. `literals` says of the first of them the same. */
  readonly seen?: readonly Carried[] | undefined
  /** Whose word the inputs are. What the planner writes there is no better than its literals. Default `host`. */
  readonly inputs?: "host" | "planner" | undefined
}

export type Asked = Plan & Tooled & Ordered & Typed
export type Marks = Label<Trail>

/** Whether what its writer had seen was marked so: then a literal may be a part of it. */
export interface Seen {
  readonly untrusted: boolean
  readonly private: boolean
}

export interface Visit {
  readonly plan: Asked
  readonly catalog: Catalog
  readonly seen: Seen
  /** The inputs were written by whoever wrote the plan. */
  readonly owned?: boolean
  readonly sources: Sources
  /** By step index: what its arguments make of its result. Undefined where that is not known, or was told. */
  readonly results: (Marks | undefined)[]
}

/** In what a read names: the path, or what it picks of any item there. */
export const placeOf = (read: Read): Path => (read.kind === "reference" ? read.path : [...read.path, "*", ...read.pick])

export type Sources = ReadonlyMap<Read, Source>

export function sourcesOf(step: Step, { sources }: Asked): readonly (readonly [Read, Source])[] {
  const reads = step.kind === "call" ? step.reads : []
  return reads.flatMap((read, index) => {
    const source = sources[step.index]?.[index]
    return source === undefined ? [] : [[read, source] as const]
  })
}

/** What the call's result comes of: all that it is given. */
export function marksOfArguments(step: Call, visit: Visit): Marks | undefined {
  const { args, id } = step
  const shape = shapeOfArguments(step, visit)
  // A call without arguments says nothing.
  if (args.kind === "literal" && isEmpty(args.value)) return clean
  if (args.kind !== "object") return via(marksOf(args, [], step, visit, shape), `${id}.args`, args.at)
  return joinAll(args.entries, ([name, value]) =>
    via(entryMarks(name, value, step, visit, shape), `${id}.${name}`, value.at),
  )
}

/** Asked for made-up keys only, which say nothing where no literal does. */
export const shapeOfArguments = ({ index }: Call, { plan, seen }: Visit): Shape | undefined =>
  seen.untrusted || seen.private ? (plan.tools[index]?.params.shape as Shape | undefined) : undefined

const isEmpty = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0

/** Of the value of an expression; of what is read, of a place in it. Undefined where it is at fault. */
export function marksOf(
  expression: Expression,
  rest: Path,
  step: Call,
  visit: Visit,
  shape?: Shape,
): Marks | undefined {
  switch (expression.kind) {
    case "literal":
      return literalMarks(expression.at, visit)
    case "object":
      return joinAll(expression.entries, ([key, value]) => entryMarks(key, value, step, visit, shape))
    case "array": {
      const items = shape && itemsOf(shape)
      return joinAll(expression.items, (item) => marksOf(item, [], step, visit, items))
    }
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

function entryMarks(key: string, value: Expression, step: Call, visit: Visit, shape?: Shape): Marks | undefined {
  if (shape === undefined) return marksOf(value, [], step, visit)
  const marks = marksOf(value, [], step, visit, partOf(shape, key))
  return isMadeUp(shape, key) ? joinMaybe(marks, literalMarks(value.at, visit)) : marks
}

export const literalMarks = (at: Pointer, visit: Visit): Marks => writtenMarks("a literal", at, visit)

function writtenMarks(what: string, at: Pointer, { seen }: Visit): Marks {
  if (!seen.untrusted && !seen.private) return clean
  const trail = (label: keyof Seen): Trail | undefined =>
    seen[label] ? { says: `${what} (${label}: its writer has seen ${label} data)`, at, next: undefined } : undefined
  return { untrusted: trail("untrusted"), private: trail("private") }
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
  const { plan, catalog, sources } = visit
  const source = sources.get(read)
  if (source === undefined || !plan.given.has(read)) return undefined
  const says = sayPlace(read.source, path)
  if (source === input) {
    const marks = declared(catalog.inputLabels, path, says, "the inputs", read.at)
    return visit.owned === true ? join(marks, writtenMarks(says, read.at, visit)) : marks
  }
  if (typeof source === "object") {
    const at = child(read.at, "$from")
    return joinMaybe(declared(source.of.labels, path, says, source.of.name, at), carried(source, says, at))
  }
  const tool = plan.tools[source]
  const giver = plan.steps[source]
  if (tool === undefined || giver === undefined) return undefined
  const at = child(giver.at, "tool")
  return resultMarks(path, says, { tool, at }, visit.results[source])
}

interface Giver {
  readonly tool: Pick<Tool, "name" | "labels">
  readonly at: Pointer
}

/** Of a place in the result of a step: what is declared of it, and what came through. */
export const resultMarks = (
  path: Path,
  says: string,
  { tool, at }: Giver,
  through: Marks | undefined,
): Marks | undefined => joinMaybe(declared(tool.labels, path, says, tool.name, at), via(through, says, at))

/** What came into a result of an earlier run by what its tool was given. */
function carried({ carries }: Given, says: string, at: Pointer): Marks {
  const trail = (label: Carried): Trail | undefined =>
    carries.includes(label)
      ? { says: `${says} (${label}: by what was given to its tool)`, at, next: undefined }
      : undefined
  return { untrusted: trail("untrusted"), private: trail("private") }
}

export function declared(labels: Labels, path: Path, says: string, by: string, at: Pointer): Marks {
  const has = (places: readonly Path[]): boolean => places.some((place) => overlaps(place, path))
  const trail = (label: string): Trail => ({ says: `${says} (${label}: ${by})`, at, next: undefined })
  return {
    untrusted: has(labels.untrusted) ? trail("untrusted") : undefined,
    private: has(labels.private) ? trail("private") : undefined,
  }
}

/** One place further on its way. */
export function via(marks: Marks | undefined, says: string, at: Pointer): Marks | undefined {
  if (marks === undefined || marks === clean) return marks
  const on = (trail: Trail | undefined): Trail | undefined => trail && { says, at, next: trail }
  return { untrusted: on(marks.untrusted), private: on(marks.private) }
}

export const joinMaybe = (one: Marks | undefined, other: Marks | undefined): Marks | undefined =>
  one === undefined || other === undefined ? undefined : join(one, other)

function joinAll<A>(parts: readonly A[], marksOfPart: (part: A) => Marks | undefined): Marks | undefined {
  let all: Marks | undefined = clean
  for (const part of parts) {
    all = joinMaybe(all, marksOfPart(part))
    if (all === undefined) return undefined
  }
  return all
}
