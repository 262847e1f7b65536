/** Effects: no effect is made twice unless the plan says so, and one that happens once never.   Codes: SEQ701. */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { fit } from "../catalog/schema/fit.ts"
import { stringOf } from "../catalog/schema/make.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Call, Expression, Plan, Read } from "../plan/plan.ts"
import { canonicalExpression, expressionAt } from "../plan/same.ts"
import { isObject, type Json } from "../text/json.ts"
import { child, parsePointer } from "../text/pointer.ts"
import { cameToNothing, type Known } from "./known.ts"
import { removeStep } from "./rearrange.ts"
import type { Typed } from "./references.ts"
import type { Tooled } from "./tools.ts"

export function checkEffects<P extends Plan & Tooled & Typed>(
  plan: P,
  catalog: Catalog,
  report: Report,
  known?: Known,
): P {
  const calls = plan.steps.filter(
    (step): step is Call =>
      step.kind === "call" && plan.tools[step.index]?.mutates === true && !cameToNothing(known, step.index),
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
    if (report.spoilt(step.index) || plan.tools[step.index]?.once !== undefined) continue
    if (alike.get(sketches[index] ?? 0) === 1) continue
    const effect = nameEffect(step, isText)
    const earlier = effects.get(effect)
    if (earlier === undefined) {
      effects.set(effect, { first: step, occurrences: new Set([step.occurrence]) })
    } else if (!earlier.occurrences.has(step.occurrence)) {
      earlier.occurrences.add(step.occurrence)
    } else {
      const related = [{ at: earlier.first.at, message: `\`${earlier.first.id}\` is here` }]
      const occurrence = Math.max(...earlier.occurrences) + 1
      const remedy =
        known !== undefined
          ? onCall
          : `Remove one, or say \`"occurrence": ${occurrence}\` if it is meant to happen again.`
      // To say `occurrence` would make the effect once more: a fix may only do less. Nobody's answer must be lost by it.
      const mend = () => removeStep(plan, catalog, step.index)
      const params = { step: step.id, first: earlier.first.id, how: "", remedy }
      report.add(diagnose("SEQ701", child(step.at, "tool"), params, { related, mend }))
    }
  }
  checkOnce(plan, calls, isText, catalog, report, known)
  return plan
}

/** Steps of the same name and `occurrence` are one effect. */
export const nameEffect = (step: Call, isText?: (read: Read) => boolean): string =>
  `${step.tool} ${canonicalExpression(step.args, isText)}`

/** By which a tool's effects happen once; undefined where the arguments do not say. */
export function nameClaim(
  step: Call,
  { by }: NonNullable<Tool["once"]>,
  isText?: (read: Read) => boolean,
): string | undefined {
  const values = by.map((pointer) => expressionAt(step.args, parsePointer(pointer) ?? []))
  if (!values.every((value) => value !== undefined)) return undefined
  return [step.tool, ...values.map((value) => canonicalExpression(value, isText))].join("\n")
}

const text = stringOf({})

/** Of a single call the first is behind. That it is meant once more is its host's word, not a model's. */
const onCall = "It was made before: go on with what that gave, and do not call it again for this."

/**
 * The same values are the same effect, whatever the other arguments and `occurrence` say: the second would be refused, or
 * answered with what the first gave. Where only the run knows the values, it decides.
 */
function checkOnce(
  plan: Plan & Tooled,
  calls: readonly Call[],
  isText: (read: Read) => boolean,
  catalog: Catalog,
  report: Report,
  known: Known | undefined,
): void {
  const sayAll = (expression: Expression): string => canonicalExpression(expression, isText)
  const claims = new Map<string, Call>()
  for (const step of calls) {
    const once = plan.tools[step.index]?.once
    if (once === undefined || report.spoilt(step.index)) continue
    const claim = nameClaim(step, once, isText)
    if (claim === undefined) continue
    const first = claims.get(claim)
    if (first === undefined) {
      claims.set(claim, step)
      continue
    }
    const by = once.by.map((pointer) => `\`${(parsePointer(pointer) ?? []).join("/")}\``).join(", ")
    const how = `: \`${step.tool}\` happens once for the same ${by}`
    const remedy = known !== undefined ? onCall : "Remove one; `occurrence` does not make it happen again."
    const related = [{ at: first.at, message: `\`${first.id}\` is here` }]
    const same = step.occurrence === first.occurrence && sayAll(step.args) === sayAll(first.args)
    // Of two that differ, nobody knows which was meant.
    const mend = () => (same ? removeStep(plan, catalog, step.index) : undefined)
    const params = { step: step.id, first: first.id, how, remedy }
    report.add(diagnose("SEQ701", child(step.at, "tool"), params, { related, mend }))
  }
}

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
