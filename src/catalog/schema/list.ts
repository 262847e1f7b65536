/** Arrays and tuples seen alike: items by place, then the rest. */
import { Kind } from "@sinclair/typebox"
import { arrayOf, never, opaque, tupleOf } from "./make.ts"
import type { ArrayShape, Shape, TupleShape } from "./shape.ts"

export interface List {
  readonly items: readonly Shape[]
  /** What comes after `items`; undefined where nothing may. */
  readonly rest: Shape | undefined
  readonly min: number
  readonly max: number
}

export const isList = (shape: Shape): shape is ArrayShape | TupleShape =>
  shape[Kind] === "Array" || shape[Kind] === "Tuple"

export function listOf(shape: ArrayShape | TupleShape): List {
  if (shape[Kind] === "Array") {
    return { items: [], rest: shape.items, min: shape.minItems ?? 0, max: shape.maxItems ?? Infinity }
  }
  const { items = [], additionalItems, minItems: min } = shape
  return { items, rest: additionalItems || undefined, min, max: additionalItems ? Infinity : items.length }
}

/** How many items after the first are written out, so that a tuple can say how many it has at most. */
const writtenMax = 64

export function shapeOfList({ items, rest: others, min, max }: List): Shape {
  const rest = others?.[Kind] === "Never" ? undefined : others
  if (items.length === 0 && rest !== undefined) {
    if (min > max) return never
    return arrayOf(rest, { ...(min > 0 ? { minItems: min } : {}), ...(max < Infinity ? { maxItems: max } : {}) })
  }
  const end = items.findIndex((item) => item[Kind] === "Never")
  const most = Math.min(max, end === -1 ? (rest === undefined ? items.length : Infinity) : end)
  if (min > most) return never
  if (rest === undefined || most <= items.length) return tupleOf(items.slice(0, most), min, false)
  if (most === Infinity) return tupleOf(items, min, rest)
  if (most - items.length > writtenMax) return opaque(tupleOf(items, min, rest), `maxItems ${max}`)
  return tupleOf([...items, ...Array<Shape>(most - items.length).fill(rest)], min, false)
}
