/** Does what one place gives fit what another asks? Asked of shapes, not of values. */
import { Kind, type TSchema } from "@sinclair/typebox"
import { accepts } from "./accept.ts"
import { type Effort, isSpent, spend } from "./effort.ts"
import { isList, type List, listOf } from "./list.ts"
import { isExact, literalOf, never, sameShape, unknown } from "./make.ts"
import {
  type Bounds,
  boundsOf,
  branchesOf,
  type NumberShape,
  type ObjectShape,
  patternsOf,
  type Shape,
  type StringShape,
  typesOf,
} from "./shape.ts"

/** `fits`: every value of the one is right for the other. `never-fits`: none is. Else, or when unsure, `may-fit`. */
export type Fit = "fits" | "may-fit" | "never-fits"

/**
 * Sound both ways. Where the parameter is opaque the author's validator has the last word: it may fit at most. That
 * holds for this spot alone, not for what is opaque further out. Where no effort is left, it may fit.
 */
export function fit(output: TSchema, parameter: TSchema, effort?: Effort): Fit {
  const known = judged.get(output)?.get(parameter)
  if (known !== undefined) return known
  const verdict = relate(output, parameter, effort)
  if (effort !== undefined && isSpent(effort)) return verdict
  const ofOutput = judged.get(output) ?? new WeakMap<TSchema, Fit>()
  judged.set(output, ofOutput.set(parameter, verdict))
  return verdict
}

/** The same few places are compared for every plan. */
const judged = new WeakMap<TSchema, WeakMap<TSchema, Fit>>()

function relate(output: TSchema, parameter: TSchema, effort: Effort | undefined): Fit {
  const outputs = branchesOf(output).flatMap(split)
  const parameters = branchesOf(parameter)
  if (effort !== undefined && !spend(effort, outputs.length * parameters.length)) return "may-fit"
  const verdicts = outputs.map((one) => best(parameters.map((other) => fitBranch(one, other, effort))))
  if (verdicts.every((verdict) => verdict === "never-fits")) return "never-fits"
  return verdicts.every((verdict) => verdict === "fits") ? "fits" : "may-fit"
}

/** Of all that it may give, nothing but an empty array is right: that is seldom what was meant. */
export function fitsEmptyOnly(output: TSchema, parameter: TSchema): boolean {
  const outputs = branchesOf(output)
  if (!outputs.some(isList)) return false
  const filled = outputs.map((one) => (isList(one) ? { ...one, minItems: Math.max(1, one.minItems ?? 0) } : one))
  return filled.every((one) => relate(one, parameter, undefined) === "never-fits")
}

/** A boolean is two values, and what never is is none. */
const split = (shape: Shape): readonly Shape[] =>
  shape[Kind] === "Boolean" ? [literalOf(true), literalOf(false)] : shape[Kind] === "Never" ? [] : [shape]

/** It is enough that one does. */
const best = (verdicts: readonly Fit[]): Fit => {
  if (verdicts.includes("fits")) return "fits"
  return verdicts.includes("may-fit") ? "may-fit" : "never-fits"
}

function fitBranch(output: Shape, parameter: Shape, effort: Effort | undefined): Fit {
  const verdict = compare(output, parameter, effort)
  return verdict === "fits" && parameter.opaque !== undefined ? "may-fit" : verdict
}

function compare(output: Shape, parameter: Shape, effort: Effort | undefined): Fit {
  if (parameter[Kind] === "Never") return "never-fits"
  if (parameter[Kind] === "Unknown") return "fits"
  if (output[Kind] === "Unknown") return "may-fit"
  if (output[Kind] === "Null") return accepts(parameter, null) ? "fits" : "never-fits"
  if (output[Kind] === "Literal") return accepts(parameter, output.const) ? "fits" : "never-fits"
  if (parameter[Kind] === "Literal") return accepts(output, parameter.const) ? "may-fit" : "never-fits"
  const asked = typesOf(parameter)
  if (![...typesOf(output)].some((type) => asked.has(type))) return "never-fits"
  if (isString(output) && isString(parameter)) return compareStrings(output, parameter)
  if (isNumber(output) && isNumber(parameter)) return compareNumbers(output, parameter)
  if (isList(output) && isList(parameter)) return compareLists(listOf(output), listOf(parameter), effort)
  if (output[Kind] === "Object" && parameter[Kind] === "Object") return compareObjects(output, parameter, effort)
  return "may-fit"
}

const isString = (shape: Shape): shape is StringShape => shape[Kind] === "String"
const isNumber = (shape: Shape): shape is NumberShape => shape[Kind] === "Number" || shape[Kind] === "Integer"

/** Whole in a range of counts, apart from it, or neither. */
function compareCounts(output: Range, parameter: Range): Fit {
  if (output.max < parameter.min || output.min > parameter.max) return "never-fits"
  return output.min >= parameter.min && output.max <= parameter.max ? "fits" : "may-fit"
}

interface Range {
  readonly min: number
  readonly max: number
}

function compareStrings(output: StringShape, parameter: StringShape): Fit {
  const lengths = compareCounts(lengthsIn(output, parameter.lengthIn), lengthsIn(parameter, parameter.lengthIn))
  if (lengths !== "fits") return lengths
  const known = patternsOf(output)
  const holds = patternsOf(parameter).every((asked) =>
    known.some(({ source, flags }) => source === asked.source && flags === asked.flags),
  )
  return holds ? "fits" : "may-fit"
}

/** A code point is one UTF-16 unit or two. */
function lengthsIn({ minLength: min = 0, maxLength: max = Infinity, lengthIn }: StringShape, unit: unknown): Range {
  if (lengthIn === unit) return { min, max }
  return unit === "code-points" ? { min: Math.ceil(min / 2), max } : { min, max: 2 * max }
}

function compareNumbers(output: NumberShape, parameter: NumberShape): Fit {
  const integers = output[Kind] === "Integer" || parameter[Kind] === "Integer"
  const given = boundsOf(integers ? { ...output, [Kind]: "Integer" } : output)
  const asked = boundsOf(integers ? { ...parameter, [Kind]: "Integer" } : parameter)
  if (isApart(given, asked)) return "never-fits"
  const integer = output[Kind] === "Integer" || parameter[Kind] === "Number"
  return integer && isWithin(given, asked) && isMultiple(output, parameter) ? "fits" : "may-fit"
}

function isApart(one: Bounds, other: Bounds): boolean {
  const [low, high] = [Math.max(one.min, other.min), Math.min(one.max, other.max)]
  const isOpen = [one, other].some(
    ({ min, max, minOpen, maxOpen }) => (minOpen && min === low) || (maxOpen && max === high),
  )
  return low > high || (low === high && isOpen)
}

const isWithin = (inner: Bounds, outer: Bounds): boolean =>
  (inner.min > outer.min || (inner.min === outer.min && (inner.minOpen || !outer.minOpen))) &&
  (inner.max < outer.max || (inner.max === outer.max && (inner.maxOpen || !outer.maxOpen)))

function isMultiple(output: NumberShape, parameter: NumberShape): boolean {
  if (parameter.multipleOf === undefined) return true
  if (output.multipleOf === undefined) return false
  if (output.multipleOf === parameter.multipleOf && output.multipleBy === parameter.multipleBy) return true
  // A true multiple stays one under either rule; one that rounding let through may not.
  const steps = [output.multipleOf, parameter.multipleOf]
  return (
    output.multipleBy !== "rounding" && steps.every(Number.isInteger) && output.multipleOf % parameter.multipleOf === 0
  )
}

function compareLists(output: List, parameter: List, effort: Effort | undefined): Fit {
  const counts = compareCounts(output, parameter)
  if (counts === "never-fits") return counts
  // One place past both lists stands for all the rest.
  const places = Math.min(Math.max(output.items.length, parameter.items.length) + 1, output.max)
  let verdict: Fit = counts
  for (let place = 0; place < places; place++) {
    const given = output.items[place] ?? output.rest
    const asked = parameter.items[place] ?? parameter.rest
    const item = given === undefined || asked === undefined ? "never-fits" : relate(given, asked, effort)
    if (item === "never-fits" && place < Math.max(output.min, parameter.min)) return "never-fits"
    if (item !== "fits") verdict = "may-fit"
  }
  return verdict
}

function compareObjects(output: ObjectShape, parameter: ObjectShape, effort: Effort | undefined): Fit {
  const keys = new Set([...Object.keys(output.properties), ...Object.keys(parameter.properties)])
  const { propertyNames } = parameter
  const sure = propertyNames === undefined || isExact(propertyNames)
  let verdict = sure ? compareUndeclared(output, parameter, effort) : "may-fit"
  for (const key of keys) {
    const property = compareProperty(key, output, parameter, effort)
    if (property === "never-fits") return "never-fits"
    if (property === "may-fit") verdict = "may-fit"
  }
  return verdict
}

/** What an object may hold under a key (never, where it may not have the key), and whether it must. */
interface Slot {
  readonly holds: Shape
  readonly required: boolean
}

function slotOf(shape: ObjectShape, key: string): Slot {
  const property = Object.hasOwn(shape.properties, key) ? shape.properties[key] : undefined
  if (property !== undefined) return { holds: property, required: shape.required?.includes(key) ?? false }
  const named = shape.propertyNames === undefined || accepts(shape.propertyNames, key)
  return { holds: named ? undeclaredIn(shape) : never, required: false }
}

function undeclaredIn({ additionalProperties = true }: ObjectShape): Shape {
  if (typeof additionalProperties === "object") return additionalProperties
  return additionalProperties ? unknown : never
}

function compareProperty(key: string, output: ObjectShape, parameter: ObjectShape, effort: Effort | undefined): Fit {
  const given = slotOf(output, key)
  const asked = slotOf(parameter, key)
  if (given.holds[Kind] === "Never") return asked.required ? "never-fits" : "fits"
  const value = relate(given.holds, asked.holds, effort)
  // Present it must be right; absent it must not be needed.
  if (value === "never-fits") return given.required || asked.required ? "never-fits" : "may-fit"
  return asked.required && !given.required ? "may-fit" : value
}

/** Keys that neither declares: there may be none of them, so nothing is never right. */
function compareUndeclared(
  output: ObjectShape,
  parameter: ObjectShape,
  effort: Effort | undefined,
): "fits" | "may-fit" {
  const given = undeclaredIn(output)
  if (given[Kind] === "Never") return "fits"
  const { propertyNames: names } = parameter
  const named = names === undefined || (output.propertyNames !== undefined && sameShape(output.propertyNames, names))
  return named && relate(given, undeclaredIn(parameter), effort) === "fits" ? "fits" : "may-fit"
}
