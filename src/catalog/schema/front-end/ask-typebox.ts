/** What a TypeBox schema asks of a value through the schemas in it: for the count of a validator's work. */
import { Kind, type TSchema } from "@sinclair/typebox"
import { isObject, type Json, type JsonObject } from "../../../text/json.ts"
import type { Ask } from "../work.ts"

type Asked = readonly [schema: TSchema, value: Json]

/** TypeBox stops at the first property that is wrong, and literals come first in our copy: they tell alternatives apart. */
export function askTypeBox(whole: TSchema): Ask<TSchema> {
  const named = schemasById(whole)
  return function* (schema, value) {
    const target = typeof schema.$ref === "string" ? named.get(schema.$ref) : undefined
    if (target !== undefined) yield [target, value]
    for (const many of [schema.anyOf, schema.allOf]) for (const one of (many ?? []) as TSchema[]) yield [one, value]
    if (isSchema(schema.not)) yield [schema.not, value]
    if (Array.isArray(value)) yield* ofItems(schema, value)
    else if (isObject(value) && !isAnother(schema, value)) yield* ofProperties(schema, value)
  }
}

const isSchema = (part: unknown): part is TSchema => typeof part === "object" && part !== null && Kind in part

export const isLiteral = (schema: TSchema): boolean => schema[Kind] === "Literal"

function schemasById(whole: TSchema): ReadonlyMap<string, TSchema> {
  const named = new Map<string, TSchema>()
  const seen = new Set<unknown>()
  const look = (part: unknown): void => {
    if (typeof part !== "object" || part === null || seen.has(part)) return
    seen.add(part)
    if (isSchema(part) && part.$id !== undefined) named.set(part.$id, part)
    // A module names its schemas by the key.
    if (isSchema(part) && isObject(part.$defs)) {
      for (const [key, one] of Object.entries(part.$defs)) if (isSchema(one)) named.set(key, one)
    }
    for (const inner of Object.values(part)) look(inner)
  }
  look(whole)
  return named
}

function isAnother({ properties = {}, required = [] }: TSchema, value: JsonObject): boolean {
  return Object.entries(properties as { readonly [key: string]: TSchema }).some(
    ([key, property]) =>
      isLiteral(property) &&
      (Object.hasOwn(value, key) ? value[key] !== property.const : (required as readonly string[]).includes(key)),
  )
}

function* ofItems({ items, contains }: TSchema, value: readonly Json[]): Iterable<Asked> {
  for (const [index, item] of value.entries()) {
    const own: unknown = Array.isArray(items) ? items[index] : items
    for (const one of [own, contains]) if (isSchema(one)) yield [one, item]
  }
}

function* ofProperties(schema: TSchema, value: JsonObject): Iterable<Asked> {
  const { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties } = schema
  for (const [key, inner] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : additionalProperties
    for (const one of [own, ...Object.values(patternProperties), unevaluatedProperties]) {
      if (isSchema(one)) yield [one, inner]
    }
  }
}
