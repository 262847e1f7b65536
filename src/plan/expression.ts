/** The forms an expression can take: `$from`, `$concat`, `$literal`. Codes: SEQ130 … SEQ133. */
import type { TSchema } from "@sinclair/typebox"
import { shapeAt } from "../catalog/schema/at.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { intended, nearestTo, suggest } from "../diagnostic/nearest.ts"
import { type JsonPatch, rename } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Bounds } from "../text/bounds.ts"
import { isObject, type Json, type JsonObject, nameOf } from "../text/json.ts"
import { child, formatPointer, type Pointer, parsePointer } from "../text/pointer.ts"
import type { Broken, Concat, Expression, Literal, Match, Read } from "./plan.ts"

export interface Lowering {
  readonly bounds: Bounds
  readonly report: Report
  /** Filled with each `$from` as it is met. */
  readonly reads: Read[]
  /** What the step or the input of this name gives, where that is declared. */
  readonly shapeOf: (source: string) => TSchema | undefined
}

/** Bottom up: what holds no reference folds into one literal. */
export function lowerExpression(value: Json, at: Pointer, lowering: Lowering): Expression {
  if (typeof value !== "object" || value === null || !holdsForm(value)) return { kind: "literal", at, value }
  if (Array.isArray(value)) {
    const items = value.map((item: Json, index) => lowerExpression(item, child(at, index), lowering))
    return items.every(isLiteral)
      ? { kind: "literal", at, value: items.map((item) => item.value) }
      : { kind: "array", at, items }
  }
  const object = value as JsonObject
  for (const key in object) if (key.charCodeAt(0) === 0x24) return lowerForm(object, at, lowering)
  const entries: (readonly [string, Expression])[] = []
  let constant = true
  for (const key in object) {
    const part = lowerExpression(object[key] as Json, child(at, key), lowering)
    if (part.kind !== "literal") constant = false
    entries.push([key, part])
  }
  if (!constant) return { kind: "object", at, entries }
  return {
    kind: "literal",
    at,
    value: Object.fromEntries(entries.map(([key, part]) => [key, (part as Literal).value])),
  }
}

/** Whether any object in the value has a key that begins with `$`. Depth is bounded by the reader. */
export function holdsForm(value: object): boolean {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null && holdsForm(item)) return true
    return false
  }
  for (const key in value) {
    if (key.charCodeAt(0) === 0x24) return true
    const member = (value as JsonObject)[key] as Json
    if (typeof member === "object" && member !== null && holdsForm(member)) return true
  }
  return false
}

const isLiteral = (expression: Expression): expression is Literal => expression.kind === "literal"

function lowerForm(value: JsonObject, at: Pointer, lowering: Lowering): Expression {
  const keys = Object.keys(value)
  const unknown = keys.filter((key) => key.startsWith("$") && !Object.hasOwn(forms, key))
  for (const key of unknown) {
    const mend = () => renameForm(key, value, at)
    lowering.report.add(diagnose("SEQ130", child(at, key), { key }, { part: "key", mend }))
  }
  if (unknown.length > 0) return { kind: "broken", at }
  if ("$from" in value) return lowerFrom(value, at, lowering)
  const key = "$concat" in value ? "$concat" : "$literal"
  const others = keys.filter((name) => name !== key)
  for (const other of others)
    broken(child(at, other), `\`${key}\` stands alone, without \`${other}\``, forms[key], lowering)
  if (others.length > 0) return { kind: "broken", at }
  return key === "$literal"
    ? { kind: "literal", at, value: value[key] as Json }
    : lowerConcat(value[key] as Json, at, lowering)
}

function renameForm(key: string, value: JsonObject, at: Pointer): JsonPatch | undefined {
  const form = intended(key, Object.keys(forms))
  const right = form === "$from" ? typeof value[key] === "string" : form === "$literal" || Array.isArray(value[key])
  return right ? rename(at, key, form, value) : undefined
}

const forms = {
  $from: 'Write `{"$from": "step or input", "path": "/pointer"}`, with `where` and `pick` to select from an array.',
  $concat: 'Write `{"$concat": ["text", {"$from": "step", "path": "/pointer"}]}`.',
  $literal: 'Write `{"$literal": data}`.',
} as const

function broken(
  at: Pointer,
  problem: string,
  form: string,
  { report }: Lowering,
  mend?: () => JsonPatch | undefined,
): Broken {
  report.add(diagnose("SEQ131", at, { problem, form }, mend && { mend }))
  return { kind: "broken", at }
}

const fromFields = ["$from", "path", "where", "pick"]

function lowerFrom(value: JsonObject, at: Pointer, lowering: Lowering): Read | Broken {
  const unknown = Object.keys(value).filter((key) => !fromFields.includes(key))
  for (const key of unknown) {
    const place = child(at, key)
    const mend = (): JsonPatch | undefined => {
      const meant = intended(key, fromFields)
      if (meant !== undefined) return rename(at, key, meant, value)
      return nearestTo(key, fromFields).length > 0 ? undefined : [{ op: "remove", path: place }]
    }
    broken(place, `\`$from\` has no field \`${key}\``, suggest(key, fromFields, "fields"), lowering, mend)
  }
  if (unknown.length > 0) return { kind: "broken", at }
  const source = value.$from as Json
  if (typeof source !== "string")
    return broken(
      child(at, "$from"),
      `\`$from\` names a step or \`input\`, but is ${nameOf(source)}`,
      forms.$from,
      lowering,
    )
  const path = lowerPath(value.path, child(at, "path"), lowering, () => lowering.shapeOf(source))
  if (path === undefined) return { kind: "broken", at }
  if (value.where === undefined) {
    if (value.pick !== undefined) return broken(child(at, "pick"), "`pick` needs `where`", forms.$from, lowering)
    return keep({ kind: "reference", at, source, path }, lowering)
  }
  const where = lowerWhere(value.where, child(at, "where"), lowering)
  const pick = lowerPath(value.pick, child(at, "pick"), lowering)
  if (where === undefined || pick === undefined) return { kind: "broken", at }
  return keep({ kind: "selection", at, source, path, where, pick }, lowering)
}

function keep<R extends Read>(read: R, { reads }: Lowering): R {
  reads.push(read)
  return read
}

/** The path of an expression that has none: a fault of it has no place of its own. */
export const unwritten: readonly string[] = Object.freeze([])

/** An absent path is the whole value. `within` is what the path leads into, where that can be told. */
function lowerPath(
  written: Json | undefined,
  at: Pointer,
  lowering: Lowering,
  within: () => TSchema | undefined = () => undefined,
): readonly string[] | undefined {
  if (written === undefined) return unwritten
  if (typeof written !== "string") {
    broken(
      at,
      `a path is a string, but this is ${nameOf(written)}`,
      'Write a JSON Pointer, such as `"/items/0/id"`.',
      lowering,
    )
    return undefined
  }
  const path = parsePointer(written)
  if (path === undefined) {
    const tokens = tokensLike(written)
    const suggestion =
      tokens === undefined
        ? "Begin with `/`; `~` is written `~0`, and `/` inside a key `~1`."
        : `Write \`${formatPointer(tokens)}\`.`
    const mend = (): JsonPatch | undefined => {
      const shape = within()
      if (tokens === undefined || shape === undefined || !shapeAt(shape, tokens).ok) return undefined
      return [{ op: "replace", path: at, value: formatPointer(tokens) }]
    }
    lowering.report.add(diagnose("SEQ132", at, { pointer: written.slice(0, 80), suggestion }, { mend }))
  }
  return path
}

/** `items[0].id`, `$.items[0]` and `items/0` are what planners write instead. */
function tokensLike(written: string): readonly string[] | undefined {
  const tokens = written
    .replace(/^\$\.?/, "")
    .split(/[./[\]]+/)
    .filter((token) => token !== "")
  return tokens.length === 0 || tokens.length > 20 || tokens.some((token) => !/^[\w-]+$/.test(token))
    ? undefined
    : tokens
}

function lowerWhere(written: Json, at: Pointer, lowering: Lowering): readonly Match[] | undefined {
  const form = 'Write `"where": {"/pointer": value}`, with a literal or a `$from` as the value.'
  if (!isObject(written) || Object.keys(written).length === 0) {
    broken(at, "`where` is an object with at least one pointer to compare", form, lowering)
    return undefined
  }
  const matches = Object.entries(written).map(([pointer, compared]): Match | undefined => {
    const place = child(at, pointer)
    const path = lowerPath(pointer, place, lowering)
    const value = lowerExpression(compared, place, lowering)
    if (value.kind === "broken" || path === undefined) return undefined
    if (value.kind === "literal" || value.kind === "reference") return { at: place, path, value }
    broken(place, "`where` compares with a literal or a plain `$from`", form, lowering)
    return undefined
  })
  return matches.every((match) => match !== undefined) ? matches : undefined
}

function lowerConcat(written: Json, at: Pointer, lowering: Lowering): Concat | Literal | Broken {
  const place = child(at, "$concat")
  if (!Array.isArray(written))
    return broken(place, `\`$concat\` takes an array of parts, but is ${nameOf(written)}`, forms.$concat, lowering)
  if (written.length > lowering.bounds.concatParts) {
    lowering.report.add(diagnose("SEQ133", place, { count: written.length, max: lowering.bounds.concatParts }))
    return { kind: "broken", at }
  }
  const parts: (Literal | Read)[] = []
  for (const [index, item] of written.entries()) {
    const part = lowerExpression(item, child(place, index), lowering)
    if (isPart(part)) parts.push(part)
    else if (part.kind !== "broken") {
      const problem = "`$concat` joins strings, integers and booleans, or a `$from` to such"
      broken(part.at, problem, forms.$concat, lowering)
    }
  }
  if (parts.length < written.length) return { kind: "broken", at }
  const texts = parts.map((part) => (part.kind === "literal" ? textOf(part.value) : undefined))
  return texts.every((text) => text !== undefined)
    ? { kind: "literal", at, value: texts.join("") }
    : { kind: "concat", at, parts }
}

const isPart = (part: Expression): part is Literal | Read =>
  part.kind === "reference" ||
  part.kind === "selection" ||
  (part.kind === "literal" && textOf(part.value) !== undefined)

/** The one text form of a string, an integer or a boolean; undefined for what has none. */
export function textOf(value: Json): string | undefined {
  if (typeof value === "string") return value
  return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : undefined
}
