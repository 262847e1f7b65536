/** JSON Schema: what is honoured, how it is lowered, and what is refused by name. */
import { execFileSync } from "node:child_process"
import { Kind, Type } from "@sinclair/typebox"
import { type ArgsOf, defineCatalog, type JsonObject, type ResultOf, tool } from "sequitur"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { accepts } from "../../src/catalog/schema/accept.ts"
import { shapeAt } from "../../src/catalog/schema/at.ts"
import { isDecimalMultiple } from "../../src/catalog/schema/decimal.ts"
import { countOf, intervalOf } from "../../src/catalog/schema/interval.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import type { JsonSchema, Role, Schema } from "../../src/catalog/schema/schema.ts"
import { propertiesOf } from "../../src/catalog/schema/shape.ts"
import type { Json } from "../../src/text/json.ts"
import { type Equal, expectTypes } from "../typed/equal.ts"

function schemaOf(schema: JsonSchema, role: Role = "params"): Schema {
  const lowered = lowerSchema(schema, role)
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.faults))
  return lowered.schema
}

function faultsOf(schema: unknown, role: Role = "params"): readonly string[] {
  const lowered = lowerSchema(schema, role)
  return lowered.ok ? [] : lowered.faults.map(({ at, what, problem = "" }) => `${at || "/"} ${what} ${problem}`.trim())
}

const draft7 = "http://json-schema.org/draft-07/schema#"
const right = (schema: Schema, value: Json): boolean => judgeWhole(schema, value).length === 0
const object = (properties: object, more: object = {}): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
})

describe("an exact shape says what the schema says", () => {
  it.each<[what: string, schema: JsonSchema, right: Json[], wrong: Json[]]>([
    ["an integer may be written 1.0", { type: "integer" }, [1, 1.0, -3], [1.5, "1", true, null]],
    ["lengths count code points", { type: "string", minLength: 2, maxLength: 2 }, ["😀😀", "ab"], ["😀", "abc"]],
    ["multiples count as decimals", { type: "number", multipleOf: 0.01 }, [19.99, 0.07, 1e15], [19.999]],
    ["const of an object", { const: { a: [1, null] } }, [{ a: [1, null] }], [{ a: [1] }, { a: [1, null], b: 1 }, {}]],
    ["enum of anything", { enum: [1, "a", null, [], { b: 2 }] }, [1, "a", null, [], { b: 2 }], [2, [1], {}, false]],
    ["several types", { type: ["string", "null"], minLength: 1 }, ["a", null], ["", 1]],
    ["keywords of one type let others through", { minimum: 3 }, [3, "a", null, []], [2]],
    ["a tuple", { type: "array", prefixItems: [{ type: "string" }], items: false }, [[], ["a"]], [[1], ["a", "b"]]],
    [
      "a tuple and more",
      { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" }, maxItems: 3 },
      [["a", 1, 2]],
      [
        ["a", 1, 2, 3],
        ["a", "b"],
      ],
    ],
    [
      "a tuple of draft 7",
      { $schema: draft7, type: "array", items: [{ type: "string" }], additionalItems: false },
      [["a"]],
      [["a", 1]],
    ],
    [
      "a record",
      { type: "object", patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
      [{ x1: 1 }, {}],
      [{ x: "a" }, { y: 1 }],
    ],
    [
      "names",
      { type: "object", propertyNames: { maxLength: 2 }, additionalProperties: true },
      [{ ab: 1 }],
      [{ abc: 1 }],
    ],
    ["allOf", { allOf: [{ type: "integer", minimum: 1 }, { maximum: 5 }] }, [1, 5], [0, 6, "a"]],
    [
      "a reference",
      { type: "array", items: { $ref: "#/$defs/id" }, $defs: { id: { type: "string", maxLength: 3 } } },
      [["abc"]],
      [["abcd"]],
    ],
    ["an anchor", { $ref: "#id", $defs: { a: { $anchor: "id", type: "boolean" } } }, [true], [1]],
    [
      "a reference to the schema's own address",
      {
        $id: "https://x.test/s",
        items: { $ref: "https://x.test/s#/$defs/a" },
        type: "array",
        $defs: { a: { type: "null" } },
      },
      [[null]],
      [[1]],
    ],
    ["a reference with an escape", { $ref: "#/$defs/a~1b%25", $defs: { "a/b%": { type: "null" } } }, [null], [1]],
    ["a format", { type: "string", format: "date" }, ["2024-02-29"], ["2023-02-29", "x"]],
    ["a format of numbers", { type: "integer", format: "int32" }, [2147483647], [2147483648]],
    [
      "dependentSchemas",
      { type: "object", dependentSchemas: { c: { properties: { d: { type: "string" } }, required: ["a"] } } },
      [{}, { d: 1 }, { c: 1, a: 1, d: "x" }, { a: 1 }],
      [{ c: 1 }, { c: 1, a: 1, d: 1 }],
    ],
    ["false", object({ a: false }), [{}], [{ a: 1 }]],
    ["an empty enum", { enum: [] }, [], [null, 1]],
  ])("%s", (_, written, rights, wrongs) => {
    const schema = schemaOf(written, "result")
    expect(schema.exact).toBe(true)
    for (const value of rights)
      expect([value, accepts(schema.shape, value), right(schema, value), schema.judge(value)]).toEqual([
        value,
        true,
        true,
        [],
      ])
    for (const value of wrongs) {
      expect([value, accepts(schema.shape, value), right(schema, value)]).toEqual([value, false, false])
      expect(schema.judge(value)).not.toEqual([])
    }
  })

  it("tells the branches of a discriminated union apart", () => {
    const { shape, exact } = schemaOf({
      type: "object",
      oneOf: [
        { properties: { kind: { const: "page" }, title: { type: "string" } }, required: ["kind", "title"] },
        { properties: { kind: { const: "quiz" }, count: { type: "integer" } }, required: ["kind", "count"] },
      ],
    })
    expect(exact).toBe(true)
    expect([...propertiesOf(shape).keys()]).toEqual(["kind", "title", "count"])
    expect(accepts(shape, { kind: "quiz", count: 1 })).toBe(true)
    expect(accepts(shape, { kind: "quiz", count: 1, title: "x" })).toBe(false)
  })

  it("answers the questions that are asked of shapes", () => {
    const { shape } = schemaOf({
      type: "object",
      properties: {
        ids: { type: "array", items: { type: "string" }, maxItems: 5 },
        cents: { $ref: "#/definitions/cents" },
      },
      required: ["cents"],
      definitions: { cents: { allOf: [{ type: "integer", minimum: 0 }, { exclusiveMaximum: 501 }] } },
    })
    const cents = shapeAt(shape, ["cents"])
    expect(cents.ok && [cents.certain, intervalOf(cents.shape)]).toEqual([true, { min: 0, max: 500, integer: true }])
    const ids = propertiesOf(shape).get("ids")
    expect(ids && [ids.optional, countOf(ids.shape)]).toEqual([true, { min: 0, max: 5 }])
  })
})

describe("what a shape cannot say is left to the validator", () => {
  it.each<[what: string, schema: JsonSchema, right: Json[], wrong: Json[]]>([
    ["not", { type: "string", not: { enum: ["a"] } }, ["b"], ["a", 1]],
    ["oneOf of what overlaps", { oneOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5], [2, 1.5]],
    [
      "if",
      // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
      { type: "object", properties: { a: {} }, if: { required: ["a"] }, then: { required: ["b"] } },
      [{}, { a: 1, b: 1 }],
      [{ a: 1 }],
    ],
    ["contains", { type: "array", contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[], [1, 1]]],
    // Ajv by itself would let it through: the answer to the first array stands for the second.
    [
      "contains, of one array after another",
      {
        type: "array",
        items: {
          anyOf: [
            { type: "array", minItems: 3 },
            { type: "array", contains: { const: 1 } },
          ],
        },
      },
      [[[1]]],
      [[[1], []]],
    ],
    [
      "uniqueItems",
      { type: "array", uniqueItems: true },
      [[{ a: 1 }, { a: 2 }]],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [
      "what inherits nothing",
      { type: "array", uniqueItems: true },
      [[{ toString: 1 }, { toString: 2 }]],
      [[{ valueOf: 1 }, { valueOf: 1 }]],
    ],
    ["dependentRequired", { type: "object", dependentRequired: { a: ["b"] } }, [{}, { b: 1 }], [{ a: 1 }]],
    [
      "dependencies of draft 7",
      { $schema: draft7, type: "object", dependencies: { a: ["b"], c: { required: ["d"] } } },
      [{}, { a: 1, b: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
    ["minProperties", { type: "object", minProperties: 1 }, [{ a: 1 }], [{}]],
    ["unevaluatedItems", { type: "array", contains: { const: 1 }, unevaluatedItems: false }, [[1, 1]], [[1, 2]]],
    [
      "unevaluatedProperties",
      {
        type: "object",
        anyOf: [{ properties: { a: { const: 1 } }, required: ["a"] }, { properties: { b: {} } }],
        unevaluatedProperties: false,
      },
      [{ a: 1, b: 1 }],
      [{ a: 2, b: 1 }],
    ],
    [
      "recursion",
      { type: "object", properties: { next: { $ref: "#" }, n: { type: "integer" } } },
      [{ next: { next: { n: 1 } } }],
      [{ next: { next: { n: "a" } } }],
    ],
  ])("%s", (_, written, rights, wrongs) => {
    const schema = schemaOf(written, "result")
    expect(schema.exact).toBe(false)
    for (const value of rights) expect([value, right(schema, value)]).toEqual([value, true])
    for (const value of wrongs) expect([value, right(schema, value)]).toEqual([value, false])
  })

  it("tells what is wrong, and where", () => {
    const { judge } = schemaOf({
      type: "object",
      properties: {
        tags: { type: "array", items: { enum: ["a", "b"] }, uniqueItems: true },
        price: { multipleOf: 0.01 },
      },
      additionalProperties: false,
    })
    expect(judge({ tags: ["a", "a"] })).toEqual([{ at: "/tags", message: "must not hold the same item twice" }])
    expect(judge({ tags: ["c"] })).toEqual([{ at: "/tags/0", message: 'must be one of "a", "b"' }])
    expect(judge({ price: 0.001 })).toEqual([{ at: "/price", message: "must be a multiple of 0.01" }])
    expect(judge({ "a/b": 1 })).toEqual([{ at: "/a~1b", message: "is not declared" }])
  })
})

describe("A035: an object that says nothing of other keys", () => {
  const closedOf = (schema: JsonSchema, role: Role = "params"): readonly string[] => {
    const lowered = lowerSchema(schema, role)
    return lowered.ok ? lowered.closed.map(({ at }) => at) : ["refused"]
  }
  const open = { type: "object", properties: { to: { type: "object", properties: { id: { type: "string" } } } } }

  it("is closed in params, with a notice for each", () => {
    expect(closedOf(open)).toEqual(["", "/to"])
    expect(right(schemaOf(open), { to: { id: "a", bcc: "b" } })).toBe(false)
    expect(right(schemaOf(open), { to: { id: "a" } })).toBe(true)
  })

  it("stays open in a result, and where the author says so", () => {
    expect(closedOf(open, "result")).toEqual([])
    expect(right(schemaOf(open, "result"), { to: { id: "a", bcc: "b" } })).toBe(true)
    const said = { type: "object", properties: {}, additionalProperties: true }
    expect([closedOf(said), right(schemaOf(said), { a: 1 })]).toEqual([[], true])
    const values = { type: "object", additionalProperties: { type: "string" } }
    expect([closedOf(values), right(schemaOf(values), { a: "b" })]).toEqual([[], true])
  })

  it("is closed as a whole: keys that any part of it declares are let through", () => {
    const schema = schemaOf({
      type: "object",
      properties: { id: { type: "string" } },
      allOf: [{ properties: { name: { type: "string" } } }, { $ref: "#/$defs/timed" }],
      anyOf: [{ required: ["id"] }, { properties: { email: { type: "string" } }, required: ["email"] }],
      if: { properties: { country: { const: "US" } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
      then: { properties: { zip: { type: "string" } } },
      dependentSchemas: { card: { properties: { cvc: { type: "string" } } } },
      $defs: { timed: { properties: { at: { type: "string" } } } },
    })
    const all = { id: "a", name: "b", at: "c", email: "d", country: "US", zip: "e", card: 1, cvc: "f" }
    expect(right(schema, all)).toBe(true)
    expect(right(schema, { ...all, other: 1 })).toBe(false)
    expect(right(schema, { ...all, cvc: 1 })).toBe(false)
  })

  it.each<[what: string, more: object, right: Json[]]>([
    ["`not`", { not: { required: ["x"] } }, []],
    ["`allOf` with a `not`", { allOf: [{ not: { required: ["x"] } }] }, []],
    ["`allOf` with words for other types", { allOf: [{ maxLength: 3 }, { maximum: 3 }] }, []],
    [
      "`allOf` with a condition",
      // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
      { allOf: [{ if: { required: ["a"] }, then: { properties: { zip: {} } } }] },
      [{ zip: 1 }],
    ],
    // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
    ["a condition with a `not`", { if: { required: ["a"] }, then: { not: { required: ["b"] } } }, []],
    ["`dependentRequired`", { dependentRequired: { c: ["d"] } }, [{ d: 1 }]],
    ["`oneOf`", { oneOf: [{ required: ["a"] }, { required: ["b"] }] }, []],
  ])("is closed where it says so by %s", (_, more, rights) => {
    const schema = schemaOf({ type: "object", properties: { a: {}, b: {} }, ...more })
    for (const value of [{ a: 1 }, ...rights]) expect([value, right(schema, value)]).toEqual([value, true])
    expect(right(schema, { a: 1, x: 1 })).toBe(false)
    expect(right(schema, { a: 1, other: 1 })).toBe(false)
  })

  it("lets the keys of a schema that holds itself through", () => {
    const node = {
      type: "object",
      properties: { n: {}, more: { allOf: [{ $ref: "#/$defs/node" }, { properties: { x: {} } }] } },
    }
    const schema = schemaOf({ $ref: "#/$defs/node", $defs: { node } })
    expect(right(schema, { n: 1, more: { n: 1, x: 1 } })).toBe(true)
    expect(right(schema, { n: 1, x: 1 })).toBe(false)
    const place = shapeAt(schema.shape, ["more", "more", "n"])
    expect(place.ok && !place.certain).toBe(false)
  })

  it("says so in the catalog", () => {
    const said = defineCatalog({
      name: "a",
      version: "1",
      tools: { send: tool({ description: "Send.", effect: "read", params: open }) },
    }).diagnostics
    expect(said.map(({ code, severity }) => `${code} ${severity}`)).toEqual(["SEQ803 notice", "SEQ803 notice"])
  })
})

describe("what cannot be honoured is refused by name", () => {
  it.each<[what: string, schema: JsonSchema, said: string]>([
    [
      "A033: a remote reference",
      object({ a: { $ref: "https://x.test/a.json" } }),
      '/a `$ref` to "https://x.test/a.json" leads out of the schema, and nothing is fetched',
    ],
    [
      "A033: a file",
      { $ref: "file:///etc/passwd" },
      '/ `$ref` to "file:///etc/passwd" leads out of the schema, and nothing is fetched',
    ],
    [
      "A033: a relative reference",
      { $ref: "other.json#/a" },
      '/ `$ref` to "other.json#/a" leads out of the schema, and nothing is fetched',
    ],
    ["A034: $dynamicRef", { $dynamicRef: "#a" }, "/ `$dynamicRef` cannot be honoured: say `$ref`"],
    [
      "A034: contentSchema",
      object({ a: { type: "string", contentSchema: {} } }),
      "/a `contentSchema` cannot be honoured: what a string holds is not judged",
    ],
    [
      "A034: a keyword of another draft",
      { $schema: draft7, unevaluatedProperties: false },
      "/ `unevaluatedProperties` is no keyword of draft 7 that is honoured",
    ],
    [
      "A034: a misspelt keyword",
      object({ a: { maxlength: 3 } }),
      "/a `maxlength` is no keyword of draft 2020-12 that is honoured",
    ],
    ["A034: an unknown format", object({ a: { type: "string", format: "sku" } }), '/a the format "sku" is not known'],
    [
      "nullable",
      object({ a: { type: "string", nullable: true } }),
      '/a `nullable` is OpenAPI 3.0\'s: say `type: ["string", "null"]`',
    ],
    [
      "another dialect",
      { $schema: "http://json-schema.org/draft-04/schema#" },
      '/ `$schema` "http://json-schema.org/draft-04/schema#" is neither draft 2020-12 nor draft 7',
    ],
    [
      "an address inside",
      { $defs: { a: { $id: "https://x.test/b" } } },
      '/ `$id` "https://x.test/b" inside the schema moves what references mean',
    ],
    ["a reference to nothing", { $ref: "#/$defs/a" }, '/ `$ref` to "#/$defs/a" leads to no schema'],
    ["a reference along the prototype", { $ref: "#/toString" }, '/ `$ref` to "#/toString" leads to no schema'],
    [
      "a reference to itself",
      { $ref: "#/$defs/a", $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } } },
      "/ `$ref` that leads back to itself without going into the value",
    ],
    [
      "keywords beside a reference of draft 7",
      { $schema: draft7, $ref: "#/definitions/a", maxLength: 3, definitions: { a: {} } },
      "/ `$ref` with other keywords beside it lets draft 7 ignore them: use `allOf`",
    ],
    ["a value of the wrong kind", { type: "string", maxLength: "3" }, '/ `maxLength` with the value "3"'],
    ["an unknown type", { type: "int" }, '/ `type` with the value "int"'],
    ["exclusiveMinimum of draft 4", { minimum: 0, exclusiveMinimum: true }, "/ `exclusiveMinimum` with the value true"],
    ["what is no schema", object({ a: "string" }), '/a "string" in place of a schema'],
    ["what is no pattern", { pattern: "(" }, "/ the pattern `(` is no regular expression with the flag `u`"],
    [
      "a key that harms",
      JSON.parse('{"properties":{"__proto__":{}}}'),
      "/ something else than a zod 4, TypeBox or JSON Schema (it holds the key `__proto__` at `/properties/__proto__`)",
    ],
    [
      "a function",
      { type: "string", pattern: () => 1 },
      "/ something else than a zod 4, TypeBox or JSON Schema (it holds a function at `/pattern`)",
    ],
  ])("%s", (_, schema, said) => {
    expect(faultsOf(schema)).toEqual([said])
  })

  it("tells all of it at once", () => {
    expect(faultsOf({ $dynamicRef: "#a", properties: { b: { nullable: true, format: "x" } } })).toHaveLength(3)
  })

  it("ends on schemas that are very deep, very wide or grow without end", () => {
    const deep = JSON.parse(`${'{"items":'.repeat(5_000)}{}${"}".repeat(5_000)}`) as JsonSchema
    expect(faultsOf(deep)).toHaveLength(1)
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `a${i}`,
        { properties: { x: { $ref: `#/$defs/a${i + 1}` }, y: { $ref: `#/$defs/a${i + 1}` } } },
      ]),
    )
    expect(faultsOf({ $ref: "#/$defs/a0", $defs: { ...doubling, a40: {} } })).toEqual([
      expect.stringMatching(/more than 10000 parts/),
    ])
    const wide = Array.from({ length: 80 }, (_, i) => ({ const: i }))
    expect(faultsOf({ allOf: [{ anyOf: wide }, { anyOf: wide }] })).toEqual([
      expect.stringMatching(/too many alternatives/),
    ])
  })
})

it("a `default` is a note: nothing is filled in, and a notice says so", () => {
  const lowered = lowerSchema(object({ limit: { type: "integer", default: 20 } }), "params")
  expect(lowered.ok && lowered.notices).toEqual([{ kind: "default", at: "/limit" }])
  const given: Json = {}
  expect(right(schemaOf(object({ limit: { type: "integer", default: 20 } })), given)).toBe(true)
  expect(given).toEqual({})
  const result = lowerSchema(object({ limit: { default: 20 } }), "result")
  expect(result.ok && result.notices).toEqual([])
})

it("the host's own object is neither kept nor changed", () => {
  const written = {
    type: "object",
    properties: { a: { type: "array", uniqueItems: true } },
    additionalProperties: false,
  }
  const before = JSON.stringify(written)
  const schema = schemaOf(written)
  expect(right(schema, { a: [1] })).toBe(true)
  expect(JSON.stringify(written)).toBe(before)
  written.properties.a.uniqueItems = false
  expect(right(schema, { a: [1, 1] })).toBe(false)
})

describe("what is hashed", () => {
  const shown = (schema: JsonSchema): string => JSON.stringify(schemaOf(schema).shape)
  const at = (a: object): JsonSchema => ({
    type: "object",
    properties: { a: { not: { $ref: "#/$defs/a" } } },
    $defs: { a },
  })

  it("changes with what a schema means, also where only the validator sees it", () => {
    expect(shown(at({ const: 1 }))).not.toBe(shown(at({ const: 2 })))
    expect(shown({ if: { minLength: 1 } })).not.toBe(shown({ if: { minLength: 2 } }))
    expect(shown({ type: "array", uniqueItems: true })).not.toBe(shown({ type: "array" }))
  })

  it("does not change with words for people", () => {
    expect(shown({ type: "string", title: "A", description: "B", examples: ["c"], "x-y": 1 })).toBe(
      shown({ type: "string" }),
    )
  })
})

describe("decimals", () => {
  it.each<[value: number, step: number, is: boolean]>([
    [19.99, 0.01, true],
    [0.3, 0.1, true],
    [0.30000000000000004, 0.1, false],
    [1e300, 1e-300, true],
    [5e-324, 1e-323, false],
    [-0.5, 0.25, true],
    [9007199254740991, 2, false],
    [0, 0.1, true],
  ])("%d of %d: %s", (value, step, is) => {
    expect(isDecimalMultiple(value, step)).toBe(is)
  })
})

it("judges the same where no code may be made from strings", () => {
  const script = `
    import { lowerSchema } from "./src/catalog/schema/lower.ts"
    import { judgeWhole } from "./src/catalog/schema/judge.ts"
    try { new Function("return 1")(); process.exit(9) } catch {}
    const { schema } = lowerSchema({ type: "object", properties: { at: { type: "string", format: "date", not: { const: "2024-01-01" } }, tags: { type: "array", uniqueItems: true } } }, "params")
    const said = [{}, { at: "2024-02-29" }, { at: "2024-01-01" }, { at: "2024-02-30" }, { tags: [1, 1] }, { tags: [1, 2] }, { other: 1 }]
    console.log(JSON.stringify(said.map((value) => judgeWhole(schema, value))))
  `
  const flags = [
    "--disallow-code-generation-from-strings",
    "--conditions=@sequitur/source",
    "--input-type=module-typescript",
  ]
  const said = JSON.parse(execFileSync(process.execPath, [...flags, "-e", script], { encoding: "utf8" })) as {
    at: string
  }[][]
  expect(said.map((issues) => issues.map(({ at }) => at))).toEqual([
    [],
    [],
    ["/at"],
    ["/at"],
    ["/tags"],
    [],
    ["/other"],
  ])
})

it("booleans are schemas", () => {
  expect(schemaOf(true).shape[Kind]).toBe("Unknown")
  expect(schemaOf(false).shape[Kind]).toBe("Never")
})

it("its type gives its handlers plain JSON, and leaves those of other schemas as they are", () => {
  const params = tool({ description: "Acts.", effect: "read", params: { type: "object", properties: {} } })
  const others = tool({
    description: "Acts.",
    effect: "read",
    params: z.strictObject({ a: z.string() }),
    result: Type.Integer(),
  })
  const result = tool({ description: "Acts.", effect: "read", params: z.strictObject({}), result: { type: "string" } })
  type Expected = [
    Equal<ArgsOf<typeof params>, JsonObject>,
    Equal<ArgsOf<typeof others>, { a: string }>,
    Equal<ResultOf<typeof others>, number>,
    Equal<ResultOf<typeof result>, Json>,
  ]
  expectTypes<Expected>()
})
