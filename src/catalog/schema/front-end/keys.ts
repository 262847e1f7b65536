/**
 * Which keys an object takes whose JSON Schema says nothing of other keys (`additionalProperties` left out): each part of
 * the schema may name some, and in params those are all.
 */
import { Kind } from "@sinclair/typebox"
import { child, type Pointer } from "../../../text/pointer.ts"
import { type Effort, isSpent, spend } from "../effort.ts"
import { fit } from "../fit.ts"
import { findTag, gaugeOf } from "../gauge.ts"
import { slotOf } from "../intersect.ts"
import {
  arrayOf,
  boolean,
  isAnything,
  nothing,
  numberOf,
  objectOf,
  opaque,
  stringOf,
  unionOf,
  unknown,
} from "../make.ts"
import { branchesOf, type ObjectShape, type Shape } from "../shape.ts"
import type { Findings } from "./findings.ts"

/** An object that says nothing of other keys has these; undefined stands for anything that may be there. */
export const mention = (shape: Shape, keys: ReadonlyMap<string, Shape | undefined>): Shape =>
  eachObject(shape, (object) => {
    const more = [...keys].filter(([key]) => !Object.hasOwn(object.properties, key))
    const added = Object.fromEntries(more.map(([key, value]) => [key, value ?? slotOf(object, key)]))
    return { ...object, properties: { ...object.properties, ...added } }
  })

/** Lets the keys through that others name, which may hold as well. */
export function share(shape: Shape, others: readonly Shape[]): Shape {
  const objects = others.flatMap(branchesOf).filter((branch) => branch[Kind] === "Object")
  if (objects.some(({ additionalProperties }) => Boolean(additionalProperties))) return leaveOpen(shape)
  const keys = objects.flatMap(({ properties }) => Object.keys(properties))
  return keys.length === 0 ? shape : mention(shape, new Map(keys.map((key) => [key, undefined])))
}

/** An object that says nothing of other keys takes all of them. */
const leaveOpen = (shape: Shape): Shape => eachObject(shape, (object) => ({ ...object, additionalProperties: true }))

/** Changes the objects that say nothing of other keys. */
function eachObject(shape: Shape, change: (object: ObjectShape) => Shape): Shape {
  if (shape[Kind] === "Union") return { ...shape, anyOf: shape.anyOf.map((branch) => eachObject(branch, change)) }
  if (shape[Kind] === "Object") return shape.additionalProperties === undefined ? change(shape) : shape
  if (shape[Kind] !== "Unknown") return shape
  const { opaque: what } = shape
  const spread = eachObject(anythingWith(undefined), change)
  return what === undefined ? spread : opaque(spread, what)
}

/** Anything, type by type; of an object this is said of other keys. */
const anythingWith = (others: ObjectShape["additionalProperties"]): Shape =>
  unionOf([
    ...[nothing, boolean, numberOf("Number", {}), stringOf({}), arrayOf(unknown, {})],
    objectOf({
      properties: new Map(),
      required: [],
      ...(others === undefined ? {} : { additionalProperties: others }),
    }),
  ])

/** What a schema is that holds itself, once more: which keys it takes is not known here, so that it takes all. */
export const recursive = (back: number): Shape => {
  const what = `recursive, ${back} back`
  return opaque(anythingWith(opaque(unknown, what)), what)
}

/** Of alternatives that may hold at once, each lets the keys of the others through; one that lets anything through, all. */
export function shareKeys(shapes: readonly Shape[], effort: Effort): readonly Shape[] {
  const open = shapes.map((shape) => leaveOpen(shape) !== shape)
  if (!open.includes(true) || areTold(shapes)) return shapes
  return shapes.map((shape, index) => {
    if (!open[index] || !spend(effort, shapes.length)) return shape
    const others = shapes.filter(
      (other, place) => place !== index && !isSpent(effort) && fit(shape, other, effort) !== "never-fits",
    )
    const shared = share(shape, others)
    return isAnything(shape) && shared !== shape ? leaveOpen(shape) : shared
  })
}

/** Objects that a tag tells apart: that saves comparing each with each. */
export const areTold = (shapes: readonly Shape[]): boolean =>
  shapes.every((shape) => shape[Kind] === "Object") && findTag(shapes.map(gaugeOf)) !== undefined

/** Closes what says nothing of other keys. */
export function close(shape: Shape, findings: Findings, at: Pointer): Shape {
  switch (shape[Kind]) {
    case "Union":
      return { ...shape, anyOf: shape.anyOf.map((branch) => close(branch, findings, at)) }
    case "Array":
      return { ...shape, items: close(shape.items, findings, child(at, "*")) }
    case "Tuple": {
      const { items = [], additionalItems: rest } = shape
      return {
        ...shape,
        items: items.map((item, index) => close(item, findings, child(at, index))),
        ...(rest ? { additionalItems: close(rest, findings, child(at, "*")) } : {}),
      }
    }
    case "Object": {
      const { properties, additionalProperties: additional } = shape
      if (additional === undefined) findings.closed.push({ at })
      const closed = Object.entries(properties).map(([key, inner]) => [key, close(inner, findings, child(at, key))])
      return {
        ...shape,
        properties: Object.fromEntries(closed),
        additionalProperties:
          typeof additional === "object" ? close(additional, findings, child(at, "*")) : (additional ?? false),
      }
    }
    default:
      return shape
  }
}
