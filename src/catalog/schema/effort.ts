/**
 * How much lowering may do for all schemas of a catalog together. It is counted in steps, so that every machine comes to
 * the same answer: a schema that asks for more is refused by name.
 */
import { isKnownFast } from "./pattern-cost.ts"
import { patternSize } from "./pattern-size.ts"
import type { PatternRule, Shape } from "./shape.ts"

export interface Effort {
  /** Pairs of shapes compared or met, and parts of shapes made of them. */
  steps: number
  /** What the checker of patterns may do yet: it takes longer by far for longer patterns. */
  checks: number
  /** Patterns that it was asked about, or would have been. */
  readonly checked: Map<string, boolean>
}

const stepsMax = 250_000
/** The sum of the squares of the patterns' sizes. */
const checksMax = 100_000

export const startEffort = (): Effort => ({ steps: stepsMax, checks: checksMax, checked: new Map() })

/** False where there is no more. */
export function spend(effort: Effort, steps: number): boolean {
  if (!isSpent(effort)) effort.steps -= steps
  return !isSpent(effort)
}

export const isSpent = (effort: Effort): boolean => effort.steps < 0

/** May the checker be asked of it? */
export function mayCheck(effort: Effort, rule: PatternRule): boolean {
  const key = `${rule.flags}/${rule.source}`
  const known = effort.checked.get(key)
  if (known !== undefined) return known
  if (!isKnownFast(rule)) effort.checks -= patternSize(rule.source) ** 2
  const may = isKnownFast(rule) || effort.checks >= 0
  effort.checked.set(key, may)
  return may
}

const sizes = new WeakMap<object, number>()

/** The parts of a shape, counted again wherever one stands more than once. */
export function sizeOf(shape: Shape): number {
  const known = sizes.get(shape)
  if (known !== undefined) return known
  let size = 1
  const add = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) add(one)
    else if (typeof part === "object" && part !== null) size += sizeOf(part as Shape)
  }
  for (const part of Object.values(shape)) add(part)
  sizes.set(shape, size)
  return size
}
