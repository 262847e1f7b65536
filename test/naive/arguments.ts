/** Arguments against the tool's parameters: codes SEQ120 to SEQ124, SEQ207 and SEQ213. */
import type { Json } from "../../src/text/json.ts"
import type { Pointer } from "../../src/text/pointer.ts"
import type { ObjectShape, Shape } from "./declaration.ts"
import { constantOf, type Expression, outerReferencesIn, type Reference } from "./expression.ts"
import type { Given } from "./references.ts"
import { core, disjoint, emptyAtMost, fieldOf, fieldsOf, inRange, isBlank, ofKind, unknown } from "./shape.ts"
import type { Tell } from "./verdict.ts"

/** Who asks about the arguments of one step. */
export interface Asking {
  /** What a reference gives; tells the faults of the reference itself. */
  readonly given: (reference: Reference, tell: Tell) => Given
  readonly tell: Tell
}

/** Tells every fault of a value that an expression stands for, held against the shape it must have. */
export function checkValue(expression: Expression, shape: Shape, asking: Asking): void {
  const { at } = expression
  const { given, tell } = asking
  const constant = constantOf(expression)
  if (constant !== undefined && (expression.kind === "scalar" || expression.kind === "concat")) {
    checkScalar(constant.value, shape, at, tell)
  } else if (expression.kind === "concat") {
    const right = checkParts(expression.parts, given, tell)
    if (right && disjoint({ kind: "string", front: "zod" }, shape)) tell("SEQ207", at)
  } else if (expression.kind === "reference") {
    const gives = given(expression, tell)
    if (gives !== undefined && disjoint(gives, shape)) tell("SEQ207", at)
    else if (gives !== undefined && emptyAtMost(gives, shape)) tell("SEQ215", at)
  } else if (expression.kind === "array") {
    const array = core(shape)
    const empty = expression.items.map(() => null)
    if (array.kind === "array" && inRange(empty, array)) {
      for (const item of expression.items) checkValue(item, array.of, asking)
    } else {
      // Of an array with too many items none is held against what it should be.
      if (array.kind !== "unknown") tell(array.kind === "array" ? "SEQ123" : "SEQ122", at)
      checkStray(expression, asking)
    }
  } else if (expression.kind === "object") {
    const object = core(shape)
    if (object.kind === "object") checkFields(expression, object, asking)
    else {
      if (object.kind !== "unknown") tell("SEQ122", at)
      checkStray(expression, asking)
    }
  } else checkStray(expression, asking)
}

/** Where nothing is known of what a value should be, its references are still asked about. */
export function checkStray(expression: Expression, asking: Asking): void {
  const { given, tell } = asking
  switch (expression.kind) {
    case "scalar":
      return
    case "reference":
      given(expression, tell)
      return
    case "concat":
      checkParts(expression.parts, given, tell)
      return
    case "array":
      for (const item of expression.items) checkStray(item, asking)
      return
    case "object":
      for (const [, value] of expression.fields) checkStray(value, asking)
      return
    case "broken":
      for (const reference of outerReferencesIn(expression)) given(reference, tell)
  }
}

/** Whether the parts of a `$concat` are all known, and can be joined. */
function checkParts(parts: readonly Expression[], given: Asking["given"], tell: Tell): boolean {
  return parts
    .filter((part) => part.kind === "reference")
    .map((part) => {
      const gives = given(part, tell)
      if (gives === undefined) return false
      const joined = joinable.some((kind) => !disjoint(gives, kind))
      if (!joined) tell("SEQ213", part.at)
      return joined
    })
    .every((right) => right)
}

const joinable: readonly Shape[] = [{ kind: "string", front: "zod" }, { kind: "integer" }, { kind: "boolean" }]

function checkScalar(value: Json, shape: Shape, at: Pointer, tell: Tell): void {
  if (!ofKind(value, shape)) tell("SEQ122", at)
  else if (!inRange(value, shape)) tell("SEQ123", at)
}

/** What only the author's validator knows, which is asked where the whole of the arguments is literal, and right so far. */
export function judgeValue(expression: Expression, shape: Shape, tell: Tell): void {
  const { kind, at } = expression
  const inner = core(shape)
  if (kind === "array" && inner.kind === "array") for (const item of expression.items) judgeValue(item, inner.of, tell)
  if (kind === "object" && inner.kind === "object") {
    for (const [name, value] of expression.fields) judgeValue(value, fieldOf(inner, name)?.shape ?? unknown, tell)
  }
  const text = constantOf(expression)?.value
  if (inner.kind === "string" && inner.refined === true && typeof text === "string" && isBlank(text)) tell("SEQ124", at)
}

function checkFields(expression: Extract<Expression, { kind: "object" }>, shape: ObjectShape, asking: Asking): void {
  for (const [name, value] of expression.fields) {
    const field = fieldOf(shape, name)
    if (field !== undefined) checkValue(value, field.shape, asking)
    else {
      asking.tell("SEQ121", value.at)
      checkStray(value, asking)
    }
  }
  for (const { name, optional } of fieldsOf(shape)) {
    if (!optional && !expression.fields.some(([written]) => written === name)) asking.tell("SEQ120", expression.at)
  }
}
