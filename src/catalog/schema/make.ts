/** Makes shapes. */
import { Kind, type TSchema } from "@sinclair/typebox"
import { sha256 } from "#sha256"
import { textOf } from "./plain.ts"
import type {
  ArrayShape,
  BooleanShape,
  LiteralShape,
  NeverShape,
  NullShape,
  NumberRules,
  NumberShape,
  ObjectShape,
  Scalar,
  Shape,
  StringRules,
  StringShape,
  TupleShape,
  UnionShape,
  UnknownShape,
} from "./shape.ts"

/** TypeBox's own type asks for members that exist for the compiler only, hence the cast. */
const make = <S extends Shape>(kind: S[typeof Kind], keywords: object): S =>
  ({ [Kind]: kind, ...keywords }) as unknown as S

export const unknown = make<UnknownShape>("Unknown", {})
export const never = make<NeverShape>("Never", { not: {} })
export const nothing = make<NullShape>("Null", { type: "null" })
export const boolean = make<BooleanShape>("Boolean", { type: "boolean" })

export const stringOf = (rules: StringRules): StringShape => make("String", { type: "string", ...rules })

export const numberOf = (kind: "Number" | "Integer", rules: NumberRules): NumberShape =>
  make(kind, { type: kind === "Integer" ? "integer" : "number", ...rules })

export const literalOf = (value: Scalar): LiteralShape | NullShape =>
  value === null ? nothing : make<LiteralShape>("Literal", { const: value, type: typeof value })

export const arrayOf = (items: Shape, rules: { readonly minItems?: number; readonly maxItems?: number }): ArrayShape =>
  make("Array", { type: "array", items, ...rules })

export const tupleOf = (items: readonly Shape[], minItems: number, additionalItems: Shape | false): TupleShape =>
  make("Tuple", {
    type: "array",
    items,
    additionalItems,
    minItems,
    ...(additionalItems === false ? { maxItems: items.length } : {}),
  })

export interface ObjectParts {
  readonly properties: ReadonlyMap<string, Shape>
  readonly required: readonly string[]
  readonly additionalProperties?: Shape | boolean
  readonly propertyNames?: Shape
}

export const objectOf = ({ properties, ...rest }: ObjectParts): ObjectShape =>
  make("Object", { type: "object", properties: Object.fromEntries(properties), ...rest })

/** Any of them. Nested unions, repetitions and what never is are left out. */
export function unionOf(shapes: readonly Shape[]): Shape {
  const [only] = shapes
  if (only !== undefined && shapes.length === 1 && only[Kind] !== "Union") return only
  const distinct = new Map<string, Shape>()
  for (const shape of shapes) {
    const nested = shape[Kind] === "Union" && shape.opaque === undefined ? shape.anyOf : [shape]
    for (const branch of nested) if (branch[Kind] !== "Never") distinct.set(JSON.stringify(branch), branch)
  }
  const branches = [...distinct.values()]
  const [first] = branches
  if (first === undefined) return never
  if (branches.length === 1) return first
  const all = branches.find(isAnything)
  return all ?? make<UnionShape>("Union", { anyOf: branches })
}

/** It lets every value through, and says so. */
export const isAnything = (shape: Shape): boolean => shape[Kind] === "Unknown" && shape.opaque === undefined

/** The same shape, of which the author's validator knows more than it says: `what`. All of it must hold, in any order. */
export function opaque<S extends Shape>(shape: S, what: string): S {
  const parts = new Set([...partsOfOpaque(shape.opaque ?? ""), ...partsOfOpaque(what).map(shorten)])
  return { ...shape, opaque: [...parts].sort().join("\n") }
}

export const partsOfOpaque = (what: string): readonly string[] => (what === "" ? [] : what.split("\n"))

/** UTF-16 units. Texts that hold texts, each quoted anew, grow without end: a hash says as well that they changed. */
const textMax = 4_000

const shorten = (text: string): string =>
  text.length > textMax ? `${text.slice(0, 100)} (SHA-256 ${sha256(text)})` : text

/** Two shapes that must both hold, as text. */
export const both = (one: Shape, other: Shape): string => `both ${[textOf(one), textOf(other)].sort().join(", ")}`

/** Both at once; undefined where that cannot be said in one object. Either one's open keys stay open. */
export function mergeObjects(one: ObjectShape, other: ObjectShape): ObjectShape | undefined {
  const parts = [one, other]
  if (parts.some((part) => typeof part.additionalProperties === "object" || part.propertyNames)) return undefined
  const properties = new Map(Object.entries(one.properties))
  for (const [key, shape] of Object.entries(other.properties)) {
    const known = properties.get(key)
    const same = known === undefined || sameShape(known, shape)
    properties.set(key, same ? shape : opaque(unknown, both(known, shape)))
  }
  const merged = objectOf({
    properties,
    required: [...new Set(parts.flatMap((part) => part.required ?? []))],
    additionalProperties: parts.some((part) => part.additionalProperties !== false),
  })
  return parts.reduce((shape, part) => (part.opaque === undefined ? shape : opaque(shape, part.opaque)), merged)
}

/** No spot of it is opaque. */
export function isExact(schema: TSchema): boolean {
  const shape = schema as Shape
  if (shape.opaque !== undefined) return false
  switch (shape[Kind]) {
    case "Array":
      return isExact(shape.items)
    case "Tuple":
      return (shape.items ?? []).every(isExact) && (!shape.additionalItems || isExact(shape.additionalItems))
    case "Object":
      return (
        Object.values(shape.properties).every(isExact) &&
        (typeof shape.additionalProperties !== "object" || isExact(shape.additionalProperties)) &&
        (shape.propertyNames === undefined || isExact(shape.propertyNames))
      )
    case "Union":
      return shape.anyOf.every(isExact)
    default:
      return true
  }
}

export const sameShape = (one: Shape, other: Shape): boolean => JSON.stringify(one) === JSON.stringify(other)
