/** How large a number can be, and how many items an array can have. */
import { Kind, type TSchema } from "@sinclair/typebox"
import { boundsOf, branchesOf, type Shape } from "./shape.ts"

export interface Interval {
  readonly min: number
  readonly max: number
}

export interface NumberInterval extends Interval {
  /** It is always an integer. */
  readonly integer: boolean
}

/** The least and the most; ±Infinity where there is no bound. Null where it is not always a number. */
export function intervalOf(schema: TSchema): NumberInterval | null {
  const parts = branchesOf(schema).map(numberInterval)
  const hull = join(parts)
  return hull && { ...hull, integer: parts.every((part) => part?.integer) }
}

function numberInterval(shape: Shape): NumberInterval | null {
  if (shape[Kind] === "Literal") {
    return typeof shape.const === "number"
      ? { min: shape.const, max: shape.const, integer: Number.isInteger(shape.const) }
      : null
  }
  if (shape[Kind] !== "Number" && shape[Kind] !== "Integer") return null
  const { min, max } = boundsOf(shape)
  return { min, max, integer: shape[Kind] === "Integer" }
}

/** The fewest and the most items. Null where it is not always an array. */
export const countOf = (schema: TSchema): Interval | null => join(branchesOf(schema).map(countInterval))

function countInterval(shape: Shape): Interval | null {
  if (shape[Kind] === "Array") return { min: shape.minItems ?? 0, max: shape.maxItems ?? Infinity }
  if (shape[Kind] !== "Tuple") return null
  return { min: shape.minItems, max: shape.additionalItems ? Infinity : (shape.items?.length ?? 0) }
}

/** The least interval that holds them all; null where one of them, or all, is none. */
function join(parts: readonly (Interval | null)[]): Interval | null {
  return parts.reduce((one, other) => {
    if (one === null || other === null) return null
    return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) }
  })
}
