/** What changed between two lowered schemas, place by place: nothing is left untold that the catalog's slice would see. */
import { Kind } from "@sinclair/typebox"
import { canonical } from "../../text/canonical.ts"
import type { Json } from "../../text/json.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"
import { type Change, compareSets, compareValues } from "../change.ts"
import { partsOfOpaque } from "./make.ts"
import { plain } from "./plain.ts"
import type { Schema } from "./schema.ts"
import { describe, type ObjectShape, ordered, type Shape } from "./shape.ts"

/** `what` is whose schema it is: "params", "result", "inputs". */
export function compareSchemas(what: string, before: Schema | undefined, after: Schema | undefined): readonly Change[] {
  if (before === undefined || after === undefined) {
    if (before === after) return []
    return [{ what, before: before ? describe(before.shape) : null, after: after ? describe(after.shape) : null }]
  }
  return [
    ...compareShapes({ what, at: root }, before.shape, after.shape),
    ...compareSets(`${what} refinement`, before.functions, after.functions),
    ...compareSets(`${what} secret`, before.sensitive.map(sayMarked), after.sensitive.map(sayMarked)),
  ]
}

const sayMarked = (at: Pointer): string => at || "all of it"

interface Place {
  readonly what: string
  /** Into the schema's value, with `*` for any item or undeclared key. */
  readonly at: Pointer
}

const say = ({ what, at }: Place, detail = ""): string => [what, at, detail].filter((part) => part !== "").join(" ")
const inside = ({ what, at }: Place, key: string | number): Place => ({ what, at: child(at, key) })

function compareShapes(place: Place, before: Shape, after: Shape): readonly Change[] {
  if (before[Kind] === "Union" || after[Kind] === "Union") return compareBranches(place, before, after)
  if (before[Kind] !== after[Kind])
    return [
      { what: say(place), before: describe(before), after: describe(after) },
      ...compareRest(place, before, after),
    ]
  return [...compareInner(place, before, after), ...compareRest(place, before, after)]
}

/** What holds further shapes is compared by them, what they hold besides by its keywords. */
const holders: readonly string[] = [
  "type",
  "not",
  "properties",
  "required",
  "items",
  "anyOf",
  "additionalProperties",
  "additionalItems",
  "propertyNames",
]

/** Keywords with plain values. Where the kinds differ those of one kind alone go without saying. */
function compareRest(place: Place, before: Shape, after: Shape): readonly Change[] {
  const [one, other] = [before, after] as unknown as readonly [Keywords, Keywords]
  const sameKind = before[Kind] === after[Kind]
  const changes = [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((keyword) => !holders.includes(keyword) && (sameKind || keyword === "opaque"))
    .map((keyword) => [keyword, compareKeyword(keyword, place, one[keyword], other[keyword])] as const)
  const changed = new Set(changes.flatMap(([keyword, told]) => (told.length > 0 ? [keyword] : [])))
  return changes.flatMap(([keyword, told]) => (leaders[keyword]?.some((leader) => changed.has(leader)) ? [] : told))
}

/** How something is counted comes and goes with what is counted: it is told only where it alone has changed. */
const leaders: { readonly [keyword: string]: readonly string[] } = {
  lengthIn: ["minLength", "maxLength"],
  multipleBy: ["multipleOf"],
}

function compareKeyword(
  keyword: string,
  place: Place,
  before: Json | undefined,
  after: Json | undefined,
): readonly Change[] {
  if (keyword !== "opaque") return compareValues(say(place, keyword), before, after)
  // What the author's own validator asks beyond the shape.
  const words = (what: Json | undefined): Json | undefined =>
    typeof what === "string" ? partsOfOpaque(what).join("; ") : what
  return compareValues(say(place, "check"), words(before), words(after))
}

type Keywords = { readonly [keyword: string]: Json | undefined }

function compareInner(place: Place, before: Shape, after: Shape): readonly Change[] {
  if (before[Kind] === "Object" && after[Kind] === "Object") return compareObjects(place, before, after)
  if (before[Kind] === "Array" && after[Kind] === "Array")
    return compareShapes(inside(place, "*"), before.items, after.items)
  if (before[Kind] !== "Tuple" || after[Kind] !== "Tuple") return []
  const [one, other] = [before.items ?? [], after.items ?? []]
  const length = Math.max(one.length, other.length)
  return [
    ...Array.from({ length }, (_, index) => compareMaybe(inside(place, index), one[index], other[index])).flat(),
    ...compareMaybe(inside(place, "*"), before.additionalItems, after.additionalItems),
  ]
}

/** `false` is none, `true` any. */
function compareMaybe(
  place: Place,
  before: Shape | boolean | undefined,
  after: Shape | boolean | undefined,
): readonly Change[] {
  if (typeof before === "object" && typeof after === "object") return compareShapes(place, before, after)
  return before === after ? [] : [{ what: say(place), before: sayMaybe(before), after: sayMaybe(after) }]
}

const sayMaybe = (shape: Shape | boolean | undefined): string | null =>
  typeof shape === "object" ? describe(shape) : shape === true ? "any value" : null

function compareObjects(place: Place, before: ObjectShape, after: ObjectShape): readonly Change[] {
  const [needed, needs] = [new Set(before.required), new Set(after.required)]
  const keys = new Set([...Object.keys(before.properties), ...Object.keys(after.properties), ...needed, ...needs])
  const properties = [...keys].flatMap((key): readonly Change[] => {
    const [one, other] = [ownOf(before, key), ownOf(after, key)]
    const [was, is] = [sayNeed(needed.has(key)), sayNeed(needs.has(key))]
    const at = inside(place, key)
    if (one !== undefined && other !== undefined) {
      const need = was === is ? [] : [{ what: say(at), before: was, after: is }]
      return [...need, ...compareShapes(at, one, other)]
    }
    const words = (shape: Shape | undefined, need: string): string | null =>
      shape ? `${need}, ${describe(shape)}` : null
    if (one === other) return was === is ? [] : [{ what: say(at), before: was, after: is }]
    return [{ what: say(at), before: words(one, was), after: words(other, is) }]
  })
  return [
    ...properties,
    ...compareMaybe(inside(place, "*"), openOf(before), openOf(after)),
    ...compareMaybe({ ...place, what: `${place.what} undeclared keys` }, before.propertyNames, after.propertyNames),
  ]
}

const ownOf = ({ properties }: ObjectShape, key: string): Shape | undefined =>
  Object.hasOwn(properties, key) ? properties[key] : undefined
const sayNeed = (needed: boolean): string => (needed ? "required" : "optional")
const openOf = ({ additionalProperties = true }: ObjectShape): Shape | boolean => additionalProperties

/** Branches that both have are left out. If each then has one more, it is that one which changed. */
function compareBranches(place: Place, before: Shape, after: Shape): readonly Change[] {
  const [one, other] = [keyed(before), keyed(after)]
  const [gone, come] = [without(one, other), without(other, one)]
  const rest = compareKeyword("opaque", place, opaqueOf(before), opaqueOf(after))
  const [[left], [right]] = [gone, come]
  if (gone.length === 1 && come.length === 1 && left !== undefined && right !== undefined)
    return [...compareShapes(place, left, right), ...rest]
  const alternatives: readonly Change[] = [
    ...gone.map((shape) => ({ what: say(place, "alternative"), before: describe(shape), after: null })),
    ...come.map((shape) => ({ what: say(place, "alternative"), before: null, after: describe(shape) })),
  ]
  const moved = gone.length + come.length === 0 && [...one.keys()].join() !== [...other.keys()].join()
  const order = moved
    ? [{ what: say(place, "order of alternatives"), before: describe(before), after: describe(after) }]
    : []
  return [...alternatives, ...order, ...rest]
}

/** A union's own branches; any other shape is its own only one. By what the slice sees of them. */
function keyed(shape: Shape): ReadonlyMap<string, Shape> {
  const inOrder = ordered(shape)
  const branches = inOrder[Kind] === "Union" ? inOrder.anyOf : [inOrder]
  return new Map(branches.map((branch) => [canonical(plain(branch)), branch]))
}

const without = (all: ReadonlyMap<string, Shape>, others: ReadonlyMap<string, Shape>): readonly Shape[] =>
  [...all].flatMap(([key, shape]) => (others.has(key) ? [] : [shape]))

/** That of a branch is compared with it. */
const opaqueOf = (shape: Shape): string | undefined => (shape[Kind] === "Union" ? shape.opaque : undefined)
