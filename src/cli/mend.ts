/** Does what the diagnostics of a plan offer, and compiles again, until nothing more is offered or a round mends nothing. */
import { type Compiled, compile } from "../compile.ts"
import type { Diagnostic } from "../diagnostic/diagnostic.ts"
import { applyFixes } from "../diagnostic/fixes.ts"
import type { Operation } from "../diagnostic/patch.ts"
import { rewrite } from "../diagnostic/rewrite.ts"
import type { Json } from "../text/json.ts"
import { root } from "../text/pointer.ts"
import { readJson } from "../text/read-json.ts"
import { type PlanFile, withFlags } from "./plan-file.ts"

/** Nothing is known to need more. */
const mostRounds = 8

export interface Mended {
  /** The plan's own text with the patch done to it. */
  readonly text: string
  readonly document: Json
  /** Of all rounds, in the order in which it was done. */
  readonly patch: readonly Operation[]
  /** What was mended, as each round found it. */
  readonly diagnostics: readonly Diagnostic[]
  readonly rounds: number
  readonly compiled: Compiled
}

/** Nothing where nothing is offered. */
export function mend({ catalog, text, compiled, options }: PlanFile): Mended | undefined {
  const { unwrap } = options
  const read = (given: string): ReturnType<typeof readJson> =>
    readJson(given, catalog.bounds, unwrap === undefined ? {} : { unwrap })
  let json = read(text)
  let mended: Mended | undefined
  let last = compiled
  while (json.ok && !last.ok && (mended?.rounds ?? 0) < mostRounds) {
    const errors = last.diagnostics.filter(({ severity }) => severity === "error")
    const { document, applied, patch } = applyFixes(json.value, errors)
    const range = json.rangeOf(root)
    if (patch.length === 0 || range === undefined) break
    const [start, end] = [range.start.offset, range.end.offset]
    const written = rewrite(json.text.slice(start, end), json.value, patch)
    if (written === undefined) break
    // A fence, and what space there is round the plan, stay.
    const next = json.text.slice(0, start) + written + json.text.slice(end)
    json = read(next)
    // What was put in may be too much for the bounds of a text.
    if (!json.ok) break
    const after = withFlags(compile(catalog, next, options))
    if (!isBetter(after, last, applied)) break
    last = after
    mended = {
      text: next,
      document,
      patch: [...(mended?.patch ?? []), ...patch],
      diagnostics: [...(mended?.diagnostics ?? []), ...applied],
      rounds: (mended?.rounds ?? 0) + 1,
      compiled: last,
    }
  }
  return mended
}

/** Fewer faults; or none of those that were mended is left, and what they hid is seen for the first time. */
function isBetter(after: Compiled, before: Compiled, applied: readonly Diagnostic[]): boolean {
  const countOf = ({ diagnostics, more }: Compiled): number =>
    more + diagnostics.filter(({ severity }) => severity === "error").length
  if (after.ok || countOf(after) < countOf(before)) return true
  const [left, there] = [timesOf(after.diagnostics), timesOf(before.diagnostics)]
  return [...timesOf(applied)].every(([words, times]) => (left.get(words) ?? 0) + times <= (there.get(words) ?? 0))
}

/** Places move with the steps; the words do not. */
function timesOf(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { code, message } of diagnostics)
    times.set(`${code} ${message}`, (times.get(`${code} ${message}`) ?? 0) + 1)
  return times
}
