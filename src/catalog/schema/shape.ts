/** The lowered form of a schema: TypeBox schemas as plain data, of these kinds and keywords only. */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { Json } from "../../text/json.ts"
import { opaque, unionOf } from "./make.ts"
import { clip, quote, show } from "./show.ts"

export type Shape =
  | UnknownShape
  | NeverShape
  | NullShape
  | BooleanShape
  | LiteralShape
  | StringShape
  | NumberShape
  | ArrayShape
  | TupleShape
  | ObjectShape
  | UnionShape

interface Spot extends TSchema {
  /** What the author's validator asks here beyond the shape, as text: the shape is looser, and a hash sees it change. */
  readonly opaque?: string
}

export interface UnknownShape extends Spot {
  readonly [Kind]: "Unknown"
}

export interface NeverShape extends Spot {
  readonly [Kind]: "Never"
}

export interface NullShape extends Spot {
  readonly [Kind]: "Null"
}

export interface BooleanShape extends Spot {
  readonly [Kind]: "Boolean"
}

export type Scalar = string | number | boolean | null

export interface LiteralShape extends Spot {
  readonly [Kind]: "Literal"
  readonly const: Scalar
}

export interface StringRules {
  readonly minLength?: number
  readonly maxLength?: number
  /** How lengths are counted; in UTF-16 units where it is left out. */
  readonly lengthIn?: "code-points"
  readonly pattern?: string
  /** Further patterns, all of which must match. Never with the flag `g`. */
  readonly patterns?: readonly PatternRule[]
  /** A format's name, for messages only: what it asks is in the patterns, or else the spot is opaque. */
  readonly format?: string
}

export interface PatternRule {
  readonly source: string
  readonly flags: string
}

export interface StringShape extends Spot, StringRules {
  readonly [Kind]: "String"
}

export interface NumberRules {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  /** How `multipleOf` is judged: by `%` where it is left out; within the rounding of the quotient; or as decimals. */
  readonly multipleBy?: "rounding" | "decimal"
}

export interface NumberShape extends Spot, NumberRules {
  readonly [Kind]: "Number" | "Integer"
}

export interface ArrayShape extends Spot {
  readonly [Kind]: "Array"
  readonly items: Shape
  readonly minItems?: number
  readonly maxItems?: number
}

/** The first `minItems` must be there; what comes after `items` is held to `additionalItems`. */
export interface TupleShape extends Spot {
  readonly [Kind]: "Tuple"
  readonly items?: readonly Shape[]
  readonly additionalItems?: Shape | false
  readonly minItems: number
}

export interface ObjectShape extends Spot {
  readonly [Kind]: "Object"
  readonly properties: { readonly [key: string]: Shape }
  readonly required?: readonly string[]
  /**
   * Undeclared keys: `false`, none; `true` or left out, any, but out of reach of references; a shape (of a record, a
   * catchall), what they hold.
   */
  readonly additionalProperties?: Shape | boolean
  /** What undeclared keys must look like. */
  readonly propertyNames?: Shape
}

export interface UnionShape extends Spot {
  readonly [Kind]: "Union"
  readonly anyOf: readonly Shape[]
}

/**
 * The one cast from TypeBox's type to ours. Besides lowered schemas it is for those that are written in this project
 * with the same kinds and keywords.
 */
export const asShape = (schema: TSchema): Shape => schema as Shape

/** A union's branches, however nested; any other shape is its own only branch. What is opaque in a union is so in each. */
export function branchesOf(schema: TSchema): readonly Shape[] {
  const shape = asShape(schema)
  if (shape[Kind] !== "Union") return [shape]
  const branches = shape.anyOf.flatMap(branchesOf)
  const { opaque: what } = shape
  return what === undefined ? branches : branches.map((branch) => opaque(branch, what))
}

/** The constants of a union in one order, before its other branches: in whatever order they were declared, they mean the same. */
export function ordered(schema: TSchema): Shape {
  const shape = asShape(schema)
  if (shape[Kind] !== "Union") return shape
  const keyed = shape.anyOf.filter(isConstant).map((branch) => [JSON.stringify(branch), branch] as const)
  const constants = keyed.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, branch]) => branch)
  const others = shape.anyOf.filter((branch) => !isConstant(branch)).map(ordered)
  return { ...shape, anyOf: [...constants, ...others] }
}

export const isConstant = (shape: Shape): boolean => shape[Kind] === "Literal" || shape[Kind] === "Null"

export type JsonType = "string" | "number" | "boolean" | "null" | "array" | "object"

export function typeOf(value: Json): JsonType {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value as Exclude<JsonType, "null" | "array">
}

const everyType: readonly JsonType[] = ["string", "number", "boolean", "null", "array", "object"]

/** The JSON types that its values may have. */
export function typesOf(schema: TSchema): ReadonlySet<JsonType> {
  return new Set(
    branchesOf(schema).flatMap((shape): readonly JsonType[] => {
      switch (shape[Kind]) {
        case "Unknown":
          return everyType
        case "Never":
        case "Union":
          return []
        case "Literal":
          return [typeOf(shape.const)]
        case "Integer":
          return ["number"]
        case "Tuple":
          return ["array"]
        default:
          return [shape[Kind].toLowerCase() as JsonType]
      }
    }),
  )
}

export interface Property {
  readonly shape: Shape
  /** Some right value lacks it. */
  readonly optional: boolean
}

/** The declared properties of an object, or of each object of a union. */
export function propertiesOf(schema: TSchema): ReadonlyMap<string, Property> {
  const branches = branchesOf(schema)
  const found = new Map<string, { shapes: Shape[]; always: number }>()
  for (const shape of branches) {
    if (shape[Kind] !== "Object") continue
    for (const [key, property] of Object.entries(shape.properties)) {
      const known = found.get(key) ?? { shapes: [], always: 0 }
      known.shapes.push(property)
      if (shape.required?.includes(key)) known.always++
      found.set(key, known)
    }
  }
  return new Map(
    [...found].map(([key, { shapes, always }]) => [
      key,
      { shape: unionOf(shapes), optional: always < branches.length },
    ]),
  )
}

export const propertyOf = (schema: TSchema, key: string): Property | undefined => propertiesOf(schema).get(key)

/** What an element of the array is; undefined where it is never an array. */
export function itemsOf(schema: TSchema): Shape | undefined {
  const items = branchesOf(schema).flatMap((shape): readonly Shape[] => {
    if (shape[Kind] === "Unknown") return [shape]
    if (shape[Kind] === "Array") return [shape.items]
    if (shape[Kind] !== "Tuple") return []
    return [...(shape.items ?? []), ...(shape.additionalItems ? [shape.additionalItems] : [])]
  })
  const isArray = branchesOf(schema).some((shape) => ["Unknown", "Array", "Tuple"].includes(shape[Kind]))
  return isArray ? unionOf(items) : undefined
}

/** What it accepts, in words that fit after "expected": "an integer from 1 to 50000", `one of "USD", "EUR"`. */
export function describe(schema: TSchema): string {
  const known = described.get(schema)
  if (known !== undefined) return known
  const words = describeAnew(schema)
  described.set(schema, words)
  return words
}

/** The same few places are told for every plan. */
const described = new WeakMap<TSchema, string>()

function describeAnew(schema: TSchema): string {
  const shape = asShape(schema)
  switch (shape[Kind]) {
    case "Unknown":
      return "any value"
    case "Never":
      return "no value at all"
    case "Null":
      return "null"
    case "Boolean":
      return "a boolean"
    case "Literal":
      return show(shape.const)
    case "String":
      return `a string${describeString(shape)}`
    case "Number":
    case "Integer":
      return describeNumber(shape)
    case "Array":
      return `an array${counted(shape.minItems ?? 0, shape.maxItems, "item")}`
    case "Tuple":
      return `an array${counted(shape.minItems, shape.additionalItems ? undefined : (shape.items?.length ?? 0), "item")}`
    case "Object":
      return "an object"
    case "Union":
      return describeUnion(branchesOf(shape))
  }
}

/** How many branches of a union are told. */
const shownBranches = 12

function describeUnion(branches: readonly Shape[]): string {
  const words = [...new Set(branches.map(describe))]
  const rest = words.length > shownBranches ? ` (${words.length - shownBranches} more)` : ""
  const shown = words.slice(0, shownBranches)
  if (branches.every(isConstant)) {
    return `one of ${shown.join(", ")}${rest}`
  }
  return `${shown.slice(0, -1).join(", ")}${shown.length > 1 ? " or " : ""}${shown.at(-1)}${rest}`
}

/** Formats whose names say all, to people and to models: the standard's, and zod's. */
const wellKnown: ReadonlySet<string> = new Set([
  ...["date", "time", "date-time", "datetime", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "url"],
  ...["uri-reference", "uri-template", "uuid", "guid", "json-pointer", "relative-json-pointer", "byte", "emoji", "mac"],
  ...["nanoid", "cuid", "cuid2", "ulid", "xid", "ksuid", "cidrv4", "cidrv6", "base64", "base64url", "e164", "jwt"],
  ...["lowercase", "uppercase"],
])

function describeString(shape: StringShape): string {
  const length = counted(shape.minLength ?? 0, shape.maxLength, "character")
  const [pattern] = patternsOf(shape)
  const asked = pattern === undefined ? undefined : `matches ${clip(`/${pattern.source}/${pattern.flags}`)}`
  if (shape.format === undefined) return asked === undefined ? length : `${length} that ${asked}`
  const format = `${length} in the format ${quote(shape.format)}`
  return asked === undefined || wellKnown.has(shape.format) ? format : `${format}, which ${asked}`
}

export const patternsOf = ({ pattern, patterns = [] }: StringRules): readonly PatternRule[] =>
  pattern === undefined ? patterns : [{ source: pattern, flags: "" }, ...patterns]

function counted(min: number, max: number | undefined, noun: string): string {
  const nouns = (count: number): string => `${count} ${noun}${count === 1 ? "" : "s"}`
  if (max === undefined) return min > 0 ? ` of at least ${nouns(min)}` : ""
  if (min === max) return ` of exactly ${nouns(max)}`
  return min > 0 ? ` of ${min} to ${nouns(max)}` : ` of at most ${nouns(max)}`
}

function describeNumber(shape: NumberShape): string {
  const noun = shape[Kind] === "Integer" ? "an integer" : "a number"
  const multiple = shape.multipleOf === undefined ? "" : ` that is a multiple of ${shape.multipleOf}`
  return `${noun}${describeBounds(boundsOf(shape))}${multiple}`
}

export interface Bounds {
  readonly min: number
  readonly max: number
  /** The bound itself is left out. */
  readonly minOpen: boolean
  readonly maxOpen: boolean
}

/** The bounds of a number; those of an integer are drawn in to the integers they let through. */
export function boundsOf(shape: NumberShape): Bounds {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = shape
  const minOpen = exclusiveMinimum >= minimum && exclusiveMinimum > -Infinity
  const maxOpen = exclusiveMaximum <= maximum && exclusiveMaximum < Infinity
  const min = Math.max(minimum, exclusiveMinimum)
  const max = Math.min(maximum, exclusiveMaximum)
  if (shape[Kind] === "Number") return { min, max, minOpen, maxOpen }
  return {
    min: minOpen ? Math.floor(min) + 1 : Math.ceil(min),
    max: maxOpen ? Math.ceil(max) - 1 : Math.floor(max),
    minOpen: false,
    maxOpen: false,
  }
}

function describeBounds({ min, max, minOpen, maxOpen }: Bounds): string {
  // An integer from a reader is safe anyway: those limits tell nobody anything.
  const lower = min > Number.MIN_SAFE_INTEGER ? (minOpen ? `above ${min}` : `of at least ${min}`) : ""
  const upper = max < Number.MAX_SAFE_INTEGER ? (maxOpen ? `below ${max}` : `of at most ${max}`) : ""
  if (lower === "" || upper === "") return lower + upper === "" ? "" : ` ${lower}${upper}`
  return minOpen || maxOpen ? ` ${lower} and ${upper}` : ` from ${min} to ${max}`
}
