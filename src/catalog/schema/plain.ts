/** Shapes as data to be hashed, and as text: the same for all ways to write the same schema. */
import { Kind, type TSchema } from "@sinclair/typebox"
import { canonical } from "../../text/canonical.ts"
import type { Json } from "../../text/json.ts"
import { ordered, type Shape } from "./shape.ts"

/** Lists of which all must hold. */
const sets: ReadonlySet<string | undefined> = new Set(["required", "patterns"])

/** The order in which keys, or the values of an enum, are declared is no part of what a schema means. */
export function plain(value: unknown, key?: string): Json {
  if (typeof value !== "object" || value === null) return value as Json
  if (Array.isArray(value)) {
    const items = value.map((item) => plain(item))
    return sets.has(key) ? sorted(items) : items
  }
  const whole = Kind in value ? ordered(value as TSchema) : value
  const entries = Object.entries(whole).filter(([, part]) => part !== undefined)
  return Object.fromEntries(entries.map(([name, part]) => [name, plain(part, name)]))
}

/** In one order. */
export const sorted = (items: readonly Json[]): readonly Json[] =>
  items
    .map((item) => [canonical(item), item] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, item]) => item)

export const textOf = (shape: Shape): string => canonical(plain(shape))
