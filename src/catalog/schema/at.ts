/** Which shape stands at a pointer, and whether every right value has something there. */
import { Kind, type TSchema } from "@sinclair/typebox"
import { accepts } from "./accept.ts"
import { unionOf } from "./make.ts"
import {
  type ArrayShape,
  asShape,
  branchesOf,
  type ObjectShape,
  type Shape,
  type TupleShape,
  type UnionShape,
} from "./shape.ts"

export type Place =
  /** `certain`: every right value has something there. */
  { readonly ok: true; readonly shape: Shape; readonly certain: boolean } | NoPlace

export interface NoPlace {
  readonly ok: false
  /** Of the token at fault. */
  readonly index: number
  readonly why: "absent" | "optional" | "not-a-container" | "not-an-index"
  /** The keys that are declared there. */
  readonly known: readonly string[]
}

/** A value that may be there, but not by right: what the author lets be left out. */
interface Optional extends NoPlace {
  readonly why: "optional"
  readonly shape: Shape
}

type Way = Place | Optional

/**
 * Follows a pointer's tokens. A key that is not declared is absent, even where the object is open: what nobody declared
 * is out of reach. Keys of a record or a catchall may be there.
 */
export const shapeAt = (shape: TSchema, tokens: readonly string[]): Place => follow(shape, tokens, 0)

function follow(schema: TSchema, tokens: readonly string[], index: number): Way {
  const shape = asShape(schema)
  const token = tokens[index]
  if (token === undefined) return { ok: true, shape, certain: true }
  return shape[Kind] === "Union" ? followBranches(shape, tokens, index) : step(shape, token, tokens, index)
}

function followBranches(union: UnionShape, tokens: readonly string[], index: number): Way {
  // What never is has no value that could lack anything.
  const ways = branchesOf(union)
    .filter((branch) => branch[Kind] !== "Never")
    .map((branch) => follow(branch, tokens, index))
  const shape = unionOf(ways.flatMap((way) => ("shape" in way ? [way.shape] : [])))
  if (ways.some((way) => way.ok)) return { ok: true, shape, certain: ways.every((way) => way.ok && way.certain) }
  const end = furthest(ways.filter((way) => !way.ok)) ?? lost(index, "absent")
  return end.why === "optional" ? { ...end, why: end.why, shape } : end
}

/** Of several ways that end: one that may lead there; else the one that went furthest. */
function furthest(ends: readonly NoPlace[]): NoPlace | undefined {
  const rank = (end: NoPlace): number =>
    end.why === "optional" ? Number.MAX_SAFE_INTEGER : 3 * end.index + reasons.indexOf(end.why)
  const [best] = ends.toSorted((one, other) => rank(other) - rank(one))
  if (best === undefined) return undefined
  const known = ends.filter(({ index }) => index === best.index).flatMap((end) => end.known)
  return { ...best, known: [...new Set(known)] }
}

const reasons: readonly NoPlace["why"][] = ["not-a-container", "not-an-index", "absent"]

const lost = (index: number, why: NoPlace["why"], known: readonly string[] = []): NoPlace => ({
  ok: false,
  index,
  why,
  known,
})

function step(shape: Shape, token: string, tokens: readonly string[], index: number): Way {
  switch (shape[Kind]) {
    case "Unknown":
      return { ok: true, shape, certain: false }
    case "Object":
      return stepInObject(shape, token, tokens, index)
    case "Array":
    case "Tuple":
      return stepInArray(shape, token, tokens, index)
    case "Never":
      return lost(index, "absent")
    default:
      return lost(index, "not-a-container")
  }
}

function stepInObject(shape: ObjectShape, token: string, tokens: readonly string[], index: number): Way {
  const { properties, required, additionalProperties: additional, propertyNames: names } = shape
  const property = Object.hasOwn(properties, token) ? properties[token] : undefined
  if (property !== undefined) {
    const inner = follow(property, tokens, index + 1)
    if (required?.includes(token) || !("shape" in inner)) return inner
    return { ok: false, index, why: "optional", known: Object.keys(properties), shape: inner.shape }
  }
  if (typeof additional !== "object" || (names !== undefined && !accepts(names, token))) {
    return lost(index, "absent", Object.keys(properties))
  }
  return perhaps(follow(additional, tokens, index + 1))
}

/** RFC 6901, section 4: digits without a leading zero. "-" is the item after the last, which never is. */
const arrayIndex = /^(?:0|[1-9][0-9]*)$/

function stepInArray(shape: ArrayShape | TupleShape, token: string, tokens: readonly string[], index: number): Way {
  if (!arrayIndex.test(token)) return lost(index, "not-an-index")
  const { item, always } = itemAt(shape, Number(token))
  if (item === undefined) return lost(index, "absent")
  const place = follow(item, tokens, index + 1)
  return always ? place : perhaps(place)
}

function itemAt(shape: ArrayShape | TupleShape, at: number): { item: Shape | undefined; always: boolean } {
  const { minItems = 0 } = shape
  const always = at < minItems
  if (shape[Kind] === "Array") return { item: at < (shape.maxItems ?? Infinity) ? shape.items : undefined, always }
  return { item: shape.items?.[at] ?? (shape.additionalItems || undefined), always }
}

const perhaps = (place: Way): Way => (place.ok ? { ...place, certain: false } : place)
