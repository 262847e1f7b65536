/** The keywords of JSON Schema, by draft: what each must hold. A keyword that is not here is refused, never ignored. */
import { isObject, type Json } from "../../../text/json.ts"

export type Draft = "2020-12" | "7"

/** What a keyword holds. */
export type Holds =
  | "note"
  | "mark"
  | "any"
  | "values"
  | "types"
  | "number"
  | "step"
  | "count"
  | "flag"
  | "pattern"
  | "format"
  | "names"
  | "schema"
  | "schemas"
  | "schema-by-name"
  | "schema-by-pattern"
  | "names-by-name"
  | "items"
  | "dependencies"
  | "reference"
  | "definitions"
  | "identifier"
  | "dialect"

const both = {
  $schema: "dialect",
  $id: "identifier",
  $ref: "reference",
  $defs: "definitions",
  definitions: "definitions",
  type: "types",
  const: "any",
  enum: "values",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "step",
  minLength: "count",
  maxLength: "count",
  pattern: "pattern",
  format: "format",
  contains: "schema",
  minItems: "count",
  maxItems: "count",
  uniqueItems: "flag",
  properties: "schema-by-name",
  patternProperties: "schema-by-pattern",
  additionalProperties: "schema",
  propertyNames: "schema",
  required: "names",
  minProperties: "count",
  maxProperties: "count",
  allOf: "schemas",
  anyOf: "schemas",
  oneOf: "schemas",
  not: "schema",
  if: "schema",
  // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
  then: "schema",
  else: "schema",
  // For people, and for tools that are no validators.
  $comment: "note",
  title: "note",
  description: "note",
  default: "note",
  examples: "note",
  readOnly: "note",
  // Of a secret, ours and the standard's: neither is for a validator.
  sensitive: "mark",
  writeOnly: "mark",
  deprecated: "note",
  contentEncoding: "note",
  contentMediaType: "note",
  // OpenAPI's: `oneOf` and `anyOf` say what is right, and `discriminator` only where to look.
  discriminator: "note",
  example: "note",
  externalDocs: "note",
  xml: "note",
} as const satisfies { readonly [keyword: string]: Holds }

const keywords = {
  "2020-12": {
    ...both,
    $anchor: "identifier",
    items: "schema",
    prefixItems: "schemas",
    minContains: "count",
    maxContains: "count",
    unevaluatedItems: "schema",
    unevaluatedProperties: "schema",
    dependentRequired: "names-by-name",
    dependentSchemas: "schema-by-name",
  },
  "7": { ...both, items: "items", additionalItems: "schema", dependencies: "dependencies" },
} as const satisfies { readonly [draft in Draft]: { readonly [keyword: string]: Holds } }

/** Undefined where the draft has no such keyword, or none that can be honoured. What begins with `x-` is a note. */
export function holdsOf(keyword: string, draft: Draft): Holds | undefined {
  const known: { readonly [keyword: string]: Holds } = keywords[draft]
  return Object.hasOwn(known, keyword) ? known[keyword] : keyword.startsWith("x-") ? "note" : undefined
}

const typeNames: ReadonlySet<unknown> = new Set(["null", "boolean", "integer", "number", "string", "array", "object"])
export const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

/** Does a keyword's value look as it must? */
export function isRight(value: Json, holds: Holds): boolean {
  switch (holds) {
    case "any":
    case "note":
    case "schema":
      return true
    case "values":
      return Array.isArray(value)
    case "types": {
      const all = [value].flat() as readonly Json[]
      return all.length > 0 && all.every((one) => typeNames.has(one))
    }
    case "number":
      return typeof value === "number"
    case "step":
      return typeof value === "number" && value > 0
    case "count":
      return Number.isInteger(value) && (value as number) >= 0
    case "flag":
    case "mark":
      return typeof value === "boolean"
    case "names":
      return isTexts(value)
    case "schemas":
      return Array.isArray(value) && value.length > 0
    case "items":
      return typeof value === "boolean" || typeof value === "object"
    case "schema-by-name":
    case "schema-by-pattern":
    case "definitions":
    case "dependencies":
      return isObject(value)
    case "names-by-name":
      return isObject(value) && Object.values(value).every(isTexts)
    default:
      return typeof value === "string"
  }
}

const dialects: { readonly [uri: string]: Draft } = {
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
  "http://json-schema.org/draft-07/schema": "7",
  "https://json-schema.org/draft-07/schema": "7",
}

/** The draft that `$schema` names; undefined where it is none of ours. */
export const draftOf = (dialect: string): Draft | undefined => {
  const uri = dialect.replace(/#$/, "")
  return Object.hasOwn(dialects, uri) ? dialects[uri] : undefined
}
