/** Expressions to values, from results and inputs that are known. What they hold is data: it is never looked at for `$` forms. */
import type { Concat, Expression, Hole, Literal, Read, Selection } from "../../plan/plan.ts"
import { canonical } from "../../text/canonical.ts"
import { isObject, type Json, type JsonObject, nameOf, setMember } from "../../text/json.ts"
import { formatPointer, type Pointer } from "../../text/pointer.ts"
import { type Work, workMax } from "./measure.ts"

/** The result of a step, or the inputs; undefined where they are not known. */
export type Known = (source: string) => Json | undefined

/** Why an expression has no value. Never a JSON value itself. */
export class Unresolved {
  readonly at: Pointer
  readonly problem: string
  constructor(at: Pointer, problem: string) {
    this.at = at
    this.problem = problem
  }
}

/** The value of an expression all of whose sources are known. */
export const resolve = (expression: Expression, known: Known, work: Work = { left: workMax }): Json | Unresolved =>
  place(expression, (hole) => fillHole(hole, known, work))

function fillHole(hole: Hole, known: Known, work: Work): Json | Unresolved {
  if (hole.kind === "broken") throw new Error(`a compiled plan has a broken expression at ${hole.at}`)
  return hole.kind === "concat" ? join(hole, known, work) : read(hole, known, work)
}

/** The value of an expression by those of its holes. */
export function place(expression: Expression, fill: (hole: Hole) => Json | Unresolved): Json | Unresolved {
  switch (expression.kind) {
    case "literal":
      return expression.value
    case "object": {
      const object: Record<string, Json> = {}
      for (const [key, inner] of expression.entries) {
        const value = place(inner, fill)
        if (value instanceof Unresolved) return value
        setMember(object, key, value)
      }
      return object
    }
    case "array": {
      const array: Json[] = []
      for (const inner of expression.items) {
        const value = place(inner, fill)
        if (value instanceof Unresolved) return value
        array.push(value)
      }
      return array
    }
    default:
      return fill(expression)
  }
}

/** An expression with something else, or nothing new, in the place of each hole. */
export function fillIn(expression: Expression, fill: (hole: Hole) => Expression): Expression {
  switch (expression.kind) {
    case "literal":
      return expression
    case "object":
      return { ...expression, entries: expression.entries.map(([key, inner]) => [key, fillIn(inner, fill)]) }
    case "array":
      return { ...expression, items: expression.items.map((inner) => fillIn(inner, fill)) }
    default:
      return fill(expression)
  }
}

/** The value of a read whose sources are known. */
function read(read: Read, known: Known, work: Work): Json | Unresolved {
  const source = known(read.source)
  const value = source === undefined ? undefined : walk(source, read.path)
  if (value === undefined) return new Unresolved(read.at, `${placed(read)} does not exist`)
  return read.kind === "reference" ? value : select(read, value, known, work)
}

/** RFC 6901 over own members; no name that every object has, no negative or padded index. */
export function walk(value: Json, path: readonly string[]): Json | undefined {
  let inner: Json | undefined = value
  for (const token of path) {
    if (Array.isArray(inner))
      inner = /^(?:0|[1-9]\d*)$/.test(token) ? (inner[Number(token)] as Json | undefined) : undefined
    else if (isObject(inner)) inner = Object.hasOwn(inner, token) ? inner[token] : undefined
    else return undefined
  }
  return inner
}

/** The one element that is equal in all that `where` names; an element that lacks it is not. */
function select(selection: Selection, array: Json, known: Known, work: Work): Json | Unresolved {
  if (!Array.isArray(array))
    return new Unresolved(selection.at, `${placed(selection)} is ${nameOf(array)}, not an array`)
  const wanted: (readonly [path: readonly string[], value: Json])[] = []
  for (const { path, value } of selection.where) {
    const found = value.kind === "literal" ? value.value : read(value, known, work)
    if (found instanceof Unresolved) return found
    wanted.push([path, found])
  }
  const matching: Json[] = []
  for (const element of array) {
    if (wanted.every(([path, value]) => isFound(element, path, value, work))) matching.push(element)
    if (work.left < 0) return tooMuch(selection.at)
  }
  if (matching.length !== 1) {
    const count = matching.length === 0 ? "no element" : `${matching.length} elements`
    return new Unresolved(
      selection.at,
      `${count} of ${placed(selection)} (${array.length} in all) match \`where\`; it takes exactly one`,
    )
  }
  const picked = walk(matching[0] as Json, selection.pick)
  const pick = formatPointer(selection.pick)
  return picked === undefined ? new Unresolved(selection.at, `the selected element has nothing at \`${pick}\``) : picked
}

function isFound(element: Json, path: readonly string[], value: Json, work: Work): boolean {
  work.left -= path.length
  const found = walk(element, path)
  return found !== undefined && isEqual(found, value, work)
}

/** As their canonical texts would be. */
function isEqual(one: Json, other: Json, work: Work): boolean {
  work.left -= 1
  if (typeof one === "string" && typeof other === "string" && one.length === other.length)
    work.left -= Math.floor(one.length / 8)
  if (one === other) return true
  if (work.left < 0 || Array.isArray(one) !== Array.isArray(other) || !isNested(one) || !isNested(other)) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key] as Json, other[key] as Json, work))
}

/** An array's members have names too. */
const isNested = (value: Json): value is JsonObject => typeof value === "object" && value !== null

/** Of one step of a run: see `workMax`. */
export const tooMuch = (at: Pointer): Unresolved =>
  new Unresolved(at, `finding it looks through too much: more than ${workMax} values in one step`)

/** Strings as they are; integers and booleans as JSON writes them. */
function join({ at, parts }: Concat, known: Known, work: Work): string | Unresolved {
  let text = ""
  for (const part of parts) {
    const value = partValue(part, known, work)
    if (value instanceof Unresolved) return value
    if (typeof value !== "string" && typeof value !== "boolean" && !Number.isInteger(value)) {
      return new Unresolved(
        part.at,
        `\`$concat\` joins strings, integers and booleans, but ${partName(part)} is ${nameOf(value)}`,
      )
    }
    text += typeof value === "string" ? value : canonical(value)
    if (text.length > concatMax) return new Unresolved(at, `\`$concat\` gives more than ${concatMax} characters`)
  }
  work.left -= Math.floor(text.length / 8)
  return work.left < 0 ? tooMuch(at) : text
}

/** Characters. Results may be long, and joined often. */
const concatMax = 1_048_576

const partValue = (part: Literal | Read, known: Known, work: Work): Json | Unresolved =>
  part.kind === "literal" ? part.value : read(part, known, work)

const partName = (part: Literal | Read): string => (part.kind === "literal" ? "a part" : placed(part))

const placed = ({ source, path }: Read): string =>
  path.length === 0 ? `\`${source}\`` : `\`${formatPointer(path)}\` of \`${source}\``
