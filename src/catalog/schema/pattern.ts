/** Judges a value with holes: everything round the expressions whose value is not known yet. */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { Json } from "../../text/json.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import { fits } from "./accept.ts"
import { type Gauge, gaugeOf, type ListGauge, type ObjectGauge, type UnionGauge } from "./gauge.ts"
import { literalOf, unionOf } from "./make.ts"
import { asShape, branchesOf, describe, type Scalar, typeOf, typesOf } from "./shape.ts"
import { show } from "./show.ts"

/** A JSON value with holes in it. Subtrees without a hole are one literal. `H` is any other kind. */
export type Pattern<H extends Hole> = LiteralPattern | ObjectPattern<H> | ArrayPattern<H> | H

interface Hole {
  readonly kind: string
  readonly at: Pointer
}

interface LiteralPattern {
  readonly kind: "literal"
  readonly at: Pointer
  readonly value: Json
}

interface ObjectPattern<H extends Hole> {
  readonly kind: "object"
  readonly at: Pointer
  readonly entries: readonly (readonly [string, Pattern<H>])[]
}

interface ArrayPattern<H extends Hole> {
  readonly kind: "array"
  readonly at: Pointer
  readonly items: readonly Pattern<H>[]
}

export interface Misfit {
  /** The value at fault; for a missing key its object. */
  readonly at: Pointer
  /** Of the wrong kind; a key that must be there; a key that is not declared; of the right kind, but not right. */
  readonly kind: "type" | "missing" | "unknown" | "value"
  /** In words that fit after "expected". */
  readonly expected: string
  /** In words that fit after "found". */
  readonly found: string
  readonly key?: string
  /** Declared keys, or the strings that would be right: to guess what was meant. */
  readonly known?: readonly string[]
  /** What keys must look like that are not declared one by one, in words. */
  readonly keys?: string
}

/**
 * What is wrong with a pattern; empty where nothing is. `onHole` is told which shape each hole must have. In a union
 * that is a union too, of what the branches that are still possible ask for.
 */
export function judgePattern<H extends Hole>(
  shape: TSchema,
  pattern: Pattern<H>,
  onHole: (hole: H, shape: TSchema) => void,
): readonly Misfit[] {
  return judge(gaugeOf(shape), pattern, onHole, undefined) ?? none
}

/** Shared by all that is right. */
const none: readonly Misfit[] = Object.freeze([])

/** Nothing is allocated as long as nothing is wrong. */
type Found = Misfit[] | undefined
type OnHole<H extends Hole> = (hole: H, shape: TSchema) => void

function add(found: Found, misfit: Misfit): Misfit[] {
  if (found === undefined) return [misfit]
  found.push(misfit)
  return found
}

/** A value may be wrong in a hundred thousand places: nobody reads so many, and each costs its words. */
const most = 200

const isFull = (found: Found): boolean => found !== undefined && found.length >= most

/** Gives back `found`, with what is found here. */
function judge<H extends Hole>(gauge: Gauge, pattern: Pattern<H>, onHole: OnHole<H>, found: Found): Found {
  if (isLiteral(pattern)) return fits(gauge, pattern.value) ? found : explain(gauge, open(pattern), onHole, found)
  if (isContainer(pattern)) return explain(gauge, pattern, onHole, found)
  onHole(pattern, gauge.shape)
  return found
}

const isLiteral = <H extends Hole>(pattern: Pattern<H>): pattern is LiteralPattern => pattern.kind === "literal"

const isContainer = <H extends Hole>(pattern: Pattern<H>): pattern is ObjectPattern<H> | ArrayPattern<H> =>
  pattern.kind === "object" || pattern.kind === "array"

type Opened<H extends Hole> = LiteralPattern | ObjectPattern<H> | ArrayPattern<H>

/** A literal container as a pattern, one level deep, so that faults in it are told by the same code. */
function open({ at, value }: LiteralPattern): Opened<never> {
  const literal = (token: string | number, inner: Json): LiteralPattern => ({
    kind: "literal",
    at: child(at, token),
    value: inner,
  })
  if (Array.isArray(value)) return { kind: "array", at, items: value.map((item, index) => literal(index, item)) }
  if (typeof value !== "object" || value === null) return { kind: "literal", at, value }
  return { kind: "object", at, entries: Object.entries(value).map(([key, inner]) => [key, literal(key, inner)]) }
}

/** `pattern` is a container, or a literal scalar that does not fit. */
function explain<H extends Hole>(gauge: Gauge, pattern: Opened<H>, onHole: OnHole<H>, found: Found): Found {
  switch (gauge.kind) {
    case "any":
      return judgeInside(gauge, pattern, onHole, found)
    case "list":
      return pattern.kind === "array" ? judgeItems(gauge, pattern, onHole, found) : add(found, misfit(gauge, pattern))
    case "object":
      return pattern.kind === "object"
        ? judgeEntries(gauge, pattern, onHole, found)
        : add(found, misfit(gauge, pattern))
    case "union":
      return judgeBranches(gauge, pattern, onHole, found)
    default:
      return add(found, misfit(gauge, pattern))
  }
}

/** Anything is right here: only the holes are of interest. */
function judgeInside<H extends Hole>(gauge: Gauge, pattern: Opened<H>, onHole: OnHole<H>, found: Found): Found {
  if (pattern.kind === "array") for (const item of pattern.items) judge(gauge, item, onHole, undefined)
  if (pattern.kind === "object") for (const [, value] of pattern.entries) judge(gauge, value, onHole, undefined)
  return found
}

function judgeItems<H extends Hole>(
  gauge: ListGauge,
  pattern: ArrayPattern<H>,
  onHole: OnHole<H>,
  found: Found,
): Found {
  const { items, at } = pattern
  if (items.length < gauge.min || items.length > gauge.max) {
    const counted = `an array of ${items.length} item${items.length === 1 ? "" : "s"}`
    return add(found, { at, kind: "value", expected: describe(gauge.shape), found: counted })
  }
  let all = found
  for (let index = 0; index < items.length; index++) {
    const inner = gauge.items[index] ?? gauge.rest
    if (inner !== undefined) all = judge(inner, items[index] as Pattern<H>, onHole, all)
    if (isFull(all)) return all
  }
  return all
}

function judgeEntries<H extends Hole>(
  gauge: ObjectGauge,
  pattern: ObjectPattern<H>,
  onHole: OnHole<H>,
  found: Found,
): Found {
  let all = found
  let required = 0
  for (const [key, value] of pattern.entries) {
    if (isFull(all)) return all
    const property = gauge.byKey.get(key)
    if (property !== undefined) {
      if (property.required) required++
      all = judge(property.gauge, value, onHole, all)
    } else if (gauge.additional !== undefined && (gauge.names === undefined || fits(gauge.names, key))) {
      all = judge(gauge.additional, value, onHole, all)
    } else {
      all = add(all, undeclared(gauge, pattern.at, key))
    }
  }
  return required === gauge.requiredCount ? all : addMissing(gauge, pattern, all)
}

function undeclared({ names, properties }: ObjectGauge, at: Pointer, key: string): Misfit {
  const known = properties.map((declared) => declared.key)
  const keys = names === undefined ? undefined : describe(names.shape)
  const expected = keys === undefined ? "a declared key" : `a key that is ${keys}`
  const misfit = { at: child(at, key), kind: "unknown", expected, found: show(key), key, known } as const
  return keys === undefined ? misfit : { ...misfit, keys }
}

function addMissing<H extends Hole>(gauge: ObjectGauge, { at, entries }: ObjectPattern<H>, found: Found): Found {
  const given = new Set(entries.map(([key]) => key))
  let all = found
  for (const { key, required, gauge: inner } of gauge.properties) {
    if (!required || given.has(key)) continue
    if (isFull(all)) return all
    all = add(all, { at, kind: "missing", expected: describe(inner.shape), found: "nothing", key })
  }
  return all
}

/** The branch that was meant, where that can be told; else every branch that may still be right. */
function judgeBranches<H extends Hole>(gauge: UnionGauge, pattern: Opened<H>, onHole: OnHole<H>, found: Found): Found {
  const wanted = pattern.kind === "array" ? "list" : pattern.kind
  const possible = gauge.branches.filter(({ kind }) => kind === wanted || kind === "any")
  const [only] = possible
  if (only === undefined) return add(found, misfit(gauge, pattern))
  if (possible.length === 1) return explain(only, pattern, onHole, found)
  if (pattern.kind !== "object" || gauge.tag === undefined) return tryBranches(possible, pattern, onHole, found)
  const { key, branchOf } = gauge.tag
  const value = pattern.entries.find(([name]) => name === key)?.[1]
  if (value !== undefined && !isLiteral(value)) return tryBranches(possible, pattern, onHole, found)
  const branch = branchOf.get(value?.value)
  if (branch !== undefined) return explain(branch, pattern, onHole, found)
  const tags = [...branchOf.keys()] as readonly Scalar[]
  const expected = describe(unionOf(tags.map(literalOf)))
  const known = tags.filter((tag) => typeof tag === "string")
  return value === undefined
    ? add(found, { at: pattern.at, kind: "missing", expected, found: "nothing", key, known })
    : add(found, { at: value.at, kind: "value", expected, found: show(value.value), known })
}

interface Trial<H extends Hole> {
  readonly misfits: Found
  readonly holes: readonly (readonly [hole: H, shape: TSchema])[]
}

function tryBranches<H extends Hole>(
  branches: readonly Gauge[],
  pattern: Opened<H>,
  onHole: OnHole<H>,
  found: Found,
): Found {
  const trials = branches.map((branch): Trial<H> => {
    const holes: [H, TSchema][] = []
    const misfits = explain(branch, pattern, (hole, shape) => holes.push([hole, shape]), undefined)
    return { misfits, holes }
  })
  const right = trials.filter(({ misfits }) => misfits === undefined)
  if (right.length === 0) {
    const lists = trials.map(({ misfits = [] }) => misfits)
    const nearest = lists.reduce((one, other) => (other.length < one.length ? other : one))
    return nearest.reduce<Found>(add, found)
  }
  // Every branch that is right has met the same holes in the same order.
  right[0]?.holes.forEach(([hole], index) => {
    onHole(hole, unionOf(right.flatMap(({ holes }) => holes[index]?.[1] ?? []).map(asShape)))
  })
  return found
}

function misfit<H extends Hole>({ shape }: Gauge, pattern: Opened<H>): Misfit {
  const value = pattern.kind === "literal" ? pattern.value : pattern.kind === "array" ? [] : {}
  const kind = typesOf(shape).has(typeOf(value)) ? "value" : "type"
  const words = { at: pattern.at, kind, expected: describe(shape), found: show(value) } as const
  const known = branchesOf(shape).flatMap((branch) =>
    branch[Kind] === "Literal" && typeof branch.const === "string" ? [branch.const] : [],
  )
  return known.length === 0 ? words : { ...words, known }
}
