/** Schemas as Python programs spell them (`dict`, `float`, `String`, `Enum`), in JSON Schema's words. */
import type { JsonSchema } from "../../src/catalog/schema/schema.ts"
import { isObject, type Json, type JsonObject } from "../../src/text/json.ts"

export type PythonSchema = JsonObject

const types: { readonly [spelling: string]: string | undefined } = {
  dict: "object",
  object: "object",
  float: "number",
  number: "number",
  integer: "integer",
  string: "string",
  boolean: "boolean",
  array: "array",
  enum: "string",
  file: "string",
  "date (yyyy-mm-dd)": "string",
}

/** Another keyword, or another type, is an error: none is passed over in silence. */
const notes = ["description", "default", "optional", "example", "format"]

/** `required` is a list where the schema is an object, and a property's own flag elsewhere. */
export function fromPython(schema: PythonSchema): JsonSchema {
  const { type, properties, items, required, ...others } = schema
  const name = typeof type === "string" ? types[type.toLowerCase()] : undefined
  if (name === undefined) throw new Error(`type ${JSON.stringify(type)} is not known here`)
  const { enum: listed, allowed_values: allowed = listed, possible_values: values = allowed, ...rest } = others
  const unknown = Object.keys(rest).find((keyword) => !notes.includes(keyword))
  if (unknown !== undefined) throw new Error(`keyword ${unknown} is not known here`)
  return {
    type: name,
    // "1-100" is a note to the reader.
    ...(Array.isArray(values) ? { enum: values } : {}),
    ...(isObject(properties) ? { properties: fromProperties(properties) } : {}),
    ...(Array.isArray(required) ? { required } : {}),
    ...(isObject(items) ? { items: fromPython(items) } : {}),
  }
}

export const fromProperties = (properties: JsonObject): { readonly [name: string]: JsonSchema } =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, fromPython(asSchema(property))]))

/** `{"count": "string"}` is short for `{"count": {"type": "string"}}`. */
const asSchema = (property: Json): PythonSchema => (isObject(property) ? property : { type: property })
