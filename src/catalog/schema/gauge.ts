/** Shapes made ready for judging values fast: once per shape, regular expressions compiled, properties in maps. */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { Steps } from "./cheap-pattern.ts"
import { stepsOf } from "./pattern-cost.ts"
import {
  type ArrayShape,
  asShape,
  branchesOf,
  type NumberShape,
  type ObjectShape,
  type PatternRule,
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
  readonly patterns: readonly PatternGauge[]
}

export interface PatternGauge {
  readonly pattern: RegExp
  /** Known once a text is held to it: by then lowering has proved all patterns. */
  readonly steps: () => Steps
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
  readonly multipleBy: NumberShape["multipleBy"]
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
  patterns: patternsOf(shape).map(compilePattern),
})

function compilePattern(rule: PatternRule): PatternGauge {
  let known: Steps | undefined
  return {
    pattern: new RegExp(rule.source, rule.flags),
    steps: () => {
      known ??= stepsOf(rule)
      return known
    },
  }
}

const compileNumber = (shape: NumberShape): NumberGauge => ({
  kind: "number",
  shape,
  integer: shape[Kind] === "Integer",
  min: shape.minimum ?? -Infinity,
  max: shape.maximum ?? Infinity,
  above: shape.exclusiveMinimum ?? -Infinity,
  below: shape.exclusiveMaximum ?? Infinity,
  multipleOf: shape.multipleOf,
  multipleBy: shape.multipleBy,
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
