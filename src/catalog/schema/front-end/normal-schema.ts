/**
 * A JSON Schema of either draft in one normal form, that of 2020-12: only keywords that are honoured, with values that
 * were checked, and references to definitions by name. Everything behind reads this form alone.
 */
import { isObject, type Json, type JsonObject } from "../../../text/json.ts"
import { child, type Pointer } from "../../../text/pointer.ts"
import type { SchemaFault } from "../schema.ts"
import type { PatternRule } from "../shape.ts"
import { clip, quote } from "../show.ts"
import type { Findings } from "./findings.ts"
import { notPattern } from "./findings.ts"
import { askOf, findFormat, patternOf } from "./formats.ts"
import { type Draft, draftOf, type Holds, holdsOf, isRight, isTexts } from "./keywords.ts"
import { type Document, readDocument, resolve } from "./reference.ts"

export type NormalSchema = boolean | Keywords

export type TypeName = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object"

/** Named as the standard names them, so that a validator can read them too. */
export interface Keywords {
  type?: readonly TypeName[]
  const?: Json
  enum?: readonly Json[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  /** One that asks something of strings. */
  format?: string
  prefixItems?: readonly NormalSchema[]
  items?: NormalSchema
  contains?: NormalSchema
  minContains?: number
  maxContains?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  unevaluatedItems?: NormalSchema
  properties?: Named
  patternProperties?: Named
  additionalProperties?: NormalSchema
  propertyNames?: NormalSchema
  required?: readonly string[]
  minProperties?: number
  maxProperties?: number
  dependentRequired?: { readonly [key: string]: readonly string[] }
  dependentSchemas?: Named
  unevaluatedProperties?: NormalSchema
  allOf?: readonly NormalSchema[]
  anyOf?: readonly NormalSchema[]
  oneOf?: readonly NormalSchema[]
  not?: NormalSchema
  if?: NormalSchema
  then?: NormalSchema
  else?: NormalSchema
  /** `#/$defs/` and a name. */
  $ref?: string
}

export interface Named {
  readonly [key: string]: NormalSchema
}

export interface Normal {
  readonly schema: NormalSchema
  readonly definitions: ReadonlyMap<string, NormalSchema>
  readonly patterns: readonly PatternPlace[]
  /** Beside the form: no part of what a schema means. */
  readonly descriptions: ReadonlyMap<NormalSchema, string>
  /** Those that are marked as secrets. */
  readonly sensitive: ReadonlySet<NormalSchema>
}

export interface PatternPlace {
  readonly rule: PatternRule
  readonly at: Pointer
}

interface Context {
  readonly document: Document
  readonly draft: Draft
  readonly findings: Findings
  /** What definitions are called, by the schemas that references lead to. */
  readonly names: Map<Json, string>
  readonly definitions: Map<string, NormalSchema>
  readonly patterns: PatternPlace[]
  readonly descriptions: Map<NormalSchema, string>
  readonly sensitive: Set<NormalSchema>
}

/** Notes a fault for each thing that cannot be honoured; then the form is of no use. */
export function normalise(root: Json, findings: Findings, at: Pointer): Normal {
  const dialect = isObject(root) ? root.$schema : undefined
  const draft = typeof dialect === "string" ? draftOf(dialect) : "2020-12"
  if (draft === undefined || (dialect !== undefined && typeof dialect !== "string")) {
    const what = typeof dialect === "string" ? `\`$schema\` ${quote(dialect)}` : "`$schema`"
    findings.faults.push({ kind: "unsupported", at, what, problem: "is neither draft 2020-12 nor draft 7" })
  }
  const document = readDocument(root, draft ?? "2020-12", (what) => {
    findings.faults.push({ kind: "unsupported", at, what, problem: "moves what references mean" })
  })
  const definitions = new Map<string, NormalSchema>()
  const patterns: PatternPlace[] = []
  const descriptions = new Map<NormalSchema, string>()
  const sensitive = new Set<NormalSchema>()
  const context: Context = {
    document,
    draft: document.draft,
    findings,
    names: new Map(),
    definitions,
    patterns,
    descriptions,
    sensitive,
  }
  return { schema: schemaOf(root, context, at), definitions, patterns, descriptions, sensitive }
}

function fault(context: Context, kind: SchemaFault["kind"], at: Pointer, what: string, problem?: string): void {
  context.findings.faults.push({ kind, at, what, ...(problem === undefined ? {} : { problem }) })
}

function schemaOf(schema: Json, context: Context, at: Pointer): NormalSchema {
  if (typeof schema === "boolean") return schema
  if (!isObject(schema)) {
    fault(context, "not-a-schema", at, `${clip(JSON.stringify(schema))} in place of a schema`)
    return true
  }
  const normal: Keywords = {}
  for (const [keyword, value] of Object.entries(schema)) readKeyword(keyword, value, schema, normal, context, at)
  const finished = finish(normal)
  const { description } = schema
  if (typeof description === "string" && finished !== false) context.descriptions.set(finished, description)
  if (isMarked(schema) && finished !== false) context.sensitive.add(finished)
  return finished
}

/** `writeOnly` is what nobody is shown, by the standard's own words, and `password` is OpenAPI's name for it. */
const isMarked = ({ sensitive, writeOnly, format }: JsonObject): boolean =>
  sensitive === true || writeOnly === true || format === "password"

/** What validators are of two minds about. */
function finish(normal: Keywords): NormalSchema {
  if (normal.enum?.length === 0) return false
  if (normal.contains === undefined) {
    delete normal.minContains
    delete normal.maxContains
  } else {
    // Without one Ajv asks whether *some* item is right, and of an empty array keeps the answer of the array before it.
    normal.maxContains ??= Number.MAX_SAFE_INTEGER
  }
  if (normal.if === undefined) {
    delete normal.then
    delete normal.else
  } else if (normal.then === undefined && normal.else === undefined) return { ...normal, else: true }
  return normal
}

function readKeyword(
  keyword: string,
  value: Json,
  schema: JsonObject,
  normal: Keywords,
  context: Context,
  at: Pointer,
): void {
  const { draft } = context
  const holds = holdsOf(keyword, draft)
  const what = `\`${clip(keyword)}\``
  if (holds === undefined) {
    fault(context, "unsupported", at, what, unsupported[keyword] ?? `is no keyword of draft ${draft} that is honoured`)
    return
  }
  if (!isRight(value, holds)) {
    fault(context, "not-a-schema", at, `${what} with the value ${clip(JSON.stringify(value))}`)
    return
  }
  const read = readValue(keyword, holds, value, schema, normal, context, at)
  if (read !== undefined) Object.assign(normal, { [keyword]: read })
}

/** What the normal form has under the same keyword; undefined where it has nothing there. */
function readValue(
  keyword: string,
  holds: Holds,
  value: Json,
  schema: JsonObject,
  normal: Keywords,
  context: Context,
  at: Pointer,
): unknown {
  switch (holds) {
    case "note":
      if (keyword === "default" && context.findings.role === "params") {
        context.findings.notices.push({ kind: "default", at })
      }
      return undefined
    case "mark":
      return undefined
    case "dialect":
      if (draftOf(String(value)) !== context.draft && schema !== context.document.root) {
        fault(context, "unsupported", at, "`$schema`", "names another draft inside a schema")
      }
      return undefined
    case "definitions":
    case "identifier":
      return undefined
    case "types":
      return [value].flat()
    case "pattern":
      readPattern(String(value), context, at)
      return value
    case "schema":
      // `additionalItems` is read with `items`, without which it means nothing.
      if (keyword === "additionalItems") return undefined
      return schemaOf(value, context, ofMembers.has(keyword) ? child(at, "*") : at)
    case "schemas":
      return [...(normal[keyword as "allOf"] ?? []), ...readEach(keyword, value as readonly Json[], context, at)]
    case "schema-by-name":
    case "schema-by-pattern":
      return readNamed(keyword, value as JsonObject, context, at)
    case "format":
      Object.assign(normal, readFormat(String(value), normal, context, at))
      return undefined
    case "items":
      Object.assign(normal, readItems(value, schema, context, at))
      return undefined
    case "dependencies":
      Object.assign(normal, readDependencies(value as JsonObject, context, at))
      return undefined
    case "reference":
      return readReference(String(value), schema, context, at)
    default:
      return value
  }
}

/** Keywords about what stands one step further in. */
const ofMembers: ReadonlySet<string> = new Set([
  ...["items", "contains", "unevaluatedItems", "additionalProperties", "unevaluatedProperties"],
])

const readEach = (keyword: string, schemas: readonly Json[], context: Context, at: Pointer): readonly NormalSchema[] =>
  schemas.map((one, index) => schemaOf(one, context, keyword === "prefixItems" ? child(at, index) : at))

/** Keywords that authors do write, and what to do. */
const unsupported: { readonly [keyword: string]: string } = {
  nullable: 'is OpenAPI 3.0\'s: say `type: ["string", "null"]`',
  dependencies: "is draft 7's: say `dependentRequired` or `dependentSchemas`, or name the draft in `$schema`",
  additionalItems: "is draft 7's: say `items` beside `prefixItems`, or name the draft in `$schema`",
  $dynamicRef: "cannot be honoured: say `$ref`",
  $dynamicAnchor: "cannot be honoured: say `$anchor`",
  $recursiveRef: "cannot be honoured: say `$ref`",
  $recursiveAnchor: "cannot be honoured",
  $vocabulary: "cannot be honoured",
  contentSchema: "cannot be honoured: what a string holds is not judged",
}

function readNamed(keyword: string, value: JsonObject, context: Context, at: Pointer): Named {
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (keyword === "patternProperties") readPattern(key, context, at)
      const where = keyword === "properties" ? child(at, key) : keyword === "patternProperties" ? child(at, "*") : at
      return [key, schemaOf(one, context, where)]
    }),
  )
}

/** With the flag `u`, as the standard advises and both validators do. */
function readPattern(source: string, context: Context, at: Pointer): void {
  try {
    new RegExp(source, "u")
  } catch {
    context.findings.faults.push({ kind: "not-a-schema", at, what: `the pattern \`${clip(source)}\``, ...notPattern })
    return
  }
  context.patterns.push({ rule: { source, flags: "u" }, at })
}

function readFormat(name: string, normal: Keywords, context: Context, at: Pointer): Keywords {
  const format = findFormat(name, context.findings, at)
  if (format === undefined) return {}
  const { minimum, maximum } = format
  const bounds = { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) }
  const rule = format.own === undefined ? undefined : patternOf(format)
  if (rule !== undefined) context.patterns.push({ rule, at })
  return {
    ...(askOf(format) === undefined ? {} : { format: name }),
    ...(Object.keys(bounds).length === 0 ? {} : { allOf: [...(normal.allOf ?? []), bounds] }),
  }
}

/** Draft 7: one schema for all items, or one for each. */
function readItems(value: Json, { additionalItems: others }: JsonObject, context: Context, at: Pointer): Keywords {
  if (!Array.isArray(value)) return { items: schemaOf(value, context, child(at, "*")) }
  return {
    ...(value.length === 0 ? {} : { prefixItems: readEach("prefixItems", value, context, at) }),
    ...(others === undefined ? {} : { items: schemaOf(others, context, child(at, "*")) }),
  }
}

function readDependencies(value: JsonObject, context: Context, at: Pointer): Keywords {
  const names: Record<string, readonly string[]> = {}
  const schemas: Record<string, NormalSchema> = {}
  for (const [key, one] of Object.entries(value)) {
    if (!Array.isArray(one)) schemas[key] = schemaOf(one, context, at)
    else if (isTexts(one)) names[key] = one as readonly string[]
    else fault(context, "not-a-schema", at, `\`dependencies\` of ${quote(key)}`)
  }
  return { dependentRequired: names, dependentSchemas: schemas }
}

function readReference(ref: string, schema: JsonObject, context: Context, at: Pointer): string | undefined {
  const asserts = Object.keys(schema).some((keyword) => !besideRef.has(holdsOf(keyword, context.draft)))
  if (context.draft === "7" && asserts) {
    fault(context, "unsupported", at, "`$ref` with other keywords beside it", "lets draft 7 ignore them: use `allOf`")
    return undefined
  }
  const found = resolve(ref, context.document)
  if (!found.ok) {
    fault(context, found.kind, at, `\`$ref\` to ${quote(ref)}`, found.problem)
    return undefined
  }
  const { names, definitions } = context
  const known = names.get(found.target)
  const name = known ?? `r${names.size}`
  if (known === undefined) {
    names.set(found.target, name)
    definitions.set(name, schemaOf(found.target, context, at))
  }
  return `#/$defs/${name}`
}

const besideRef: ReadonlySet<Holds | undefined> = new Set<Holds>([
  ...(["note", "mark", "reference", "definitions", "identifier", "dialect"] as const),
])
