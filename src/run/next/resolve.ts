/** Expressions to values, from results and inputs that are known. What they hold is data: it is never looked at for `$` forms. */
import type { Concat, Expression, Hole, Literal, Read, Selection } from "../../plan/plan.ts"
import { canonical } from "../../text/canonical.ts"
import { isObject, type Json, nameOf, setMember } from "../../text/json.ts"
import { formatPointer, type Pointer } from "../../text/pointer.ts"

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
export function resolve(expression: Expression, known: Known): Json | Unresolved {
  switch (expression.kind) {
    case "literal":
      return expression.value
    case "object": {
      const object: Record<string, Json> = {}
      for (const [key, inner] of expression.entries) {
        const value = resolve(inner, known)
        if (value instanceof Unresolved) return value
        setMember(object, key, value)
      }
      return object
    }
    case "array": {
      const array: Json[] = []
      for (const inner of expression.items) {
        const value = resolve(inner, known)
        if (value instanceof Unresolved) return value
        array.push(value)
      }
      return array
    }
    case "concat":
      return join(expression, known)
    case "reference":
    case "selection":
      return read(expression, known)
    case "broken":
      throw new Error(`a compiled plan has a broken expression at ${expression.at}`)
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
export function read(read: Read, known: Known): Json | Unresolved {
  const source = known(read.source)
  const value = source === undefined ? undefined : walk(source, read.path)
  if (value === undefined) return new Unresolved(read.at, `${placed(read)} does not exist`)
  return read.kind === "reference" ? value : select(read, value, known)
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
function select(selection: Selection, array: Json, known: Known): Json | Unresolved {
  if (!Array.isArray(array))
    return new Unresolved(selection.at, `${placed(selection)} is ${nameOf(array)}, not an array`)
  const wanted: (readonly [path: readonly string[], text: string])[] = []
  for (const { path, value } of selection.where) {
    const found = value.kind === "literal" ? value.value : read(value, known)
    if (found instanceof Unresolved) return found
    wanted.push([path, canonical(found)])
  }
  const matching = array.filter((element: Json) =>
    wanted.every(([path, text]) => {
      const found = walk(element, path)
      return found !== undefined && canonical(found) === text
    }),
  )
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

/** Strings as they are; integers and booleans as JSON writes them. */
function join({ at, parts }: Concat, known: Known): string | Unresolved {
  let text = ""
  for (const part of parts) {
    const value = partValue(part, known)
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
  return text
}

/** Characters. Results may be long, and joined often. */
const concatMax = 1_048_576

const partValue = (part: Literal | Read, known: Known): Json | Unresolved =>
  part.kind === "literal" ? part.value : read(part, known)

const partName = (part: Literal | Read): string => (part.kind === "literal" ? "a part" : placed(part))

const placed = ({ source, path }: Read): string =>
  path.length === 0 ? `\`${source}\`` : `\`${formatPointer(path)}\` of \`${source}\``
