/** Is a known value right? Judged by its shape alone, and fast. */
import type { TSchema } from "@sinclair/typebox"
import { isObject, type Json, type JsonObject } from "../../text/json.ts"
import { isDecimalMultiple } from "./decimal.ts"
import {
  type Gauge,
  gaugeOf,
  type ListGauge,
  type NumberGauge,
  type ObjectGauge,
  type StringGauge,
  type UnionGauge,
} from "./gauge.ts"

/** Steps that patterns may take yet. Once there are none, no text fits that is held to one. */
export interface Patience {
  left: number
}

export const accepts = (shape: TSchema, value: Json): boolean => fits(gaugeOf(shape), value, { left: Infinity })

export function fits(gauge: Gauge, value: Json, patience: Patience): boolean {
  switch (gauge.kind) {
    case "any":
      return true
    case "scalar":
      return gauge.values.has(value)
    case "string":
      return typeof value === "string" && fitsString(gauge, value, patience)
    case "number":
      return typeof value === "number" && fitsNumber(gauge, value)
    case "list":
      return Array.isArray(value) && fitsList(gauge, value, patience)
    case "object":
      return isObject(value) && fitsObject(gauge, value, patience)
    case "union":
      return fitsUnion(gauge, value, patience)
  }
}

function fitsString(gauge: StringGauge, value: string, patience: Patience): boolean {
  if (gauge.min > 0 || gauge.max < Infinity) {
    // Between these, however many of its units are halves of a pair.
    const sure = value.length <= gauge.max && value.length >= 2 * gauge.min
    const length = gauge.inCodePoints && !sure ? countCodePoints(value) : value.length
    if (length < gauge.min || length > gauge.max) return false
  }
  for (const { pattern, steps } of gauge.patterns) {
    const { perText, perCharacter } = steps()
    patience.left -= perText + perCharacter * value.length
    if (patience.left < 0) return false
    // A sticky pattern remembers where it stopped.
    pattern.lastIndex = 0
    if (!pattern.test(value)) return false
  }
  return true
}

/** As a string's iterator counts: a pair of surrogates is one, a lone one is one. */
function countCodePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--
      i++
    }
  }
  return count
}

function fitsNumber(gauge: NumberGauge, value: number): boolean {
  if (gauge.integer ? !Number.isInteger(value) : !Number.isFinite(value)) return false
  if (value < gauge.min || value > gauge.max || value <= gauge.above || value >= gauge.below) return false
  if (gauge.multipleOf === undefined) return true
  switch (gauge.multipleBy) {
    case "rounding":
      return isRoundedMultiple(value, gauge.multipleOf)
    case "decimal":
      return isDecimalMultiple(value, gauge.multipleOf)
    default:
      return value % gauge.multipleOf === 0
  }
}

/** As zod counts it (`floatSafeRemainder`): the quotient is an integer but for the rounding of three doubles. */
function isRoundedMultiple(value: number, step: number): boolean {
  const ratio = value / step
  const off = Math.abs(ratio - Math.round(ratio))
  return off < 4 * Number.EPSILON * Math.max(Math.abs(ratio), 1)
}

function fitsList({ items, rest, min, max }: ListGauge, value: readonly Json[], patience: Patience): boolean {
  if (value.length < min || value.length > max) return false
  for (let i = 0; i < value.length; i++) {
    const gauge = items[i] ?? rest
    if (gauge === undefined || !fits(gauge, value[i] as Json, patience)) return false
  }
  return true
}

function fitsObject(
  { byKey, requiredCount, additional, names }: ObjectGauge,
  value: JsonObject,
  patience: Patience,
): boolean {
  if (additional?.kind === "any" && names === undefined && byKey.size === 0) return true
  let required = 0
  for (const key of Object.keys(value)) {
    const property = byKey.get(key)
    if (property !== undefined) {
      if (!fits(property.gauge, value[key] as Json, patience)) return false
      if (property.required) required++
    } else if (
      additional === undefined ||
      (names !== undefined && !fits(names, key, patience)) ||
      !fits(additional, value[key] as Json, patience)
    ) {
      return false
    }
  }
  return required === requiredCount
}

function fitsUnion({ branches, tag }: UnionGauge, value: Json, patience: Patience): boolean {
  if (tag !== undefined && isObject(value)) {
    const branch = Object.hasOwn(value, tag.key) ? tag.branchOf.get(value[tag.key]) : undefined
    return branch !== undefined && fits(branch, value, patience)
  }
  for (const branch of branches) if (fits(branch, value, patience)) return true
  return false
}
