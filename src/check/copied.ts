/**
 * Literals of a single call that copy what its run has returned. Such a call writes values only: one that stands where a rule lets
 * its parameter come from carries the label of that place, as a reference to it would in a plan.
 */

import type { Tool } from "../catalog/catalog.ts"
import { input, type Origin } from "../catalog/place.ts"
import type { ParameterRule } from "../catalog/rule.ts"
import type { Shape } from "../catalog/schema/shape.ts"
import type { Call, Expression, Literal } from "../plan/plan.ts"
import type { Json } from "../text/json.ts"
import { child, type Pointer } from "../text/pointer.ts"
import { isMadeUp, partOf } from "./keys.ts"
import { type Known, type Stood, stoodAt } from "./known.ts"
import { clean, isClean, meet } from "./label.ts"
import {
  declared,
  joinMaybe,
  literalMarks,
  type Marks,
  marksOf,
  marksOfArguments,
  resultMarks,
  shapeOfArguments,
  type Visit,
  via,
} from "./marks.ts"
import { sayPlace } from "./trail.ts"

/** Its writer's label, or a better one of a place where the value stood. */
export function copiedMarks(
  { value, at }: Literal,
  from: readonly Origin[],
  { index }: Call,
  visit: Visit,
  known: Known,
): Marks {
  const own = literalMarks(at, visit)
  if (isClean(own)) return own
  return stoodAt(value, from, index, visit.plan, known).reduce<Marks>(
    (best, stood) => meet(best, marksThere(stood, at, visit) ?? own),
    own,
  )
}

function marksThere({ giver, path }: Stood, at: Pointer, visit: Visit): Marks | undefined {
  const { catalog, plan } = visit
  if (giver === input) return declared(catalog.inputLabels, path, sayPlace(input, path), "the inputs", at)
  const [step, tool] = [plan.steps[giver], plan.tools[giver]]
  if (step === undefined || tool === undefined) return undefined
  return resultMarks(path, sayPlace(step.id, path), { tool, at: child(step.at, "tool") }, visit.results[giver])
}

/** What the call's result comes of, each part by itself as far as a rule says from where it may come. */
export function marksOfCall(step: Call, { rules }: Tool, visit: Visit, known: Known): Marks | undefined {
  const { args, id } = step
  const copied = rules.filter(({ from }) => from !== undefined)
  const entries = entriesOf(args)
  if (copied.length === 0 || entries === undefined || isClean(literalMarks(args.at, visit)))
    return marksOfArguments(step, visit)
  const part = (
    expression: Expression,
    within: readonly ParameterRule[],
    shape: Shape | undefined,
  ): Marks | undefined => {
    const from = within.flatMap(({ path, from = [] }) => (path.length === 0 ? from : []))
    const whole = expression.kind === "literal" && copiedMarks(expression, from, step, visit, known)
    if (whole !== false && isClean(whole)) return whole
    const inner = entriesOf(expression)
    if (inner === undefined || inner.length === 0 || within.every(({ path }) => path.length === 0))
      return whole === false ? marksOf(expression, [], step, visit, shape) : whole
    return joinOf(inner, (key, value) => {
      const marks = part(value, further(within, key), shape && partOf(shape, key))
      return hasOwnKeys(expression, shape, key) ? marks : joinMaybe(marks, literalMarks(value.at, visit))
    })
  }
  const shape = shapeOfArguments(step, visit)
  return joinOf(entries, (name, value) =>
    via(part(value, further(copied, name), shape && partOf(shape, name)), `${id}.${name}`, value.at),
  )
}

const further = (rules: readonly ParameterRule[], key: string): readonly ParameterRule[] =>
  rules.flatMap((rule) => {
    const [token, ...path] = rule.path
    return token === "*" || token === key ? [{ ...rule, path }] : []
  })

/** Its keys are those of its schema, or numbers: nobody has made them up. */
const hasOwnKeys = (expression: Expression, shape: Shape | undefined, key: string): boolean =>
  isList(expression) || (shape !== undefined && !isMadeUp(shape, key))

const isList = (expression: Expression): boolean =>
  expression.kind === "array" || (expression.kind === "literal" && Array.isArray(expression.value))

type Entries = readonly (readonly [string, Expression])[]

/** Undefined where nothing stands in it that was written by itself. */
function entriesOf(expression: Expression): Entries | undefined {
  switch (expression.kind) {
    case "object":
      return expression.entries
    case "array":
      return expression.items.map((item, index) => [`${index}`, item])
    case "literal": {
      const { value, at } = expression
      return typeof value === "object" && value !== null
        ? Object.entries<Json>(value).map(([key, inner]) => [
            key,
            { kind: "literal", at: child(at, key), value: inner },
          ])
        : undefined
    }
    default:
      return undefined
  }
}

const joinOf = (entries: Entries, marksOfEntry: (key: string, value: Expression) => Marks | undefined) =>
  entries.reduce<Marks | undefined>((all, [key, value]) => joinMaybe(all, marksOfEntry(key, value)), clean)
