/**
 * Patterns that a text could make slow are refused, or its length is bounded: no judgement may hold the event loop.
 * Patterns that take a few steps for each character are let through, and judging counts the steps. One that is polynomial is let through where the shape bounds the length of the text,
 * and how often it is asked, before the author's validator sees it; where nothing bounds the text of a quadratic one, its
 * length is bounded here.
 */
import { Kind } from "@sinclair/typebox"
import { child, type Pointer, root } from "../../text/pointer.ts"
import { mayCheck } from "./effort.ts"
import { type Findings, type FoundPattern, hideFrom } from "./front-end/findings.ts"
import { isExact } from "./make.ts"
import { costOf, isSlow, nameOf, stepsFor, stepsMax } from "./pattern-cost.ts"
import type { SchemaFault } from "./schema.ts"
import { type PatternRule, patternsOf, type Shape, type StringShape } from "./shape.ts"

/** A text is not bounded to less than this: rather the schema is refused. */
const boundMin = 256

export function guardPatterns(shape: Shape, findings: Findings): Shape {
  const { patterns, faults, effort } = findings
  faults.push(...patterns.filter(({ rule }) => !mayCheck(effort, rule)).map(uncheckedOf))
  if (faults.length > 0) return shape
  if (findings.recursive) hideFrom(findings, 0)
  const slow = patterns.filter(({ rule }) => isSlow(rule))
  for (const found of slow) if (found.hidden || costOf(found.rule).degree === Infinity) faults.push(faultOf(found))
  if (slow.length === 0 || faults.length > 0) return shape
  const spots = [...spotsIn(shape, root, 1, false)]
  // One that a union swallowed, for another branch lets any text in, the validator asks all the same.
  if (spots.length < slow.length && !isExact(shape)) faults.push(...slow.map(faultOf))
  const share = stepsMax / Math.max(1, spots.length)
  const bounded = new Map<StringShape, number>()
  for (const { string, at, times, inUnion } of spots) {
    const rule = slowest(string) as PatternRule
    const max = lengthWithin(share / times, rule, string)
    // Where branches are tried one after the other, the validator may ask the pattern of what another branch lets in.
    const mayAsk = !inUnion || isExact(shape)
    const isBounded = (string.maxLength ?? Infinity) <= max
    if (mayAsk && isBounded) continue
    if (!mayAsk || string.maxLength !== undefined || costOf(rule).degree > 2 || max < boundMin) {
      faults.push(faultOf({ rule, at }))
      continue
    }
    bounded.set(string, max)
    findings.notices.push({ kind: "shortened", at, what: nameOf(rule), maxLength: max })
  }
  return bounded.size === 0 ? shape : replace(shape, bounded)
}

export const faultOf = ({ rule, at }: Pick<FoundPattern, "rule" | "at">): SchemaFault => ({
  kind: "unsafe-pattern",
  at,
  what: nameOf(rule),
  problem: costOf(rule).why,
})

/** A pattern that nobody was asked about. */
export const uncheckedOf = ({ rule, at }: Pick<FoundPattern, "rule" | "at">): SchemaFault => ({
  kind: "unsafe-pattern",
  at,
  what: nameOf(rule),
  problem: "is not proved to be fast: it is too long for that, or there are too many such patterns in one catalog",
})

const slowest = (string: StringShape): PatternRule | undefined =>
  patternsOf(string)
    .filter(isSlow)
    .toSorted((one, other) => stepsFor(costOf(other), boundMin) - stepsFor(costOf(one), boundMin))[0]

/** The longest text, counted as the shape counts it, that takes no more steps. A code point may be two units. */
function lengthWithin(share: number, rule: PatternRule, { lengthIn }: StringShape): number {
  const { degree, perText, perCharacter } = costOf(rule)
  // Of linear ones each judgement counts the steps, whatever holds how many texts.
  const units = degree === 1 ? Math.floor((stepsMax - perText) / perCharacter) : Math.floor(share ** (1 / degree))
  return lengthIn === "code-points" ? Math.floor(units / 2) : units
}

/** Steps for each character of the patterns that only the validator asks. */
export function hiddenSteps({ patterns }: Findings): number {
  const rules = patterns.filter(({ hidden }) => hidden).map(({ rule }) => rule)
  const distinct = new Map(rules.map((rule) => [`${rule.flags}/${rule.source}`, rule]))
  return [...distinct.values()].reduce((sum, rule) => sum + costOf(rule).perCharacter, 0)
}

interface Spot {
  readonly string: StringShape
  readonly at: Pointer
  /** How often it may stand in one value. */
  readonly times: number
  readonly inUnion: boolean
}

/** The strings with a slow pattern. */
function* spotsIn(shape: Shape, at: Pointer, times: number, inUnion: boolean): Iterable<Spot> {
  switch (shape[Kind]) {
    case "String":
      if (slowest(shape) !== undefined) yield { string: shape, at, times, inUnion }
      return
    case "Union": {
      const some = shape.anyOf.filter((branch) => branch[Kind] !== "Null")
      for (const branch of some) yield* spotsIn(branch, at, times, inUnion || some.length > 1)
      return
    }
    case "Array":
      yield* spotsIn(shape.items, child(at, "*"), times * (shape.maxItems ?? Infinity), inUnion)
      return
    case "Tuple":
      for (const [index, item] of (shape.items ?? []).entries()) yield* spotsIn(item, child(at, index), times, inUnion)
      if (shape.additionalItems) yield* spotsIn(shape.additionalItems, child(at, "*"), Infinity, inUnion)
      return
    case "Object": {
      const { properties, additionalProperties: others, propertyNames: names } = shape
      for (const [key, property] of Object.entries(properties)) yield* spotsIn(property, child(at, key), times, inUnion)
      if (typeof others === "object") yield* spotsIn(others, child(at, "*"), Infinity, inUnion)
      if (names !== undefined) yield* spotsIn(names, child(at, "*"), Infinity, inUnion)
      return
    }
    default:
      return
  }
}

function replace(shape: Shape, bounded: ReadonlyMap<StringShape, number>): Shape {
  switch (shape[Kind]) {
    case "String": {
      const maxLength = bounded.get(shape)
      return maxLength === undefined ? shape : { ...shape, maxLength }
    }
    case "Union":
      return { ...shape, anyOf: shape.anyOf.map((branch) => replace(branch, bounded)) }
    case "Array":
      return { ...shape, items: replace(shape.items, bounded) }
    case "Tuple":
      return shape.items === undefined ? shape : { ...shape, items: shape.items.map((item) => replace(item, bounded)) }
    case "Object": {
      const properties = Object.entries(shape.properties).map(([key, inner]) => [key, replace(inner, bounded)])
      return { ...shape, properties: Object.fromEntries(properties) }
    }
    default:
      return shape
  }
}
