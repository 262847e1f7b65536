/**
 * Which keys an object takes whose JSON Schema says nothing of other keys (`additionalProperties` left out): each part of
 * the schema may name some, and in params those are all.
 */
import { Kind } from "@sinclair/typebox"
import { child, type Pointer } from "../../../text/pointer.ts"
import { fit } from "../fit.ts"
import { slotOf } from "../intersect.ts"
import { arrayOf, boolean, isAnything, nothing, numberOf, objectOf, stringOf, unionOf, unknown } from "../make.ts"
import { branchesOf, type Shape } from "../shape.ts"
import type { Findings } from "./findings.ts"

/** An object that says nothing of other keys has these, with anything in them. */
export function mention(shape: Shape, keys: Iterable<string>): Shape {
  if (shape[Kind] === "Union") return { ...shape, anyOf: shape.anyOf.map((branch) => mention(branch, keys)) }
  if (shape[Kind] !== "Object" || shape.additionalProperties !== undefined) return shape
  const more = [...keys].filter((key) => !Object.hasOwn(shape.properties, key))
  if (more.length === 0) return shape
  return {
    ...shape,
    properties: { ...shape.properties, ...Object.fromEntries(more.map((key) => [key, slotOf(shape, key)])) },
  }
}

export const keysOf = (shape: Shape): readonly string[] =>
  branchesOf(shape).flatMap((branch) => (branch[Kind] === "Object" ? Object.keys(branch.properties) : []))

/** Of alternatives that may hold at once, each lets the keys of the others through. */
export function shareKeys(shapes: readonly Shape[]): readonly Shape[] {
  return shapes.map((shape, index) => {
    const others = shapes.filter((other, place) => place !== index && fit(shape, other) !== "never-fits")
    const keys = new Set(others.flatMap(keysOf))
    const speaks = keys.size > 0 || others.flatMap(branchesOf).some(speaksOfOthers)
    return speaks && isAnything(shape) ? anythingOpen : mention(shape, keys)
  })
}

/** Anything, of which an object stays open, whatever else is asked of it. */
const anythingOpen = unionOf([
  ...[nothing, boolean, numberOf("Number", {}), stringOf({}), arrayOf(unknown, {})],
  objectOf({ properties: new Map(), required: [], additionalProperties: true }),
])

/** It lets keys through that it does not name one by one. */
export const speaksOfOthers = (shape: Shape): boolean =>
  shape[Kind] === "Object"
    ? Boolean(shape.additionalProperties)
    : shape[Kind] === "Unknown" && shape.opaque !== undefined

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
