/** Effects: no effect is made twice unless the plan says so.   Codes: SEQ701. */
import type { Catalog } from "../catalog/catalog.ts"
import { fit } from "../catalog/schema/fit.ts"
import { stringOf } from "../catalog/schema/make.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Call, Expression, Plan, Read } from "../plan/plan.ts"
import { canonicalExpression } from "../plan/same.ts"
import { isObject, type Json } from "../text/json.ts"
import { child } from "../text/pointer.ts"
import { removeStep } from "./rearrange.ts"
import type { Typed } from "./references.ts"
import type { Tooled } from "./tools.ts"

export function checkEffects<P extends Plan & Tooled & Typed>(plan: P, catalog: Catalog, report: Report): P {
  const calls = plan.steps.filter(
    (step): step is Call => step.kind === "call" && plan.tools[step.index]?.mutates === true,
  )
  const alike = new Map<number, number>()
  const sketches = calls.map((step) => sketch(step.args))
  for (const one of sketches) alike.set(one, (alike.get(one) ?? 0) + 1)
  const isText = (read: Read): boolean => {
    const given = plan.given.get(read)
    return given !== undefined && fit(given, text) === "fits"
  }
  const effects = new Map<string, { first: Call; occurrences: Set<number> }>()
  for (const [index, step] of calls.entries()) {
    if (alike.get(sketches[index] ?? 0) === 1 || report.spoilt(step.index)) continue
    const effect = `${step.tool} ${canonicalExpression(step.args, isText)}`
    const earlier = effects.get(effect)
    if (earlier === undefined) {
      effects.set(effect, { first: step, occurrences: new Set([step.occurrence]) })
    } else if (!earlier.occurrences.has(step.occurrence)) {
      earlier.occurrences.add(step.occurrence)
    } else {
      const related = [{ at: earlier.first.at, message: `\`${earlier.first.id}\` is here` }]
      const occurrence = Math.max(...earlier.occurrences) + 1
      // To say `occurrence` would make the effect once more: a fix may only do less. Nobody's answer must be lost by it.
      const mend = () => removeStep(plan, catalog, step.index)
      const params = { step: step.id, first: earlier.first.id, occurrence }
      report.add(diagnose("SEQ701", child(step.at, "tool"), params, { related, mend }))
    }
  }
  return plan
}

const text = stringOf({})

/** Cheap and free of order: equal arguments have equal sketches, so that few need be compared in full. */
function sketch(args: Expression): number {
  let sum = 0
  if (args.kind === "object") {
    for (const [key, part] of args.entries)
      sum = (sum + key.length * (part.kind === "literal" ? sketchValue(part.value) : 7)) | 0
  } else if (args.kind === "literal" && isObject(args.value)) {
    for (const key in args.value) sum = (sum + key.length * sketchValue(args.value[key])) | 0
  }
  return sum
}

function sketchValue(value: Json | undefined): number {
  if (typeof value === "number") return value | 0
  if (typeof value !== "string") return 5
  const { length } = value
  return length === 0
    ? 3
    : (length * 29_791 +
        value.charCodeAt(0) * 961 +
        value.charCodeAt(length >> 1) * 31 +
        value.charCodeAt(length - 1)) |
        0
}
