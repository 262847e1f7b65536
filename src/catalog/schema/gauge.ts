/** Shapes made ready for judging values fast: once per shape, regular expressions compiled, properties in maps. */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { Json } from "../../text/json.ts"
import {
  type ArrayShape,
  asShape,
  branchesOf,
  type NumberShape,
  type ObjectShape,
  patternsOf,
  type StringShape,
  type TupleShape,
} from "./shape.ts"

export type Gauge =
  | { readonly kind: "any"; readonly shape: TSchema }
  | { readonly kind: "scalar"; readonly shape: TSchema; readonly values: ReadonlySet<unknown> }
  | StringGauge
  | NumberGauge
  | ListGauge
  | ObjectGauge
  | UnionGauge

export interface StringGauge {
  readonly kind: "string"
  readonly shape: TSchema
  readonly min: number
  readonly max: number
  readonly inCodePoints: boolean
  readonly patterns: readonly RegExp[]
}

export interface NumberGauge {
  readonly kind: "number"
  readonly shape: TSchema
  readonly integer: boolean
  readonly min: number
  readonly max: number
  readonly above: number
  readonly below: number
  readonly multipleOf: number | undefined
  readonly byRounding: boolean
}

/** An array or a tuple: items by place, then `rest`. */
export interface ListGauge {
  readonly kind: "list"
  readonly shape: TSchema
  readonly items: readonly Gauge[]
  readonly rest: Gauge | undefined
  readonly min: number
  readonly max: number
}

export interface ObjectGauge {
  readonly kind: "object"
  readonly shape: TSchema
  readonly properties: readonly PropertyGauge[]
  readonly byKey: ReadonlyMap<string, PropertyGauge>
  readonly requiredCount: number
  /** What undeclared keys hold; undefined where there may be none. */
  readonly additional: Gauge | undefined
  readonly names: Gauge | undefined
}

export interface PropertyGauge {
  readonly key: string
  readonly required: boolean
  readonly gauge: Gauge
}

export interface UnionGauge {
  readonly kind: "union"
  readonly shape: TSchema
  readonly branches: readonly Gauge[]
  readonly tag: Tag | undefined
}

/** A property that tells the objects of a union apart: each needs it, and each value belongs to one of them. */
export interface Tag {
  readonly key: string
  readonly branchOf: ReadonlyMap<unknown, Gauge>
}

const gauges = new WeakMap<TSchema, Gauge>()

export function gaugeOf(schema: TSchema): Gauge {
  const known = gauges.get(schema)
  if (known !== undefined) return known
  const gauge = compile(schema)
  gauges.set(schema, gauge)
  return gauge
}

function compile(schema: TSchema): Gauge {
  const shape = asShape(schema)
  switch (shape[Kind]) {
    case "Unknown":
      return { kind: "any", shape }
    case "Never":
      return { kind: "scalar", shape, values: new Set() }
    case "Null":
      return { kind: "scalar", shape, values: new Set([null]) }
    case "Boolean":
      return { kind: "scalar", shape, values: new Set([true, false]) }
    case "Literal":
      return { kind: "scalar", shape, values: new Set([shape.const]) }
    case "String":
      return compileString(shape)
    case "Number":
    case "Integer":
      return compileNumber(shape)
    case "Array":
    case "Tuple":
      return compileList(shape)
    case "Object":
      return compileObject(shape)
    case "Union":
      return compileUnion(shape)
    default:
      // Front-ends leave no other kind in a shape; a schema written in this project must not either.
      throw new TypeError(`no kind of shape: ${String(schema[Kind])}`)
  }
}

const compileString = (shape: StringShape): StringGauge => ({
  kind: "string",
  shape,
  min: shape.minLength ?? 0,
  max: shape.maxLength ?? Infinity,
  inCodePoints: shape.lengthIn === "code-points",
  patterns: patternsOf(shape).map(({ source, flags }) => new RegExp(source, flags)),
})

const compileNumber = (shape: NumberShape): NumberGauge => ({
  kind: "number",
  shape,
  integer: shape[Kind] === "Integer",
  min: shape.minimum ?? -Infinity,
  max: shape.maximum ?? Infinity,
  above: shape.exclusiveMinimum ?? -Infinity,
  below: shape.exclusiveMaximum ?? Infinity,
  multipleOf: shape.multipleOf,
  byRounding: shape.multipleBy === "rounding",
})

function compileList(shape: ArrayShape | TupleShape): ListGauge {
  if (shape[Kind] === "Array") {
    const { minItems = 0, maxItems = Infinity } = shape
    return { kind: "list", shape, items: [], rest: gaugeOf(shape.items), min: minItems, max: maxItems }
  }
  const { items = [], additionalItems, minItems } = shape
  const rest = additionalItems ? gaugeOf(additionalItems) : undefined
  return { kind: "list", shape, items: items.map(gaugeOf), rest, min: minItems, max: rest ? Infinity : items.length }
}

const any: Gauge = { kind: "any", shape: { [Kind]: "Unknown" } as TSchema }

function compileObject(shape: ObjectShape): ObjectGauge {
  const required = new Set(shape.required)
  const properties = Object.entries(shape.properties).map(([key, property]) => ({
    key,
    required: required.has(key),
    gauge: gaugeOf(property),
  }))
  const { additionalProperties = true, propertyNames } = shape
  return {
    kind: "object",
    shape,
    properties,
    byKey: new Map(properties.map((property) => [property.key, property])),
    requiredCount: properties.filter((property) => property.required).length,
    additional:
      typeof additionalProperties === "object" ? gaugeOf(additionalProperties) : additionalProperties ? any : undefined,
    names: propertyNames === undefined ? undefined : gaugeOf(propertyNames),
  }
}

function compileUnion(shape: TSchema): Gauge {
  const branches = branchesOf(shape).map(gaugeOf)
  if (branches.every((branch) => branch.kind === "scalar")) {
    return { kind: "scalar", shape, values: new Set(branches.flatMap((branch) => [...branch.values])) }
  }
  return { kind: "union", shape, branches, tag: findTag(branches) }
}

/** The tag of a union, if its objects have one; `key` says which it must be. */
export function findTag(branches: readonly Gauge[], key?: string): Tag | undefined {
  const objects = branches.filter((branch) => branch.kind === "object")
  if (objects.length < 2 || branches.some((branch) => branch.kind === "any")) return undefined
  const keys = key === undefined ? (objects[0]?.properties.map((property) => property.key) ?? []) : [key]
  for (const candidate of keys) {
    const branchOf = new Map<unknown, Gauge>()
    const tagged = objects.every((object) => {
      const property = object.byKey.get(candidate)
      if (!property?.required || property.gauge.kind !== "scalar") return false
      const values = [...property.gauge.values]
      if (values.some((value) => branchOf.has(value))) return false
      for (const value of values) branchOf.set(value, object)
      return true
    })
    if (tagged) return { key: candidate, branchOf }
  }
  return undefined
}

/** Is it a right value? */
export const accepts = (shape: TSchema, value: Json): boolean => fits(gaugeOf(shape), value)

export function fits(gauge: Gauge, value: Json): boolean {
  switch (gauge.kind) {
    case "any":
      return true
    case "scalar":
      return gauge.values.has(value)
    case "string":
      return typeof value === "string" && fitsString(gauge, value)
    case "number":
      return typeof value === "number" && fitsNumber(gauge, value)
    case "list":
      return Array.isArray(value) && fitsList(gauge, value)
    case "object":
      return isRecord(value) && fitsObject(gauge, value)
    case "union":
      return fitsUnion(gauge, value)
  }
}

type JsonRecord = { readonly [key: string]: Json }

const isRecord = (value: Json): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function fitsString(gauge: StringGauge, value: string): boolean {
  if (gauge.min > 0 || gauge.max < Infinity) {
    const length = gauge.inCodePoints ? countCodePoints(value) : value.length
    if (length < gauge.min || length > gauge.max) return false
  }
  for (const pattern of gauge.patterns) {
    // A sticky pattern remembers where it stopped.
    pattern.lastIndex = 0
    if (!pattern.test(value)) return false
  }
  return true
}

/** As a string's iterator counts: a pair of surrogates is one, a lone one is one. */
function countCodePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--
      i++
    }
  }
  return count
}

function fitsNumber(gauge: NumberGauge, value: number): boolean {
  if (gauge.integer ? !Number.isInteger(value) : !Number.isFinite(value)) return false
  if (value < gauge.min || value > gauge.max || value <= gauge.above || value >= gauge.below) return false
  if (gauge.multipleOf === undefined) return true
  return gauge.byRounding ? isRoundedMultiple(value, gauge.multipleOf) : value % gauge.multipleOf === 0
}

/** As zod counts it (`floatSafeRemainder`): the quotient is an integer but for the rounding of three doubles. */
function isRoundedMultiple(value: number, step: number): boolean {
  const ratio = value / step
  const off = Math.abs(ratio - Math.round(ratio))
  return off < 4 * Number.EPSILON * Math.max(Math.abs(ratio), 1)
}

function fitsList({ items, rest, min, max }: ListGauge, value: readonly Json[]): boolean {
  if (value.length < min || value.length > max) return false
  for (let i = 0; i < value.length; i++) {
    const gauge = items[i] ?? rest
    if (gauge === undefined || !fits(gauge, value[i] as Json)) return false
  }
  return true
}

function fitsObject(gauge: ObjectGauge, value: JsonRecord): boolean {
  let declared = 0
  for (const property of gauge.properties) {
    if (Object.hasOwn(value, property.key)) {
      if (!fits(property.gauge, value[property.key] as Json)) return false
      declared++
    } else if (property.required) return false
  }
  const { additional, names } = gauge
  if (additional?.kind === "any" && names === undefined) return true
  const keys = Object.keys(value)
  if (keys.length === declared) return true
  if (additional === undefined) return false
  return keys.every(
    (key) =>
      gauge.byKey.has(key) || ((names === undefined || fits(names, key)) && fits(additional, value[key] as Json)),
  )
}

function fitsUnion({ branches, tag }: UnionGauge, value: Json): boolean {
  if (tag !== undefined && isRecord(value)) {
    const branch = Object.hasOwn(value, tag.key) ? tag.branchOf.get(value[tag.key]) : undefined
    return branch !== undefined && fits(branch, value)
  }
  for (const branch of branches) if (fits(branch, value)) return true
  return false
}
