/** What a reference gives: DESIGN.md section 5, codes SEQ201 to SEQ206 and SEQ210 to SEQ213. */
import { child, type Pointer } from "../../src/text/pointer.ts"
import type { Declaration, Shape } from "./declaration.ts"
import { type Condition, constantOf, type Expression, type Reference } from "./expression.ts"
import { accepts, closed, core, disjoint, unknown, walk } from "./shape.ts"
import type { Call, PlanStep } from "./steps.ts"
import type { Tell } from "./verdict.ts"

/** The shape of a value, or undefined where a fault, here or upstream, leaves it open. */
export type Given = Shape | undefined

/** What a tool gives that declares no result: only the whole value can be referenced. */
const undeclared: Shape = { kind: "unknown" }

/** Where a question is asked: at a step among others. */
export interface Scope {
  readonly step: PlanStep
  readonly steps: readonly PlanStep[]
  readonly declaration: Declaration
  /** Is it known what a step gives, whatever else is wrong with it? */
  readonly known: (step: PlanStep) => boolean
}

/** What a reference gives; told are the faults of the reference itself. */
export function resolve(reference: Reference, scope: Scope, tell: Tell): Given {
  const { at, path, where, pick } = reference
  const pathAt = reference.pathWritten ? child(at, "path") : at
  const source = sourceOf(reference, scope, tell)
  for (const { value } of where ?? []) if (value.kind === "reference") resolve(value, scope, tell)
  if (source === undefined) return undefined
  if (source === undeclared && (path.length > 0 || where !== undefined)) {
    tell("SEQ205", pathAt)
    return undefined
  }
  const found = reach(source, path, pathAt, tell)
  if (found === undefined || where === undefined) return found
  const array = core(found)
  if (array.kind === "unknown") return unknown
  if (array.kind !== "array") {
    tell("SEQ211", pathAt)
    return undefined
  }
  let right = true
  const refuse: Tell = (code, there) => {
    right = false
    tell(code, there)
  }
  for (const condition of where) {
    const declared = walk(array.of, condition.path)
    if (declared.kind === "nothing") refuse("SEQ205", condition.at)
    if (declared.kind === "shape" && neverEqual(condition.value, declared.shape, scope)) refuse("SEQ212", condition.at)
  }
  const picked = reach(matching(array.of, where, scope), pick ?? [], child(at, "pick"), tell)
  return right ? picked : undefined
}

/** An element of which something inside is compared is not null. */
function matching(element: Shape, where: readonly Condition[], scope: Scope): Shape {
  const inside = where.filter(({ path }) => path.length > 0)
  if (element.kind !== "nullable" || inside.length === 0) return element
  const right = inside.every(({ path, value }) => {
    const found = walk(element.of, path)
    return found.kind !== "nothing" && !neverEqual(value, found.shape, scope)
  })
  return right ? element.of : element
}

function neverEqual(wanted: Expression, declared: Shape, scope: Scope): boolean {
  const constant = constantOf(wanted)
  if (constant !== undefined) return !accepts(declared, constant.value)
  const given = wanted.kind === "reference" ? resolve(wanted, scope, () => {}) : undefined
  return given !== undefined && disjoint(given, declared)
}

function reach(shape: Shape, path: readonly string[], at: Pointer, tell: Tell): Given {
  const found = walk(shape, path)
  if (found.kind === "shape") return found.shape
  tell(found.kind === "nothing" ? "SEQ205" : "SEQ206", at)
  return undefined
}

function sourceOf({ at, source: id }: Reference, scope: Scope, tell: Tell): Given {
  const { inputs, tools } = scope.declaration
  if (id === "input") {
    if (inputs === undefined) tell("SEQ210", at)
    return inputs && closed(inputs)
  }
  const source = earlierCall(id, child(at, "$from"), scope, tell)
  if (source === undefined || !scope.known(source)) return undefined
  return tools[source.tool ?? ""]?.result ?? undeclared
}

/** A reference or an `after` may name only an earlier call. */
export function earlierCall(id: string, at: Pointer, { step, steps }: Scope, tell: Tell): Call | undefined {
  const named = steps.find((one) => one.id === id)
  if (named === undefined) {
    if (steps.every((one) => one.id !== undefined)) tell("SEQ201", at)
  } else if (named.index > step.index) tell("SEQ202", at)
  else if (named.index === step.index) tell("SEQ203", at)
  else if (named.kind === "transition") tell("SEQ204", at)
  else return named
  return undefined
}
