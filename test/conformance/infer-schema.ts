/**
 * A JSON Schema of recorded values, where nobody wrote one: as narrow as the values, in types and in which keys are
 * always there. Objects that have no key in common are records: their keys are data (ids of items, kinds of options).
 */
import type { JsonSchema } from "../../src/catalog/schema/schema.ts"
import { isObject, type Json, type JsonObject } from "../../src/text/json.ts"

export function inferSchema(values: readonly Json[]): JsonSchema {
  const branches = [
    ...inferScalars(values),
    ...inferArray(values.filter((value): value is readonly Json[] => Array.isArray(value))),
    ...inferObject(values.filter(isObject)),
  ]
  return branches.length === 1 ? (branches[0] ?? {}) : branches.length === 0 ? {} : { anyOf: branches }
}

type Branch = Exclude<JsonSchema, boolean>

function inferScalars(values: readonly Json[]): readonly Branch[] {
  const types = new Set<string>()
  for (const value of values) {
    if (value === null) types.add("null")
    else if (typeof value !== "object") types.add(typeof value)
  }
  return [...types].sort().map((type) => ({ type }))
}

const inferArray = (arrays: readonly (readonly Json[])[]): readonly Branch[] =>
  arrays.length === 0 ? [] : [{ type: "array", items: inferSchema(arrays.flat()) }]

function inferObject(objects: readonly JsonObject[]): readonly Branch[] {
  if (objects.length === 0) return []
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))].sort()
  const required = keys.filter((key) => objects.every((object) => Object.hasOwn(object, key)))
  const isRecord = required.length === 0 && keys.length > 0
  if (isRecord) {
    return [{ type: "object", additionalProperties: inferSchema(objects.flatMap((object) => Object.values(object))) }]
  }
  const valuesAt = (key: string): readonly Json[] =>
    objects.flatMap((object) => (object[key] === undefined ? [] : [object[key]]))
  const properties = Object.fromEntries(keys.map((key) => [key, inferSchema(valuesAt(key))]))
  return [{ type: "object", properties, required }]
}

/** What inferring writes. */
interface Inferred {
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: { readonly [key: string]: JsonSchema }
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema
  readonly items?: JsonSchema
}

/** The keys that an inferred schema declares at a path; undefined where any key may be, or none. */
export function keysAt(schema: JsonSchema, path: readonly string[]): ReadonlySet<string> | undefined {
  const { anyOf, properties, additionalProperties, items } = schema as Inferred
  if (anyOf !== undefined) return anyOf.map((one) => keysAt(one, path)).find((keys) => keys !== undefined)
  const [token, ...rest] = path
  if (token === undefined) return properties && new Set(Object.keys(properties))
  const inner = properties?.[token] ?? additionalProperties ?? items
  return inner === undefined ? undefined : keysAt(inner, rest)
}

/** Keys of an inferred result that some recorded results lack. */
export function optionalIn(schema: JsonSchema): readonly string[] {
  const { anyOf, properties = {}, required = [] } = schema as Inferred
  return anyOf?.flatMap(optionalIn) ?? Object.keys(properties).filter((key) => !required.includes(key))
}
