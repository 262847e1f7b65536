/** Judges a value with holes: everything round the expressions whose value is not known yet. */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { Json } from "../../text/json.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import { fits, type Patience } from "./accept.ts"
import type { Fit } from "./fit.ts"
import { type Gauge, gaugeOf, type ListGauge, type ObjectGauge, type UnionGauge } from "./gauge.ts"
import { literalOf, unionOf } from "./make.ts"
import { stepsMax } from "./pattern-cost.ts"
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

/** What is known of the holes, and who is told of them. */
export interface Holes<H extends Hole> {
  /** Which shape each must have. In a union that is a union too, of what the branches ask that are still possible. */
  readonly onHole: (hole: H, shape: TSchema) => void
  /** Does what will stand there fit? Left out where nothing is known. */
  readonly fit?: (hole: H, shape: TSchema) => Fit
  /**
   * Each hole may be right by itself, and yet they may not be right together: no one branch of the union here is sure to
   * hold for all of them. The whole must be judged once the values are known.
   */
  readonly onUnsure?: (at: Pointer) => void
}

/** What is wrong with a pattern; empty where nothing is. */
export function judgePattern<H extends Hole>(
  shape: TSchema,
  pattern: Pattern<H>,
  holes: Holes<H> | Holes<H>["onHole"],
): readonly Misfit[] {
  const told = typeof holes === "function" ? { onHole: holes } : holes
  const patience = { left: stepsMax }
  const found = judge(gaugeOf(shape), pattern, { ...told, patience }, undefined)
  if (patience.left >= 0) return found ?? none
  const expected = `texts that take no more than ${stepsMax} steps to hold against their patterns`
  return [{ at: pattern.at, kind: "value", expected, found: "longer" }]
}

interface Judging<H extends Hole> extends Holes<H> {
  readonly patience: Patience
}

/** Shared by all that is right. */
const none: readonly Misfit[] = Object.freeze([])

/** Nothing is allocated as long as nothing is wrong. */
type Found = Misfit[] | undefined

function add(found: Found, misfit: Misfit): Misfit[] {
  if (found === undefined) return [misfit]
  found.push(misfit)
  return found
}

/** A value may be wrong in a hundred thousand places: nobody reads so many, and each costs its words. */
const most = 200

const isFull = (found: Found): boolean => found !== undefined && found.length >= most

/** Gives back `found`, with what is found here. */
function judge<H extends Hole>(gauge: Gauge, pattern: Pattern<H>, holes: Judging<H>, found: Found): Found {
  if (isLiteral(pattern))
    return fits(gauge, pattern.value, holes.patience) ? found : explain(gauge, open(pattern), holes, found)
  if (isContainer(pattern)) return explain(gauge, pattern, holes, found)
  holes.onHole(pattern, gauge.shape)
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
function explain<H extends Hole>(gauge: Gauge, pattern: Opened<H>, holes: Judging<H>, found: Found): Found {
  switch (gauge.kind) {
    case "any":
      return judgeInside(gauge, pattern, holes, found)
    case "list":
      return pattern.kind === "array" ? judgeItems(gauge, pattern, holes, found) : add(found, misfit(gauge, pattern))
    case "object":
      return pattern.kind === "object" ? judgeEntries(gauge, pattern, holes, found) : add(found, misfit(gauge, pattern))
    case "union":
      return judgeBranches(gauge, pattern, holes, found)
    default:
      return add(found, misfit(gauge, pattern))
  }
}

/** Anything is right here: only the holes are of interest. */
function judgeInside<H extends Hole>(gauge: Gauge, pattern: Opened<H>, holes: Judging<H>, found: Found): Found {
  if (pattern.kind === "array") for (const item of pattern.items) judge(gauge, item, holes, undefined)
  if (pattern.kind === "object") for (const [, value] of pattern.entries) judge(gauge, value, holes, undefined)
  return found
}

function judgeItems<H extends Hole>(
  gauge: ListGauge,
  pattern: ArrayPattern<H>,
  holes: Judging<H>,
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
    if (inner !== undefined) all = judge(inner, items[index] as Pattern<H>, holes, all)
    if (isFull(all)) return all
  }
  return all
}

function judgeEntries<H extends Hole>(
  gauge: ObjectGauge,
  pattern: ObjectPattern<H>,
  holes: Judging<H>,
  found: Found,
): Found {
  let all = found
  let required = 0
  for (const [key, value] of pattern.entries) {
    if (isFull(all)) return all
    const property = gauge.byKey.get(key)
    if (property !== undefined) {
      if (property.required) required++
      all = judge(property.gauge, value, holes, all)
    } else if (
      gauge.additional !== undefined &&
      (gauge.names === undefined || fits(gauge.names, key, holes.patience))
    ) {
      all = judge(gauge.additional, value, holes, all)
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
function judgeBranches<H extends Hole>(gauge: UnionGauge, pattern: Opened<H>, holes: Judging<H>, found: Found): Found {
  const wanted = pattern.kind === "array" ? "list" : pattern.kind
  const possible = gauge.branches.filter(({ kind }) => kind === wanted || kind === "any")
  const [only] = possible
  if (only === undefined) return add(found, misfit(gauge, pattern))
  if (possible.length === 1) return explain(only, pattern, holes, found)
  if (pattern.kind !== "object" || gauge.tag === undefined) return tryBranches(possible, pattern, holes, found)
  const { key, branchOf } = gauge.tag
  const value = pattern.entries.find(([name]) => name === key)?.[1]
  if (value !== undefined && !isLiteral(value)) return tryBranches(possible, pattern, holes, found)
  const branch = branchOf.get(value?.value)
  if (branch !== undefined) return explain(branch, pattern, holes, found)
  const tags = [...branchOf.keys()] as readonly Scalar[]
  const expected = describe(unionOf(tags.map(literalOf)))
  const known = tags.filter((tag) => typeof tag === "string")
  return value === undefined
    ? add(found, { at: pattern.at, kind: "missing", expected, found: "nothing", key, known })
    : add(found, { at: value.at, kind: "value", expected, found: show(value.value), known })
}

/** One branch, with what it asks of the holes. */
interface Trial<H extends Hole> {
  readonly misfits: Found
  readonly asked: readonly Asked<H>[]
  /** A union further in, for whose holes no branch is sure. */
  readonly unsure: boolean
}

interface Asked<H extends Hole> {
  readonly hole: H
  readonly shape: TSchema
  readonly fit: Fit
}

/** A branch must hold for all holes together: one that some hole never fits is out. */
function tryBranches<H extends Hole>(
  branches: readonly Gauge[],
  pattern: Opened<H>,
  holes: Judging<H>,
  found: Found,
): Found {
  const trials = branches.map((branch) => tryBranch(branch, pattern, holes))
  const right = trials.filter(({ misfits }) => misfits === undefined)
  if (right.length === 0) {
    const lists = trials.map(({ misfits = [] }) => misfits)
    const nearest = lists.reduce((one, other) => (other.length < one.length ? other : one))
    return nearest.reduce<Found>(add, found)
  }
  const possible = right.filter(({ asked }) => countOf(asked, "never-fits") === 0)
  if (possible.length === 0) {
    const nearest = right.reduce((one, other) =>
      countOf(other.asked, "never-fits") < countOf(one.asked, "never-fits") ? other : one,
    )
    for (const { hole, shape } of nearest.asked) holes.onHole(hole, shape)
    return found
  }
  // Every branch that is right has met the same holes in the same order.
  possible[0]?.asked.forEach(({ hole }, index) => {
    holes.onHole(hole, unionOf(possible.flatMap(({ asked }) => asked[index]?.shape ?? []).map(asShape)))
  })
  if (!isSure(possible)) holes.onUnsure?.(pattern.at)
  return found
}

function tryBranch<H extends Hole>(branch: Gauge, pattern: Opened<H>, { fit, patience }: Judging<H>): Trial<H> {
  const asked: Asked<H>[] = []
  let unsure = false
  const misfits = explain(
    branch,
    pattern,
    {
      onHole: (hole, shape) => asked.push({ hole, shape, fit: fit?.(hole, shape) ?? "may-fit" }),
      ...(fit === undefined ? {} : { fit }),
      patience,
      onUnsure: () => {
        unsure = true
      },
    },
    undefined,
  )
  return { misfits, asked, unsure }
}

const countOf = (asked: readonly { readonly fit: Fit }[], verdict: Fit): number =>
  asked.filter(({ fit }) => fit === verdict).length

/** If each hole is judged by itself, is some branch then right? Where one hole alone is in doubt it has chosen the branch. */
function isSure<H extends Hole>(possible: readonly Trial<H>[]): boolean {
  if (possible.some(({ asked, unsure }) => !unsure && countOf(asked, "fits") === asked.length)) return true
  if (possible.some(({ unsure }) => unsure)) return false
  const [first] = possible
  const doubtful = first?.asked.filter((_, index) => possible.some(({ asked }) => asked[index]?.fit !== "fits")) ?? []
  return possible.length === 1 || doubtful.length < 2
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
