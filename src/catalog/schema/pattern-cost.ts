/** How the time that a regular expression may take grows with the text it is asked about. */
import { recheck } from "#engines"
import { cheapSteps, type Steps } from "./cheap-pattern.ts"
import { formats } from "./front-end/formats.ts"
import { knownPatterns } from "./known-patterns.ts"
import { patternSize } from "./pattern-size.ts"
import type { PatternRule } from "./shape.ts"
import { clip } from "./show.ts"

/** `degree` 1 is linear, 2 quadratic, Infinity exponential, or no one knows; `why` is for people. */
export interface PatternCost extends Steps {
  readonly degree: number
  readonly why: string
}

/** A regular expression that judges by its source and flags alone: not one that was made to behave otherwise. */
export const isPlainPattern = (value: unknown): value is RegExp =>
  value instanceof RegExp &&
  Object.getPrototypeOf(value) === RegExp.prototype &&
  !["test", "exec", "source", "flags"].some((member) => Object.hasOwn(value, member))

/** Steps that all patterns of one judgement may take together: some ten milliseconds. */
export const stepsMax = 4_000_000

export const nameOf = ({ source }: PatternRule): string => `the pattern \`${clip(source)}\``

const linear = ({ perText, perCharacter }: Steps): PatternCost => ({
  degree: 1,
  why: perCharacter < 2 ? "takes linear time" : `takes linear time, but up to ${perCharacter} steps for each character`,
  perText,
  perCharacter,
})

/** What a text of so many UTF-16 units costs at most. */
export const stepsFor = ({ degree, perText, perCharacter }: PatternCost, length: number): number =>
  degree === 1 ? perText + perCharacter * length : length ** degree

/** UTF-16 units of the longest string of a plan, unless a catalog raises that. */
const longest = 65_536

/** It may take too long on some text of a plan. */
export const isSlow = (rule: PatternRule): boolean => stepsFor(costOf(rule), longest) > stepsMax

/** How long one check may take, in milliseconds: a pattern that cannot be proved safe by then is held for unsafe. */
const checkMaxMs = 5_000
/** Longer patterns are not looked at: they are held for unsafe. */
const sourceMax = 5_000

const known = new Map<string, PatternCost>()

/** The same few patterns stand in many schemas, and a check may take long. */
export function costOf(rule: PatternRule): PatternCost {
  const key = `${rule.flags}/${rule.source}`
  const cost = known.get(key) ?? knownCost(rule) ?? check(rule)
  known.set(key, cost)
  return cost
}

/**
 * What judging counts. Nothing is proved anew here: what was let through without a proof is known to be fast, and the
 * texts of slow patterns are bounded before.
 */
export function stepsOf(rule: PatternRule): Steps {
  const cost = known.get(`${rule.flags}/${rule.source}`) ?? knownCost(rule) ?? fast
  return cost.perCharacter === Infinity ? none : cost
}

const none: Steps = { perText: 0, perCharacter: 0 }

/** So much is known without the real checker. */
export const isKnownFast = (rule: PatternRule): boolean => knownCost(rule) !== undefined

const fast: Steps = { perText: 1, perCharacter: 1 }

/** A test holds them to be fast on any text. */
const ofFormats: ReadonlySet<string | undefined> = new Set([...formats.values()].map(({ pattern }) => pattern))

function knownCost(rule: PatternRule): PatternCost | undefined {
  const isKnown = rule.flags === "" ? knownPatterns.has(rule.source) : rule.flags === "u" && ofFormats.has(rule.source)
  const steps = isKnown ? fast : cheapSteps(rule)
  return steps && linear(steps)
}

/** Asks the real checker, which is big, and slow to start. */
export function check({ source, flags }: PatternRule, timeoutMs: number = checkMaxMs): PatternCost {
  if (source.length > sourceMax) return beyond(Infinity, `is longer than ${sourceMax} characters`)
  const found = recheck()(source, flags, { ...limits, timeout: timeoutMs })
  switch (found.status) {
    case "safe":
      return linear({ perText: patternSize(source), perCharacter: patternSize(source) })
    case "vulnerable":
      return found.complexity.type === "polynomial"
        ? beyond(found.complexity.degree, nameDegree(found.complexity.degree))
        : beyond(Infinity, "may take exponential time")
    default:
      return beyond(Infinity, "cannot be proved to take linear time")
  }
}

const beyond = (degree: number, why: string): PatternCost => ({
  degree,
  why,
  perText: Infinity,
  perCharacter: Infinity,
})

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
