/** How large a schema is, in what providers put limits on. Each definition counts once, wherever it is used. */
import { isObject, type Json, type JsonObject } from "../../text/json.ts"

export interface Size {
  /** Declared properties, of all objects. */
  readonly properties: number
  /** Objects inside one another, through references. */
  readonly depth: number
  readonly enumValues: number
  /** Characters of the longest list of more than 250 strings. */
  readonly longEnum: number
  /** Characters of all property names, definition names, and listed values. */
  readonly characters: number
  /** Properties that may be left out. */
  readonly optional: number
  /** Properties and items that may be one of several. */
  readonly unions: number
}

export type Count = keyof Size

export function measure(schema: JsonObject): Size {
  const size = { properties: 0, enumValues: 0, longEnum: 0, characters: 0, optional: 0, unions: 0 }
  const definitions = definitionsOf(schema)
  const isUnion = (inner: Json): boolean => {
    const target = isObject(inner) ? follow(inner, definitions) : undefined
    return target !== undefined && ("anyOf" in target || Array.isArray(target.type))
  }
  for (const name of Object.keys(definitions)) size.characters += name.length
  for (const part of everySchema(schema)) {
    const properties = Object.entries(isObject(part.properties) ? part.properties : {})
    size.properties += properties.length
    size.optional += properties.length - (Array.isArray(part.required) ? part.required.length : 0)
    size.unions += [...properties.map(([, inner]) => inner), part.items ?? null].filter(isUnion).length
    for (const [name] of properties) size.characters += name.length
    const values = Array.isArray(part.enum) ? part.enum : []
    const length = values.reduce<number>((sum, value) => sum + String(value).length, 0)
    size.enumValues += values.length
    size.characters += length
    if (values.length > 250) size.longEnum = Math.max(size.longEnum, length)
  }
  return { ...size, depth: depthOf(schema, definitions, new Set()) }
}

const definitionsOf = (schema: JsonObject): JsonObject => (isObject(schema.$defs) ? schema.$defs : {})

function follow(schema: JsonObject, definitions: JsonObject): JsonObject {
  const name = typeof schema.$ref === "string" ? schema.$ref.replace("#/$defs/", "") : undefined
  const target = name === undefined ? undefined : definitions[name]
  return isObject(target) ? target : schema
}

/** The schemas directly inside one. */
const innerOf = ({ properties, items, anyOf, $defs }: JsonObject): readonly JsonObject[] =>
  [
    ...Object.values(isObject(properties) ? properties : {}),
    ...Object.values(isObject($defs) ? $defs : {}),
    ...(Array.isArray(anyOf) ? anyOf : []),
    items,
  ].filter(isObject)

function* everySchema(schema: JsonObject): Generator<JsonObject> {
  yield schema
  for (const inner of innerOf(schema)) yield* everySchema(inner)
}

function depthOf(schema: JsonObject, definitions: JsonObject, open: ReadonlySet<JsonObject>): number {
  const target = follow(schema, definitions)
  if (open.has(target)) return 0
  const { $defs, ...own } = target
  const deepest = innerOf(own).map((inner) => depthOf(inner, definitions, new Set([...open, target])))
  return Math.max(0, ...deepest) + (target.type === "object" ? 1 : 0)
}
