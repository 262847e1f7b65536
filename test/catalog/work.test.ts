/** No value makes a judgement long: what is counted is how often schemas are asked, not time. */
import { Type } from "@sinclair/typebox"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { askNormal } from "../../src/catalog/schema/front-end/ask-json-schema.ts"
import { startFindings } from "../../src/catalog/schema/front-end/findings.ts"
import { type Formats, formats } from "../../src/catalog/schema/front-end/formats.ts"
import { readJsonSchema } from "../../src/catalog/schema/front-end/read-json-schema.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import { named } from "../../src/catalog/schema/named.ts"
import type { Schema } from "../../src/catalog/schema/schema.ts"
import { workMax, workOf } from "../../src/catalog/schema/work.ts"
import type { Json } from "../../src/text/json.ts"
import { root } from "../../src/text/pointer.ts"

/** Raised each time that a validator asks whether a text is a name. */
let asked = 0
const isName = named("is-name", "1", (text: unknown): boolean => {
  asked++
  return text === "x"
})
const withName: Formats = new Map([
  ...formats,
  ["name", { own: "is-name@1", right: isName as (text: string) => boolean }],
])

function lowered(schema: unknown): Schema {
  const lowered = lowerSchema(schema, "params", withName)
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.faults))
  return lowered.schema
}

function judge(schema: Schema, value: Json): { readonly said: readonly string[]; readonly asked: number } {
  asked = 0
  return { said: judgeWhole(schema, value).map(({ message }) => message), asked }
}

/** Objects that hold one another under a key, again and again. */
const nest = (depth: number, end: Json, key = "a", more: object = {}): Json => {
  let value = end
  for (let i = 0; i < depth; i++) value = { ...more, [key]: value }
  return value
}

const object = { type: "object", required: ["a"] }
const [self, name] = [{ $ref: "#/$defs/e" }, { type: "string", format: "name" }]
const inDefs = (e: object): object => ({ type: "object", properties: { v: self }, $defs: { e } })

/** Each holds itself in alternatives that overlap. */
const overlapping: { readonly [language: string]: () => unknown } = {
  "JSON Schema": () =>
    inDefs({
      anyOf: [
        { ...object, properties: { a: self } },
        { ...object, properties: { a: self, label: { type: "string" } } },
        name,
      ],
    }),
  "JSON Schema, as an array": () =>
    inDefs({ anyOf: [{ type: "object", properties: { a: { anyOf: [self, self] } }, required: ["a"] }, name] }),
  "JSON Schema, walked": () =>
    inDefs({
      anyOf: [
        { ...object, properties: { a: self }, unevaluatedProperties: false },
        { ...object, properties: { a: self }, unevaluatedProperties: true },
        name,
      ],
    }),
  zod: () => {
    const text = z.string().refine(isName)
    const e: z.ZodType = z.lazy(() =>
      z.union([
        z.strictObject({ a: e, x: z.string().optional() }),
        z.strictObject({ a: e, y: z.string().optional() }),
        text,
      ]),
    )
    return z.strictObject({ v: e })
  },
  TypeBox: () => {
    const closed = { additionalProperties: false }
    const e = Type.Recursive((e) =>
      Type.Union([
        Type.Object({ a: e, x: Type.Optional(Type.String()) }, closed),
        Type.Object({ a: e, y: Type.Optional(Type.String()) }, closed),
        Type.String({ format: "name" }),
      ]),
    )
    return Type.Object({ v: e }, closed)
  },
}

function countOf(schema: object, value: Json): number {
  const normal = readJsonSchema(schema as never, startFindings("params", withName), root)
  if (normal === undefined) throw new Error("it is at fault")
  return workOf(normal.schema, value, askNormal(normal, true))
}

describe("alternatives that overlap, in a schema that holds itself", () => {
  it.each(Object.entries(overlapping))("%s: what would take too long is refused before it is judged", (_, make) => {
    const schema = lowered(make())
    for (const depth of [20, 40, 60]) {
      const { said, asked } = judge(schema, { v: nest(depth, "y") })
      expect(said).toEqual([expect.stringMatching(/^is too much work to judge/)])
      expect(asked).toBe(0)
    }
  })

  it.each(Object.entries(overlapping))("%s: what is right, or wrong, is judged where it is not so deep", (_, make) => {
    const schema = lowered(make())
    expect(judge(schema, { v: nest(8, "x") }).said).toEqual([])
    const { said, asked } = judge(schema, { v: nest(8, "y") })
    expect(said.join()).not.toMatch(/too much work/)
    expect(said).not.toEqual([])
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThan(workMax)
  })
})

/** A grammar of expressions, whose tags come last. */
const tagged: { readonly [language: string]: () => unknown } = {
  "JSON Schema": () =>
    inDefs({
      anyOf: [
        ...["add", "mul", "sub", "div"].map((op) => ({
          type: "object",
          properties: { a: self, b: self, op: { const: op } },
          required: ["a", "b", "op"],
        })),
        { type: "object", properties: { not: self }, required: ["not"] },
        name,
      ],
    }),
  zod: () => {
    const e: z.ZodType = z.lazy(() => z.union([expression, z.string().refine(isName)]))
    const [add, mul, sub] = ["add", "mul", "sub"].map((op) => z.strictObject({ a: e, b: e, op: z.literal(op) }))
    const expression = z.discriminatedUnion("op", [add, mul, sub] as [z.ZodObject, z.ZodObject, z.ZodObject])
    return z.strictObject({ v: e })
  },
  TypeBox: () => {
    const closed = { additionalProperties: false }
    const e = Type.Recursive((e) =>
      Type.Union([
        ...["add", "mul", "sub", "div"].map((op) => Type.Object({ a: e, b: e, op: Type.Literal(op) }, closed)),
        Type.String({ format: "name" }),
      ]),
    )
    return Type.Object({ v: e }, closed)
  },
}

describe("alternatives that a tag tells apart", () => {
  it.each(Object.entries(tagged))("%s: are judged however deep they are, and each text but a few times", (_, make) => {
    const schema = lowered(make())
    for (const end of ["x", "y"]) {
      const { said, asked } = judge(schema, { v: nest(50, end, "b", { a: "x", op: "sub" }) })
      expect(said.join()).not.toMatch(/too much work/)
      expect(said.length > 0).toBe(end === "y")
      expect(asked).toBeLessThan(51 * 60)
    }
  })
})

it("a validator asks no more often than was counted", () => {
  const keys = ["a", "b"] as const
  const alternative = fc.record({ a: fc.boolean(), b: fc.boolean(), tag: fc.option(fc.constantFrom("p", "q")) })
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<Json>("x", "y", 1),
      fc.record({ a: tie("node"), b: tie("node"), tag: fc.constantFrom("p", "q", 2) }, { requiredKeys: [] }),
    ),
  })).node as fc.Arbitrary<Json>
  fc.assert(
    fc.property(fc.array(alternative, { minLength: 1, maxLength: 3 }), value, (alternatives, value) => {
      const schema = inDefs({
        anyOf: [
          ...alternatives.map((one) => ({
            type: "object",
            properties: {
              ...Object.fromEntries(keys.filter((key) => one[key]).map((key) => [key, self])),
              ...(one.tag === null ? {} : { tag: { const: one.tag } }),
            },
            required: one.tag === null ? [] : ["tag"],
          })),
          name,
        ],
      })
      asked = 0
      const counted = countOf(schema, { v: value })
      lowered(schema).judge({ v: value })
      expect(asked).toBeLessThanOrEqual(counted)
    }),
    { numRuns: 300 },
  )
})
