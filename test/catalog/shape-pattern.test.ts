/** Values with holes: what is said of what surrounds them, and what each hole must be. */
import { Type } from "@sinclair/typebox"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { accepts } from "../../src/catalog/schema/accept.ts"
import { fit as relate } from "../../src/catalog/schema/fit.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import { named } from "../../src/catalog/schema/named.ts"
import { judgePattern, type Misfit, type Pattern } from "../../src/catalog/schema/pattern.ts"
import { type Shape, describe as say } from "../../src/catalog/schema/shape.ts"
import { isObject, type Json } from "../../src/text/json.ts"
import { child, type Pointer, root } from "../../src/text/pointer.ts"
import { sample, zodOf } from "./arbitrary.ts"

interface Hole {
  readonly kind: "hole"
  readonly at: Pointer
  readonly value: Json
}

/** A hole where the value is `{"?": value}`. */
function pattern(value: Json, at: Pointer = root): Pattern<Hole> {
  if (Array.isArray(value))
    return { kind: "array", at, items: value.map((item, index) => pattern(item, child(at, index))) }
  if (!isObject(value)) return { kind: "literal", at, value }
  if (Object.hasOwn(value, "?")) return { kind: "hole", at, value: value["?"] as Json }
  return {
    kind: "object",
    at,
    entries: Object.entries(value).map(([key, inner]) => [key, pattern(inner, child(at, key))]),
  }
}

const hole: Json = { "?": null }

function shapeOf(schema: z.ZodType): Shape {
  const result = lowerSchema(schema, "params")
  if (!result.ok) throw new Error(JSON.stringify(result.faults))
  return result.schema.shape
}

function judge(schema: z.ZodType, value: Json): { misfits: readonly Misfit[]; holes: Record<string, string> } {
  const holes: Record<string, string> = {}
  const misfits = judgePattern(shapeOf(schema), pattern(value), ({ at }, shape) => {
    holes[at] = say(shape)
  })
  return { misfits, holes }
}

const said = (schema: z.ZodType, value: Json): readonly string[] =>
  judge(schema, value).misfits.map(
    ({ at, kind, key, expected, found }) =>
      `${at || "/"} ${kind}${key === undefined ? "" : ` ${key}`}: expected ${expected}, found ${found}`,
  )

const refund = z.object({
  workspaceId: z.string().max(64),
  amountInCents: z.int().positive().max(50_000),
  currency: z.enum(["USD", "EUR"]).optional(),
  lines: z
    .array(z.object({ sku: z.string() }))
    .max(2)
    .optional(),
})

describe("what is wrong", () => {
  it("is nothing: the same empty list each time", () => {
    const value = { workspaceId: "w", amountInCents: 5 }
    const first = judgePattern(shapeOf(refund), pattern(value), () => {})
    expect(first).toEqual([])
    expect(judgePattern(shapeOf(refund), pattern(value), () => {})).toBe(first)
  })

  it("is told all at once, each at its place", () => {
    const value = {
      workspaceId: hole,
      amountInCents: "$24.50",
      currency: "GBP",
      lines: [{ sku: hole }, { sku: 5, n: 1 }],
      extra: hole,
    }
    expect(said(refund, value)).toEqual([
      '/amountInCents type: expected an integer from 1 to 50000, found "$24.50"',
      '/currency value: expected one of "USD", "EUR", found "GBP"',
      "/lines/1/sku type: expected a string, found 5",
      '/lines/1/n unknown n: expected a declared key, found "n"',
      '/extra unknown extra: expected a declared key, found "extra"',
    ])
    expect(said(refund, { lines: hole })).toEqual([
      "/ missing workspaceId: expected a string of at most 64 characters, found nothing",
      "/ missing amountInCents: expected an integer from 1 to 50000, found nothing",
    ])
    expect(said(refund, { workspaceId: hole, amountInCents: 50_001, lines: [hole, hole, hole] })).toEqual([
      "/amountInCents value: expected an integer from 1 to 50000, found 50001",
      "/lines value: expected an array of at most 2 items, found an array of 3 items",
    ])
  })

  it("is the same for a literal as for its parts", () => {
    const value = { workspaceId: 1, amountInCents: 0.5, lines: [{}, { sku: "a" }] }
    const literal = judgePattern(shapeOf(refund), { kind: "literal", at: root, value }, () => {})
    expect(literal).toEqual(judge(refund, value).misfits)
    expect(literal.map(({ at }) => at)).toEqual(["/workspaceId", "/amountInCents", "/lines/0"])
  })

  it("comes with what is known, to guess what was meant", () => {
    const { misfits } = judge(refund, { workspaceId: hole, amountInCents: hole, currency: "US", curency: "USD" })
    expect(misfits.map(({ known }) => known)).toEqual([
      ["USD", "EUR"],
      ["workspaceId", "amountInCents", "currency", "lines"],
    ])
  })

  it("shows a value short, and nothing that could hide or move text", () => {
    const [long, hidden] = ["x".repeat(70_000), "\u202e\u0000\u2028\u200b`\n\ud800"].map(
      (text) => said(z.int(), text)[0],
    )
    expect(long).toBe(`/ type: expected an integer, found "${"x".repeat(40)}…"`)
    expect(hidden).toBe('/ type: expected an integer, found "\\u202e\\u0000\\u2028\\u200b`\\n\\ud800"')
    expect(said(z.int(), "😀".repeat(50))[0]).toBe(`/ type: expected an integer, found "${"😀".repeat(40)}…"`)
  })

  it("is found in bounded time, however much of it there is", () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, hole]))
    expect(judge(refund, { workspaceId: "", amountInCents: 1, ...many }).misfits).toHaveLength(200)
  })

  it("are keys of a record that its keys' schema refuses", () => {
    const byId = z.record(z.string().regex(/^w_/), z.int())
    expect(said(byId, { w_1: hole, x: 1 })).toEqual([
      '/x unknown x: expected a key that is a string that matches /^w_/, found "x"',
    ])
  })
})

describe("unions", () => {
  const card = z.object({ by: z.literal("card"), last4: z.string().length(4) })
  const bank = z.object({ by: z.literal(["bank", "sepa"]), iban: z.string() })
  const payment = z.discriminatedUnion("by", [card, bank])

  it("are told by the branch that the tag names", () => {
    expect(said(payment, { by: "bank", last4: "1234" })).toEqual([
      '/last4 unknown last4: expected a declared key, found "last4"',
      "/ missing iban: expected a string, found nothing",
    ])
    expect(said(payment, { by: "cash", iban: hole })).toEqual([
      '/by value: expected one of "card", "bank", "sepa", found "cash"',
    ])
    expect(said(payment, { iban: hole })).toEqual([
      '/ missing by: expected one of "card", "bank", "sepa", found nothing',
    ])
    expect(said(payment, 5)).toEqual(["/ type: expected an object, found 5"])
  })

  it("give a hole what the branches that are still possible ask for", () => {
    const schema = z.union([
      z.object({ id: z.string(), n: z.int() }),
      z.object({ id: z.int() }),
      z.object({ id: z.null(), n: z.literal(1) }),
    ])
    expect(judge(schema, { id: hole, n: 1 })).toEqual({ misfits: [], holes: { "/id": "a string or null" } })
    expect(judge(schema, { id: hole, n: 2 })).toEqual({ misfits: [], holes: { "/id": "a string" } })
    expect(judge(schema, { id: hole })).toEqual({ misfits: [], holes: { "/id": "an integer" } })
    expect(judge(schema, hole).holes).toEqual({ "": "an object" })
    expect(judge(payment, { by: hole, iban: hole })).toEqual({
      misfits: [],
      holes: { "/by": 'one of "bank", "sepa"', "/iban": "a string" },
    })
  })

  it("are told by the branch that is nearest, where none is right", () => {
    const schema = z.union([
      z.object({ a: z.string(), b: z.string(), c: z.string() }),
      z.object({ a: z.string(), d: z.int() }),
      z.string(),
      z.null(),
    ])
    expect(said(schema, { a: hole, d: "x" })).toEqual(['/d type: expected an integer, found "x"'])
    expect(said(schema, true)).toEqual(["/ type: expected an object, a string or null, found true"])
    expect(said(schema, [])).toEqual(["/ type: expected an object, a string or null, found an array"])
    expect(said(z.object({ a: z.int().max(5) }).nullable(), { a: 6 })).toEqual([
      "/a value: expected an integer of at most 5, found 6",
    ])
    expect(said(z.int().max(5).nullable(), 6)).toEqual(["/ value: expected an integer of at most 5 or null, found 6"])
  })

  it("inside unions give each hole one shape", () => {
    const schema = z.object({
      a: z.union([z.union([z.array(z.string()), z.array(z.int())]), z.array(z.boolean()).max(1)]),
    })
    expect(judge(schema, { a: [hole] }).holes).toEqual({ "/a/0": "a string, an integer or a boolean" })
    expect(judge(schema, { a: [hole, hole] }).holes).toEqual({
      "/a/0": "a string or an integer",
      "/a/1": "a string or an integer",
    })
    expect(judge(schema, { a: [hole, 1] }).holes).toEqual({ "/a/0": "an integer" })
  })

  it("with anything in them are anything", () => {
    expect(judge(z.union([z.any(), z.object({ a: z.int() })]), { a: hole, b: [hole] }).holes).toEqual({
      "/a": "any value",
      "/b/0": "any value",
    })
    const custom = z.custom(named("x", "1", () => true))
    expect(judge(z.union([custom, z.object({ a: z.int() }), z.object({ b: z.int() })]), { a: hole }).holes).toEqual({
      "/a": "any value or an integer",
    })
  })
})

describe("a union with several holes", () => {
  const kinds = ["string", "number", "boolean", "null"] as const
  type Type = (typeof kinds)[number]
  const ofKind = { string: z.string(), number: z.number(), boolean: z.boolean(), null: z.null() }
  const examples: { readonly [kind in Type]: Json } = { string: "x", number: 1.5, boolean: true, null: null }
  const anyOf = (types: readonly Type[]): z.ZodType => z.union(types.map((type) => ofKind[type]))
  const types = fc.subarray([...kinds], { minLength: 1, maxLength: 3 })
  const keys = ["a", "b", "c"] as const
  const branch = fc.record({ a: types, b: types, c: types })
  type Branch = { readonly [key in (typeof keys)[number]]: readonly Type[] }
  const objectOf = (one: Branch): z.ZodType =>
    z.strictObject(Object.fromEntries(keys.map((key) => [key, anyOf(one[key])])))

  function judge(shape: Shape, given: Branch) {
    const asked = new Map<string, Shape>()
    let unsure = false
    const value = pattern({ a: hole, b: hole, c: hole })
    const misfits = judgePattern<Hole>(shape, value, {
      onHole: ({ at }, inner) => asked.set(at.slice(1), inner as Shape),
      fit: ({ at }, inner) => relate(shapeOf(anyOf(given[at.slice(1) as "a"])), inner),
      onUnsure: () => {
        unsure = true
      },
    })
    expect(misfits).toEqual([])
    const verdicts = keys.map((key) => relate(shapeOf(anyOf(given[key])), asked.get(key) as Shape))
    return { asked, unsure, never: verdicts.includes("never-fits") }
  }

  it("is right by what each hole is judged by, or is judged as a whole; and never, where no branch can be", () => {
    fc.assert(
      fc.property(fc.array(branch, { minLength: 1, maxLength: 4 }), branch, fc.boolean(), (branches, given, nested) => {
        const [first, ...rest] = branches.map(objectOf)
        const union =
          nested && rest.length > 0 ? z.union([first as z.ZodType, z.union(rest)]) : z.union(branches.map(objectOf))
        const shape = shapeOf(union)
        const { asked, unsure, never } = judge(shape, given)
        const values = given.a.flatMap((a) => given.b.flatMap((b) => given.c.map((c) => ({ a, b, c }))))
        const right = values.filter((value) =>
          branches.some((one) => keys.every((key) => one[key].includes(value[key]))),
        )
        expect(never).toBe(right.length === 0)
        if (never || unsure) return
        const passing = values.filter((value) =>
          keys.every((key) => accepts(asked.get(key) as Shape, examples[value[key]])),
        )
        expect(passing).toEqual(right)
      }),
      { numRuns: 500 },
    )
  })

  it("within a branch leaves that branch unsure", () => {
    const pair = z.union([
      z.strictObject({ a: z.string(), b: z.number() }),
      z.strictObject({ a: z.number(), b: z.string() }),
    ])
    const given = shapeOf(z.union([z.string(), z.number()]))
    const unsureAt = (schema: z.ZodType, value: Json): readonly Pointer[] => {
      const places: Pointer[] = []
      const onUnsure = (at: Pointer): unknown => places.push(at)
      judgePattern<Hole>(shapeOf(schema), pattern(value), {
        onHole: () => undefined,
        fit: (_, inner) => relate(given, inner),
        onUnsure,
      })
      return places
    }
    const inner = { a: hole, b: hole }
    expect(unsureAt(z.strictObject({ v: pair }), { v: inner })).toEqual(["/v"])
    expect(unsureAt(z.strictObject({ v: pair }), { v: { a: "x", b: hole } })).toEqual([])
    expect(unsureAt(z.union([z.strictObject({ v: pair }), z.strictObject({ v: z.null() })]), { v: inner })).toEqual([
      "",
    ])
    const loose = z.record(z.string(), z.unknown())
    expect(unsureAt(z.union([z.strictObject({ v: pair }), z.strictObject({ v: loose })]), { v: inner })).toEqual([])
  })
})

describe("shapes written in this project", () => {
  it("are judged by the same keywords", () => {
    const envelope = Type.Object(
      {
        id: Type.String({ minLength: 1 }),
        n: Type.Optional(Type.Integer()),
        more: Type.Optional(Type.Object({}, { additionalProperties: Type.Unknown() })),
      },
      { additionalProperties: false },
    )
    const misfits = (value: Json) =>
      judgePattern<Hole>(envelope, pattern(value), () => {}).map(({ at, kind }) => `${at} ${kind}`)
    expect(misfits({ id: "a", more: { x: hole } })).toEqual([])
    expect(misfits({ id: "", n: 1.5, x: 1 })).toEqual(["/id value", "/n value", "/x unknown"])
    expect(accepts(Type.Tuple([Type.String({ pattern: "^a" })]), ["ab"])).toBe(true)
    expect(accepts(Type.Tuple([Type.String({ pattern: "^a" })]), ["b"])).toBe(false)
  })

  it("of another kind are a mistake of ours", () => {
    expect(() => accepts(Type.Date(), null)).toThrow("no kind of shape: Date")
  })
})

/** The same value with holes: wherever a choice is 0. */
function dig(value: Json, at: Pointer, choices: () => number): Pattern<Hole> {
  if (choices() === 0) return { kind: "hole", at, value }
  if (choices() === 1) return { kind: "literal", at, value }
  if (Array.isArray(value))
    return { kind: "array", at, items: value.map((item, index) => dig(item, child(at, index), choices)) }
  if (!isObject(value)) return { kind: "literal", at, value }
  return {
    kind: "object",
    at,
    entries: Object.entries(value).map(([key, inner]) => [key, dig(inner, child(at, key), choices)]),
  }
}

function holesIn(pattern: Pattern<Hole>): readonly Hole[] {
  if (pattern.kind === "hole") return [pattern]
  if (pattern.kind === "array") return pattern.items.flatMap(holesIn)
  return pattern.kind === "object" ? pattern.entries.flatMap(([, inner]) => holesIn(inner)) : []
}

describe("on random schemas", () => {
  it("a right value stays right whatever holes are made in it, and each hole's shape accepts what was there", () => {
    let right = 0
    let all = 0
    fc.assert(
      fc.property(
        sample,
        fc.array(fc.nat({ max: 4 }), { minLength: 30, maxLength: 30 }),
        ({ node, value }, choices) => {
          const shape = shapeOf(zodOf(node))
          let next = 0
          const dug = dig(value, root, () => choices[next++ % 30] ?? 0)
          const isRight = accepts(shape, value)
          all++
          if (isRight) right++
          const seen: Hole[] = []
          const misfits = judgePattern(shape, dug, (one, asked) => {
            seen.push(one)
            if (isRight) expect(accepts(asked, one.value)).toBe(true)
          })
          if (isRight) {
            expect(misfits).toEqual([])
            expect(seen).toEqual(holesIn(dug))
          }
          if (holesIn(dug).length === 0) expect(misfits.length === 0).toBe(isRight)
          if (misfits.length === 0) expect(seen).toHaveLength(holesIn(dug).length)
        },
      ),
      { numRuns: 1_500 },
    )
    console.log(`patterns: ${Math.round((100 * right) / all)} % of the values right`)
    expect(right / all).toBeGreaterThan(0.4)
  })
})
