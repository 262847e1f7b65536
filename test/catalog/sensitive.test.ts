/** Marks of secrets, in each schema language, as places; and what they decide. */
import { Type } from "@sinclair/typebox"
import { compile, defineCatalog, diffCatalogs, type JsonSchema, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import * as mini from "zod/mini"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"

const marked = (schema: unknown, role: "params" | "result" = "result"): readonly string[] => {
  const lowered = lowerSchema(schema, role)
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.faults))
  return lowered.schema.sensitive
}

const faults = (schema: unknown): readonly string[] => {
  const lowered = lowerSchema(schema, "params")
  return lowered.ok ? [] : lowered.faults.map(({ at, what }) => `${at} ${what}`)
}

const secret = z.string().meta({ sensitive: true })

describe("a mark", () => {
  test("of zod, wherever it stands and whatever comes after it", () => {
    const Tree: z.ZodType = z.lazy(() => z.object({ secret, inner: z.array(Tree) }))
    const schema = z.object({
      a: secret.min(3).optional(),
      b: z.array(z.object({ c: secret.nullable() })),
      d: z.record(z.string(), secret),
      e: z.record(secret, z.number()),
      f: z.union([z.object({ kind: z.literal("x"), g: secret }), z.object({ kind: z.literal("y") })]),
      h: z.tuple([z.string(), secret]),
      i: z.templateLiteral(["Bearer ", secret]),
      tree: Tree,
      open: z.string().meta({ sensitive: false }),
    })
    expect(marked(schema)).toEqual(
      ["/a", "/b/*/c", "/d/*", "/e", "/f/g", "/h/1", "/i", "/tree/inner/*", "/tree/secret"].sort(),
    )
    expect(marked(z.object({ a: z.string() }).meta({ sensitive: true }))).toEqual([""])
  })

  test("of zod/mini, by its registry", () => {
    expect(marked(mini.object({ a: mini.string().register(mini.globalRegistry, { sensitive: true }) }))).toEqual(["/a"])
  })

  test("of TypeBox, also where its shape is not known", () => {
    const schema = Type.Object({
      a: Type.String({ sensitive: true }),
      b: Type.Object({ c: Type.String({ writeOnly: true }) }),
      d: Type.String({ format: "password" }),
      e: Type.Not(Type.Object({ f: Type.Object({ g: Type.String({ sensitive: true }) }) })),
      h: Type.Recursive((This) => Type.Object({ i: Type.String({ sensitive: true }), j: Type.Array(This) })),
    })
    expect(marked(schema)).toEqual(["/a", "/b/c", "/d", "/e", "/h/i", "/h/j/*"])
  })

  test("of JSON Schema, through references and combinations", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        a: { $ref: "#/$defs/secret" },
        b: { anyOf: [{ type: "object", properties: { c: { $ref: "#/$defs/secret" } } }, { type: "null" }] },
        d: { type: "array", contains: { type: "object", properties: { e: { writeOnly: true } } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
        f: { if: { type: "string" }, then: { format: "password" } },
        g: { $ref: "#/$defs/tree" },
        h: { type: "object", propertyNames: { sensitive: true } },
        i: { type: "object", patternProperties: { "^x": { sensitive: true } } },
      },
      $defs: {
        secret: { type: "string", sensitive: true },
        tree: { type: "object", properties: { s: { sensitive: true }, inner: { $ref: "#/$defs/tree" } } },
      },
    }
    expect(marked(schema)).toEqual(["/a", "/b/c", "/d/*/e", "/f", "/g/inner", "/g/s", "/h", "/i/*"])
  })

  test("that says neither yes nor no is refused, and so is an unknown keyword beside it", () => {
    expect(faults(z.strictObject({ a: z.string().meta({ sensitive: "yes" }) }))).toEqual([
      "/a `sensitive` with a value that is neither true nor false",
    ])
    expect(faults(Type.Object({ a: Type.String({ sensitive: 1 }) }))).toHaveLength(1)
    expect(faults({ type: "object", properties: { a: { sensitive: "true" } } })).toEqual([
      '/a `sensitive` with the value "true"',
    ])
    expect(faults({ type: "object", properties: { a: { sensitve: true } } })).toEqual(["/a `sensitve`"])
  })
})

const catalogOf = (key: z.ZodType<string>, pin: z.ZodType<number>) =>
  defineCatalog({
    name: "vault",
    version: "1",
    inputs: z.strictObject({ key }),
    tools: {
      open: tool({
        description: "Open.",
        effect: "read",
        params: z.strictObject({ key, pin }),
        result: z.object({ key }),
      }),
    },
  })
const pin = z.int().max(999)
const open = catalogOf(z.string().max(20), pin)
const closed = catalogOf(z.string().max(20).meta({ sensitive: true }), pin.meta({ sensitive: true }))

const planOf = (args: object): string =>
  JSON.stringify({
    version: 1,
    steps: [
      { id: "a", tool: "open", args },
      { id: "b", tool: "open", args },
    ],
  })

test("a plan depends on the marks of its tools, and those who compare catalogs are told", () => {
  const [one, other] = [open, closed].map((catalog) => compile(catalog, planOf({ key: "k", pin: 1 })))
  expect(one?.ok && other?.ok && one.plan.catalogHash !== other.plan.catalogHash).toBe(true)
  expect(diffCatalogs(open, closed).parts.flatMap(({ changes }) => changes)).toEqual([
    { what: "schema secret", before: null, after: "/key" },
    { what: "params secret", before: null, after: "/key" },
    { what: "params secret", before: null, after: "/pin" },
    { what: "result secret", before: null, after: "/key" },
  ])
})

test("what is wrong with a secret is told without it, however short it is", () => {
  const args = { key: "a secret that is too long", pin: 1_000 }
  const told = compile(closed, planOf(args)).diagnostics.map(({ message, hint }) => `${message} ${hint}`)
  expect(told.filter((text) => /too long|1000|1_000/.test(text))).toEqual([])
  expect(told[0]).toContain("[redacted]")
  expect(compile(open, planOf(args)).diagnostics[0]?.message).toContain("too long")
})

test("a fix that would hold a secret is not offered; others are", () => {
  const fixes = (args: object) => compile(closed, planOf(args)).diagnostics.flatMap(({ fix }) => (fix ? [fix] : []))
  expect(fixes({ kee: "hunter2-hunter2", key: "hunter2-hunter2", pin: 1 })).toHaveLength(0)
  expect(fixes({ key: "hunter2-hunter2", pin: 1, colour: "red" })).toHaveLength(2)
})
