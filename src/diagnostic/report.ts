/** Collects what the passes say of one plan, and remembers which steps are at fault. */
import type { Pointer } from "../text/pointer.ts"
import type { Diagnostic, Unplaced } from "./diagnostic.ts"

/**
 * A fault poisons its step: later passes ask `spoilt` and say nothing of what follows from it. Nothing is thrown away
 * here; `compile` sorts, caps and places.
 */
export interface Report {
  readonly diagnostics: readonly Unplaced[]
  readonly add: (diagnostic: Unplaced) => void
  /** Whether the step at this index has an error of its own, or depends on one that has. */
  readonly spoilt: (index: number) => boolean
  readonly spoil: (index: number) => void
  readonly failed: () => boolean
}

/** Thrown by a report that is full: whoever floods a plan with faults must not be paid for each. */
export class Enough extends Error {}

/** Takes `most` diagnostics. The next one throws `Enough`. */
export function makeReport(most: number): Report {
  const diagnostics: Unplaced[] = []
  const spoilt = new Set<number>()
  let failed = false
  return {
    diagnostics,
    add(diagnostic) {
      if (diagnostics.length >= most) throw new Enough()
      diagnostics.push(diagnostic)
      if (diagnostic.severity !== "error") return
      failed = true
      const index = stepOf(diagnostic.at)
      if (index !== undefined) spoilt.add(index)
    },
    spoilt: (index) => spoilt.has(index),
    spoil: (index) => spoilt.add(index),
    failed: () => failed,
  }
}

/** The step a pointer leads into: `/steps/3/args/amount` is in step 3. */
export function stepOf(at: Pointer): number | undefined {
  const found = /^\/steps\/(\d+)(?:\/|$)/.exec(at)
  return found ? Number(found[1]) : undefined
}

/** In the order of the plan's text where it has one, of its pointers otherwise; equal plans give equal lists. */
export function arrange<D extends Diagnostic>(diagnostics: readonly D[]): readonly D[] {
  return diagnostics.toSorted(
    (a, b) => comparePlaces(a, b) || compareTexts(a.code, b.code) || compareTexts(a.message, b.message),
  )
}

function comparePlaces(a: Diagnostic, b: Diagnostic): number {
  if (a.range !== undefined && b.range !== undefined) return a.range.start.offset - b.range.start.offset
  const [before, after] = [a.at.split("/"), b.at.split("/")]
  for (let index = 0; index < Math.min(before.length, after.length); index++) {
    const [one = "", other = ""] = [before[index], after[index]]
    if (one !== other) return compareTokens(one, other)
  }
  return before.length - after.length
}

/** Indices before keys, and by their size. */
function compareTokens(a: string, b: string): number {
  const [one, other] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  return one && other ? Number(a) - Number(b) || compareTexts(a, b) : one ? -1 : other ? 1 : compareTexts(a, b)
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
