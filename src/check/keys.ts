/** Keys that no schema declares, of a record or where it is open, are made up by whoever writes them, and are data as values are. */
import { Kind } from "@sinclair/typebox"
import type { Path } from "../catalog/place.ts"
import { wayTo } from "../catalog/schema/along.ts"
import { unknown } from "../catalog/schema/make.ts"
import { branchesOf, propertiesOf, type Shape } from "../catalog/schema/shape.ts"
import type { Expression } from "../plan/plan.ts"
import { isObject } from "../text/json.ts"
import { child } from "../text/pointer.ts"

export const isMadeUp = (shape: Shape, key: string): boolean =>
  !propertiesOf(shape).has(key) && branchesOf(shape).some(isOpen)

/** Whether there may be keys that nobody declared. */
const isOpen = (shape: Shape): boolean =>
  shape[Kind] === "Unknown" || (shape[Kind] === "Object" && shape.additionalProperties !== false)

/** What nobody declared may be anything. Undefined where the schema has no such part, which is told elsewhere. */
export function partOf(shape: Shape, token: string): Shape | undefined {
  const way = wayTo(shape, [token])
  if (way.kind === "found") return way.shape
  return branchesOf(shape).some(isOpen) ? unknown : undefined
}

export interface Written {
  readonly shape: Shape | undefined
  /** A key on the way there is made up. */
  readonly madeUp: boolean
}

/** Of a place in an expression, by the pattern that led there: a key that the pattern names is the pattern's. */
export function writtenAt(
  expression: Expression,
  shape: Shape | undefined,
  [token, ...rest]: Path,
  [named, ...pattern]: Path,
): Written {
  if (token === undefined || shape === undefined) return { shape, madeUp: false }
  const inner = innerOf(expression, token)
  if (inner === undefined) return { shape: undefined, madeUp: false }
  const further = writtenAt(inner, partOf(shape, token), rest, pattern)
  return named === "*" && hasKeys(expression) && isMadeUp(shape, token) ? { ...further, madeUp: true } : further
}

const hasKeys = (expression: Expression): boolean =>
  expression.kind === "object" || (expression.kind === "literal" && isObject(expression.value))

function innerOf(expression: Expression, token: string): Expression | undefined {
  switch (expression.kind) {
    case "object":
      return expression.entries.find(([key]) => key === token)?.[1]
    case "array":
      return expression.items[Number(token)]
    case "literal": {
      const { value } = expression
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) return undefined
      return { kind: "literal", at: child(expression.at, token), value: Reflect.get(value, token) }
    }
    default:
      return undefined
  }
}
