/** The schemas inside a JSON Schema in its normal form; and one as text, the same for all ways to write the same. */
import { canonical } from "../../../text/canonical.ts"
import type { Json } from "../../../text/json.ts"
import { sorted } from "../plain.ts"
import type { Keywords, Named, NormalSchema } from "./normal-schema.ts"

const ofOne: ReadonlySet<string> = new Set([
  ...["items", "contains", "unevaluatedItems", "additionalProperties", "propertyNames", "unevaluatedProperties"],
  ...["not", "if", "then", "else"],
])
const ofMany: ReadonlySet<string> = new Set(["prefixItems", "allOf", "anyOf", "oneOf"])
const byName: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"])

/** The same keywords, with something else in place of each schema in them. */
export function mapParts<Part>(
  keywords: Keywords,
  map: (schema: NormalSchema) => Part,
): readonly (readonly [keyword: string, value: unknown])[] {
  return Object.entries(keywords).map(([keyword, value]) => {
    if (ofOne.has(keyword)) return [keyword, map(value as NormalSchema)]
    if (ofMany.has(keyword)) return [keyword, (value as readonly NormalSchema[]).map(map)]
    if (!byName.has(keyword)) return [keyword, value]
    return [keyword, Object.fromEntries(Object.entries(value as Named).map(([key, one]) => [key, map(one)]))]
  })
}

/** No schema in it, nor a reference to one. */
export function isLeaf(schema: NormalSchema): boolean {
  if (typeof schema === "boolean") return true
  return Object.keys(schema).every(
    (keyword) => keyword !== "$ref" && !ofOne.has(keyword) && !ofMany.has(keyword) && !byName.has(keyword),
  )
}

/** The same, with those properties first that hold no schemas: a validator that stops there never looks further in. */
export function leavesFirst(schema: NormalSchema): NormalSchema {
  if (typeof schema === "boolean") return schema
  const whole: Keywords = Object.fromEntries(mapParts(schema, leavesFirst))
  if (whole.properties === undefined) return whole
  const entries = Object.entries(whole.properties)
  const [leaves, others] = [entries.filter(([, one]) => isLeaf(one)), entries.filter(([, one]) => !isLeaf(one))]
  return { ...whole, properties: Object.fromEntries([...leaves, ...others]) }
}

type Definitions = ReadonlyMap<string, NormalSchema>

/** Schemas that are written out where references lead to them; with more they stay apart, under their names. */
const writtenMax = 10_000

/**
 * As text, with all that it refers to: references are written out, and one that leads back says by how many references.
 * What has no order is in one order.
 */
export function textOfKeywords(keywords: Keywords, definitions: Definitions): string {
  let written = 0
  const write = (schema: NormalSchema, way: readonly string[]): Json => {
    if (typeof schema === "boolean") return schema
    written++
    const parts = mapParts(schema, (part): Json => (written > writtenMax ? true : write(part, way)))
    return Object.fromEntries(parts.map(([keyword, value]) => [keyword, writeValue(keyword, value as Json, way)]))
  }
  const writeValue = (keyword: string, value: Json, way: readonly string[]): Json => {
    if (keyword === "$ref") {
      const name = nameOf(String(value))
      const back = way.indexOf(name)
      return back === -1 ? write(definitions.get(name) ?? true, [name, ...way]) : back
    }
    if (unordered.has(keyword)) return sorted(value as readonly Json[])
    if (keyword !== "dependentRequired") return value
    const needs = Object.entries(value as { readonly [key: string]: readonly Json[] })
    return Object.fromEntries(needs.map(([key, keys]) => [key, sorted(keys)]))
  }
  const whole = write(keywords, [])
  return written > writtenMax ? canonical([keywords, used(keywords, definitions)] as unknown as Json) : canonical(whole)
}

const unordered: ReadonlySet<string> = new Set(["type", "enum", "required", "allOf", "anyOf", "oneOf"])

/** Of a definition, by the reference to it. */
export const nameOf = (ref: string): string => ref.slice("#/$defs/".length)

/** The definitions that references lead to. */
function used(keywords: Keywords, definitions: Definitions): Named {
  const found = new Map<string, NormalSchema>()
  const look = (schema: NormalSchema): void => {
    if (typeof schema === "boolean") return
    const name = schema.$ref === undefined ? undefined : nameOf(schema.$ref)
    const target = name === undefined ? undefined : definitions.get(name)
    if (name !== undefined && target !== undefined && !found.has(name)) {
      found.set(name, target)
      look(target)
    }
    mapParts(schema, look)
  }
  look(keywords)
  return Object.fromEntries(found)
}
