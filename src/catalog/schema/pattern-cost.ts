/** How the time that a regular expression may take grows with the text it is asked about. */
import { recheck } from "#engines"
import { isCheap } from "./cheap-pattern.ts"
import { knownPatterns } from "./known-patterns.ts"
import type { PatternRule } from "./shape.ts"
import { clip } from "./show.ts"

/** `degree` 1 is linear, 2 quadratic, Infinity exponential, or no one knows; `why` is for people. */
export interface PatternCost {
  readonly degree: number
  readonly why: string
}

/** A regular expression that judges by its source and flags alone: not one that was made to behave otherwise. */
export const isPlainPattern = (value: unknown): value is RegExp =>
  value instanceof RegExp &&
  Object.getPrototypeOf(value) === RegExp.prototype &&
  !["test", "exec", "source", "flags"].some((member) => Object.hasOwn(value, member))

/** Steps that all slow patterns of one judgement may take together. */
export const stepsMax = 4_000_000

export const nameOf = ({ source }: PatternRule): string => `the pattern \`${clip(source)}\``

const linear: PatternCost = { degree: 1, why: "takes linear time" }

/** How long one check may take, in milliseconds: a pattern that cannot be proved safe by then is held for unsafe. */
const checkMaxMs = 5_000
/** Longer patterns are not looked at: they are held for unsafe. */
const sourceMax = 5_000

const known = new Map<string, PatternCost>()

/** The same few patterns stand in many schemas, and a check may take long. */
export function costOf(rule: PatternRule): PatternCost {
  const key = `${rule.flags}/${rule.source}`
  const cost = known.get(key) ?? (isKnown(rule) || isCheap(rule) ? linear : check(rule))
  known.set(key, cost)
  return cost
}

const isKnown = ({ source, flags }: PatternRule): boolean => flags === "" && knownPatterns.has(source)

/** Asks the real checker, which is big, and slow to start. */
export function check({ source, flags }: PatternRule, timeoutMs: number = checkMaxMs): PatternCost {
  if (source.length > sourceMax) return { degree: Infinity, why: `is longer than ${sourceMax} characters` }
  const found = recheck()(source, flags, { ...limits, timeout: timeoutMs })
  switch (found.status) {
    case "safe":
      return linear
    case "vulnerable":
      return found.complexity.type === "polynomial"
        ? { degree: found.complexity.degree, why: nameDegree(found.complexity.degree) }
        : { degree: Infinity, why: "may take exponential time" }
    default:
      return { degree: Infinity, why: "cannot be proved to take linear time" }
  }
}

/** What ends a search is the number of steps, so that every machine comes to the same answer; time is the last resort. */
const limits = {
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  attackLimit: 1_000_000,
  maxAttackStringSize: 20_000,
} as const

const nameDegree = (degree: number): string =>
  degree === 2 ? "may take quadratic time" : `may take time that grows with the power of ${degree}`
