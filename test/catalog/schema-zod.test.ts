/** zod: what is refused, what is closed, and what the shape says. Cases come from reading zod 4.6's own source. */
import { describe, expect, it } from "vitest"
import { z } from "zod"
import * as mini from "zod/mini"
import { accepts } from "../../src/catalog/schema/accept.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import { named } from "../../src/catalog/schema/named.ts"
import type { Role, Schema } from "../../src/catalog/schema/schema.ts"
import type { Json } from "../../src/text/json.ts"

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

/** Values to try on anything: right and nearly right for some schema below. */
const pool: readonly Json[] = [
  ...[null, true, false, 0, 1, -1, 2, 3, 2.5, 0.3, 2.03, 1.1, 1e300, 2 ** 53 - 1, 4_294_967_296, 2_147_483_648],
  ...[
    "",
    "a",
    "b",
    "ab",
    "abc",
    "A",
    "x",
    "aXb",
    "😀",
    "😀😀",
    "\ud83d",
    "a\nb",
    "a😀",
    "null",
    "1",
    "1.0",
    "+4912345678",
  ],
  ...["a.b", "a+b", "prefix-1", "1-suffix", "v1.2", "usd-5", "2024-02-29", "2023-02-29", "2024-01-01T00:00:00Z"],
  ...[
    "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b",
    "a@example.com",
    "https://example.com",
    " https://example.com ",
    "127.0.0.1",
  ],
  ...["::1", "YQ==", "4111111111111111", "DE89370400440532013000", "not", "\u202e"],
  ...[[], [1], [1, 2], ["a"], ["a", 1], ["a", 1, true], ["a", 1, true, true], [null], [[]]],
  ...[
    {},
    { a: "x" },
    { a: 1 },
    { a: "x", b: 1 },
    { a: "x", b: "y" },
    { a: null },
    { 1: "x" },
    { "1.0": "x" },
    { c: "x" },
  ],
  ...[
    { a: "x", b: "y", c: "z" },
    { kind: "a", x: 1 },
    { kind: "b" },
    { kind: "b", x: 1 },
    { toString: "x" },
    { v: 1, kids: [] },
  ],
  { v: 1, kids: [{ v: 2, kids: [{ v: "no", kids: [] }] }] },
]

const short = z.string().max(1)
class Stubborn extends RegExp {
  override test(): boolean {
    return false
  }
}

const yes = named("yes", "1", () => true)

describe("what a zod schema may not do", () => {
  const refused: readonly (readonly [string, unknown])[] = [
    ["coerces / `z.coerce.number()`", z.coerce.number()],
    ["coerces / `z.coerce.string()`", z.coerce.string()],
    ["coerces / `z.coerce.boolean()`", z.coerce.boolean()],
    ["transforms / `.trim()`", z.string().trim()],
    ["transforms / `.toLowerCase()`", z.string().toLowerCase()],
    ["transforms / `.normalize()`", z.string().normalize()],
    ["transforms / `.overwrite()`", z.number().overwrite((value) => value + 1)],
    ["transforms / `.overwrite()`", z.array(z.string()).overwrite((value) => value)],
    ["transforms / `.transform()`", z.string().transform((value) => value.length)],
    ["transforms / `z.transform()`", z.transform((value) => value)],
    ["transforms / `z.preprocess()`", z.preprocess((value) => value, z.string())],
    ["transforms / `z.codec()`", z.codec(z.string(), z.number(), { decode: Number, encode: String })],
    ["transforms / `z.codec()`", z.stringbool()],
    ["transforms / `.pipe()`", z.string().pipe(z.string())],
    ["transforms / `z.success()`", z.success(z.string())],
    ["transforms / `normalize` of `z.url()`", z.url({ normalize: true })],
    ["defaults / `.default()`", z.string().default("a")],
    ["defaults / `.prefault()`", z.string().prefault("a")],
    ["defaults / `.catch()`", z.string().catch("a")],
    ["asynchronous / `.refine()`", z.string().refine(async () => true)],
    ["asynchronous / `.refine()`", z.string().refine(named("slow", "1", async () => true))],
    ["unnamed-function / `.refine()`", z.string().refine(() => true)],
    ["unnamed-function / `.refine()`", z.object({}).refine(() => true)],
    ["unnamed-function / `.refine()`", z.string().refine(named("", "1", () => true))],
    ["unnamed-function / `.check()` or `.superRefine()`", z.string().superRefine(() => {})],
    ["unnamed-function / `.check()` or `.superRefine()`", z.string().check(() => {})],
    ["unnamed-function / `z.custom()`", z.custom(() => true)],
    ["unnamed-function / `z.custom()`", z.instanceof(Date)],
    ["unnamed-function / `z.stringFormat()`", z.stringFormat("even", (text) => text.length % 2 === 0)],
    ["unnamed-function / `when`", z.string().check(z.minLength(3, { when: () => false } as never))],
    ["not-json / `z.date()`", z.date()],
    ["not-json / `z.bigint()`", z.bigint()],
    ["not-json / `z.map()`", z.map(z.string(), z.string())],
    ["not-json / `z.set()`", z.set(z.string())],
    ["not-json / `z.undefined()`", z.undefined()],
    ["not-json / `z.void()`", z.void()],
    ["not-json / `z.nan()`", z.nan()],
    ["not-json / `z.symbol()`", z.symbol()],
    ["not-json / `z.file()`", z.file()],
    ["not-json / `z.promise()`", z.promise(z.string())],
    ["not-json / `z.function()`", z.function()],
    ["not-json / `undefined` in `z.literal()`", z.literal(undefined)],
    ["not-json / `1` in `z.literal()`", z.literal(1n)],
    ["not-json / a symbol for a key", z.object({ [Symbol.iterator]: z.string() } as never)],
    ["not-json / a key `__proto__`", z.object({ ["__proto__"]: z.string() })],
  ].map(([said, schema]) => [said as string, schema])

  it.each(refused)("%s", (said, schema) => {
    for (const role of roles) expect(faultsOf(schema, role)).toContain(said)
  })

  it("tells all faults at once, each with its place", () => {
    const schema = z.object({
      note: z.string().trim(),
      lines: z.array(z.object({ at: z.date() })),
      more: z.record(z.string(), z.union([z.coerce.number(), z.null()])).optional(),
      pair: z.tuple([z.string().default("")]),
      later: z.lazy(() => z.string().toUpperCase()),
      cased: z.record(z.string().toLowerCase(), z.string()),
      size: z.string().check(z.property("length", z.coerce.number())),
    })
    expect(faultsOf(schema)).toEqual([
      "transforms /note `.trim()`",
      "not-json /lines/*/at `z.date()`",
      "coerces /more/* `z.coerce.number()`",
      "defaults /pair/0 `.default()`",
      "transforms /later `.toUpperCase()`",
      "transforms /cased/* `.toLowerCase()`",
      "coerces /size/length `z.coerce.number()`",
    ])
  })

  it("finds faults behind a fault", () => {
    expect(
      faultsOf(
        z
          .string()
          .trim()
          .transform((value) => value)
          .default(""),
      ),
    ).toEqual(["defaults / `.default()`", "transforms / `.transform()`", "transforms / `.trim()`"])
  })
})

describe("objects", () => {
  const closedIn = (schema: unknown, role: Role): readonly string[] => {
    const result = lowerSchema(schema, role)
    return result.ok ? result.closed.map(({ at }) => at) : ["fault"]
  }
  const schema = z.object({
    a: z.object({ b: z.string() }),
    list: z.array(z.strictObject({})),
    free: z.looseObject({}),
  })

  it("are closed in params, with a notice, unless the author says which other keys there may be", () => {
    expect(closedIn(schema, "params")).toEqual(["/a", ""])
    const { shape } = lowered(schema)
    expect(accepts(shape, { a: { b: "" }, list: [], free: { more: 1 } })).toBe(true)
    expect(accepts(shape, { a: { b: "", c: 1 }, list: [], free: {} })).toBe(false)
    expect(accepts(shape, { a: { b: "" }, list: [{ c: 1 }], free: {} })).toBe(false)
    expect(accepts(shape, { a: { b: "" }, list: [], free: {}, more: 1 })).toBe(false)
  })

  it("are open in results, unless the author says that they are not", () => {
    expect(closedIn(schema, "result")).toEqual([])
    const result = lowered(schema, "result")
    expect(judgeWhole(result, { a: { b: "", c: 1 }, list: [], free: {}, more: 1 })).toEqual([])
    expect(judgeWhole(result, { a: { b: "" }, list: [{ c: 1 }], free: {} })).toHaveLength(1)
    // Beside the shape the validator itself must let undeclared keys be.
    expect(result.judge({ a: { b: "", c: 1 }, list: [], free: {}, more: 1 })).toEqual([])
  })

  it("are said once, where two sides of an intersection strip", () => {
    expect(closedIn(z.object({ a: z.string() }).and(z.object({ b: z.string() })), "params")).toEqual([""])
    expect(closedIn(z.looseObject({}).check(z.property("a", z.object({}))), "params")).toEqual([])
  })
})

describe("shapes that are exact", () => {
  const exact: readonly (readonly [string, z.ZodType])[] = Object.entries({
    "lengths in code points": z.string().min(1).max(2),
    "exact length": z.string().length(2),
    patterns: z.string().regex(/^a/).regex(/b$/i),
    "global pattern": z.string().regex(/a/g),
    "sticky pattern": z.string().regex(/b/y),
    "starts with": z.string().startsWith("prefix-"),
    "ends with": z.string().endsWith("-suffix"),
    includes: z.string().includes("."),
    "includes a plus": z.string().includes("+"),
    lowercase: z.string().lowercase(),
    uppercase: z.string().uppercase(),
    uuid: z.uuid(),
    email: z.email(),
    "email as a check": z.string().email().max(20),
    date: z.iso.date(),
    datetime: z.iso.datetime(),
    ipv4: z.ipv4(),
    e164: z.e164(),
    emoji: z.emoji(),
    hex: z.hex(),
    "own format": z.stringFormat("v", /^v\d/),
    template: z.templateLiteral(["usd-", z.int()]),
    int: z.int(),
    int32: z.int32(),
    uint32: z.uint32(),
    float32: z.float32(),
    "int as a check": z.number().int().positive().max(3),
    exclusive: z.number().gt(1).lt(3),
    "no bound": z.number().max(Number.POSITIVE_INFINITY),
    "no number at all": z.number().min(Number.NaN),
    multiple: z.number().multipleOf(0.07),
    "multiple of ten millionths": z.number().multipleOf(1e-7),
    "several literals": z.literal(["a", 1, null, true]),
    enum: z.enum(["a", "b"]),
    "numeric enum": z.enum({ A: 1, B: 2 }),
    nullable: z.int().nullable(),
    array: z.array(z.int()).min(1).max(2),
    nonempty: z.array(z.int()).nonempty(),
    tuple: z.tuple([z.string(), z.int()]),
    "tuple with rest": z.tuple([z.string(), z.int().optional()], z.boolean()),
    record: z.record(z.string(), z.string()),
    "record of some keys": z.record(z.string().regex(/^[ab]$/), z.string()),
    "record of told keys": z.record(z.enum(["a", "b"]), z.string()),
    "record of told keys that may lack": z.partialRecord(z.enum(["a", "b"]), z.string()),
    "record of optional values": z.record(z.enum(["a", "b"]), z.string().optional()),
    "record of numbers": z.record(z.literal([1, 2]), z.string()).or(z.partialRecord(z.literal([1, 2]), z.string())),
    "loose record of told keys": z.looseRecord(z.enum(["a"]), z.string()),
    object: z.object({ a: z.string(), b: z.int().optional() }),
    exactOptional: z.object({ a: z.string(), b: z.int().exactOptional() }),
    nullish: z.object({ a: z.string().nullish() }),
    strict: z.strictObject({ a: z.unknown() }),
    "optional inside": z.object({ a: z.string().optional().nullable(), b: z.int().optional().readonly() }),
    "the same schema twice": z.object({ a: short, b: short.optional() }),
    "tag that may lack": z.union([
      z.strictObject({ kind: z.literal("a").optional() }),
      z.strictObject({ kind: z.literal("b") }),
    ]),
    "record of told keys, with checks": z.record(z.enum(["a", "b"]), z.string().min(1)),
    loose: z.looseObject({ a: z.string() }),
    catchall: z.object({ a: z.string() }).catchall(z.int()),
    partial: z.object({ a: z.string(), b: z.int() }).partial(),
    intersection: z.object({ a: z.string() }).and(z.object({ b: z.int().optional() })),
    tagged: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), x: z.int() }),
      z.object({ kind: z.literal("b") }),
    ]),
    "tagged, but not said so": z.union([
      z.object({ kind: z.literal("a"), x: z.int() }),
      z.object({ kind: z.literal("b") }),
    ]),
    "object or other": z.union([z.object({ a: z.string() }), z.string(), z.null()]),
    readonly: z.array(z.int()).readonly(),
    brand: z.string().min(2).brand("x"),
    lazy: z.lazy(() => z.string().max(1)),
    nonoptional: z.object({ a: z.string().optional().nonoptional() }),
    any: z.any(),
    never: z.never(),
    described: z.string().max(1).describe("short").meta({ title: "t" }),
    mini: mini.string().check(mini.minLength(2), mini.maxLength(3)) as never,
  })

  it.each(exact)("%s", (_, schema) => {
    for (const role of roles) {
      const { shape, exact, judge } = lowered(schema, role)
      expect(exact).toBe(true)
      for (const value of pool) {
        expect({ value, right: accepts(shape, value) }).toEqual({ value, right: judge(value).length === 0 })
      }
    }
  })

  it("count a code point once, as zod does, and half of one too", () => {
    const { shape } = lowered(z.string().length(1))
    expect([accepts(shape, "😀"), accepts(shape, "\ud83d"), accepts(shape, "😀a")]).toEqual([true, true, false])
  })
})

describe("shapes that are looser than zod", () => {
  const looser: readonly (readonly [string, z.ZodType, Json | undefined])[] = [
    ["pattern of the author's own class", z.string().regex(new Stubborn("a")), "a"],
    ["pattern with its own test", z.string().regex(Object.assign(/a/, { test: () => false })), "a"],
    [
      "tags that are not apart",
      z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal(["a", "b"]) })]),
      { kind: "a" },
    ],
    [
      "catchall in an intersection",
      z.object({ a: z.string() }).catchall(z.int()).and(z.looseObject({})),
      { a: "x", b: "y" },
    ],
    ["url", z.url(), "not"],
    ["url that is trimmed", z.url(), " https://example.com "],
    ["ipv6", z.ipv6(), "not"],
    ["base64", z.base64(), "not"],
    ["credit card", z.creditCard(), "not"],
    ["iban", z.iban(), "not"],
    ["jwt", z.jwt(), "not"],
    ["includes from a place", z.string().includes("b", { position: 1 }), "b"],
    ["two multiples", z.number().multipleOf(2).multipleOf(3), 2],
    ["refinement", z.int().refine(named("odd", "1", (n) => n % 2 === 1)), 2],
    ["custom", z.custom(named("is-a", "1", (value: unknown) => value === "a")), "b"],
    [
      "check",
      z.string().check(
        named("short", "1", (payload: z.core.ParsePayload<string>) => {
          if (payload.value.length > 1) payload.issues.push({ code: "custom", input: payload.value })
        }),
      ),
      "ab",
    ],
    [
      "own format",
      z.stringFormat(
        "even",
        named("even", "1", (text: string) => text.length % 2 === 0),
      ),
      "a",
    ],
    ["conditional check", z.string().check(z.minLength(2, { when: named("always", "1", () => true) } as never)), "a"],
    ["property", z.string().check(z.property("length", z.literal(1))), "ab"],
    ["exclusive union", z.xor([z.string(), z.literal("a")]), "a"],
    [
      "union whose first branch strips",
      z.union([z.object({ a: z.string() }), z.object({ a: z.string(), b: z.string() })]),
      { a: "x", b: "y" },
    ],
    ["intersection of others", z.string().min(2).and(z.string().max(1)), "a"],
    ["two sides of one key", z.object({ a: z.string().min(2) }).and(z.object({ a: z.string() })), { a: "x" }],
    ["inherited key", z.object({ toString: z.string().optional() }), {}],
    ["record of exact optionals", z.record(z.enum(["a", "b"]), z.string().exactOptional()), { a: "x" }],
    ["loose record", z.looseRecord(z.string().regex(/^a$/), z.string()), { a: 1 }],
    ["record of numeric keys", z.record(z.number(), z.string()), { a: "x" }],
  ]

  it.each(looser)("%s", (_, schema, between) => {
    const { shape, exact, judge } = lowered(schema)
    expect(exact).toBe(false)
    for (const value of pool)
      if (judge(value).length === 0) expect({ value, right: accepts(shape, value) }).toEqual({ value, right: true })
    expect(accepts(shape, between as Json)).toBe(true)
    expect(judgeWhole(lowered(schema), between as Json)).not.toEqual([])
  })

  it("say in the shape what they leave out, so that a hash sees it change", () => {
    const textOf = (schema: z.ZodType): string => JSON.stringify(lowered(schema).shape)
    expect(textOf(z.url({ hostname: /a/ }))).not.toBe(textOf(z.url({ hostname: /b/ })))
    expect(textOf(z.jwt({ alg: "HS256" }))).not.toBe(textOf(z.jwt()))
    expect(textOf(z.string().and(z.string().max(1)))).not.toBe(textOf(z.string().and(z.string().max(2))))
    expect(textOf(z.string().refine(yes))).not.toBe(textOf(z.string().refine(named("yes", "2", () => true))))
  })

  it("have no pattern that zod judges by what came before", () => {
    expect(lowered(z.stringFormat("sticky", /a/g)).exact).toBe(false)
  })

  it("name their functions, sorted and once", () => {
    const no = named("no", "2", () => false)
    const schema = z.object({ a: z.string().refine(yes), b: z.array(z.int().refine(no).refine(yes)) })
    expect(lowered(schema).functions).toEqual(["no@2", "yes@1"])
  })
})

describe("recursion", () => {
  interface Node {
    v: number
    kids: Node[]
  }
  const byGetter = z.object({
    v: z.number(),
    get kids() {
      return z.array(byGetter)
    },
  })
  const byLazy: z.ZodType<Node> = z.object({ v: z.number(), kids: z.lazy(() => z.array(byLazy)) })

  it.each([
    ["getter", byGetter],
    ["lazy", byLazy],
  ])("by %s ends where it begins again, and the validator goes on", (_, schema) => {
    const node = lowered(schema)
    expect(node.exact).toBe(false)
    expect(judgeWhole(node, { v: 1, kids: [{ v: 2, kids: [] }] })).toEqual([])
    expect(judgeWhole(node, { v: 1, kids: [{ v: "no", kids: [] }] }).map(({ at }) => at)).toEqual(["/kids/0/v"])
    expect(judgeWhole(node, { v: "no", kids: [] }).map(({ at }) => at)).toEqual(["/v"])
  })

  it("finds what is refused inside it", () => {
    const schema: z.ZodType = z.object({ kids: z.lazy(() => z.array(schema)), at: z.lazy(() => z.date()) })
    expect(faultsOf(schema)).toEqual(["not-json /at `z.date()`"])
  })

  it("that makes new schemas for ever is refused, once, in bounded time", () => {
    const deep = (): z.ZodType => z.lazy(() => z.array(deep()))
    const wide = (): z.ZodType => z.lazy(() => z.tuple([wide(), wide()]))
    for (const schema of [deep(), wide()]) {
      expect(faultsOf(schema)).toHaveLength(1)
      expect(faultsOf(schema)[0]).toMatch(/^not-a-schema .*more than 10000 parts, or nested more than 100 deep$/)
    }
  })
})

describe("the judge", () => {
  const messageOf = (schema: z.ZodType, value: Json): string | undefined => lowered(schema).judge(value)[0]?.message

  it("gives zod's own issues, with a pointer", () => {
    const schema = lowered(
      z.object({
        "a/b": z.array(
          z.string().refine(
            named("no", "1", () => false),
            "not this one",
          ),
        ),
      }),
    )
    expect(schema.judge({ "a/b": ["x"] })).toEqual([{ at: "/a~1b/0", message: "not this one" }])
  })

  it("takes a validator that changes its value for one that refuses it", () => {
    const mutating = named("add", "1", (value: { a?: number }) => {
      value.a = 1
      return true
    })
    expect(lowered(z.object({ o: z.looseObject({}).refine(mutating) })).judge({ o: {} })).toEqual([
      { at: "/o/a", message: "the schema changes this value instead of judging it" },
    ])
    expect(lowered(z.any().refine(mutating)).judge({ b: 1 })).toHaveLength(1)
    expect(lowered(z.url()).judge(" https://example.com")).toHaveLength(1)
    const shortening = named("drop", "1", (list: number[]) => {
      list.pop()
      return true
    })
    expect(lowered(z.array(z.int()).refine(shortening), "result").judge([1])).toHaveLength(1)
    const lengthening = named("push", "1", (list: number[]) => list.push(1) > 0)
    expect(lowered(z.array(z.int()).refine(lengthening), "result").judge([1])).toHaveLength(1)
  })

  it("takes a validator that throws, or answers later, for one that refuses, whatever it throws", async () => {
    const throwing = (thrown: unknown) =>
      z.string().refine(
        named("throws", "1", () => {
          throw thrown
        }),
      )
    expect(messageOf(throwing(new Error("boom")), "")).toBe("the schema failed to judge this value: boom")
    expect(messageOf(throwing(Object.create(null)), "")).toBe("the schema failed to judge this value: it threw")
    const secretive = Object.defineProperty(new Error("x"), "message", { get: () => JSON.parse("no") })
    expect(messageOf(throwing(secretive), "")).toBe("the schema failed to judge this value: it threw")
    expect(messageOf(throwing(undefined), "")).toBe("the schema failed to judge this value: it threw")
    const later = z.string().refine(named("later", "1", () => Promise.reject(new Error("late")) as unknown as boolean))
    expect(messageOf(later, "")).toBe("the schema failed to judge this value: `later` answered with a promise")
    // Were the promise left alone, its failure would end the process here.
    await new Promise((resolve) => setTimeout(resolve, 5))
  })

  it("tells at most a hundred issues, and no message without end", () => {
    const long = z.array(
      z.string().refine(
        named("long", "1", () => false),
        { error: "x".repeat(10_000) },
      ),
    )
    const issues = lowered(long).judge(Array.from({ length: 500 }, () => ""))
    expect(issues).toHaveLength(100)
    expect(issues[0]?.message).toHaveLength(301)
  })
})

describe("what is no schema", () => {
  const hostile = new Proxy(
    {},
    {
      has: () => {
        throw new Error("trap")
      },
    },
  )
  const booby = {
    get _zod(): never {
      throw new Error("boom")
    },
  }
  it.each([
    ["null", null, "not-a-schema / something else than a zod 4, TypeBox or JSON Schema"],
    ["a number", 5, "not-a-schema / something else than a zod 4, TypeBox or JSON Schema"],
    ["a function", () => true, "not-a-schema / something else than a zod 4, TypeBox or JSON Schema"],
    [
      "a zod 3 schema",
      { _def: { typeName: "ZodString" }, parse: () => "" },
      "not-a-schema / something else than a zod 4, TypeBox or JSON Schema (it holds a function at `/parse`)",
    ],
    ["a proxy", hostile, "not-a-schema / a schema that fails when it is read: trap"],
    ["a getter", booby, "not-a-schema / a schema that fails when it is read: boom"],
    [
      "a bare zod schema",
      new z.core.$ZodString({ type: "string" }),
      "not-a-schema / a bare schema of `zod/v4/core`, which has no `safeParse`",
    ],
  ])("%s is a fault, not an exception", (_, schema, said) => {
    expect(faultsOf(schema)).toEqual([said])
  })
})
