/** Expressions in arguments: DESIGN.md section 3, codes SEQ130 to SEQ133. */
import type { Json, JsonObject } from "../../src/text/json.ts"
import { child, type Pointer, parsePointer } from "../../src/text/pointer.ts"
import { isArray, isObject } from "./shape.ts"
import type { Tell } from "./verdict.ts"

export type Expression =
  /** A string, a number, a boolean or null. */
  | { readonly kind: "scalar"; readonly at: Pointer; readonly value: Json }
  | { readonly kind: "array"; readonly at: Pointer; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly at: Pointer; readonly fields: readonly (readonly [string, Expression])[] }
  | Reference
  | { readonly kind: "concat"; readonly at: Pointer; readonly parts: readonly Expression[] }
  /** A fault has been told of it. What could be read inside it is asked about all the same. */
  | { readonly kind: "broken"; readonly at: Pointer; readonly inside: readonly Expression[] }

export interface Reference {
  readonly kind: "reference"
  readonly at: Pointer
  readonly source: string
  readonly path: readonly string[]
  readonly pathWritten: boolean
  readonly where?: readonly Condition[]
  readonly pick?: readonly string[]
}

export interface Condition {
  readonly at: Pointer
  readonly path: readonly string[]
  readonly value: Expression
}

export function readExpression(value: Json, at: Pointer, concatParts: number, tell: Tell): Expression {
  const read = (inner: Json, there: Pointer) => readExpression(inner, there, concatParts, tell)
  if (isArray(value)) return { kind: "array", at, items: value.map((item, i) => read(item, child(at, i))) }
  if (!isObject(value)) return { kind: "scalar", at, value }
  const dollars = Object.keys(value).filter((key) => key.startsWith("$"))
  if (dollars.length === 0) {
    return {
      kind: "object",
      at,
      fields: Object.entries(value).map(([name, inner]) => [name, read(inner, child(at, name))]),
    }
  }
  const unknown = dollars.filter((key) => !["$from", "$concat", "$literal"].includes(key))
  for (const key of unknown) tell("SEQ130", child(at, key))
  if (unknown.length > 0) return { kind: "broken", at, inside: [] }
  const form = ["$from", "$concat", "$literal"].find((key) => Object.hasOwn(value, key)) as string
  const fields = form === "$from" ? ["$from", "path", "where", "pick"] : [form]
  const others = Object.keys(value).filter((key) => !fields.includes(key))
  for (const key of others) tell("SEQ131", child(at, key))
  // What an expression with a fault in its form means is not guessed.
  if (others.length > 0) return { kind: "broken", at, inside: [] }
  if (form === "$literal") return quote(value.$literal as Json, at)
  if (form === "$concat") return readConcat(value.$concat as Json, at, concatParts, tell)
  return readReference(value, at, concatParts, tell)
}

/** Data as it stands: in it no key means anything. */
function quote(value: Json, at: Pointer): Expression {
  return { ...verbatim(value, child(at, "$literal")), at }
}

function verbatim(value: Json, at: Pointer): Expression {
  if (isArray(value)) return { kind: "array", at, items: value.map((item, i) => verbatim(item, child(at, i))) }
  if (!isObject(value)) return { kind: "scalar", at, value }
  const fields = Object.entries(value).map(([name, inner]) => [name, verbatim(inner, child(at, name))] as const)
  return { kind: "object", at, fields }
}

function readReference(value: JsonObject, at: Pointer, concatParts: number, tell: Tell): Expression {
  const { $from: source, path, where, pick } = value
  if (typeof source !== "string") {
    tell("SEQ131", child(at, "$from"))
    return { kind: "broken", at, inside: [] }
  }
  const pathTokens = readPointer(path, child(at, "path"), tell)
  if (pathTokens === undefined) return { kind: "broken", at, inside: [] }
  const plain = { kind: "reference", at, source, path: pathTokens, pathWritten: path !== undefined } as const
  if (where === undefined && pick === undefined) return plain
  if (where === undefined) {
    tell("SEQ131", child(at, "pick"))
    return { kind: "broken", at, inside: [] }
  }
  let whole = true
  const refuse: Tell = (code, there) => {
    whole = false
    tell(code, there)
  }
  const pickTokens = readPointer(pick, child(at, "pick"), refuse)
  const conditions = readWhere(where, child(at, "where"), concatParts, refuse)
  return whole && pickTokens !== undefined
    ? { ...plain, where: conditions, pick: pickTokens }
    : { kind: "broken", at, inside: conditions.map((one) => one.value) }
}

/** The tokens of a path, none where it is not written, or undefined where it is wrong. */
function readPointer(text: Json | undefined, at: Pointer, refuse: Tell): readonly string[] | undefined {
  if (text === undefined) return []
  const tokens = typeof text === "string" ? parsePointer(text) : undefined
  if (tokens === undefined) refuse(typeof text === "string" ? "SEQ132" : "SEQ131", at)
  return tokens
}

function readWhere(where: Json, at: Pointer, concatParts: number, refuse: Tell): readonly Condition[] {
  if (!isObject(where) || Object.keys(where).length === 0) {
    refuse("SEQ131", at)
    return []
  }
  return Object.entries(where).map(([key, wanted]) => {
    const there = child(at, key)
    const path = readPointer(key, there, refuse)
    const value = readExpression(wanted, there, concatParts, refuse)
    const plain = value.kind === "reference" && value.where === undefined
    if (path !== undefined && !plain && value.kind !== "broken" && constantOf(value) === undefined)
      refuse("SEQ131", there)
    return { at: there, path: path ?? [], value }
  })
}

function readConcat(parts: Json, at: Pointer, concatParts: number, refuse: Tell): Expression {
  const there = child(at, "$concat")
  if (!isArray(parts)) refuse("SEQ131", there)
  else if (parts.length > concatParts) refuse("SEQ133", there)
  else {
    const read = parts.map((part, i) => readExpression(part, child(there, i), concatParts, refuse))
    const wrong = read.filter((part) => {
      const constant = constantOf(part)
      return part.kind !== "reference" && (constant === undefined || !canBeJoined(constant.value))
    })
    for (const part of wrong) if (part.kind !== "broken") refuse("SEQ131", part.at)
    return wrong.length > 0 ? { kind: "broken", at, inside: read } : { kind: "concat", at, parts: read }
  }
  return { kind: "broken", at, inside: [] }
}

const canBeJoined = (value: Json): boolean =>
  typeof value === "string" || typeof value === "boolean" || Number.isInteger(value)

/** The value of an expression that has no reference in it. */
export function constantOf(expression: Expression): { readonly value: Json } | undefined {
  switch (expression.kind) {
    case "scalar":
      return { value: expression.value }
    case "array": {
      const items = expression.items.map(constantOf)
      return items.includes(undefined) ? undefined : { value: items.map((item) => item?.value as Json) }
    }
    case "object": {
      const fields = expression.fields.map(([name, inner]) => [name, constantOf(inner)] as const)
      if (fields.some(([, inner]) => inner === undefined)) return undefined
      return { value: Object.fromEntries(fields.map(([name, inner]) => [name, inner?.value as Json])) }
    }
    case "concat": {
      const parts = expression.parts.map(constantOf)
      return parts.includes(undefined) ? undefined : { value: parts.map((part) => String(part?.value)).join("") }
    }
    case "reference":
    case "broken":
      return undefined
  }
}

/** Every reference in an expression, but for those that a selection compares with. */
export function outerReferencesIn(expression: Expression): readonly Reference[] {
  switch (expression.kind) {
    case "scalar":
      return []
    case "broken":
      return expression.inside.flatMap(outerReferencesIn)
    case "array":
      return expression.items.flatMap(outerReferencesIn)
    case "object":
      return expression.fields.flatMap(([, inner]) => outerReferencesIn(inner))
    case "concat":
      return expression.parts.flatMap(outerReferencesIn)
    case "reference":
      return [expression]
  }
}

/** Every reference in an expression. */
export const referencesIn = (expression: Expression): readonly Reference[] =>
  outerReferencesIn(expression).flatMap((one) => [
    one,
    ...(one.where ?? []).flatMap(({ value }) => referencesIn(value)),
  ])

/** Do two expressions say the same, so that they must come to the same value? */
export function sameExpression(a: Expression, b: Expression): boolean {
  return canonical(a) === canonical(b)
}

/** One text for all the ways to write the same. `isText`: does a reference surely give a string? */
export function canonical(expression: Expression, isText: (reference: Reference) => boolean = () => false): string {
  const constant = constantOf(expression)
  if (constant !== undefined) return `value ${sortedJson(constant.value)}`
  switch (expression.kind) {
    case "array":
      return `array [${expression.items.map((item) => canonical(item, isText)).join(",")}]`
    case "object": {
      const fields = expression.fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner, isText)}`)
      return `object {${fields.sort().join(",")}}`
    }
    case "concat": {
      // Each constant letter by letter: then it does not matter where the parts begin.
      const pieces = expression.parts.flatMap((part) => {
        const text = constantOf(part)
        return text === undefined ? [canonical(part)] : [...String(text.value)].map((letter) => `letter ${letter}`)
      })
      const [only, ...others] = expression.parts.filter((part) => constantOf(part)?.value !== "")
      if (only?.kind === "reference" && others.length === 0 && isText(only)) return canonical(only)
      return `concat ${JSON.stringify(pieces)}`
    }
    case "reference": {
      const { source, path, where = [], pick } = expression
      const conditions = where.map((one) => `${JSON.stringify(one.path)}:${canonical(one.value)}`).sort()
      return `from ${JSON.stringify([source, path, conditions, pick ?? null])}`
    }
    case "scalar":
    case "broken":
      return `broken ${expression.at}`
  }
}

function sortedJson(value: Json): string {
  if (isArray(value)) return `[${value.map(sortedJson).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value === 0 ? 0 : value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${sortedJson(value[name] as Json)}`).join(",")}}`
}
