/** What a JSON Schema asks of a value through the schemas in it: for the count of a validator's work. */
import { isObject, type Json, type JsonObject } from "../../../text/json.ts"
import { typeOf } from "../shape.ts"
import type { Ask } from "../work.ts"
import type { Keywords, Normal, NormalSchema } from "./normal-schema.ts"
import { isLeaf, nameOf } from "./schema-parts.ts"

type Asked = readonly [schema: NormalSchema, value: Json]

/**
 * `stops`: the validator stops at the first keyword that refuses, and asks of an object what is needed, and the
 * properties that hold no schemas, before all else. So a tag tells alternatives apart.
 */
export function askNormal({ definitions }: Normal, stops: boolean): Ask<NormalSchema> {
  return function* (schema, value) {
    if (typeof schema === "boolean") return
    const here = [...schemasHere(schema, value, definitions)]
    if (stops && here.length === 0 && refusesAtOnce(schema, value)) return
    for (const one of here) yield [one, value]
    if (Array.isArray(value)) yield* ofItems(schema, value)
    else if (isObject(value)) yield* ofProperties(schema, value)
  }
}

function* schemasHere(schema: Keywords, value: Json, definitions: Normal["definitions"]): Iterable<NormalSchema> {
  if (schema.$ref !== undefined) yield definitions.get(nameOf(schema.$ref)) ?? true
  for (const one of [schema.not, schema.if, schema.then, schema.else]) if (one !== undefined) yield one
  for (const many of [schema.allOf, schema.anyOf, schema.oneOf]) yield* many ?? []
  if (!isObject(value)) return
  for (const [key, one] of Object.entries(schema.dependentSchemas ?? {})) if (Object.hasOwn(value, key)) yield one
}

function refusesAtOnce({ type, required = [], properties = {} }: Keywords, value: Json): boolean {
  const types: readonly string[] | undefined = type
  const given = typeOf(value)
  if (types && !types.includes(given) && !(given === "number" && types.includes("integer"))) return true
  if (!isObject(value)) return false
  if (required.some((key) => !Object.hasOwn(value, key))) return true
  return Object.entries(properties).some(
    ([key, property]) => Object.hasOwn(value, key) && isLeaf(property) && !isConstant(property, value[key] as Json),
  )
}

/** May it be right? Of what holds no schemas only constants are looked at. */
function isConstant(schema: NormalSchema, value: Json): boolean {
  if (typeof schema === "boolean" || (typeof value === "object" && value !== null)) return schema !== false
  if ("const" in schema && schema.const !== value) return false
  return schema.enum === undefined || schema.enum.includes(value)
}

function* ofItems(schema: Keywords, items: readonly Json[]): Iterable<Asked> {
  const { prefixItems = [], items: rest, contains, unevaluatedItems: others } = schema
  for (const [index, item] of items.entries()) {
    const own = prefixItems[index] ?? rest
    for (const one of [own, contains, others]) if (one !== undefined) yield [one, item]
  }
}

function* ofProperties(schema: Keywords, value: JsonObject): Iterable<Asked> {
  const { properties = {}, patternProperties, additionalProperties, propertyNames, unevaluatedProperties } = schema
  // Which keys a pattern names is not asked here: it may be any.
  const always = [...Object.values(patternProperties ?? {}), unevaluatedProperties]
  for (const [key, inner] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : additionalProperties
    for (const one of [own, ...always]) if (one !== undefined) yield [one, inner]
    if (propertyNames !== undefined) yield [propertyNames, key]
  }
}
