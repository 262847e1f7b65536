/** Random schemas, said once and built in zod, in TypeBox and as JSON Schema, with values that mostly fit them. */
import { type TSchema, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { z } from "zod"
import type { Json } from "../../src/text/json.ts"

export type Node =
  | { readonly kind: "string"; readonly min?: number; readonly max?: number; readonly pattern?: string }
  | { readonly kind: "number"; readonly integer: boolean; readonly bounds: Bounds; readonly step?: number }
  | { readonly kind: "boolean" | "null" | "any" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "array"; readonly item: Node; readonly min?: number; readonly max?: number }
  | { readonly kind: "tuple"; readonly items: readonly Node[] }
  | {
      readonly kind: "object"
      readonly properties: readonly Property[]
      readonly others: "strip" | "strict" | "loose" | Node
    }
  | { readonly kind: "record"; readonly value: Node; readonly key?: string }
  | { readonly kind: "union"; readonly branches: readonly Node[] }
  | { readonly kind: "tagged"; readonly branches: readonly (readonly Property[])[] }
  | { readonly kind: "both"; readonly sides: readonly [readonly Property[], readonly Property[]] }

export interface Property {
  readonly key: string
  readonly node: Node
  readonly optional: boolean
}

interface Bounds {
  readonly min?: number
  readonly max?: number
  readonly above?: number
  readonly below?: number
}

const units = ["a", "b", "1", " ", "\n", "é", "😀", "\ud83d"]
const text = fc.array(fc.constantFrom(...units), { maxLength: 6 }).map((parts) => parts.join(""))
const count = fc.integer({ min: 0, max: 4 })
const small = fc.oneof(fc.integer({ min: -5, max: 12 }), fc.constantFrom(0.5, 1.1, -2.5, 0.3, 2.03, 1e300))
/** Some of them are members of every object. */
const key = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("a", "b", "c", "d") },
  { weight: 1, arbitrary: fc.constantFrom("toString", "~/", "1") },
)

const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(one, { nil: undefined, freq: 2 })

/** Leaves out what is undefined. */
const record = <T extends object>(
  parts: { readonly [K in keyof T]-?: fc.Arbitrary<T[K] | undefined> },
): fc.Arbitrary<T> =>
  fc
    .record(parts as never)
    .map((all) => Object.fromEntries(Object.entries(all as object).filter(([, value]) => value !== undefined)) as T)

export const { node } = fc.letrec<{ node: Node }>((tie) => {
  const inner = tie("node")
  const leaf: fc.Arbitrary<Node> = fc.oneof(
    record<Node & { kind: "string" }>({
      kind: fc.constant("string"),
      min: maybe(count),
      max: maybe(fc.integer({ min: 2, max: 6 })),
      pattern: maybe(fc.constantFrom("^a", "[ab]$", "^[^x]*$", "^.*$")),
    }),
    record<Node & { kind: "number" }>({
      kind: fc.constant("number"),
      integer: fc.boolean(),
      bounds: record<Bounds>({
        min: maybe(small),
        max: maybe(fc.integer({ min: 3, max: 12 })),
        above: maybe(small),
        below: maybe(fc.integer({ min: 3, max: 13 })),
      }),
      step: maybe(fc.constantFrom(2, 3, 0.5, 0.1, 0.07)),
    }),
    fc.constantFrom<Node>({ kind: "boolean" }, { kind: "null" }, { kind: "any" }),
    fc.record({
      kind: fc.constant("literal"),
      value: fc.constantFrom("a", "b", 1, 2, true, false),
    }) as fc.Arbitrary<Node>,
    fc.record({
      kind: fc.constant("enum"),
      values: fc.uniqueArray(fc.constantFrom("a", "b", "c", "é"), { minLength: 1 }),
    }) as fc.Arbitrary<Node>,
  )
  const properties = fc.uniqueArray(fc.record({ key, node: inner, optional: fc.boolean() }), {
    selector: (one) => one.key,
    maxLength: 4,
  })
  const tagged = fc
    .uniqueArray(properties, { minLength: 1, maxLength: 3 })
    .map((branches) =>
      branches.map((rest, index): Property[] => [
        { key: "tag", node: { kind: "literal", value: ["x", "y", "z"][index] as string }, optional: false },
        ...rest,
      ]),
    )
  const branching: fc.Arbitrary<Node> = fc.oneof(
    record<Node & { kind: "array" }>({
      kind: fc.constant("array"),
      item: inner,
      min: maybe(fc.integer({ min: 0, max: 2 })),
      max: maybe(fc.integer({ min: 1, max: 4 })),
    }),
    fc.record({ kind: fc.constant("tuple"), items: fc.array(inner, { maxLength: 3 }) }) as fc.Arbitrary<Node>,
    fc.record({
      kind: fc.constant("object"),
      properties,
      others: fc.oneof(
        { weight: 3, arbitrary: fc.constant("strip") },
        { weight: 2, arbitrary: fc.constantFrom("strict", "loose") },
        { weight: 1, arbitrary: inner },
      ),
    }) as fc.Arbitrary<Node>,
    record<Node & { kind: "record" }>({ kind: fc.constant("record"), value: inner, key: maybe(fc.constant("^[ab]")) }),
    fc.record({
      kind: fc.constant("union"),
      branches: fc.array(inner, { minLength: 1, maxLength: 3 }),
    }) as fc.Arbitrary<Node>,
    fc.record({ kind: fc.constant("tagged"), branches: tagged }) as fc.Arbitrary<Node>,
    fc.record({ kind: fc.constant("both"), sides: fc.tuple(properties, properties) }) as fc.Arbitrary<Node>,
  )
  return { node: fc.oneof({ maxDepth: 3, depthSize: "small" }, leaf, branching) }
})

export function zodOf(node: Node): z.ZodType {
  switch (node.kind) {
    case "string": {
      let schema = z.string()
      if (node.min !== undefined) schema = schema.min(node.min)
      if (node.max !== undefined) schema = schema.max(node.max)
      if (node.pattern !== undefined) schema = schema.regex(new RegExp(node.pattern))
      return schema
    }
    case "number": {
      const { min, max, above, below } = node.bounds
      let schema: z.ZodNumber = node.integer ? z.int() : z.number()
      if (min !== undefined) schema = schema.min(min)
      if (max !== undefined) schema = schema.max(max)
      if (above !== undefined) schema = schema.gt(above)
      if (below !== undefined) schema = schema.lt(below)
      return node.step === undefined ? schema : schema.multipleOf(node.step)
    }
    case "boolean":
      return z.boolean()
    case "null":
      return z.null()
    case "any":
      return z.unknown()
    case "literal":
      return z.literal(node.value)
    case "enum":
      return z.enum(node.values as [string])
    case "array": {
      let schema = z.array(zodOf(node.item))
      if (node.min !== undefined) schema = schema.min(node.min)
      return node.max === undefined ? schema : schema.max(node.max)
    }
    case "tuple":
      return z.tuple(node.items.map(zodOf) as [z.ZodType])
    case "object": {
      const schema = z.object(zodProperties(node.properties))
      if (node.others === "strip") return schema
      if (node.others === "strict") return schema.strict()
      return node.others === "loose" ? schema.loose() : schema.catchall(zodOf(node.others))
    }
    case "record":
      return z.record(node.key === undefined ? z.string() : z.string().regex(new RegExp(node.key)), zodOf(node.value))
    case "union":
      return z.union(node.branches.map(zodOf))
    case "tagged":
      return z.discriminatedUnion(
        "tag",
        node.branches.map((properties) => z.object(zodProperties(properties))) as never,
      )
    case "both":
      return z.intersection(z.object(zodProperties(node.sides[0])), z.object(zodProperties(node.sides[1])))
  }
}

const zodProperties = (properties: readonly Property[]): Record<string, z.ZodType> =>
  Object.fromEntries(
    properties.map(({ key, node, optional }) => [key, optional ? zodOf(node).optional() : zodOf(node)]),
  )

const json = Type.Union([
  Type.Null(),
  Type.Boolean(),
  Type.Number(),
  Type.String(),
  Type.Array(Type.Unknown()),
  Type.Object({}),
])

/**
 * As an author writes it, or as we read it: what must be there may not be undefined, and where it is `closed`, objects
 * that would ignore unknown keys refuse them.
 */
export function typeBoxOf(node: Node, as: "written" | "read" | "closed"): TSchema {
  const closed = as === "closed"
  const inner = (one: Node): TSchema => typeBoxOf(one, as)
  const others = closed ? { additionalProperties: false } : {}
  const object = (properties: readonly Property[], options: object): TSchema =>
    Type.Object(
      Object.fromEntries(
        properties.map(({ key, node, optional }) => [key, optional ? Type.Optional(inner(node)) : inner(node)]),
      ),
      options,
    )
  switch (node.kind) {
    case "string":
      return Type.String(given({ minLength: node.min, maxLength: node.max, pattern: node.pattern }))
    case "number": {
      const { min, max, above, below } = node.bounds
      const options = given({
        minimum: min,
        maximum: max,
        exclusiveMinimum: above,
        exclusiveMaximum: below,
        multipleOf: node.step,
      })
      return node.integer ? Type.Integer(options) : Type.Number(options)
    }
    case "boolean":
      return Type.Boolean()
    case "null":
      return Type.Null()
    case "any":
      return as === "written" ? Type.Unknown() : json
    case "literal":
      return Type.Literal(node.value)
    case "enum":
      return Type.Union(node.values.map((value) => Type.Literal(value)))
    case "array":
      return Type.Array(inner(node.item), given({ minItems: node.min, maxItems: node.max }))
    case "tuple":
      return Type.Tuple(node.items.map(inner))
    case "object":
      if (node.others === "strip") return object(node.properties, others)
      if (node.others === "strict") return object(node.properties, { additionalProperties: false })
      return object(node.properties, { additionalProperties: node.others === "loose" ? true : inner(node.others) })
    case "record":
      return node.key === undefined
        ? Type.Record(Type.String(), inner(node.value))
        : Type.Record(Type.String({ pattern: node.key }), inner(node.value), others)
    case "union":
      return Type.Union(node.branches.map(inner))
    case "tagged":
      return Type.Union(node.branches.map((properties) => object(properties, others)))
    case "both":
      return Type.Intersect(
        node.sides.map((side) => object(side, {})),
        closed ? { unevaluatedProperties: false } : {},
      )
  }
}

const given = <T extends object>(options: T): { [K in keyof T]: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: NonNullable<T[K]>
  }

/** Which of the ways to say a thing: an endless supply of choices from a few. */
export function* chooseFrom(choices: readonly number[]): Generator<number, never> {
  for (let index = 0; ; index++)
    yield choices.length === 0 ? 0 : ((choices[index % choices.length] as number) + index) | 0
}

interface Writing {
  readonly draft: "2020-12" | "7"
  /** Objects that say nothing of other keys take none, at the end of each place. */
  readonly closed: boolean
  readonly choices: Iterator<number, never>
  readonly definitions: Map<string, object | boolean>
}

/** The same node in one of the many ways that JSON Schema has for it. */
export function jsonSchemaOf(node: Node, draft: "2020-12" | "7", closed: boolean, choices: readonly number[]): object {
  const writing: Writing = { draft, closed, choices: chooseFrom(choices), definitions: new Map() }
  const schema = writeJsonSchema(node, writing)
  return {
    ...(draft === "7" ? { $schema: "http://json-schema.org/draft-07/schema#" } : {}),
    ...(draft === "7" ? { definitions: Object.fromEntries(writing.definitions) } : {}),
    // Draft 7 ignores what stands beside a `$ref`.
    ...(draft === "7" ? { allOf: [schema] } : { ...schema, $defs: Object.fromEntries(writing.definitions) }),
  }
}

function writeJsonSchema(node: Node, writing: Writing): object {
  const schema = dress(bareJsonSchema(node, writing), writing)
  return writing.closed && closes(node) ? { ...schema, unevaluatedProperties: false } : schema
}

/** It says nothing of other keys, or one of its branches does; so does anything, once it is dressed. */
function closes(node: Node): boolean {
  if (node.kind === "union") return node.branches.some(closes)
  if (node.kind === "object") return node.others === "strip"
  return node.kind === "tagged" || node.kind === "both" || node.kind === "any"
}

/** Words that change nothing, or little, round a schema. */
function dress(schema: object, { choices, closed, definitions, draft }: Writing): object {
  const other = { type: "string", const: "never" }
  switch (choices.next().value % 18) {
    case 0: {
      const name = `d${definitions.size}`
      definitions.set(name, schema)
      return { $ref: `#/${draft === "7" ? "definitions" : "$defs"}/${name}` }
    }
    case 1:
      return { allOf: [schema, {}] }
    case 2:
      return { anyOf: [schema, other] }
    case 3:
      return { oneOf: [other, schema] }
    case 4:
      return { allOf: [schema], not: { enum: ["b", 2, { a: 1 }, []] } }
    case 5:
      // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
      return { if: { type: ["string", "object"] }, then: schema, else: schema }
    case 6:
      // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
      return { if: { required: ["a"] }, then: { not: { required: ["extra"] } }, allOf: [schema] }
    case 7:
      return { allOf: [schema, { minLength: 1, uniqueItems: true, maxProperties: 2 }] }
    case 8:
      return { ...schema, title: "a title", "x-note": [1] }
    case 9:
      return { oneOf: [schema, { enum: ["b", 2, 3, true, { a: 1 }] }] }
    case 10:
      return draft === "7"
        ? { allOf: [schema], dependencies: { a: ["b"], c: { required: ["a"] } } }
        : { allOf: [schema], dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["a"] } } }
    case 11:
      return { anyOf: [schema, { type: "array", contains: { type: "number" } }] }
    case 12:
      return {
        anyOf: [schema, { type: "object", properties: { a: {}, d: { type: "number" } }, required: ["d"] }],
        ...(closed ? { unevaluatedProperties: false } : {}),
      }
    case 13:
      return { allOf: [schema, { type: ["object", "number", "null", "string"], required: ["b"], minimum: 1 }] }
    default:
      return schema
  }
}

function bareJsonSchema(node: Node, writing: Writing): object {
  const inner = (one: Node): object => writeJsonSchema(one, writing)
  const object = (properties: readonly Property[], options: object): object => ({
    type: "object",
    properties: Object.fromEntries(properties.map(({ key, node }) => [key, inner(node)])),
    required: properties.filter(({ optional }) => !optional).map(({ key }) => key),
    ...options,
  })
  switch (node.kind) {
    case "string":
      return { type: "string", ...given({ minLength: node.min, maxLength: node.max, pattern: node.pattern }) }
    case "number": {
      const { min, max, above, below } = node.bounds
      const rules = {
        minimum: min,
        maximum: max,
        exclusiveMinimum: above,
        exclusiveMaximum: below,
        multipleOf: node.step,
      }
      return { type: node.integer ? "integer" : "number", ...given(rules) }
    }
    case "boolean":
    case "null":
      return { type: node.kind }
    case "any":
      return {}
    case "literal":
      return writing.choices.next().value % 2 === 0 ? { const: node.value } : { enum: [node.value] }
    case "enum":
      return { enum: node.values }
    case "array":
      return { type: "array", items: inner(node.item), ...given({ minItems: node.min, maxItems: node.max }) }
    case "tuple": {
      const items = node.items.map(inner)
      const ends = { minItems: items.length, maxItems: items.length }
      if (items.length === 0) return { type: "array", ...ends }
      return {
        type: "array",
        ...(writing.draft === "7" ? { items, additionalItems: false } : { prefixItems: items }),
        ...ends,
      }
    }
    case "object":
      if (node.others === "strip") return object(node.properties, {})
      if (node.others === "strict") return object(node.properties, { additionalProperties: false })
      return object(node.properties, { additionalProperties: node.others === "loose" ? true : inner(node.others) })
    case "record": {
      const value = inner(node.value)
      if (node.key === undefined) return { type: "object", additionalProperties: value }
      return writing.choices.next().value % 2 === 0
        ? { type: "object", patternProperties: { [node.key]: value }, additionalProperties: false }
        : { type: "object", propertyNames: { pattern: node.key }, additionalProperties: value }
    }
    case "union":
      return { anyOf: node.branches.map(inner) }
    case "tagged":
      return { oneOf: node.branches.map((properties) => object(properties, {})) }
    case "both":
      return { allOf: node.sides.map((side) => object(side, {})) }
  }
}

/** A value that mostly fits. */
export function valueFor(node: Node): fc.Arbitrary<Json> {
  switch (node.kind) {
    case "string":
      return text.map((free) => {
        const start = node.pattern?.startsWith("^a") ? "a" : ""
        const end = node.pattern?.endsWith("]$") ? "b" : ""
        const fill = "a".repeat(Math.max(0, (node.min ?? 0) - [...free].length - start.length - end.length))
        return (
          start + [...free].slice(0, Math.max(0, (node.max ?? 6) - start.length - end.length)).join("") + fill + end
        )
      })
    case "number": {
      const {
        bounds: { min = -Infinity, max = Infinity, above = -Infinity, below = Infinity },
        step = 1,
        integer,
      } = node
      const low = Math.max(min, above, -20)
      const high = Math.min(max, below, 20)
      return fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1)).map((part) => {
        const free = (low > high ? low : low + part * (high - low)) || 0
        // As it is written, or as it is computed: 0.3, or 0.1 times 3.
        const product = Math.round(free / step) * step
        const stepped = part < 0.7 ? Number(product.toFixed(4)) : product
        return integer ? Math.round(stepped) || 0 : stepped || 0
      })
    }
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "any":
      return anything
    case "literal":
      return fc.constant(node.value)
    case "enum":
      return fc.constantFrom(...node.values)
    case "array":
      return fc.array(valueFor(node.item), {
        minLength: node.min ?? 0,
        maxLength: Math.max(node.max ?? 3, node.min ?? 0),
      })
    case "tuple":
      return fc.tuple(...node.items.map(valueFor))
    case "object": {
      const { others } = node
      const extra =
        typeof others === "object"
          ? fc.dictionary(fc.constantFrom("x", "y"), valueFor(others), { maxKeys: 2 })
          : others === "loose"
            ? fc.dictionary(fc.constantFrom("x", "y"), anything, { maxKeys: 2 })
            : fc.constant({})
      return fc.tuple(objectOf(node.properties), extra).map(([own, more]) => ({ ...more, ...own }))
    }
    case "record":
      return fc
        .dictionary(
          node.key === undefined ? fc.constantFrom("a", "x", "ab", "é") : fc.constantFrom("a", "b1"),
          valueFor(node.value),
          { maxKeys: 3 },
        )
        .map((value) => ({ ...value }))
    case "union":
      return fc.oneof(...node.branches.map(valueFor))
    case "tagged":
      return fc.oneof(...node.branches.map(objectOf))
    case "both":
      return fc.tuple(objectOf(node.sides[0]), objectOf(node.sides[1])).map(([one, other]) => ({ ...one, ...other }))
  }
}

const anything: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(null, 1, 2.5, "a", true, [], {}, { a: [1, "b"] }, [null])

function objectOf(properties: readonly Property[]): fc.Arbitrary<{ [key: string]: Json }> {
  const required = properties.filter(({ optional }) => !optional).map(({ key }) => key)
  return fc
    .record(Object.fromEntries(properties.map(({ key, node }) => [key, valueFor(node)])), {
      requiredKeys: required as never[],
    })
    .map((value) => ({ ...(value as { [key: string]: Json }) }))
}

/** The value with one thing wrong, or at least different, somewhere in it. */
export function spoil(value: Json, choices: readonly number[]): Json {
  const [choice = 0, ...rest] = choices
  if (Array.isArray(value) && value.length > 0 && rest.length > 0) {
    const at = choice % (value.length + 1)
    return at === value.length ? [...value, "x"] : value.map((item, index) => (index === at ? spoil(item, rest) : item))
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value)
    const at = choice % (entries.length + 2)
    const [name, inner] = entries[at] ?? []
    if (name === undefined) return at === entries.length ? { ...value, extra: 1 } : Object.fromEntries(entries.slice(1))
    return { ...value, [name]: spoil(inner as Json, rest) }
  }
  if (typeof value === "number")
    return [value + 1, value - 1, value + 0.5, -value || 0, String(value)][choice % 5] as Json
  if (typeof value === "string")
    return [`${value}a`, value.slice(1), `${value}😀`, `${value}\n`, null][choice % 5] as Json
  return [null, 0, "", [], {}, false][choice % 6] as Json
}

/** A schema with values that fit it, or nearly do. */
export const sampleOf = (values: number): fc.Arbitrary<{ readonly node: Node; readonly values: readonly Json[] }> =>
  node.chain((node) => {
    const right = valueFor(node)
    const spoilt = fc
      .tuple(right, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }))
      .map(([value, choices]) => spoil(value, choices))
    const value = fc.oneof({ weight: 3, arbitrary: right }, { weight: 2, arbitrary: spoilt })
    return fc.array(value, { minLength: values, maxLength: values }).map((values) => ({ node, values }))
  })

/** A schema with one such value. */
export const sample: fc.Arbitrary<{ readonly node: Node; readonly value: Json }> = sampleOf(1).map(
  ({ node, values: [value = null] }) => ({ node, value }),
)

/** TypeBox throws for an intersection without other keys where it looks at an absent value. */
export const check = (schema: TSchema, value: Json): boolean => !fails(schema, value) && Value.Check(schema, value)

/** It gives no answer. */
export function fails(schema: TSchema, value: Json): boolean {
  try {
    Value.Check(schema, value)
    return false
  } catch {
    return true
  }
}
