/**
 * The validator of a JSON Schema: Ajv, which makes code of it, and where no code may be made from strings a validator
 * that walks it. Both read the normal form, both count multiples as decimals, and a test holds them to the same verdicts.
 * `unevaluatedItems` and `unevaluatedProperties` are always walked: Ajv does not see all that the standard says was
 * evaluated (by `contains`, by an `if` alone, in nested `items`), and would let wrong values through.
 */

import { Validator, type Schema as WalkedSchema, format as walkedFormats } from "@cfworker/json-schema"
import type { ErrorObject, FuncKeywordDefinition } from "ajv/dist/2020.js"
import { ajv } from "#engines"
import { isObject, type Json } from "../../../text/json.ts"
import { child, type Pointer, parsePointer, root } from "../../../text/pointer.ts"
import { isDecimalMultiple } from "../decimal.ts"
import { hiddenSteps } from "../guard.ts"
import type { Answer } from "../judge.ts"
import type { Issue } from "../schema.ts"
import { withinWork } from "../work.ts"
import { askNormal } from "./ask-json-schema.ts"
import type { Findings } from "./findings.ts"
import { askOf, type Format, type Formats, patternOf } from "./formats.ts"
import type { Keywords, Normal, NormalSchema } from "./normal-schema.ts"
import { leavesFirst, mapParts } from "./schema-parts.ts"

type Validate = (copy: Json) => Answer

/** Where the shape says all, the validator is hardly ever asked: it is made when it is. */
export function validateNormal(normal: Normal, findings: Findings, isLazy: boolean): Validate {
  let made = isLazy ? undefined : validator(normal, findings)
  return (copy) => {
    made ??= validator(normal, findings)
    return made(copy)
  }
}

function validator(normal: Normal, findings: Findings): Validate {
  const { formats, recursive, parts } = findings
  const perCharacter = hiddenSteps(findings)
  const walked = (): Validate =>
    withinWork(walk(normal, formats), {
      schema: normal.schema,
      ask: askNormal(normal, false),
      recursive,
      parts,
      perCharacter,
    })
  if (isMentioned(normal, "unevaluatedItems") || isMentioned(normal, "unevaluatedProperties")) return walked()
  if (widthOf(normal) > widthMax) return walked()
  try {
    const generated = generate(normal, formats)
    return withinWork(generated, {
      schema: normal.schema,
      ask: askNormal(normal, true),
      recursive,
      parts,
      perCharacter,
    })
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === "EvalError") return walked()
    throw thrown
  }
}

/** Alternatives, or properties, beside one another. Of more than these Ajv takes long to make code: it grows with their square. */
const widthMax = 200

const widthOf = ({ schema, definitions }: Normal): number =>
  Math.max(widthOfSchema(schema), ...[...definitions.values()].map(widthOfSchema))

function widthOfSchema(schema: NormalSchema): number {
  if (typeof schema === "boolean") return 0
  let width = 0
  const parts = mapParts(schema, (part) => {
    width = Math.max(width, widthOfSchema(part))
    return part
  })
  for (const [keyword, value] of parts) {
    if (keyword !== "enum" && keyword !== "required" && typeof value === "object" && value !== null)
      width = Math.max(width, Object.keys(value).length)
  }
  return width
}

const isMentioned = ({ schema, definitions }: Normal, keyword: string, value = ""): boolean =>
  JSON.stringify([schema, ...definitions.values()]).includes(`"${keyword}":${value && JSON.stringify(value)}`)

/** The normal form as one document. */
const documentOf = ({ schema, definitions }: Normal): object => ({
  ...(typeof schema === "boolean" ? { allOf: [schema] } : schema),
  $defs: Object.fromEntries(definitions),
})

export function generate(normal: Normal, formats: Formats): Validate {
  const Ajv = ajv()
  const engine = new Ajv({
    // Strictness is ours: a keyword that is not known, or not right, never comes this far. Ajv's own refuses more than
    // that, such as a `minContains` of 0.
    ...{ strict: false, strictNumbers: true },
    // What a value inherits is no part of it.
    ownProperties: true,
    // The normal form is checked already, and says nothing of its dialect.
    ...{ meta: false, validateSchema: false, logger: false },
    formats: Object.fromEntries([...formats].map(([name, format]) => [name, askOf(format) ?? true])),
  })
  for (const keyword of ours) engine.removeKeyword(keyword.keyword).addKeyword(keyword)
  const inOrder = {
    ...normal,
    schema: leavesFirst(normal.schema),
    definitions: new Map([...normal.definitions].map(([name, one]) => [name, leavesFirst(one)])),
  }
  const check = engine.compile(documentOf(inOrder))
  return (copy) => (check(copy) ? { ok: true, output: copy } : { ok: false, issues: (check.errors ?? []).map(issueOf) })
}

/**
 * Keywords that Ajv judges otherwise: it divides doubles, it calls the `toString` and `valueOf` that a value may hold, and
 * it compares each item with each other.
 */
const ours: readonly (FuncKeywordDefinition & { readonly keyword: string })[] = [
  {
    keyword: "multipleOf",
    type: "number",
    validate: (step: number, value: number) => isDecimalMultiple(value, step),
    error: { message: ({ schema }) => `must be a multiple of ${schema}` },
  },
  {
    keyword: "const",
    compile: (allowed: Json) => isOneOf([allowed]),
    error: { message: ({ schema }) => `must be ${JSON.stringify(schema)}` },
  },
  {
    keyword: "enum",
    compile: (allowed: readonly Json[]) => isOneOf(allowed),
    error: { message: ({ schema }) => `must be one of ${schema.map((one: Json) => JSON.stringify(one)).join(", ")}` },
  },
  {
    keyword: "uniqueItems",
    type: "array",
    validate: (asked: boolean, items: readonly Json[]) => !asked || new Set(items.map(textOf)).size === items.length,
    error: { message: "must not hold the same item twice" },
  },
]

function isOneOf(allowed: readonly Json[]): (value: Json) => boolean {
  const known = new Set(allowed.map(textOf))
  return (value) => known.has(textOf(value))
}

/** The same text for equal values, and for no others. */
function textOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(textOf)}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${textOf(value[key] as Json)}`)}}`
}

/** An error about a key is placed at its object: it is told where the key is, or ought to be. */
function issueOf({ instancePath, message = "is not right", params }: ErrorObject): Issue {
  const at = instancePath as Pointer
  const key = params.additionalProperty ?? params.unevaluatedProperty
  return typeof key === "string" ? { at: child(at, key), message: "is not declared" } : { at, message }
}

export function walk(normal: Normal, formats: Formats): Validate {
  const definitions = [...normal.definitions].map(([name, one]) => [name, withPatterns(one, formats)] as const)
  const whole: Normal = { ...normal, schema: withPatterns(normal.schema, formats), definitions: new Map(definitions) }
  const walker = new Validator(documentOf(whole) as WalkedSchema, "2020-12", false)
  const asked = [...formats].filter(
    ([name, format]) => !isPattern(format) && isMentioned(whole, "format", named(name, format)),
  )
  return (copy) => {
    // The walker's table of formats is everybody's. Each of ours has a name that says all it asks, and is put there anew.
    for (const [name, format] of asked) walkedFormats[named(name, format)] = askOf(format) ?? (() => true)
    const { valid, errors } = walker.validate(bare(copy))
    if (valid) return { ok: true, output: copy }
    const own = errors.filter(({ keyword }) => !passing.has(keyword))
    const told = own.length > 0 ? own : errors
    return {
      ok: false,
      issues: told.map(({ instanceLocation, error }) => ({ at: placeOf(instanceLocation), message: error })),
    }
  }
}

/** Errors of these say only that there are others. */
const passing: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "properties",
  "items",
  "prefixItems",
  "dependentSchemas",
])

/** `#/a~1b` as a pointer. */
function placeOf(location: string): Pointer {
  const pointer = decodeURI(location.slice(1))
  return parsePointer(pointer) === undefined ? root : (pointer as Pointer)
}

/** A pattern as the walker asks them. */
const isPattern = (format: Format): boolean => patternOf(format)?.flags === "u"

const named = (name: string, { own = "" }: Format): string => `${name} (${own})`

/** It has formats of its own, which are not ours: here most are patterns. The copy is one that it may write into. */
function withPatterns(schema: NormalSchema, formats: Formats): NormalSchema {
  if (typeof schema === "boolean") return schema
  const { format, ...keywords } = schema
  const inner = (one: NormalSchema): NormalSchema => withPatterns(one, formats)
  const whole: Keywords = Object.fromEntries(mapParts(keywords, inner))
  const asked = format === undefined ? undefined : formats.get(format)
  if (format === undefined || asked === undefined) return whole
  const rule = isPattern(asked) ? { pattern: patternOf(asked)?.source ?? "" } : { format: named(format, asked) }
  return { ...whole, allOf: [...(whole.allOf ?? []), rule] }
}

/** It looks for keys along the prototype. */
function bare(value: Json): Json {
  if (Array.isArray(value)) return value.map(bare)
  if (!isObject(value)) return value
  return Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bare(inner)])),
  )
}
