/** What a shape means, by the plainest definitions: the values it takes, what stands at a path, what two have in common. */
import type { Json, JsonObject } from "../../src/text/json.ts"
import type { Front, ObjectShape, Shape } from "./declaration.ts"

export const unknown: Shape = { kind: "unknown" }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isArray = (value: unknown): value is readonly Json[] => Array.isArray(value)

export const lengthOf = (text: string, front: Front): number => (front === "zod" ? [...text].length : text.length)

export const isBlank = (text: string): boolean => text.trim() === ""

export const fieldsOf = ({ fields }: ObjectShape) =>
  Object.entries(fields).map(([name, { shape, optional = false }]) => ({ name, shape, optional }))

export const fieldOf = ({ fields }: ObjectShape, name: string) =>
  Object.hasOwn(fields, name) ? fields[name] : undefined

const within = (size: number, { min = 0, max = Infinity }: { min?: number; max?: number }): boolean =>
  size >= min && size <= max

/** Two values with the same JSON, whatever the order of their keys. */
export function equal(a: Json, b: Json): boolean {
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] as Json))
  if (!isObject(a)) return a === b
  if (!isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equal(a[name] as Json, b[name] as Json))
  )
}

/** Is it of the right kind, whatever its size? */
export function ofKind(value: Json, shape: Shape): boolean {
  switch (shape.kind) {
    case "string":
    case "enum":
      return typeof value === "string"
    case "integer":
    case "number":
      return typeof value === "number"
    case "boolean":
      return typeof value === "boolean"
    case "constant":
      return typeof value === typeof shape.value
    case "nullable":
      return value === null || ofKind(value, shape.of)
    case "array":
      return isArray(value)
    case "object":
      return isObject(value)
    case "unknown":
      return true
  }
}

/** Is it right by what the shape says of the value itself, leaving out what stands inside it? */
export function inRange(value: Json, shape: Shape): boolean {
  switch (shape.kind) {
    case "string":
      return typeof value === "string" && within(lengthOf(value, shape.front), shape)
    case "integer":
      return Number.isInteger(value) && within(value as number, { min: -Infinity, ...shape })
    case "number":
      return typeof value === "number" && within(value, { min: -Infinity, ...shape })
    case "constant":
      return value === shape.value
    case "enum":
      return typeof value === "string" && shape.values.includes(value)
    case "nullable":
      return value === null || inRange(value, shape.of)
    case "array":
      return isArray(value) && within(value.length, shape)
    case "boolean":
    case "object":
    case "unknown":
      return ofKind(value, shape)
  }
}

/** Does the shape take the value, the whole of it, as far as it shows? An object takes no key that it does not name. */
export function accepts(shape: Shape, value: Json): boolean {
  if (!ofKind(value, shape) || !inRange(value, shape)) return false
  if (shape.kind === "nullable") return value === null || accepts(shape.of, value)
  if (shape.kind === "array") return (value as readonly Json[]).every((item) => accepts(shape.of, item))
  if (shape.kind !== "object") return true
  const object = value as JsonObject
  return (
    Object.keys(object).every((name) => fieldOf(shape, name) !== undefined || takesUnknown(shape)) &&
    fieldsOf(shape).every(({ name, shape: inner, optional }) =>
      Object.hasOwn(object, name) ? accepts(inner, object[name] as Json) : optional,
    )
  )
}

/** What stands at a path: a shape, no declared value, or a value that may be left out. */
export type Found =
  | { readonly kind: "shape"; readonly shape: Shape }
  | { readonly kind: "nothing" }
  | { readonly kind: "optional"; readonly shape: Shape }

export function walk(shape: Shape, [token, ...rest]: readonly string[]): Found {
  if (token === undefined || shape.kind === "unknown") return { kind: "shape", shape }
  if (shape.kind === "nullable") return walk(shape.of, [token, ...rest])
  if (shape.kind === "object") {
    const field = fieldOf(shape, token)
    if (field === undefined) return { kind: "nothing" }
    const found = walk(field.shape, rest)
    return field.optional === true && found.kind === "shape" ? { kind: "optional", shape: found.shape } : found
  }
  if (shape.kind === "array" && /^(0|[1-9][0-9]*)$/.test(token) && Number(token) < (shape.max ?? Infinity)) {
    return walk(shape.of, rest)
  }
  return { kind: "nothing" }
}

/** Nothing but the null that may stand for it. */
export const core = (shape: Shape): Shape => (shape.kind === "nullable" ? core(shape.of) : shape)

/** Have they no value in common? Then what the one gives never fits the other. */
export function disjoint(a: Shape, b: Shape): boolean {
  if (a.kind === "unknown" || b.kind === "unknown") return false
  if (a.kind === "nullable" && b.kind === "nullable") return false
  if (a.kind === "nullable") return disjoint(a.of, b)
  if (b.kind === "nullable") return disjoint(a, b.of)
  if (a.kind === "constant") return !accepts(b, a.value)
  if (b.kind === "constant") return !accepts(a, b.value)
  if (a.kind === "enum") return !a.values.some((value) => accepts(b, value))
  if (b.kind === "enum") return !b.values.some((value) => accepts(a, value))
  if (a.kind === "string" && b.kind === "string") return lengthsApart(a, b)
  if (isNumeric(a) && isNumeric(b)) return numbersApart(a, b)
  if (a.kind === "boolean" && b.kind === "boolean") return false
  if (a.kind === "array" && b.kind === "array") return arraysApart(a, b)
  if (a.kind === "object" && b.kind === "object") return objectsApart(a, b)
  return true
}

type Sized = { readonly min?: number; readonly max?: number }
type Numeric = Extract<Shape, { kind: "integer" | "number" }>
const isNumeric = (shape: Shape): shape is Numeric => shape.kind === "integer" || shape.kind === "number"

const sizesApart = (a: Sized, b: Sized): boolean =>
  Math.max(a.min ?? 0, b.min ?? 0) > Math.min(a.max ?? Infinity, b.max ?? Infinity)

/** A text of n code points has n to 2n UTF-16 units. */
function lengthsApart(a: Extract<Shape, { kind: "string" }>, b: Extract<Shape, { kind: "string" }>): boolean {
  if (a.front === b.front) return sizesApart(a, b)
  const [points, units] = a.front === "zod" ? [a, b] : [b, a]
  return sizesApart({ ...points, max: (points.max ?? Infinity) * 2 }, units)
}

function numbersApart(a: Numeric, b: Numeric): boolean {
  const min = Math.max(a.min ?? -Infinity, b.min ?? -Infinity)
  const max = Math.min(a.max ?? Infinity, b.max ?? Infinity)
  return a.kind === "integer" || b.kind === "integer" ? Math.ceil(min) > Math.floor(max) : min > max
}

function arraysApart(a: Extract<Shape, { kind: "array" }>, b: Extract<Shape, { kind: "array" }>): boolean {
  if (sizesApart(a, b)) return true
  const canBeEmpty = (a.min ?? 0) === 0 && (b.min ?? 0) === 0
  return !canBeEmpty && disjoint(a.of, b.of)
}

/** No object is both: one must have what the other has no place for, or what can never be right there. */
function objectsApart(a: ObjectShape, b: ObjectShape): boolean {
  const apart = (one: ObjectShape, other: ObjectShape): boolean =>
    fieldsOf(one).some(({ name, shape, optional }) => {
      const twin = fieldOf(other, name)
      if (twin === undefined) return !optional && !takesUnknown(other)
      return !(optional && twin.optional === true) && disjoint(shape, twin.shape)
    })
  return apart(a, b) || apart(b, a)
}

/**
 * "Undeclared fields are kept out of reach, not refused": no path leads to one. But a whole value is passed on as it came,
 * since cutting it down would be to change it; what it holds beyond its declaration may be right, and the run decides.
 */
const takesUnknown = ({ open = false }: ObjectShape): boolean => open

/** A parameter takes no unknown keys, whether its schema says so or not. */
export function closed(shape: Shape): Shape {
  if (shape.kind === "nullable" || shape.kind === "array") return { ...shape, of: closed(shape.of) }
  return shape.kind === "object" ? closedObject(shape) : shape
}

export function closedObject({ fields }: ObjectShape): ObjectShape {
  const inside = Object.entries(fields).map(([name, field]) => [name, { ...field, shape: closed(field.shape) }])
  return { kind: "object", fields: Object.fromEntries(inside) }
}

/** Does the one give nothing that is right for the other but an empty array? */
export function emptyAtMost(given: Shape, asked: Shape): boolean {
  const array = core(given)
  if (array.kind !== "array" || disjoint(array, asked)) return false
  const nulls = given.kind === "nullable" && !disjoint({ kind: "nullable", of: neither }, asked)
  return !nulls && disjoint({ ...array, min: Math.max(1, array.min ?? 0) }, asked)
}

/** Takes nothing at all. */
const neither: Shape = { kind: "enum", values: [] }
