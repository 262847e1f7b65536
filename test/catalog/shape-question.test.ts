/** The questions asked of shapes: what stands where, does it fit, how much can it be, and in what words. */
import { isDeepStrictEqual } from "node:util"
import { Type } from "@sinclair/typebox"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { accepts } from "../../src/catalog/schema/accept.ts"
import { type Place, shapeAt } from "../../src/catalog/schema/at.ts"
import { fit as compare, type Fit } from "../../src/catalog/schema/fit.ts"
import { countOf, intervalOf } from "../../src/catalog/schema/interval.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import { named } from "../../src/catalog/schema/named.ts"
import type { Role, Schema } from "../../src/catalog/schema/schema.ts"
import { itemsOf, propertiesOf, type Shape, describe as say } from "../../src/catalog/schema/shape.ts"
import { isObject, type Json } from "../../src/text/json.ts"
import { parsePointer } from "../../src/text/pointer.ts"
import { jsonSchemaOf, type Node, node, spoil, typeBoxOf, valueFor, zodOf } from "./arbitrary.ts"

function schemaOf(schema: unknown, role: Role = "params"): Schema {
  const result = lowerSchema(schema, role)
  if (!result.ok) throw new Error(JSON.stringify(result.faults))
  return result.schema
}

const shapeOf = (schema: unknown, role: Role = "params"): Shape => schemaOf(schema, role).shape
const isRight = (schema: Schema, value: Json): boolean => judgeWhole(schema, value).length === 0

describe("shapeAt", () => {
  const result = shapeOf(
    z.object({
      account: z.object({
        id: z.string(),
        note: z.string().optional(),
        owner: z.object({ name: z.string() }).nullable(),
      }),
      workspaces: z
        .array(z.object({ id: z.int(), role: z.string() }))
        .min(1)
        .max(3),
      pair: z.tuple([z.string(), z.int().optional()]),
      tail: z.tuple([z.string()], z.boolean()),
      tags: z.record(z.string().regex(/^t/), z.int()),
      free: z.any(),
      none: z.never(),
      either: z.union([
        z.object({ a: z.string(), b: z.int() }),
        z.object({ a: z.null(), b: z.null().optional(), c: z.int().optional() }),
      ]),
    }),
    "result",
  )
  const at = (pointer: string): string => {
    const place = shapeAt(result, parsePointer(pointer) ?? [])
    if (place.ok) return `${say(place.shape)}${place.certain ? "" : ", perhaps"}`
    return `${place.why} at ${place.index}${place.known.length > 0 ? ` of ${place.known}` : ""}`
  }

  it.each([
    ["", "an object"],
    ["/account/id", "a string"],
    ["/account/note", "optional at 1 of id,note,owner"],
    ["/account/note/deeper", "not-a-container at 2"],
    ["/account/ID", "absent at 1 of id,note,owner"],
    ["/account/toString", "absent at 1 of id,note,owner"],
    ["/account/owner", "an object or null"],
    ["/account/owner/name", "a string, perhaps"],
    ["/account/owner/nam", "absent at 2 of name"],
    ["/account/id/0", "not-a-container at 2"],
    ["/workspaces/0/id", "an integer"],
    ["/workspaces/1/id", "an integer, perhaps"],
    ["/workspaces/3", "absent at 1"],
    ["/workspaces/00", "not-an-index at 1"],
    ["/workspaces/-", "not-an-index at 1"],
    ["/workspaces/-1", "not-an-index at 1"],
    ["/workspaces/1e0", "not-an-index at 1"],
    ["/workspaces/id", "not-an-index at 1"],
    ["/workspaces/99999999999999999999999", "absent at 1"],
    ["/pair/0", "a string"],
    ["/pair/1", "an integer, perhaps"],
    ["/pair/2", "absent at 1"],
    ["/tail/5", "a boolean, perhaps"],
    ["/tags/t1", "an integer, perhaps"],
    ["/tags/x", "absent at 1"],
    ["/free/what/ever", "any value, perhaps"],
    ["/none/x", "absent at 1"],
    ["/either/a", "a string or null"],
    ["/either/b", "an integer or null, perhaps"],
    ["/either/c", "optional at 1 of a,b,c"],
    ["/either/d", "absent at 1 of a,b,c"],
    ["/elsewhere", "absent at 0 of account,workspaces,pair,tail,tags,free,none,either"],
  ])("%s: %s", (pointer, said) => {
    expect(at(pointer)).toBe(said)
  })

  it("reaches no undeclared key of an object that is open, and any key of a record of anything", () => {
    expect(shapeAt(shapeOf(z.looseObject({ a: z.int() })), ["b"])).toEqual({
      ok: false,
      index: 0,
      why: "absent",
      known: ["a"],
    })
    expect(shapeAt(shapeOf(z.record(z.string(), z.any())), ["b"])).toMatchObject({ ok: true, certain: false })
    expect(shapeAt(shapeOf(z.object({ a: z.int() }).catchall(z.string())), ["b"])).toMatchObject({
      ok: true,
      certain: false,
    })
  })
})

describe("fit", () => {
  const cases: readonly (readonly [Fit, unknown, unknown])[] = [
    ["fits", z.int().min(1).max(5), z.int().max(5)],
    ["fits", z.int().gt(0), z.number().min(1)],
    ["fits", z.int(), z.number()],
    ["may-fit", z.number(), z.int()],
    ["may-fit", z.number().min(0).max(5), z.int()],
    ["may-fit", z.int().max(6), z.int().max(5)],
    ["never-fits", z.int().min(6), z.int().max(5)],
    ["never-fits", z.number().gt(5), z.number().max(5)],
    ["may-fit", z.number().min(5), z.number().max(5)],
    ["never-fits", z.number().gt(1).lt(2), z.int()],
    ["fits", z.int().multipleOf(4), z.int().multipleOf(4)],
    ["may-fit", z.int().multipleOf(4), z.int().multipleOf(2)],
    ["fits", Type.Integer({ multipleOf: 4 }), z.number().multipleOf(2)],
    ["fits", Type.Integer({ multipleOf: 4 }), Type.Number({ multipleOf: 2 })],
    ["may-fit", Type.Integer({ multipleOf: 2 }), Type.Number({ multipleOf: 4 })],
    ["never-fits", z.string(), z.int()],
    ["fits", z.string().min(2).max(3), z.string().max(5)],
    ["may-fit", z.string(), z.string().min(1)],
    ["never-fits", z.string().max(1), z.string().min(2)],
    ["fits", z.uuid(), z.uuid()],
    ["fits", z.uuid(), z.string()],
    ["may-fit", z.string(), z.uuid()],
    ["may-fit", z.string().regex(/a/), z.string().regex(/a/i)],
    ["may-fit", z.url(), z.url()],
    ["fits", z.url(), z.string()],
    // A code point may be two UTF-16 units.
    ["fits", z.string().max(2), Type.String({ maxLength: 4 })],
    ["may-fit", z.string().max(2), Type.String({ maxLength: 3 })],
    ["fits", Type.String({ minLength: 4 }), z.string().min(2)],
    ["may-fit", Type.String({ minLength: 3 }), z.string().min(3)],
    ["fits", z.literal("USD"), z.enum(["USD", "EUR"])],
    ["never-fits", z.literal("GBP"), z.enum(["USD", "EUR"])],
    ["may-fit", z.enum(["USD", "GBP"]), z.enum(["USD", "EUR"])],
    ["may-fit", z.string(), z.enum(["USD", "EUR"])],
    ["never-fits", z.string().min(4), z.enum(["USD", "EUR"])],
    ["fits", z.boolean(), z.literal([true, false])],
    ["may-fit", z.boolean(), z.literal(true)],
    ["may-fit", z.string().nullable(), z.string()],
    ["fits", z.string(), z.string().nullable()],
    ["never-fits", z.null(), z.string()],
    ["never-fits", z.never(), z.string()],
    ["fits", z.string(), z.any()],
    ["may-fit", z.any(), z.string()],
    ["never-fits", z.any(), z.never()],
    ["may-fit", z.string(), z.custom(named("x", "1", () => true))],
    ["may-fit", z.string(), z.string().refine(named("x", "1", () => true))],
    ["fits", z.array(z.int()).max(2), z.array(z.number()).max(3)],
    ["may-fit", z.array(z.int()), z.array(z.int()).min(1)],
    ["never-fits", z.array(z.int()).max(1), z.array(z.int()).min(2)],
    ["may-fit", z.array(z.int()), z.array(z.string())],
    ["never-fits", z.array(z.int()).min(1), z.array(z.string())],
    ["never-fits", z.array(z.int()), z.array(z.string()).min(1)],
    ["fits", z.array(z.int()).max(0), z.array(z.string())],
    ["fits", z.tuple([z.int(), z.string()]), z.array(z.union([z.int(), z.string()])).length(2)],
    ["may-fit", z.array(z.int()).length(2), z.tuple([z.int(), z.string().or(z.int().max(1))])],
    ["never-fits", z.array(z.int()).length(2), z.tuple([z.int(), z.string()])],
    ["never-fits", z.tuple([z.int()]), z.tuple([z.int(), z.int()])],
    ["fits", z.strictObject({ a: z.int() }), z.object({ a: z.int(), b: z.string().optional() })],
    ["may-fit", z.object({ a: z.int() }), z.object({ a: z.int(), b: z.string().optional() })],
    ["may-fit", z.object({ a: z.int() }), z.object({ a: z.int() })],
    ["fits", z.object({ a: z.int() }), z.looseObject({ a: z.int() })],
    ["fits", z.object({ a: z.int() }), z.looseObject({ a: z.number().optional() })],
    ["may-fit", z.object({ a: z.int().optional() }), z.looseObject({ a: z.int() })],
    ["never-fits", z.strictObject({}), z.object({ a: z.int() })],
    ["never-fits", z.object({ a: z.string() }), z.object({ a: z.int() })],
    ["may-fit", z.object({ a: z.string().optional() }), z.object({ a: z.int().optional() })],
    ["never-fits", z.object({ a: z.string().optional() }), z.object({ a: z.int() })],
    ["never-fits", z.strictObject({ a: z.int(), b: z.int() }), z.object({ a: z.int() })],
    ["may-fit", z.strictObject({ a: z.int(), b: z.int().optional() }), z.object({ a: z.int() })],
    ["fits", z.record(z.string(), z.int()), z.record(z.string(), z.number())],
    ["may-fit", z.record(z.string(), z.int()), z.record(z.string(), z.string())],
    ["may-fit", z.record(z.string(), z.int()), z.object({ a: z.int() })],
    ["fits", z.strictObject({ a: z.int() }), z.record(z.string(), z.number())],
    ["never-fits", z.strictObject({ a: z.int() }), z.record(z.string().regex(/^b/), z.number())],
    ["fits", z.record(z.string().regex(/^b/), z.int()), z.record(z.string().regex(/^b/), z.int())],
    ["may-fit", z.record(z.string(), z.int()), z.record(z.string().regex(/^b/), z.int())],
    ["may-fit", z.record(z.url(), z.int()), z.record(z.url(), z.int())],
    ["never-fits", z.object({ a: z.int() }), z.array(z.int())],
  ]

  it.each(cases.map(([verdict, output, parameter], index) => [index, verdict, output, parameter] as const))(
    "case %i: %s",
    (_, verdict, output, parameter) => {
      expect(compare(shapeOf(output, "result"), shapeOf(parameter, "params"))).toBe(verdict)
    },
  )
})

describe("intervals", () => {
  it.each([
    ["int", z.int().positive().max(50_000), { min: 1, max: 50_000, integer: true }],
    ["int with fractions for bounds", z.int().gt(0.5).lt(3.5), { min: 1, max: 3, integer: true }],
    ["int without bounds", Type.Integer(), { min: -Infinity, max: Infinity, integer: true }],
    ["number", z.number().gt(0).max(1), { min: 0, max: 1, integer: false }],
    ["literals", z.literal([5, 1]), { min: 1, max: 5, integer: true }],
    ["fraction", z.literal(1.5), { min: 1.5, max: 1.5, integer: false }],
    ["union", z.union([z.int().min(3).max(4), z.literal(9)]), { min: 3, max: 9, integer: true }],
    ["string", z.string(), null],
    ["nullable", z.int().nullable(), null],
    ["any", z.any(), null],
  ])("of numbers: %s", (_, schema, interval) => {
    expect(intervalOf(shapeOf(schema))).toEqual(interval)
  })

  it.each([
    ["array", z.array(z.int()).min(1).max(3), { min: 1, max: 3 }],
    ["array without bounds", z.array(z.int()), { min: 0, max: Infinity }],
    ["tuple", z.tuple([z.int(), z.int().optional()]), { min: 1, max: 2 }],
    ["tuple with rest", z.tuple([z.int()], z.int()), { min: 1, max: Infinity }],
    ["union", z.array(z.int()).max(1).or(z.array(z.string()).min(2).max(4)), { min: 0, max: 4 }],
    ["object", z.object({}), null],
  ])("of items: %s", (_, schema, interval) => {
    expect(countOf(shapeOf(schema))).toEqual(interval)
  })
})

describe("parts", () => {
  it("properties, of each object of a union", () => {
    const of = (schema: unknown) =>
      [...propertiesOf(shapeOf(schema))].map(
        ([key, { shape, optional }]) => `${key}${optional ? "?" : ""}: ${say(shape)}`,
      )
    expect(of(z.object({ a: z.int(), b: z.string().optional() }))).toEqual(["a: an integer", "b?: a string"])
    expect(of(z.union([z.object({ a: z.int(), b: z.int() }), z.object({ a: z.string() })]))).toEqual([
      "a: an integer or a string",
      "b?: an integer",
    ])
    expect(of(z.object({ a: z.int() }).nullable())).toEqual(["a?: an integer"])
    expect(of(z.string())).toEqual([])
  })

  it("items, of each array of a union", () => {
    const of = (schema: unknown) => {
      const items = itemsOf(shapeOf(schema))
      return items && say(items)
    }
    expect(of(z.array(z.int()).nullable())).toBe("an integer")
    expect(of(z.tuple([z.int(), z.string()], z.null()))).toBe("an integer, a string or null")
    expect(of(z.tuple([]))).toBe("no value at all")
    expect(of(z.any())).toBe("any value")
    expect(of(z.object({}))).toBeUndefined()
  })
})

describe("words", () => {
  it.each<[string, z.ZodType]>([
    ["a string", z.string()],
    ["a string of at least 1 character", z.string().min(1)],
    ["a string of exactly 3 characters", z.string().length(3)],
    [
      "a string of 2 to 64 characters that matches /^[a-z]+$/i",
      z
        .string()
        .min(2)
        .max(64)
        .regex(/^[a-z]+$/i),
    ],
    ['a string in the format "uuid"', z.uuid()],
    ["an integer", z.int()],
    ["an integer of at least 1", z.int().positive()],
    ["an integer from 0 to 5 that is a multiple of 5", z.int().min(0).max(5).multipleOf(5)],
    ["a number above 0", z.number().positive()],
    ["a number above 0 and of at most 1", z.number().gt(0).max(1)],
    ["a number of at least 0 and below 1", z.number().min(0).lt(1)],
    ["a number from 0 to 1", z.number().min(0).max(1)],
    ["a boolean", z.boolean()],
    ['"a"', z.literal("a")],
    ['one of "a", 1, true, null', z.literal(["a", 1, true, null])],
    [
      "one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 (8 more)",
      z.literal(Array.from({ length: 20 }, (_, index) => index)),
    ],
    ['"a", an integer or null', z.union([z.literal("a"), z.int(), z.null()])],
    ["an array", z.array(z.int())],
    ["an array of 1 to 3 items", z.array(z.int()).min(1).max(3)],
    ["an array of exactly 2 items", z.tuple([z.int(), z.int()])],
    ["an object", z.object({})],
    ["any value", z.any()],
    ["no value at all", z.never()],
  ])("%s", (words, schema) => {
    expect(say(shapeOf(schema))).toBe(words)
  })
})

/** Where the tokens lead in the value itself. */
function valueAt(value: Json, tokens: readonly string[]): Json | undefined {
  let here: Json | undefined = value
  for (const token of tokens) {
    if (Array.isArray(here)) here = /^(?:0|[1-9]\d*)$/.test(token) ? here[Number(token)] : undefined
    else if (isObject(here) && Object.hasOwn(here, token)) here = here[token]
    else return undefined
  }
  return here
}

/** Mostly objects: there is little to find in the rest. */
const holder = fc.oneof(
  node,
  fc.tuple(node, node, fc.boolean()).map(
    ([a, b, optional]): Node => ({
      kind: "object",
      properties: [
        { key: "a", node: a, optional: false },
        { key: "b", node: b, optional },
      ],
      others: "strip",
    }),
  ),
)

const held = holder.chain((one) => fc.tuple(fc.constant(one), valueFor(one)))

/** In one of the three languages; JSON Schema in any of its many ways. */
const build = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<(node: Node) => unknown>(zodOf, (node) => typeBoxOf(node, "written")) },
  {
    // Ajv takes its time to make code of each.
    weight: 1,
    arbitrary: fc
      .array(fc.nat(), { minLength: 1, maxLength: 12 })
      .map((choices) => (node: Node) => jsonSchemaOf(node, "2020-12", false, choices)),
  },
)
/** Arrays of what mostly are objects, as arrays, tuples, records of none and what may be null; and something to compare. */
const list = holder.chain((item) => {
  const nodes: readonly Node[] = [
    { kind: "array", item },
    { kind: "union", branches: [{ kind: "array", item }, { kind: "null" }] },
    { kind: "tuple", items: [item, item] },
  ]
  const scalar = fc.constantFrom<Json[]>("a", "b", "", 1, 0, 2.5, true, null)
  return fc.constantFrom(...nodes).chain((node) =>
    fc.tuple(
      fc.constant(node),
      valueFor(node),
      fc.oneof(
        scalar,
        valueFor(item).map((one) => valueAt(one, ["a"]) ?? one),
      ),
    ),
  )
})

const same = (one: Json | undefined, other: Json): boolean => one !== undefined && isDeepStrictEqual(one, other)

const tokens = fc.array(fc.constantFrom("a", "a", "a", "b", "b", "c", "d", "tag", "x", "0", "1", "2", "toString"), {
  minLength: 1,
  maxLength: 3,
})

const nearTokens = fc.oneof({ weight: 2, arbitrary: fc.constant(["a"]) }, { weight: 1, arbitrary: tokens })

/** Two schemas, often nearly the same. */
const pair = fc.oneof(
  fc.tuple(node, node),
  node.map((one): [Node, Node] => [one, one]),
  node.map((one): [Node, Node] => [one, { kind: "union", branches: [one, { kind: "null" }] }]),
  node.map((one): [Node, Node] => [{ kind: "union", branches: [one, { kind: "boolean" }] }, one]),
  fc
    .tuple(node, fc.array(fc.nat(), { minLength: 2, maxLength: 6 }))
    .map(([one, choices]): [Node, Node] => [one, alter(one, choices)]),
)

/** The same schema with one number or word in it changed. */
function alter(node: Node, choices: readonly number[]): Node {
  const spoilt = (part: unknown, rest: readonly number[]): unknown => {
    const [choice = 0, ...others] = rest
    if (typeof part === "number") return Math.max(0, part + (choice % 2 === 0 ? 1 : -1))
    if (typeof part !== "object" || part === null) return part
    const keys = Object.keys(part).filter((key) => !["kind", "key", "pattern", "others"].includes(key))
    const key = keys[choice % Math.max(1, keys.length)]
    if (key === undefined) return part
    if (key === "optional") return { ...part, optional: choice % 2 === 0 }
    const inner = spoilt((part as Record<string, unknown>)[key], others)
    // No number is a multiple of nothing.
    if (key === "step" && inner === 0) return { ...part, step: 1 }
    if (Array.isArray(part)) return part.map((item, index) => (String(index) === key ? inner : item))
    return { ...part, [key]: inner }
  }
  return spoilt(node, choices) as Node
}

describe("on random schemas", () => {
  it("shapeAt tells the truth of every right value", () => {
    const seen: Record<string, number> = {}
    fc.assert(
      fc.property(
        held,
        build,
        tokens,
        fc.constantFrom<Role[]>("params", "result"),
        ([node, value], build, tokens, role) => {
          const shape = shapeOf(build(node), role)
          if (!accepts(shape, value)) return
          const place: Place = shapeAt(shape, tokens)
          const found = valueAt(value, tokens)
          const name = place.ok ? (place.certain ? "certain" : "perhaps") : place.why
          seen[name] = (seen[name] ?? 0) + 1
          if (!place.ok) return
          if (place.certain) expect(found).toBeDefined()
          if (found !== undefined) expect(accepts(place.shape, found)).toBe(true)
        },
      ),
      { numRuns: 2_000 },
    )
    console.log("shapeAt:", seen)
    expect(Math.min(seen.certain ?? 0, seen.perhaps ?? 0, seen.absent ?? 0, seen.optional ?? 0)).toBeGreaterThan(10)
  })

  it("what is absent in params is in no right value", () => {
    fc.assert(
      fc.property(held, tokens, ([node, value], tokens) => {
        const shape = shapeOf(zodOf(node))
        if (!accepts(shape, value) || JSON.stringify(shape).includes('"additionalProperties":true')) return
        const place = shapeAt(shape, tokens)
        if (!place.ok && place.why !== "optional") expect(valueAt(value, tokens)).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
  })

  it("fit is sound both ways", () => {
    const seen: Record<Fit, number> = { fits: 0, "may-fit": 0, "never-fits": 0 }
    const tried = { fits: 0, "never-fits": 0 }
    fc.assert(
      fc.property(
        pair.chain(([one, other]) =>
          fc.tuple(
            fc.constant(one),
            fc.constant(other),
            fc.array(fc.oneof(valueFor(one), valueFor(other)), { minLength: 4, maxLength: 8 }),
            fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
          ),
        ),
        build,
        build,
        fc.constantFrom<Role[]>("params", "result"),
        ([one, other, values, choices], build, buildOther, role) => {
          const output = schemaOf(build(one), role)
          const parameter = schemaOf(buildOther(other), "params")
          const verdict = compare(output.shape, parameter.shape)
          seen[verdict]++
          if (verdict === "may-fit") return
          // As the authors' own validators judge: what is promised of shapes must hold of them.
          for (const value of [...values, ...values.map((value) => spoil(value, choices))]) {
            if (!isRight(output, value)) continue
            tried[verdict]++
            expect({ value, right: isRight(parameter, value) }).toEqual({ value, right: verdict === "fits" })
          }
        },
      ),
      { numRuns: 2_000 },
    )
    console.log("fit:", seen, "values:", tried)
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(100)
    expect(Math.min(...Object.values(tried))).toBeGreaterThan(500)
  })

  it("what is picked out of an array, and what its elements are compared with, is as the shapes say", () => {
    const seen: Record<string, number> = {}
    fc.assert(
      fc.property(
        list,
        build,
        nearTokens,
        nearTokens,
        fc.constantFrom<Role[]>("params", "result"),
        ([node, value, compared], build, path, pick, role) => {
          const schema = schemaOf(build(node), role)
          if (!Array.isArray(value) || !isRight(schema, value)) return
          const items = itemsOf(schema.shape)
          if (items === undefined) throw new Error("an array that no schema knows of")
          const [picked, declared] = [shapeAt(items, pick), shapeAt(items, path)]
          const matches = value.filter((element) => same(valueAt(element, path), compared))
          // As the compiler refuses a `where` that can never match.
          const may = declared.ok ? compare(Type.Const(compared), declared.shape) : declared.why
          seen[`where ${may}`] = (seen[`where ${may}`] ?? 0) + 1
          if (may === "never-fits") expect(matches).toEqual([])
          if (!picked.ok) return
          for (const element of value) {
            const found = valueAt(element, pick)
            const name = found === undefined ? "picked nothing" : "picked"
            seen[name] = (seen[name] ?? 0) + 1
            if (picked.certain) expect(found).toBeDefined()
            if (found !== undefined) expect(accepts(picked.shape, found)).toBe(true)
          }
        },
      ),
      { numRuns: 1_000 },
    )
    console.log("where and pick:", seen)
    for (const name of ["where fits", "where may-fit", "where never-fits", "where optional", "picked"])
      expect([name, (seen[name] ?? 0) > 2]).toEqual([name, true])
  })

  it("numbers and counts are in their intervals", () => {
    fc.assert(
      fc.property(held, build, ([node, value], build) => {
        const shape = shapeOf(build(node))
        if (!accepts(shape, value)) return
        const [interval, count] = [intervalOf(shape), countOf(shape)]
        if (interval !== null) {
          expect(value).toBeGreaterThanOrEqual(interval.min)
          expect(value).toBeLessThanOrEqual(interval.max)
          if (interval.integer) expect(Number.isInteger(value)).toBe(true)
        }
        if (count !== null) {
          const { length } = value as readonly Json[]
          expect(length).toBeGreaterThanOrEqual(count.min)
          expect(length).toBeLessThanOrEqual(count.max)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
