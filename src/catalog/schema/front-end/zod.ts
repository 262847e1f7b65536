/** zod 4: an allow-list walk over a schema's own definition. zod itself is not imported, but for its types. */
import { Kind } from "@sinclair/typebox"
import type { $ZodType, $ZodTypes, globalRegistry } from "zod/v4/core"
import { orList } from "../../../diagnostic/nearest.ts"
import type { Json } from "../../../text/json.ts"
import { child, formatPointer, type Pointer, parsePointer } from "../../../text/pointer.ts"
import { findTag, gaugeOf } from "../gauge.ts"
import { hiddenSteps } from "../guard.ts"
import type { Answer } from "../judge.ts"
import {
  arrayOf,
  boolean,
  both,
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
import { textOf } from "../plain.ts"
import type { SchemaFault } from "../schema.ts"
import { branchesOf, type Shape, typesOf } from "../shape.ts"
import { withinWork } from "../work.ts"
import { askZod } from "./ask-zod.ts"
import {
  type Findings,
  hideFrom,
  markWhole,
  noteDescription,
  notePattern,
  noteSensitive,
  type Refinement,
  visit,
  wayTo,
} from "./findings.ts"
import { checksOf, readChecks, readPattern, takeArray, takeNone, takeNumber, takeString } from "./zod-checks.ts"

type Def = $ZodTypes["_zod"]["def"]
type DefOf<Type extends Def["type"]> = Extract<Def, { readonly type: Type }>

export const isZod = (schema: object): schema is $ZodType => "_zod" in schema

/** The author's validator. zod gives its own message, in the host's language. */
export function validateByZod(schema: $ZodType, findings: Findings): (copy: Json) => Answer {
  const { refinements } = findings
  const validate = (copy: Json): Answer => {
    const result = (schema as $ZodType & { readonly safeParse: SafeParse }).safeParse(copy)
    if (result.success) return { ok: true, output: result.data }
    return {
      ok: false,
      issues: result.error.issues.map(({ code, path, message }) => {
        const at = formatPointer(path.map(token))
        return { at, message: code === "custom" && message === unsaid ? sayRefinement(at, refinements) : message }
      }),
    }
  }
  const { recursive, parts } = findings
  const perCharacter = hiddenSteps(findings)
  return withinWork(validate, { schema, ask: askZod, recursive, parts, perCharacter })
}

/** zod's words for a refinement whose author gave none. */
const unsaid = "Invalid input"

/** zod does not tell which function it was: of several about one place it is one of them. */
function sayRefinement(at: Pointer, refinements: readonly Refinement[]): string {
  const tokens = parsePointer(at) ?? []
  const names = refinements.filter((one) => leadsTo(parsePointer(one.at) ?? [], tokens)).map(({ name }) => name)
  return names.length === 0 ? unsaid : `it does not pass ${orList([...new Set(names)])}`
}

/** `*` is any index or key. */
const leadsTo = (way: readonly string[], tokens: readonly string[]): boolean =>
  way.length === tokens.length && way.every((token, index) => token === "*" || token === tokens[index])

type SafeParse = (value: unknown) =>
  | { readonly success: true; readonly data: unknown }
  | {
      readonly success: false
      readonly error: {
        readonly issues: readonly {
          readonly code: string
          readonly path: readonly PropertyKey[]
          readonly message: string
        }[]
      }
    }

const token = (key: PropertyKey): string | number => (typeof key === "symbol" ? String(key) : key)

export function lowerZod(schema: $ZodType, findings: Findings, at: Pointer): Shape {
  if (findings.way.has(schema)) {
    findings.recursive = true
    findings.returns.push(at)
    return opaque(unknown, `recursive, ${wayTo(schema, findings)} back`)
  }
  return visit<Shape>(schema, findings, at, unknown, () => {
    if ("description" in schema) noteDescription(findings, at, schema.description)
    noteSensitive(findings, at, markOf(schema))
    return lowerKind(schema, findings, at)
  })
}

/** `.meta({ sensitive: true })`. Every copy of zod 4 keeps that in one registry; zod/mini has no other way to ask. */
function markOf(schema: $ZodType): unknown {
  const { __zod_globalRegistry: registry } = globalThis as { readonly __zod_globalRegistry?: typeof globalRegistry }
  return (registry?.get(schema) as { readonly sensitive?: unknown } | undefined)?.sensitive
}

function lowerKind(schema: $ZodType, findings: Findings, at: Pointer): Shape {
  const def = schema._zod.def as Def
  if ("coerce" in def && def.coerce) fault(findings, "coerces", at, `\`z.coerce.${def.type}()\``)
  const checks = checksOf(schema)
  switch (def.type) {
    case "string": {
      const { rules, left } = readChecks(checks, takeString, findings, at, lowerZod)
      return withLeft(stringOf(rules), left)
    }
    case "number": {
      const { rules, left, never: none } = readChecks(checks, takeNumber, findings, at, lowerZod)
      const { integer, ...bounds } = rules
      return none ? never : withLeft(numberOf(integer ? "Integer" : "Number", bounds), left)
    }
    case "array": {
      const { rules, left } = readChecks(checks, takeArray, findings, at, lowerZod)
      return withLeft(arrayOf(lowerZod(def.element, findings, child(at, "*")), rules), left)
    }
    default: {
      const shape = lowerOther(schema, def, findings, at)
      return withLeft(shape, readChecks(checks, takeNone, findings, at, lowerZod).left)
    }
  }
}

const withLeft = <S extends Shape>(shape: S, left: readonly string[]): S => left.reduce(opaque, shape)

function fault(findings: Findings, kind: SchemaFault["kind"], at: Pointer, what: string): Shape {
  findings.faults.push({ kind, at, what })
  return unknown
}

function lowerOther(schema: $ZodType, def: Def, findings: Findings, at: Pointer): Shape {
  switch (def.type) {
    case "boolean":
      return boolean
    case "null":
      return nothing
    case "any":
    case "unknown":
    case "custom":
      return unknown
    case "never":
      return never
    case "literal":
    case "enum":
      return lowerValues(schema, def.type, findings, at)
    case "template_literal": {
      const parts = def.parts.filter((part) => typeof part === "object" && part !== null && "_zod" in part)
      for (const part of parts as $ZodType[]) noteSensitive(findings, at, markOf(part))
      const pattern = readPattern(schema._zod.pattern)
      if (pattern === undefined) return opaque(stringOf({}), "template")
      notePattern(findings, pattern, at)
      return stringOf({ patterns: [pattern] })
    }
    case "object":
      return lowerObject(def, findings, at)
    case "tuple":
      return lowerTuple(def, findings, at)
    case "record":
      return lowerRecord(def, findings, at)
    case "union":
      return lowerUnion(def, findings, at)
    case "intersection":
      return lowerIntersection(def, findings, at)
    case "optional":
    case "nonoptional":
    case "readonly":
      return lowerZod(def.innerType, findings, at)
    case "nullable":
      return unionOf([lowerZod(def.innerType, findings, at), nothing])
    case "lazy":
      return lowerZod((schema._zod as unknown as { readonly innerType: $ZodType }).innerType, findings, at)
    case "default":
    case "prefault":
    case "catch":
      fault(findings, "defaults", at, `\`.${def.type}()\``)
      return lowerZod(def.innerType, findings, at)
    case "transform":
      return fault(findings, "transforms", at, "`z.transform()`")
    case "success":
      return fault(findings, "transforms", at, "`z.success()`")
    case "pipe":
      return lowerPipe(schema, def, findings, at)
    case "string":
    case "number":
    case "array":
      return unknown
    case "bigint":
    case "date":
    case "symbol":
    case "undefined":
    case "void":
    case "nan":
    case "map":
    case "set":
    case "file":
    case "function":
    case "promise":
      return fault(findings, "not-json", at, `\`z.${def.type}()\``)
    default:
      return opaque(unknown, (def as { readonly type: string }).type)
  }
}

function lowerValues(schema: $ZodType, type: string, findings: Findings, at: Pointer): Shape {
  return unionOf(
    [...(schema._zod.values ?? [])].map((value) => {
      const isJson = value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)
      if (isJson) return literalOf(value as string | number | boolean | null)
      return fault(findings, "not-json", at, `\`${String(value)}\` in \`z.${type}()\``)
    }),
  )
}

/** What a pipe's ends hold is walked too: all faults are told at once. */
function lowerPipe(schema: $ZodType, def: DefOf<"pipe">, findings: Findings, at: Pointer): Shape {
  const ends = [def.in, def.out]
  const isTransform = (end: $ZodType): boolean => (end as $ZodTypes)._zod.def.type === "transform"
  const isPreprocess = schema._zod.traits.has("$ZodPreprocess") || isTransform(def.in)
  const name = isPreprocess
    ? "z.preprocess()"
    : isTransform(def.out)
      ? ".transform()"
      : def.transform
        ? "z.codec()"
        : ".pipe()"
  fault(findings, "transforms", at, `\`${name}\``)
  for (const end of ends) if (!isTransform(end)) lowerZod(end, findings, at)
  return unknown
}

function lowerObject(def: DefOf<"object">, findings: Findings, at: Pointer): Shape {
  const properties = new Map<string, Shape>()
  const required: string[] = []
  if (Object.getOwnPropertySymbols(def.shape).length > 0) fault(findings, "not-json", at, "a symbol for a key")
  for (const [key, property] of Object.entries(def.shape)) {
    if (key === "__proto__") {
      fault(findings, "not-json", at, "a key `__proto__`")
      continue
    }
    properties.set(key, lowerZod(property, findings, child(at, key)))
    if (property._zod.optin === undefined) required.push(key)
  }
  const object = objectOf({ properties, required, additionalProperties: lowerCatchall(def, findings, at) })
  // zod would find these on any object, as members that it inherits.
  const inherited = [...properties.keys()].filter((key) => key in Object.prototype)
  return inherited.length === 0 ? object : opaque(object, `inherits ${inherited.join(", ")}`)
}

function lowerCatchall({ catchall }: DefOf<"object">, findings: Findings, at: Pointer): Shape | boolean {
  if (catchall === undefined) {
    // Unknown keys are stripped.
    if (findings.role === "params") findings.closed.push({ at })
    return findings.role === "result"
  }
  const shape = lowerZod(catchall, findings, child(at, "*"))
  if (shape[Kind] === "Never") return false
  return shape[Kind] === "Unknown" && shape.opaque === undefined ? true : shape
}

function lowerTuple(def: DefOf<"tuple">, findings: Findings, at: Pointer): Shape {
  const items = def.items.map((item, index) => lowerZod(item, findings, child(at, index)))
  const optional = def.items.toReversed().findIndex((item) => item._zod.optin === undefined)
  const minItems = optional === -1 ? 0 : items.length - optional
  return tupleOf(items, minItems, def.rest ? lowerZod(def.rest, findings, child(at, "*")) : false)
}

function lowerRecord(def: DefOf<"record">, findings: Findings, at: Pointer): Shape {
  const inside = child(at, "*")
  const patterns = findings.patterns.length
  const value = lowerZod(def.valueType, findings, inside)
  const key = markWhole(findings, at, () => lowerZod(def.keyType, findings, inside))
  const { values } = def.keyType._zod
  const isLoose = def.mode === "loose"
  if (values === undefined) {
    const record = lowerOpenRecord(key, value, isLoose)
    if (record.opaque !== undefined) hideFrom(findings, patterns)
    return record
  }
  const keys = [...values].filter((one) => typeof one === "string" || typeof one === "number").map(String)
  const absence = def.partial ? "right" : judgeAbsence(def.valueType)
  const record = objectOf({
    properties: new Map(keys.filter((name) => name !== "__proto__").map((name) => [name, value])),
    required: absence === "wrong" ? keys : [],
    additionalProperties: isLoose,
  })
  const isSure = absence !== "unsure" && key.opaque === undefined && keys.every((name) => !(name in Object.prototype))
  return isSure ? record : opaque(record, `keys ${textOf(key)}`)
}

/** A record whose keys are told by a schema, not one by one. */
function lowerOpenRecord(key: Shape, value: Shape, isLoose: boolean): Shape {
  const closed = { properties: new Map<string, Shape>(), required: [] }
  const asText = `keys ${textOf(key)}, ${textOf(value)}`
  if (isLoose) return opaque(objectOf({ ...closed, additionalProperties: true }), asText)
  const record = { ...closed, additionalProperties: value }
  const isString = branchesOf(key).every((branch) => branch[Kind] === "String")
  const isAny = key[Kind] === "Unknown" && key.opaque === undefined
  if (isAny || (isString && JSON.stringify(key) === JSON.stringify(stringOf({})))) return objectOf(record)
  return isString ? objectOf({ ...record, propertyNames: key }) : opaque(objectOf(record), asText)
}

/** Does a schema take undefined? zod asks it of each missing key of a record whose keys are told one by one. */
function judgeAbsence(schema: $ZodType): "right" | "wrong" | "unsure" {
  const def = schema._zod.def as Def
  switch (def.type) {
    case "any":
    case "unknown":
      return "right"
    case "optional":
      return schema._zod.traits.has("$ZodExactOptional") ? "unsure" : "right"
    case "string":
    case "number":
    case "boolean":
    case "null":
    case "never":
    case "literal":
    case "enum":
    case "template_literal":
    case "object":
    case "array":
    case "tuple":
    case "record":
    case "nonoptional":
      return "wrong"
    case "nullable":
    case "readonly":
      return judgeAbsence(def.innerType)
    case "union":
      return def.options.every((option) => judgeAbsence(option) === "wrong") ? "wrong" : "unsure"
    default:
      return "unsure"
  }
}

function lowerUnion(def: DefOf<"union">, findings: Findings, at: Pointer): Shape {
  const strips: boolean[] = []
  const shapes = def.options.map((option) => {
    const closed = findings.closed.length
    const shape = lowerZod(option, findings, at)
    strips.push(findings.closed.length > closed)
    return shape
  })
  const union = unionOf(shapes)
  if ("discriminator" in def) {
    const gauges = branchesOf(union).map(gaugeOf)
    const isTold = shapes.length === 1 || findTag(gauges, String(def.discriminator)) !== undefined
    return isTold ? union : opaque(union, `discriminator ${JSON.stringify(def.discriminator)}`)
  }
  if (def.inclusive === false) return opaque(union, "exclusive")
  // zod takes the first branch that does not refuse, and one that strips keys refuses little.
  const isHidden = shapes.some(
    (shape, index) => strips[index] && shapes.slice(index + 1).some((later) => overlap(shape, later)),
  )
  return isHidden ? opaque(union, "first match") : union
}

/** May some value be taken by both, once the first has stripped it? */
function overlap(first: Shape, later: Shape): boolean {
  const types = typesOf(later)
  const shared = [...typesOf(first)].filter((type) => types.has(type))
  if (shared.length === 0) return false
  const isObject = shared.length === 1 && shared[0] === "object"
  return !isObject || findTag([...branchesOf(first), ...branchesOf(later)].map(gaugeOf)) === undefined
}

function lowerIntersection(def: DefOf<"intersection">, findings: Findings, at: Pointer): Shape {
  const patterns = findings.patterns.length
  const left = lowerZod(def.left, findings, at)
  const right = lowerZod(def.right, findings, at)
  const merged = left[Kind] === "Object" && right[Kind] === "Object" ? mergeObjects(left, right) : undefined
  // What is not merged is in the text of a shape, where nothing bounds it.
  if (merged === undefined || !isExact(merged)) hideFrom(findings, patterns)
  return merged ?? opaque(unknown, both(left, right))
}
