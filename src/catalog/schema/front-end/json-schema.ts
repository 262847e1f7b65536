/**
 * JSON Schema, draft 2020-12 or 7: an allow-list walk over its normal form. What a shape cannot say is opaque there, and
 * the validator decides. Objects whose schema says nothing of other keys (`additionalProperties`) are open by the
 * standard; in params they are closed, as if `unevaluatedProperties: false` stood there.
 */
import { Kind } from "@sinclair/typebox"
import { canonical } from "../../../text/canonical.ts"
import { isObject, type Json } from "../../../text/json.ts"
import { child, type Pointer } from "../../../text/pointer.ts"
import { accepts } from "../accept.ts"
import { type Effort, isSpent, sizeOf, spend } from "../effort.ts"
import { fit } from "../fit.ts"
import { intersect } from "../intersect.ts"
import { shapeOfList } from "../list.ts"
import {
  boolean,
  isAnything,
  literalOf,
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
import { plain, textOf } from "../plain.ts"
import { branchesOf, isConstant, type ObjectShape, type Scalar, type Shape } from "../shape.ts"
import { aside, type Findings, noteDescription, notePattern, noteSensitive, visit, wayTo } from "./findings.ts"
import { patternOf } from "./formats.ts"
import { areTold, close, mention, recursive, share, shareKeys } from "./keys.ts"
import type { Keywords, Named, Normal, NormalSchema, TypeName } from "./normal-schema.ts"
import { textOfKeywords } from "./schema-parts.ts"

export function lowerJsonSchema(normal: Normal, findings: Findings, at: Pointer): Shape {
  const { definitions, descriptions, sensitive } = normal
  const walk: Walk = { definitions, descriptions, sensitive, seen: new Set(), findings }
  const shape = lower(normal.schema, walk, at, new Set())
  // A mark that the way did not come by has no place: it is everywhere.
  for (const one of sensitive) if (!walk.seen.has(one)) noteSensitive(findings, at, true)
  if (isSpent(findings.effort)) refuseCombination(findings, at)
  return findings.role === "params" ? close(shape, findings, at) : shape
}

interface Walk {
  readonly descriptions: Normal["descriptions"]
  readonly definitions: ReadonlyMap<string, NormalSchema>
  readonly sensitive: Normal["sensitive"]
  /** Those of them that were met. */
  readonly seen: Set<NormalSchema>
  readonly findings: Findings
}

/** Schemas about the same value that the way leads through: to come back to one of them would never end. */
type Place = ReadonlySet<Keywords>

const noPlace: Place = new Set()

function lower(schema: NormalSchema, walk: Walk, at: Pointer, place: Place): Shape {
  if (typeof schema === "boolean") return schema ? unknown : never
  const { findings } = walk
  if (isSpent(findings.effort)) {
    refuseCombination(findings, at)
    return unknown
  }
  if (place.has(schema)) {
    const what = "`$ref` that leads back to itself without going into the value"
    findings.faults.push({ kind: "not-a-schema", at, what })
    return unknown
  }
  if (findings.way.has(schema)) {
    findings.recursive = true
    findings.returns.push(at)
    return recursive(wayTo(schema, findings))
  }
  return visit<Shape>(schema, findings, at, unknown, () => {
    noteDescription(findings, at, walk.descriptions.get(schema))
    if (walk.sensitive.has(schema)) {
      noteSensitive(findings, at, true)
      walk.seen.add(schema)
    }
    return lowerKeywords(schema, walk, at, new Set([...place, schema]))
  })
}

function lowerKeywords(schema: Keywords, walk: Walk, at: Pointer, place: Place): Shape {
  const { findings } = walk
  const inPlace = (one: NormalSchema): Shape => lower(one, walk, at, place)
  const both: Both = (one, other) => {
    const met = intersect(one, other, findings.effort)
    if (met === undefined) refuseCombination(findings, at)
    return met ?? unknown
  }
  let shape = lowerTypes(schema, walk, at, place)
  const values = "const" in schema ? [schema.const as Json] : undefined
  for (const allowed of [values, schema.enum]) if (allowed) shape = both(unionOf(allowed.map(shapeOf)), shape)
  if (schema.$ref !== undefined) {
    shape = both(shape, inPlace(walk.definitions.get(schema.$ref.slice("#/$defs/".length)) ?? true))
  }
  for (const one of schema.allOf ?? []) shape = both(shape, inPlace(one))
  // Branches are told apart by what holds for all of them too.
  const among = (one: NormalSchema): Shape => both(shape, inPlace(one))
  if (schema.anyOf) shape = join(schema.anyOf.map(among), findings)
  if (schema.oneOf) shape = lowerOneOf(schema.oneOf.map(among), schema.oneOf, walk)
  if (schema.not !== undefined) {
    aside(findings, () => inPlace(schema.not ?? true))
    shape = schema.not === true ? never : leave(shape, { not: schema.not }, walk)
  }
  shape = lowerIf(shape, schema, both, inPlace, walk)
  for (const [key, one] of Object.entries(schema.dependentSchemas ?? {})) {
    shape = lowerDependent(shape, key, inPlace(one), both)
  }
  return lowerUnevaluated(shape, schema, walk, at)
}

function refuseCombination({ faults, effort }: Findings, at: Pointer): void {
  const [what, problem] = ["a combination of schemas", "has too many alternatives"]
  // Once nothing is left, every further one would be at fault.
  if (isSpent(effort) && faults.some((fault) => fault.problem === problem)) return
  faults.push({ kind: "unsupported", at, what, problem })
}

type Both = (one: Shape, other: Shape) => Shape

/** What only the validator judges, as text, with all that it refers to. */
const leave = <S extends Shape>(shape: S, left: Keywords, { definitions }: Walk): S =>
  opaque(shape, textOfKeywords(left, definitions))

const all: readonly TypeName[] = ["null", "boolean", "number", "string", "array", "object"]

const ofType: { readonly [type in "string" | "number" | "array" | "object"]: readonly (keyof Keywords)[] } = {
  string: ["minLength", "maxLength", "pattern", "format"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  array: ["prefixItems", "items", "contains", "minItems", "maxItems", "uniqueItems"],
  object: [
    ...(["properties", "patternProperties", "additionalProperties", "propertyNames", "required"] as const),
    ...(["minProperties", "maxProperties", "dependentRequired", "unevaluatedProperties"] as const),
  ],
}

const says = (schema: Keywords, type: keyof typeof ofType): boolean => ofType[type].some((keyword) => keyword in schema)

/** Keywords speak of values of one type each, and let all others through. */
function lowerTypes(schema: Keywords, walk: Walk, at: Pointer, place: Place): Shape {
  const { type } = schema
  if (type === undefined && !Object.keys(ofType).some((one) => says(schema, one as keyof typeof ofType))) return unknown
  const types = new Set(type ?? all)
  if (types.has("number")) types.delete("integer")
  return unionOf([...types].map((one) => lowerType(one, schema, walk, at, place)))
}

function lowerType(type: TypeName, schema: Keywords, walk: Walk, at: Pointer, place: Place): Shape {
  switch (type) {
    case "null":
      return nothing
    case "boolean":
      return boolean
    case "number":
    case "integer": {
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
      const rules = { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }
      const given = Object.entries(rules).filter(([, value]) => value !== undefined)
      const by = multipleOf === undefined ? {} : { multipleBy: "decimal" as const }
      return numberOf(type === "integer" ? "Integer" : "Number", { ...Object.fromEntries(given), ...by })
    }
    case "string":
      return lowerString(schema, walk, at)
    case "array":
      return lowerArray(schema, walk, at)
    case "object":
      return lowerObject(schema, walk, at, place)
  }
}

function lowerString({ minLength, maxLength, pattern, format }: Keywords, walk: Walk, at: Pointer): Shape {
  const { own, right, ...asked } = walk.findings.formats.get(format ?? "") ?? {}
  const formatted = patternOf(asked)
  const written = pattern === undefined ? [] : [{ source: pattern, flags: "u" }]
  const patterns = [...written, ...(formatted ? [formatted] : [])]
  // The fixed ones are known to be fast.
  for (const rule of own === undefined ? written : patterns) notePattern(walk.findings, rule, at)
  if ((minLength ?? 0) > (maxLength ?? Infinity)) return never
  const shape = stringOf({
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(minLength === undefined && maxLength === undefined ? {} : { lengthIn: "code-points" as const }),
    ...(patterns.length === 0 ? {} : { patterns }),
    ...(format === undefined ? {} : { format }),
  })
  return right === undefined ? shape : opaque(shape, `format ${format}: ${own}`)
}

function lowerArray(schema: Keywords, walk: Walk, at: Pointer): Shape {
  const { prefixItems = [], items = true, minItems = 0, maxItems = Infinity, contains, uniqueItems } = schema
  const shape = shapeOfList({
    items: prefixItems.map((item, index) => lower(item, walk, child(at, index), noPlace)),
    rest: lower(items, walk, child(at, "*"), noPlace),
    min: minItems,
    max: maxItems,
  })
  if (contains !== undefined) aside(walk.findings, () => lower(contains, walk, child(at, "*"), noPlace))
  const left = pick(schema, contains === undefined ? [] : ["contains", "minContains", "maxContains"])
  const asked = uniqueItems ? { ...left, uniqueItems } : left
  return Object.keys(asked).length === 0 ? shape : leave(shape, asked, walk)
}

const pick = (schema: Keywords, keywords: readonly (keyof Keywords)[]): Keywords =>
  Object.fromEntries(keywords.filter((keyword) => schema[keyword] !== undefined).map((key) => [key, schema[key]]))

function lowerObject(schema: Keywords, walk: Walk, at: Pointer, place: Place): Shape {
  const names = schema.propertyNames === undefined ? undefined : lowerNames(schema.propertyNames, walk, at)
  const patterns = lowerNamed(schema.patternProperties ?? {}, walk, () => child(at, "*"))
  // An object may have any number of keys: nothing bounds how often these are asked.
  for (const source of patterns.keys()) notePattern(walk.findings, { source, flags: "u" }, child(at, "*"), true)
  const declared = lowerNamed(schema.properties ?? {}, walk, (key) => child(at, key))
  const additional = lowerAdditional(schema, walk, at)
  const others = namelessOf(patterns, additional, schema, walk, at, place)
  const object = objectOf({
    properties: new Map(),
    required: [],
    ...others,
    ...(names === undefined ? {} : { propertyNames: mostly(others.propertyNames, names, walk) }),
  })
  const properties = new Map<string, Shape>()
  const matchers = [...patterns].map(([source, shape]) => [new RegExp(source, "u"), shape] as const)
  for (const key of new Set([...declared.keys(), ...(schema.required ?? [])])) {
    if (!spend(walk.findings.effort, matchers.length)) return unknown
    const matching = matchers.filter(([pattern]) => pattern.test(key)).map(([, shape]) => shape)
    // A pattern may say what `additionalProperties` does not.
    const own = declared.get(key) ?? (matching.length > 0 ? unknown : additionalAs(additional))
    const isNamed = names === undefined || accepts(names, key)
    const property = isNamed ? matching.reduce((all, one) => mostly(all, one, walk), own) : never
    if (property[Kind] === "Never" && schema.required?.includes(key)) return never
    properties.set(key, property)
  }
  const required = [...new Set(schema.required)]
  const shape = { ...object, properties: Object.fromEntries(properties), required } as ObjectShape
  return leaveCounts(shape, schema, walk)
}

const additionalAs = (additional: ObjectShape["additionalProperties"]): Shape =>
  typeof additional === "object" ? additional : additional === false ? never : unknown

/** Both, or where that has too many alternatives, the one, with a note that there is more. */
const mostly = (one: Shape | undefined, other: Shape, { findings: { effort } }: Walk): Shape =>
  one === undefined ? other : (intersect(one, other, effort) ?? opaque(one, textOf(other)))

const lowerNamed = (named: Named, walk: Walk, at: (key: string) => Pointer): ReadonlyMap<string, Shape> =>
  new Map(Object.entries(named).map(([key, one]) => [key, lower(one, walk, at(key), noPlace)]))

const lowerNames = (schema: NormalSchema, walk: Walk, at: Pointer): Shape =>
  mostly(stringOf({}), lower(schema, walk, at, noPlace), walk)

/** Undefined where the schema says nothing. */
function lowerAdditional(schema: Keywords, walk: Walk, at: Pointer): ObjectShape["additionalProperties"] {
  if (schema.additionalProperties === undefined) return undefined
  const shape = lower(schema.additionalProperties, walk, child(at, "*"), noPlace)
  if (shape[Kind] === "Never") return false
  return isAnything(shape) ? true : shape
}

type Others = Pick<ObjectShape, "additionalProperties" | "propertyNames">

/** What keys hold that are not declared one by one. */
function namelessOf(
  patterns: ReadonlyMap<string, Shape>,
  additional: ObjectShape["additionalProperties"],
  schema: Keywords,
  { findings }: Walk,
  at: Pointer,
  place: Place,
): Others {
  if (patterns.size === 0) return additional === undefined ? {} : { additionalProperties: additional }
  const values = unionOf([...patterns.values()])
  const rules = canonical(plain(Object.fromEntries(patterns)))
  const isAlone = place.size === 1 && !combining.some((keyword) => keyword in schema)
  const closes = additional === undefined && findings.role === "params" && isAlone
  if (closes) findings.closed.push({ at })
  if (additional === false || closes) {
    return {
      additionalProperties: patterns.size === 1 ? values : opaque(values, rules),
      propertyNames: unionOf([...patterns.keys()].map((source) => stringOf({ patterns: [{ source, flags: "u" }] }))),
    }
  }
  const open = typeof additional === "object" ? unionOf([values, additional]) : unknown
  return { additionalProperties: opaque(open, rules) }
}

const combining = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "unevaluatedProperties"] as const

/** How many keys there may be, and which need which. */
function leaveCounts(shape: ObjectShape, schema: Keywords, walk: Walk): Shape {
  const { minProperties = 0, maxProperties = Infinity, dependentRequired } = schema
  const isClosed = shape.additionalProperties === false
  const most = isClosed ? Object.keys(shape.properties).length : Infinity
  const left: Keywords = {
    ...(minProperties > (shape.required?.length ?? 0) ? { minProperties } : {}),
    ...(maxProperties < most ? { maxProperties } : {}),
    ...(dependentRequired === undefined ? {} : { dependentRequired }),
  }
  const mentioned = Object.entries(dependentRequired ?? {}).flatMap(([key, keys]) => [key, ...keys])
  const whole = mention(shape, new Map(mentioned.map((key) => [key, undefined])))
  return Object.keys(left).length === 0 ? whole : leave(whole, left, walk)
}

/** Their union, each with the keys of the others. */
function join(shapes: readonly Shape[], { effort }: Findings): Shape {
  spend(
    effort,
    shapes.reduce((sum, shape) => sum + sizeOf(shape), 0),
  )
  return unionOf(shareKeys(shapes, effort))
}

/** Constants are apart where they are others; that saves comparing each with each. */
function areApart(shapes: readonly Shape[], effort: Effort): boolean {
  if (areTold(shapes)) return true
  const constants = shapes.filter(isConstant)
  const others = shapes.filter((shape) => !isConstant(shape))
  if (new Set(constants.map(textOf)).size < constants.length) return false
  return others.every((shape, index) =>
    [...others.slice(index + 1), ...constants].every((other) => fit(shape, other, effort) === "never-fits"),
  )
}

/** Exact where no value can be right for two of them, as where a key tells them apart. */
function lowerOneOf(shapes: readonly Shape[], schemas: readonly NormalSchema[], walk: Walk): Shape {
  if (areApart(shapes, walk.findings.effort)) return join(shapes, walk.findings)
  // Of those that may hold at once none is the first.
  const inOrder = shapes
    .map((shape) => [textOf(shape), shape] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, shape]) => shape)
  return leave(join(inOrder, walk.findings), { oneOf: schemas }, walk)
}

/** Where the condition holds, and where it does not; which of them it is, only the validator knows. */
function lowerIf(shape: Shape, schema: Keywords, both: Both, inPlace: (one: NormalSchema) => Shape, walk: Walk): Shape {
  if (schema.if === undefined) return shape
  const condition = inPlace(schema.if)
  const holds = both(condition, inPlace(schema.then ?? true))
  const fails = both(shape, inPlace(schema.else ?? true))
  return leave(unionOf([both(shape, holds), share(fails, [holds])]), pick(schema, ["if", "then", "else"]), walk)
}

/** Where the key is, and where it is not. */
function lowerDependent(shape: Shape, key: string, dependent: Shape, both: Both): Shape {
  const has = objectOf({ properties: new Map([[key, unknown]]), required: [key] })
  const lacks = mention(unknown, new Map([[key, never]]))
  return unionOf([both(shape, both(has, dependent)), share(both(shape, lacks), [dependent])])
}

function lowerUnevaluated(shape: Shape, schema: Keywords, walk: Walk, at: Pointer): Shape {
  const { unevaluatedItems, unevaluatedProperties } = schema
  let whole = shape
  if (unevaluatedItems !== undefined) {
    aside(walk.findings, () => lower(unevaluatedItems, walk, child(at, "*"), noPlace))
    whole = leave(whole, { unevaluatedItems }, walk)
  }
  if (unevaluatedProperties === undefined) return whole
  const others = lower(unevaluatedProperties, walk, child(at, "*"), noPlace)
  const additional = others[Kind] === "Never" ? false : isAnything(others) ? true : others
  const isAlone = !combining.some((keyword) => keyword !== "unevaluatedProperties" && keyword in schema)
  const held = unionOf(
    branchesOf(whole).map((branch) =>
      branch[Kind] === "Object" && branch.additionalProperties === undefined
        ? { ...branch, additionalProperties: additional }
        : branch,
    ),
  )
  return isAlone && !("patternProperties" in schema) ? held : leave(held, { unevaluatedProperties }, walk)
}

/** The one shape of a value: what `const` and `enum` let through. */
function shapeOf(value: Json): Shape {
  if (Array.isArray(value)) return tupleOf(value.map(shapeOf), value.length, false)
  if (!isObject(value)) return literalOf(value as Scalar)
  const entries = Object.entries(value)
  return objectOf({
    properties: new Map(entries.map(([key, inner]) => [key, shapeOf(inner)])),
    required: entries.map(([key]) => key),
    additionalProperties: false,
  })
}
