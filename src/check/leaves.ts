/** What stands in the arguments of a call where a rule points: the innermost expressions that hold it. */
import type { Path } from "../catalog/place.ts"
import type { Expression } from "../plan/plan.ts"
import { isObject, type Json } from "../text/json.ts"
import { child, type Pointer } from "../text/pointer.ts"

export interface Leaf {
  readonly expression: Expression
  /** The way that is left, into the value of a reference. */
  readonly rest: Path
  /** In the value that the arguments stand for: inside `$literal` the document has it one key further in. */
  readonly at: Pointer
}

/** None where nothing stands there. */
export function leavesAt(expression: Expression, path: Path, at: Pointer = expression.at): readonly Leaf[] {
  const [token, ...rest] = path
  if (token === undefined) return [{ expression, rest: [], at }]
  switch (expression.kind) {
    case "reference":
    case "selection":
      return [{ expression, rest: path, at }]
    case "literal":
      return membersOf(expression.value)
        .filter(([key]) => token === "*" || key === token)
        .flatMap(([key, value]) => leavesAt({ kind: "literal", at: child(at, key), value }, rest))
    case "object":
      return expression.entries
        .filter(([key]) => token === "*" || key === token)
        .flatMap(([, inner]) => leavesAt(inner, rest))
    case "array":
      return expression.items
        .filter((_, index) => token === "*" || `${index}` === token)
        .flatMap((inner) => leavesAt(inner, rest))
    default:
      // A text has nothing in it, and what could not be read was told.
      return []
  }
}

const membersOf = (value: Json): readonly (readonly [string, Json])[] =>
  Array.isArray(value)
    ? value.map((item: Json, index) => [`${index}`, item] as const)
    : isObject(value)
      ? Object.entries(value)
      : []
