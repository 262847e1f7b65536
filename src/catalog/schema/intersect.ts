/** What is right for two shapes at once. */
import { Kind, type TSchema } from "@sinclair/typebox"
import { accepts } from "./accept.ts"
import { type Effort, sizeOf, spend } from "./effort.ts"
import { isList, type List, listOf, shapeOfList } from "./list.ts"
import { isAnything, literalOf, never, numberOf, objectOf, opaque, stringOf, unionOf, unknown } from "./make.ts"
import { branchesOf, type NumberShape, type ObjectShape, patternsOf, type Shape, type StringShape } from "./shape.ts"

/** How many pairs of branches are looked at. */
const pairsMax = 5_000

/**
 * Exact, or opaque where that cannot be said. Undefined where there are too many alternatives, or no effort is left. An object whose
 * `additionalProperties` is left out takes the keys of the other as its own.
 */
export function intersect(one: Shape, other: Shape, effort: Effort): Shape | undefined {
  if (isAnything(one)) return other
  if (isAnything(other)) return one
  const [ones, others] = [branchesOf(one), branchesOf(other)]
  if (ones.length * others.length > pairsMax || !spend(effort, ones.length * others.length)) return undefined
  const met: Shape[] = []
  for (const left of ones) {
    for (const right of others) {
      const both = meet(left, right, effort)
      if (both === undefined) return undefined
      if (both[Kind] !== "Never") met.push(keep(keep(both, left), right))
    }
  }
  const whole = unionOf(met)
  return spend(effort, sizeOf(whole)) ? whole : undefined
}

const keep = (shape: Shape, { opaque: what }: TSchema): Shape => (what === undefined ? shape : opaque(shape, what))

/** Of two shapes that are no unions; what is opaque in them is kept by the caller. */
function meet(one: Shape, other: Shape, effort: Effort): Shape | undefined {
  if (one[Kind] === "Unknown") return bare(other)
  if (other[Kind] === "Unknown") return bare(one)
  if (one[Kind] === "Literal") return accepts(other, one.const) ? literalOf(one.const) : never
  if (other[Kind] === "Literal") return accepts(one, other.const) ? literalOf(other.const) : never
  if (isString(one) && isString(other)) return meetStrings(one, other)
  if (isNumber(one) && isNumber(other)) return meetNumbers(one, other)
  if (isList(one) && isList(other)) return meetLists(listOf(one), listOf(other), effort)
  if (one[Kind] === "Object" && other[Kind] === "Object") return meetObjects(one, other, effort)
  return one[Kind] === other[Kind] ? bare(one) : never
}

function bare(shape: Shape): Shape {
  const { opaque: _, ...rest } = shape
  return rest as Shape
}

const isString = (shape: Shape): shape is StringShape => shape[Kind] === "String"
const isNumber = (shape: Shape): shape is NumberShape => shape[Kind] === "Number" || shape[Kind] === "Integer"

function meetStrings(one: StringShape, other: StringShape): Shape {
  const minLength = Math.max(one.minLength ?? 0, other.minLength ?? 0)
  const maxLength = Math.min(one.maxLength ?? Infinity, other.maxLength ?? Infinity)
  if (minLength > maxLength) return never
  const patterns = new Map([...patternsOf(one), ...patternsOf(other)].map((rule) => [JSON.stringify(rule), rule]))
  const format = one.format ?? other.format
  const lengthIn = one.lengthIn ?? other.lengthIn
  return stringOf({
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength < Infinity ? { maxLength } : {}),
    ...(lengthIn === undefined ? {} : { lengthIn }),
    ...(patterns.size > 0 ? { patterns: [...patterns.values()] } : {}),
    ...(format === undefined ? {} : { format }),
  })
}

const bounds = [
  ["minimum", Math.max],
  ["maximum", Math.min],
  ["exclusiveMinimum", Math.max],
  ["exclusiveMaximum", Math.min],
] as const

function meetNumbers(one: NumberShape, other: NumberShape): Shape {
  const rules = Object.fromEntries(
    bounds.flatMap(([bound, narrow]) => {
      const given = [one[bound], other[bound]].filter((value) => value !== undefined)
      return given.length === 0 ? [] : [[bound, narrow(...given)]]
    }),
  )
  const kind = one[Kind] === "Integer" || other[Kind] === "Integer" ? "Integer" : "Number"
  const stepped = [one, other].filter(({ multipleOf }) => multipleOf !== undefined)
  const [first, second] = stepped.map(({ multipleOf, multipleBy }) => ({ multipleOf, multipleBy }) as object)
  const shape = numberOf(kind, { ...rules, ...first })
  return second === undefined || JSON.stringify(first) === JSON.stringify(second)
    ? shape
    : opaque(shape, `multiple of ${JSON.stringify(second)}`)
}

function meetLists(one: List, other: List, effort: Effort): Shape | undefined {
  const items: Shape[] = []
  for (let place = 0; place < Math.max(one.items.length, other.items.length); place++) {
    const item = intersect(one.items[place] ?? one.rest ?? never, other.items[place] ?? other.rest ?? never, effort)
    if (item === undefined) return undefined
    items.push(item)
  }
  const rest = one.rest === undefined || other.rest === undefined ? never : intersect(one.rest, other.rest, effort)
  if (rest === undefined) return undefined
  return shapeOfList({ items, rest, min: Math.max(one.min, other.min), max: Math.min(one.max, other.max) })
}

function meetObjects(one: ObjectShape, other: ObjectShape, effort: Effort): Shape | undefined {
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])]
  const properties = new Map<string, Shape>()
  for (const key of new Set([...Object.keys(one.properties), ...Object.keys(other.properties)])) {
    const property = intersect(slotOf(one, key), slotOf(other, key), effort)
    if (property === undefined) return undefined
    if (property[Kind] === "Never" && required.includes(key)) return never
    properties.set(key, property)
  }
  const additional = meetAdditional(one.additionalProperties, other.additionalProperties, effort)
  const [names, others] = [one.propertyNames, other.propertyNames]
  const propertyNames =
    names === undefined || others === undefined ? (names ?? others) : intersect(names, others, effort)
  if (additional === "too many" || (propertyNames === undefined && names !== undefined)) return undefined
  return objectOf({
    properties,
    required,
    ...(additional === undefined ? {} : { additionalProperties: additional }),
    ...(propertyNames === undefined ? {} : { propertyNames }),
  })
}

/** What an object may hold under a key; never, where it may not have the key. */
export function slotOf(object: ObjectShape, key: string): Shape {
  const { properties, additionalProperties: additional, propertyNames: names } = object
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined
  if (property !== undefined) return property
  if (additional === false || (names !== undefined && !accepts(names, key))) return never
  return typeof additional === "object" ? additional : unknown
}

type Additional = ObjectShape["additionalProperties"]

function meetAdditional(one: Additional, other: Additional, effort: Effort): Additional | "too many" {
  if (one === false || other === false) return false
  if (typeof one !== "object") return typeof other === "object" ? other : one || other
  if (typeof other !== "object") return one
  const both = intersect(one, other, effort) ?? "too many"
  return typeof both === "object" && both[Kind] === "Never" ? false : both
}
