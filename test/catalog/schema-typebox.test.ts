/** TypeBox: what is refused, what is closed, and what the shape says. Cases come from reading TypeBox 0.34's `Value.Check`. */
import { Kind, type TSchema, Type, TypeRegistry } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { accepts } from "../../src/catalog/schema/accept.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import { named } from "../../src/catalog/schema/named.ts"
import type { Infer, Role, Schema } from "../../src/catalog/schema/schema.ts"
import type { Json } from "../../src/text/json.ts"
import { check } from "./arbitrary.ts"

const roles: readonly Role[] = ["params", "result"]

function lowered(schema: unknown, role: Role = "params"): Schema {
  const result = lowerSchema(schema, role)
  if (!result.ok) throw new Error(JSON.stringify(result.faults))
  return result.schema
}

const faultsOf = (schema: unknown, role: Role = "params"): readonly string[] => {
  const result = lowerSchema(schema, role)
  return result.ok ? [] : result.faults.map(({ kind, at, what }) => `${kind} ${at || "/"} ${what}`)
}

const pool: readonly Json[] = [
  ...[null, true, 0, 1, -1, 2, 2.5, 0.3, 2.03, 1e300, "", "a", "ab", "A", "😀", "a\nb", "1", "id-7", "x"],
  ...[[], [1], [1, 1], [1, 2], ["a"], ["a", 1], ["a", 1, 1], {}, { a: "x" }, { a: 1 }, { a: "x", b: 1 }, { b: 1 }],
  ...[{ 1: 1 }, { a: 1, 1: 1 }, { x1: 1, y: "z" }, { a: "x", b: 1, c: 2 }, { kind: "a" }, { kind: "b", x: 1 }],
  { c: [{ c: [] }] },
  { c: [{ c: 1 }] },
]

const closed = { additionalProperties: false } as const

describe("what a TypeBox schema may not do", () => {
  const refused: readonly (readonly [string, TSchema])[] = [
    ["transforms / `Type.Transform()`", Type.Transform(Type.String()).Decode(Number).Encode(String)],
    ["not-json / `Type.Date()`", Type.Date()],
    ["not-json / `Type.BigInt()`", Type.BigInt()],
    ["not-json / `Type.Uint8Array()`", Type.Uint8Array()],
    ["not-json / `Type.Undefined()`", Type.Undefined()],
    ["not-json / `Type.Void()`", Type.Void()],
    ["not-json / `Type.Symbol()`", Type.Symbol()],
    ["not-json / `Type.Function()`", Type.Function([], Type.Null())],
    ["not-json / `Type.Promise()`", Type.Promise(Type.Null())],
    ["not-json / a key `__proto__`", Type.Object({ ["__proto__"]: Type.String() })],
    ["not-a-schema / a schema of kind `Unsafe`, which TypeBox has no check for", Type.Unsafe({ type: "string" })],
    ["not-a-schema / the pattern `(`", Type.String({ pattern: "(" })],
  ]

  it.each(refused)("%s", (said, schema) => {
    for (const role of roles) expect(faultsOf(schema, role)).toContain(said)
  })

  it("asks functions that have no name, or that wait", () => {
    TypeRegistry.Set("Nameless", () => true)
    TypeRegistry.Set("Slow", (async () => true) as never)
    expect(faultsOf({ [Kind]: "Nameless" })).toEqual(["unnamed-function / the check of the kind `Nameless`"])
    expect(faultsOf({ [Kind]: "Slow" })).toEqual(["asynchronous / the check of the kind `Slow`"])
  })

  it("fills in defaults, in params", () => {
    const schema = Type.Object({ a: Type.Optional(Type.String({ default: "x" })) })
    expect(faultsOf(schema)).toEqual(["defaults /a `default`"])
    expect(faultsOf(schema, "result")).toEqual([])
  })

  it("is found in what the shape cannot say", () => {
    const transform = Type.Transform(Type.String()).Decode(Number).Encode(String)
    expect(faultsOf(Type.Not(Type.Object({ a: transform })))).toEqual(
      ["transforms / `Type.Transform()`"].map((said) => said.replace("/ ", "/a ")),
    )
    expect(
      faultsOf(Type.Intersect([Type.Record(Type.String(), Type.Any()), Type.Object({ at: Type.Date() })])),
    ).toEqual(["not-json /at `Type.Date()`"])
    expect(faultsOf(Type.Array(Type.Any(), { contains: Type.Date() }))).toEqual(["not-json / `Type.Date()`"])
    expect(faultsOf(Type.Module({ A: Type.Object({ at: Type.Date() }) }).Import("A"))).toEqual([
      "not-json /at `Type.Date()`",
    ])
  })

  it("a schema that contains itself is refused, not followed for ever", () => {
    const schema = Type.Array(Type.Null()) as { items: TSchema }
    schema.items = schema as unknown as TSchema
    expect(faultsOf(schema)).toHaveLength(1)
  })
})

describe("shapes that are exact", () => {
  const exact: readonly (readonly [string, TSchema])[] = Object.entries({
    "lengths in UTF-16 units": Type.String({ minLength: 2, maxLength: 2 }),
    pattern: Type.String({ pattern: "^a" }),
    template: Type.TemplateLiteral([Type.Literal("id-"), Type.Union([Type.Literal("0"), Type.Literal("7")])]),
    "template, whose lengths are not judged": Type.TemplateLiteral([Type.Literal("a")], { minLength: 9 }),
    integer: Type.Integer({ minimum: 0, exclusiveMaximum: 2 }),
    number: Type.Number({ exclusiveMinimum: 0, maximum: 2.5 }),
    multiple: Type.Number({ multipleOf: 0.1 }),
    literals: Type.Union([Type.Literal("a"), Type.Literal(1), Type.Null()]),
    enum: Type.Enum({ A: "a", One: 1 }),
    array: Type.Array(Type.Integer(), { minItems: 1, maxItems: 2 }),
    tuple: Type.Tuple([Type.String(), Type.Integer()]),
    "empty tuple": Type.Tuple([]),
    object: Type.Object({ a: Type.String(), b: Type.Optional(Type.Readonly(Type.Integer())) }, closed),
    partial: Type.Partial(Type.Object({ a: Type.String() }), closed),
    composite: Type.Composite(
      [Type.Object({ a: Type.String() }), Type.Object({ b: Type.Optional(Type.Integer()) })],
      closed,
    ),
    intersect: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Optional(Type.Integer()) })], {
      unevaluatedProperties: false,
    }),
    open: Type.Object({ a: Type.String() }, { additionalProperties: true }),
    others: Type.Object({ a: Type.String() }, { additionalProperties: Type.Integer() }),
    record: Type.Record(Type.String(), Type.Integer()),
    "record of some keys": Type.Record(Type.String({ pattern: "^x" }), Type.Integer(), closed),
    "record of told keys": Type.Record(Type.Union([Type.Literal("a"), Type.Literal("b")]), Type.Any(), closed),
    tagged: Type.Union([
      Type.Object({ kind: Type.Literal("a") }, closed),
      Type.Object({ kind: Type.Literal("b"), x: Type.Integer() }, closed),
    ]),
    const: Type.Object({ a: Type.Const("x") }, closed),
    any: Type.Any(),
    never: Type.Never(),
  })

  it.each(exact)("%s", (_, schema) => {
    for (const role of roles) {
      const { shape, exact, judge } = lowered(schema, role)
      expect(exact).toBe(true)
      for (const value of pool) {
        expect({ value, right: accepts(shape, value) }).toEqual({ value, right: check(schema, value) })
        expect(judge(value).length === 0).toBe(check(schema, value))
      }
    }
  })
})

describe("objects that ignore unknown keys", () => {
  const schema = Type.Object({
    a: Type.Object({ b: Type.String() }),
    both: Type.Intersect([Type.Object({ c: Type.String() }), Type.Object({ d: Type.Object({}) })]),
    one: Type.Intersect([Type.Object({ e: Type.Object({}) }), Type.Object({})], { unevaluatedProperties: false }),
    byId: Type.Record(Type.Integer(), Type.String()),
    free: Type.Record(Type.String(), Type.String()),
    strict: Type.Object({}, closed),
  })
  const value = { a: { b: "" }, both: { c: "", d: {} }, one: { e: {} }, byId: { 1: "" }, free: { any: "" }, strict: {} }

  it("are closed in params, with a notice", () => {
    const result = lowerSchema(schema, "params")
    expect(result.ok && result.closed.map(({ at }) => at)).toEqual(["/a", "/both", "/both/d", "/one/e", "/byId", ""])
    expect(judgeWhole(lowered(schema), value)).toEqual([])
    for (const more of [{ a: { b: "", x: 1 } }, { both: { c: "", d: {}, x: 1 } }, { byId: { x: "" } }, { x: 1 }]) {
      expect(Value.Check(schema, { ...value, ...more })).toBe(true)
      expect(judgeWhole(lowered(schema), { ...value, ...more })).toHaveLength(1)
    }
  })

  it("stay open in results", () => {
    const result = lowered(schema, "result")
    for (const more of [{ a: { b: "", x: 1 } }, { both: { c: "", d: {}, x: 1 } }, { byId: { x: 1 } }, { x: 1 }]) {
      expect(judgeWhole(result, { ...value, ...more })).toEqual([])
    }
    expect(judgeWhole(result, { ...value, strict: { x: 1 } })).toHaveLength(1)
  })
})

describe("shapes that are looser than TypeBox", () => {
  TypeRegistry.Set(
    "Even",
    named("even", "1", (_: unknown, value: unknown) => typeof value === "number" && value % 2 === 0),
  )
  const node = Type.Recursive((self) => Type.Object({ c: Type.Array(self) }))

  it.each<[string, TSchema, Json]>([
    [
      "intersection of odd keys",
      Type.Intersect([Type.Object({ "a+": Type.Integer() }), Type.Object({})], { unevaluatedProperties: false }),
      { "a+": 1 },
    ],
    ["unique items", Type.Array(Type.Any(), { uniqueItems: true }), [1, 1]],
    ["contains", Type.Array(Type.Any(), { contains: Type.Literal(2) }), [1]],
    ["counted properties", Type.Object({}, { additionalProperties: true, minProperties: 1 }), {}],
    ["not", Type.Not(Type.String()), "a"],
    ["kind of the host's", { [Kind]: "Even" } as TSchema, 1],
    ["recursive", node, { c: [{ c: 1 }] }],
    ["module", Type.Module({ A: Type.Object({ a: Type.String() }) }).Import("A"), { a: 1 }],
    ["intersection of others", Type.Intersect([Type.String(), Type.String({ minLength: 2 })]), "a"],
    [
      "intersection that holds other keys to a schema",
      Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({})], { unevaluatedProperties: Type.Integer() }),
      { a: "x", c: "y" },
    ],
    ["odd bound", Type.Integer({ minimum: Number.NaN }), 1],
    [
      "record with two rules",
      Type.Record(Type.String({ pattern: "^x" }), Type.Integer(), { additionalProperties: Type.String() }),
      { y: 1 },
    ],
  ])("%s", (_, schema, between) => {
    const { shape, exact, judge } = lowered(schema)
    expect(exact).toBe(false)
    for (const value of pool)
      if (judge(value).length === 0) expect({ value, right: accepts(shape, value) }).toEqual({ value, right: true })
    expect(accepts(shape, between)).toBe(true)
    expect(judgeWhole(lowered(schema), between)).not.toEqual([])
  })

  it("name the functions that have names", () => {
    expect(lowered(Type.Array({ [Kind]: "Even" } as TSchema)).functions).toEqual(["even@1"])
  })

  it("are the same whatever else was made before: recursive types are numbered as they are made", () => {
    const make = (): TSchema => Type.Recursive((self) => Type.Union([Type.Not(Type.Array(self)), Type.Null()]))
    expect(JSON.stringify(lowered(make()).shape)).toBe(JSON.stringify(lowered(make()).shape))
  })
})

describe("the judge", () => {
  it("gives TypeBox's own issues, with a pointer", () => {
    expect(lowered(Type.Object({ "a/b": Type.Array(Type.Integer()) })).judge({ "a/b": ["x"] })).toEqual([
      { at: "/a~1b/0", message: "Expected integer" },
    ])
  })

  it("takes a check of the host's that throws for one that refuses", () => {
    TypeRegistry.Set(
      "Throws",
      named("throws", "1", (): boolean => {
        throw new Error("boom")
      }),
    )
    expect(lowered({ [Kind]: "Throws" } as TSchema).judge(1)).toEqual([
      { at: "", message: "the schema failed to judge this value: boom" },
    ])
  })

  it("judges a copy", () => {
    TypeRegistry.Set(
      "Mutates",
      named("mutates", "1", (_: unknown, value: unknown) => {
        ;(value as { a: number }).a = 2
        return true
      }),
    )
    const value = { a: 1 }
    expect(lowered({ [Kind]: "Mutates" } as TSchema).judge(value)).toHaveLength(1)
    expect(value).toEqual({ a: 1 })
  })
})

describe("types", () => {
  it("are those of the author's schema", () => {
    const byZod = z.object({ id: z.uuid(), n: z.int().optional() })
    const byTypeBox = Type.Object({ id: Type.String(), n: Type.Optional(Type.Integer()) })
    const one: Infer<typeof byZod> = { id: "a" }
    const other: Infer<typeof byTypeBox> = { id: "a", n: 1 }
    // @ts-expect-error `id` is a string
    const wrong: Infer<typeof byTypeBox> = { id: 1 }
    expect([one.id, other.id, wrong.id]).toEqual(["a", "a", 1])
  })
})
