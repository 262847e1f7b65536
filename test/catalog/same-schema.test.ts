/** Two ways to write one schema have one hash; two schemas that judge differently, recursive ones too, have two. */
import { Type } from "@sinclair/typebox"
import { compile, defineCatalog, named, tool } from "sequitur"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { AnySchema } from "../../src/catalog/schema/schema.ts"

function compiled(params: AnySchema, args: object) {
  const tools = { act: tool({ description: "Acts.", effect: "read", params }) }
  const catalog = defineCatalog({ name: "same", version: "1", tools })
  expect(catalog.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
  const made = compile(catalog, JSON.stringify({ version: 1, steps: [{ id: "a", tool: "act", args }] }))
  return made.ok ? made.plan.catalogHash : undefined
}

const under = (v: object, more: object = {}): AnySchema => ({ type: "object", properties: { v }, ...more }) as AnySchema

/** Two objects that hold one another: the inner one leads back to either. */
const targets: { readonly [language: string]: (toOuter: boolean) => AnySchema } = {
  "zod getters": (toOuter) => {
    const outer: z.ZodType = z.strictObject({
      x: z.string(),
      get b() {
        return inner.optional()
      },
    })
    const inner: z.ZodType = z.strictObject({
      get a() {
        return (toOuter ? outer : inner).optional()
      },
    })
    return z.strictObject({ v: outer })
  },
  "zod lazy": (toOuter) => {
    const outer: z.ZodType = z.strictObject({ x: z.string(), b: z.lazy(() => inner).optional() })
    const inner: z.ZodType = z.strictObject({ a: z.lazy(() => (toOuter ? outer : inner)).optional() })
    return z.strictObject({ v: outer })
  },
  "JSON Schema": (toOuter) => {
    const object = { type: "object", additionalProperties: false }
    const a = { $ref: `#/$defs/${toOuter ? "outer" : "inner"}` }
    const outer = { ...object, properties: { x: { type: "string" }, b: { $ref: "#/$defs/inner" } }, required: ["x"] }
    return under({ $ref: "#/$defs/outer" }, { $defs: { outer, inner: { ...object, properties: { a } } } })
  },
  "JSON Schema's `not`": (toOuter) => {
    const object = { type: "object", additionalProperties: false }
    const a = { $ref: `#/$defs/${toOuter ? "outer" : "inner"}` }
    const outer = { ...object, properties: { x: { type: "string" }, b: { $ref: "#/$defs/inner" } }, required: ["x"] }
    const $defs = { outer, inner: { ...object, properties: { a } } }
    return under({ type: "object", additionalProperties: true, not: { not: { $ref: "#/$defs/outer" } } }, { $defs })
  },
  TypeBox: (toOuter) => {
    const closed = { additionalProperties: false }
    const outer = Type.Recursive((outer) => {
      const inner = Type.Recursive((inner) => Type.Object({ a: Type.Optional(toOuter ? outer : inner) }, closed))
      return Type.Object({ x: Type.String(), b: Type.Optional(inner) }, closed)
    })
    return Type.Object({ v: outer }, closed)
  },
  "TypeBox's `Not`": (toOuter) => {
    const closed = { additionalProperties: false }
    const outer = Type.Recursive((outer) => {
      const inner = Type.Recursive((inner) => Type.Object({ a: Type.Optional(toOuter ? outer : inner) }, closed))
      return Type.Object({ x: Type.String(), b: Type.Optional(Type.Not(Type.Not(inner))) }, closed)
    })
    return Type.Object({ v: outer }, closed)
  },
}

describe("a recursive schema that leads back elsewhere is another", () => {
  it.each(Object.entries(targets))("%s", (_, make) => {
    const both = { v: { x: "1" } }
    const [one, other, again] = [compiled(make(true), both), compiled(make(false), both), compiled(make(true), both)]
    expect(one).toBeDefined()
    expect(other).toBeDefined()
    expect(one).toBe(again)
    expect(one).not.toBe(other)
    const inside = { v: { x: "1", b: { a: { x: "2" } } } }
    expect(compiled(make(true), inside)).toBeDefined()
    expect(compiled(make(false), inside)).toBeUndefined()
  })
})

const recursive = {
  x: { type: "object", properties: { n: { $ref: "#/$defs/x" } }, additionalProperties: false },
  y: { type: "object", properties: { m: { $ref: "#/$defs/y" } }, additionalProperties: false },
}
const [a, b] = [{ $ref: "#/$defs/x" }, { $ref: "#/$defs/y" }]
const [p, q] = [named("p", "1", () => true), named("q", "1", () => true)]

const same: { readonly [what: string]: readonly [AnySchema, AnySchema] } = {
  "the keys of a `not`": [
    under({ type: "string", not: { minLength: 3, pattern: "^a" } }),
    under({ type: "string", not: { pattern: "^a", minLength: 3 } }),
  ],
  "the enum of a `not`": [under({ not: { enum: ["a", "b"] } }), under({ not: { enum: ["b", "a"] } })],
  "the alternatives of a `not`": [
    under({ not: { anyOf: [{ type: "null" }, { required: ["c", "b"] }] } }),
    under({ not: { anyOf: [{ required: ["b", "c"] }, { type: "null" }] } }),
  ],
  "the alternatives of an overlapping `oneOf`": [
    under({ oneOf: [{ type: "string" }, { type: ["string", "null"] }, { type: "string", minLength: 2 }] }),
    under({ oneOf: [{ type: "string", minLength: 2 }, { type: ["null", "string"] }, { type: "string" }] }),
  ],
  "what must hold at once": [
    under({
      type: "string",
      allOf: [{ not: { const: "a" } }, { not: { const: "b" } }, { pattern: "a" }, { pattern: "b" }],
    }),
    under({
      type: "string",
      allOf: [{ pattern: "b" }, { not: { const: "b" } }, { pattern: "a" }, { not: { const: "a" } }],
    }),
  ],
  "keys that a pattern names": [
    {
      type: "object",
      patternProperties: { "^a": { type: "string" }, "^b": { type: "null" } },
      additionalProperties: {},
    },
    {
      type: "object",
      patternProperties: { "^b": { type: "null" }, "^a": { type: "string" } },
      additionalProperties: {},
    },
  ],
  "recursive definitions": [
    { type: "object", properties: { a, b }, $defs: recursive },
    { type: "object", properties: { b, a }, $defs: recursive },
  ],
  "recursive definitions in a `not`": [
    under({ not: { properties: { a, b } } }, { $defs: recursive }),
    under({ not: { properties: { b, a } } }, { $defs: { y: recursive.y, x: recursive.x } }),
  ],
  "the refinements of zod": [
    z.strictObject({ v: z.string().refine(p).refine(q).optional() }),
    z.strictObject({ v: z.string().refine(q).refine(p).optional() }),
  ],
  "the sides of zod's intersection": [
    z.strictObject({ v: z.intersection(z.string(), z.string().min(2)).optional() }),
    z.strictObject({ v: z.intersection(z.string().min(2), z.string()).optional() }),
  ],
  "the keys of TypeBox's `Not`": [
    Type.Object({ v: Type.Optional(Type.Not(Type.Object({ a: Type.Null(), b: Type.String() }))) }),
    Type.Object({ v: Type.Optional(Type.Not(Type.Object({ b: Type.String(), a: Type.Null() }))) }),
  ],
}

describe("in another order it is the same schema", () => {
  it.each(Object.entries(same))("%s", (_, [one, other]) => {
    expect(compiled(one, {})).toBeDefined()
    expect(compiled(one, {})).toBe(compiled(other, {}))
  })

  it("but what is asked is told apart, however it is quoted", () => {
    const one = under({ not: { const: "x; y\nw; z" } })
    expect(compiled(one, {})).not.toBe(compiled(under({ not: { const: "x; w\ny; z" } }), {}))
  })
})

it("intersections within intersections do not make the text that is hashed long", () => {
  const nest = (last: number): z.ZodType => {
    let schema: z.ZodType = z.string().min(last)
    for (let depth = 0; depth < 40; depth++) schema = z.intersection(schema, z.string())
    return z.strictObject({ v: schema.optional() })
  }
  expect(compiled(nest(1), {})).toBe(compiled(nest(1), {}))
  expect(compiled(nest(1), {})).not.toBe(compiled(nest(2), {}))
})
