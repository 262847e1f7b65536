/**
 * TypeBox 0.34: an allow-list walk over a schema's own keywords. In four odd cases the shape is stricter than
 * `Value.Check`, which is safe: a required key must be there, whatever its schema says of undefined; `Type.RegExp` takes
 * strings only, not the text of other values; a record's keys may hold line breaks, which its pattern does not reach; and
 * of an intersection that lets no other keys in, keys are names, not patterns.
 */
import { Kind, TransformKind, type TSchema, TypeRegistry } from "@sinclair/typebox"
import { child, type Pointer } from "../../../text/pointer.ts"
import {
  arrayOf,
  boolean,
  isExact,
  literalOf,
  mergeObjects,
  never,
  nothing,
  numberOf,
  objectOf,
  opaque,
  stringOf,
  tupleOf,
  unionOf,
  unknown,
} from "../make.ts"
import type { SchemaFault } from "../schema.ts"
import type { ObjectShape, Shape } from "../shape.ts"
import { clip } from "../show.ts"
import {
  aside,
  type Findings,
  hideFrom,
  markWhole,
  noteDescription,
  noteFunction,
  notePattern,
  noteSensitive,
  notPattern,
  visit,
  wayTo,
} from "./findings.ts"
import { findFormat, patternOf } from "./formats.ts"

export const isTypeBox = (schema: object): schema is TSchema =>
  typeof (schema as { readonly [Kind]?: unknown })[Kind] === "string"

export const lowerTypeBox = (schema: TSchema, findings: Findings, at: Pointer): Shape =>
  visit<Shape>(schema, findings, at, unknown, () => {
    noteDescription(findings, at, schema.description)
    noteSensitive(findings, at, schema.sensitive)
    noteSensitive(findings, at, schema.writeOnly, "writeOnly")
    if (schema.format === "password") noteSensitive(findings, at, true)
    if (TransformKind in schema) fault(findings, "transforms", at, "`Type.Transform()`")
    // TypeBox reads it as a note, but a planner's host would expect it to be filled in.
    if (findings.role === "params" && Object.hasOwn(schema, "default")) fault(findings, "defaults", at, "`default`")
    return lowerKind(schema, findings, at)
  })

function fault(findings: Findings, kind: SchemaFault["kind"], at: Pointer, what: string): Shape {
  findings.faults.push({ kind, at, what })
  return unknown
}

function lowerKind(schema: TSchema, findings: Findings, at: Pointer): Shape {
  switch (schema[Kind]) {
    case "Any":
    case "Unknown":
      return unknown
    case "Never":
      return never
    case "Null":
      return nothing
    case "Boolean":
      return boolean
    case "Literal":
      return isScalar(schema.const) ? literalOf(schema.const) : opaque(unknown, asText(schema, findings))
    case "String":
      return lowerString(schema, schema.pattern === undefined ? [] : [[schema.pattern, ""]], findings, at)
    case "TemplateLiteral":
      return lowerString(schema, [[schema.pattern, ""]], findings, at)
    case "RegExp":
      return lowerString(schema, [[schema.source, schema.flags ?? ""]], findings, at)
    case "Number":
    case "Integer":
      return withRules(schema, numberKeywords, findings, (rules) =>
        numberOf(schema[Kind] === "Integer" ? "Integer" : "Number", rules),
      )
    case "Array":
      return lowerArray(schema, findings, at)
    case "Tuple":
      return lowerTuple(schema, findings, at)
    case "Union":
      return unionOf((schema.anyOf as TSchema[]).map((branch) => lowerTypeBox(branch, findings, at)))
    case "Object":
      return withLeft(lowerObject(schema, findings, at), schema, ["minProperties", "maxProperties"], findings)
    case "Record":
      return withLeft(lowerRecord(schema, findings, at), schema, ["minProperties", "maxProperties"], findings)
    case "Intersect":
      return lowerIntersect(schema, findings, at)
    default:
      return lowerOther(schema, findings, at)
  }
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

const numberKeywords = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] as const

/** A shape with the keywords that are ordinary numbers; what is odd among them is left to TypeBox. */
function withRules<Key extends string>(
  schema: TSchema,
  keywords: readonly Key[],
  findings: Findings,
  make: (rules: { readonly [K in Key]?: number }) => Shape,
): Shape {
  const plain = keywords.filter((keyword) => Number.isFinite(schema[keyword]))
  const rules = Object.fromEntries(plain.map((keyword) => [keyword, schema[keyword]])) as { [K in Key]?: number }
  return withLeft(
    make(rules),
    schema,
    keywords.filter((keyword) => !plain.includes(keyword)),
    findings,
  )
}

function withLeft(shape: Shape, schema: TSchema, keywords: readonly string[], findings: Findings): Shape {
  const left = keywords.filter((keyword) => schema[keyword] !== undefined)
  return left.reduce((whole, keyword) => opaque(whole, `${keyword} ${asText(schema[keyword], findings)}`), shape)
}

type Pattern = readonly [source: unknown, flags: unknown]

function lowerString(schema: TSchema, patterns: readonly Pattern[], findings: Findings, at: Pointer): Shape {
  const rules = patterns.map(([source, flags]) => ({ source: String(source), flags: String(flags).replace("g", "") }))
  for (const { source, flags } of rules) {
    if (isPattern(source, flags)) {
      notePattern(findings, { source, flags }, at)
      continue
    }
    findings.faults.push({ kind: "not-a-schema", at, what: `the pattern \`${clip(source)}\``, ...notPattern })
    return unknown
  }
  const name = schema[Kind] === "String" && typeof schema.format === "string" ? schema.format : undefined
  const format = name === undefined ? undefined : findFormat(name, findings, at)
  const formatted = patternOf(format ?? {})
  // The fixed ones are known to be fast.
  if (formatted !== undefined && format?.own !== undefined) notePattern(findings, formatted, at)
  const all = formatted === undefined ? rules : [...rules, formatted]
  const extra = { ...(all.length > 0 ? { patterns: all } : {}), ...(name === undefined ? {} : { format: name }) }
  // A template's lengths are not judged.
  const keywords = schema[Kind] === "TemplateLiteral" ? [] : (["minLength", "maxLength"] as const)
  const shape = withRules(schema, keywords, findings, (lengths) => stringOf({ ...lengths, ...extra }))
  return format?.right === undefined ? shape : opaque(shape, `format ${name}: ${format.own}`)
}

function isPattern(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch {
    return false
  }
}

function lowerArray(schema: TSchema, findings: Findings, at: Pointer): Shape {
  const items = lowerTypeBox(schema.items, findings, child(at, "*"))
  if (schema.contains !== undefined) sweep(schema.contains, findings, at)
  const shape = withRules(schema, ["minItems", "maxItems"], findings, (rules) => arrayOf(items, rules))
  return withLeft(shape, { ...schema, uniqueItems: schema.uniqueItems || undefined }, arrayKeywords, findings)
}

const arrayKeywords = ["uniqueItems", "contains", "minContains", "maxContains"]

function lowerTuple(schema: TSchema, findings: Findings, at: Pointer): Shape {
  const items = ((schema.items ?? []) as TSchema[]).map((item, index) => lowerTypeBox(item, findings, child(at, index)))
  return schema.maxItems === items.length
    ? tupleOf(items, items.length, false)
    : opaque(unknown, asText(schema, findings))
}

function lowerObject(schema: TSchema, findings: Findings, at: Pointer): ObjectShape {
  const properties = new Map<string, Shape>()
  const required: string[] = []
  for (const [key, property] of Object.entries(schema.properties as { readonly [key: string]: TSchema })) {
    if (key === "__proto__") {
      fault(findings, "not-json", at, "a key `__proto__`")
      continue
    }
    properties.set(key, lowerTypeBox(property, findings, child(at, key)))
    if (schema.required?.includes(key)) required.push(key)
  }
  const object = objectOf({ properties, required, additionalProperties: lowerAdditional(schema, findings, at) })
  // TypeBox would find these on any object, as members that it inherits.
  const inherited = [...properties.keys()].filter((key) => key in Object.prototype)
  return inherited.length === 0 ? object : opaque(object, `inherits ${inherited.join(", ")}`)
}

function lowerAdditional(schema: TSchema, findings: Findings, at: Pointer): Shape | boolean {
  const { additionalProperties: additional } = schema
  if (typeof additional === "boolean") return additional
  if (additional !== undefined) return lowerTypeBox(additional, findings, child(at, "*"))
  if (findings.role === "params") findings.closed.push({ at })
  return findings.role === "result"
}

/** TypeBox's pattern for keys that are any string. */
const anyKey = "^(.*)$"

function lowerRecord(schema: TSchema, findings: Findings, at: Pointer): ObjectShape {
  const { patternProperties, additionalProperties: additional } = schema
  const [[pattern, valueSchema]] = Object.entries(patternProperties) as [[string, TSchema]]
  notePattern(findings, { source: pattern, flags: "" }, at)
  const value = lowerTypeBox(valueSchema, findings, child(at, "*"))
  const names = stringOf({ patterns: [{ source: pattern, flags: "" }] })
  const open = { properties: new Map<string, Shape>(), required: [] }
  if (typeof additional === "object") sweep(additional, findings, at)
  if (additional === false) return objectOf({ ...open, additionalProperties: value, propertyNames: names })
  if (pattern === anyKey && typeof additional !== "object") return objectOf({ ...open, additionalProperties: value })
  if (additional === undefined && findings.role === "params") {
    // TypeBox asks nothing of the other keys.
    findings.closed.push({ at })
    return objectOf({ ...open, additionalProperties: value, propertyNames: names })
  }
  return objectOf({ ...open, additionalProperties: opaque(unknown, asText(schema, findings)) })
}

function lowerIntersect(schema: TSchema, findings: Findings, at: Pointer): Shape {
  const { unevaluatedProperties: others } = schema
  const members = schema.allOf as readonly TSchema[]
  const isSimple = members.every((one) => one[Kind] === "Object" && one.additionalProperties === undefined)
  if (!isSimple || (others !== undefined && others !== false)) {
    sweepInside(schema, findings, at)
    return opaque(unknown, asText(schema, findings))
  }
  const closed = findings.closed.length
  const patterns = findings.patterns.length
  const shapes = members.map((one) => lowerTypeBox(one, findings, at) as ObjectShape)
  // No member closes what the whole closes by itself.
  const notices = findings.closed.splice(closed)
  findings.closed.push(...notices.filter((notice) => notice.at !== at || others === undefined))
  const merged = shapes.reduce((one, other) => mergeObjects(one, other) as ObjectShape)
  // What is not merged is in the text of a shape, where nothing bounds it.
  if (!isExact(merged)) hideFrom(findings, patterns)
  const shape = others === false ? { ...merged, additionalProperties: false } : merged
  // Its keys are made into one pattern, unescaped.
  const isPlain = others === undefined || Object.keys(shape.properties).every((key) => /^\w+$/.test(key))
  return isPlain ? shape : opaque(shape, asText(schema, findings))
}

const notJson: ReadonlySet<string> = new Set([
  ...["Date", "Uint8Array", "BigInt", "Symbol", "Undefined", "Void"],
  ...["Function", "Constructor", "Promise", "Iterator", "AsyncIterator"],
])

/** Kinds of TypeBox's own that a shape cannot say. */
const beyond: ReadonlySet<string> = new Set(["Not", "Ref", "Import", "Argument"])

function lowerOther(schema: TSchema, findings: Findings, at: Pointer): Shape {
  const kind = schema[Kind]
  if (notJson.has(kind)) return fault(findings, "not-json", at, `\`Type.${kind}()\``)
  if (kind === "This") {
    findings.recursive = true
    findings.returns.push(at)
    const target = [...findings.way].findLast((one) => (one as TSchema).$id === schema.$ref)
    return opaque(unknown, `recursive, ${wayTo(target, findings)} back`)
  }
  if (beyond.has(kind)) {
    sweepInside(schema, findings, at)
    return opaque(unknown, asText(schema, findings))
  }
  const check = TypeRegistry.Get(kind)
  if (check === undefined) {
    return fault(findings, "not-a-schema", at, `a schema of kind \`${kind}\`, which TypeBox has no check for`)
  }
  noteFunction(check, findings, at, `the check of the kind \`${kind}\``)
  findings.kinds.set(kind, check)
  return opaque(unknown, `kind ${kind} ${asText(schema, findings)}`)
}

/** Looks for faults in what the shape cannot say, and for marks. Nothing is closed there. */
function sweep(part: unknown, findings: Findings, at: Pointer): void {
  if (typeof part !== "object" || part === null) return
  const look = (): void => (isTypeBox(part) ? void lowerTypeBox(part, findings, at) : sweepInside(part, findings, at))
  aside(findings, () => markWhole(findings, at, look))
}

function sweepInside(whole: object, findings: Findings, at: Pointer): void {
  for (const part of Object.values(whole)) sweep(part, findings, at)
}

/**
 * TypeBox numbers recursive types as they are made: those numbers say nothing. One that the way leads through is told by
 * how far back it is, another by which it is in the text.
 */
function asText(schema: unknown, { way }: Findings): string {
  const ids = new Map<string, string>()
  for (const [back, one] of [...way].reverse().entries()) {
    const { $id } = one as TSchema
    if ($id !== undefined && !ids.has($id)) ids.set($id, `${back} back`)
  }
  const write = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(write)
    if (typeof part !== "object" || part === null) return part
    if ("required" in part && "properties" in part && Array.isArray(part.required))
      return write({ ...part, required: Object.fromEntries(part.required.map((key) => [key, true])) })
    return Object.fromEntries(
      Object.keys(part)
        .sort()
        .map((key) => [key, (part as { readonly [key: string]: unknown })[key]] as const)
        .map(([key, value]) => [key, isNumber(key, value) ? numberOfType(value) : write(value)]),
    )
  }
  const numberOfType = (id: string): string => {
    const known = ids.get(id) ?? `T${ids.size}`
    ids.set(id, known)
    return known
  }
  return JSON.stringify(write(schema))
}

const isNumber = (key: string, value: unknown): value is string =>
  (key === "$id" || key === "$ref") && typeof value === "string" && /^T\d+$/.test(value)
