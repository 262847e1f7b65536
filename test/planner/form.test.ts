/** The providers' forms: within what each takes, and there and back to the same plan. */
import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { type Catalog, type CompiledPlan, compile, defineCatalog, type Json, type JsonObject, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import billing from "../../plans/billing/catalog.ts"
import desk from "../../plans/invalid/catalog.ts"
import invoices from "../../plans/invoices/catalog.ts"
import servers from "../../plans/servers/catalog.ts"
import { measure } from "../../src/planner/form/measure.ts"
import { decodePlan, encodePlan, type Form, type ProviderName, planSchema } from "../../src/planner/index.ts"
import { rightPlan } from "../check/arbitrary.ts"
import { hasData } from "../data.ts"
import { manyTools, misnamed, misnamedParameters, odd, retail, retailPlans } from "./catalogs.ts"
import { validatorOf } from "./validate.ts"
import { written } from "./written.ts"

const names = ["openai", "anthropic", "gemini"] as const satisfies readonly ProviderName[]

const catalogs: readonly (readonly [string, Catalog])[] = [
  ["desk", desk],
  ["billing", billing as Catalog],
  ["invoices", invoices as Catalog],
  ["servers", servers as Catalog],
  ["odd", odd as Catalog],
  ["misnamed", misnamed as Catalog],
  ["misnamedParameters", misnamedParameters as Catalog],
  ["many", manyTools(50)],
]

/** Keywords beside those of structure, as each provider's page lists them. */
const structure = [
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
  "enum",
  "description",
  "$ref",
  "$defs",
]
const bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"]
const taken: Readonly<Record<ProviderName, ReadonlySet<string>>> = {
  openai: new Set([...structure, "pattern", ...bounds]),
  anthropic: new Set([...structure, "pattern", "minItems"]),
  gemini: new Set([...structure, "minimum", "maximum"]),
}

function* everySchema(schema: JsonObject): Generator<JsonObject> {
  yield schema
  const { properties = {}, $defs = {}, anyOf = [], items } = schema as { readonly [keyword: string]: JsonObject }
  for (const inner of [...Object.values(properties), ...Object.values($defs), ...Object.values(anyOf), items])
    if (inner !== undefined) yield* everySchema(inner as JsonObject)
}

describe.each(names)("what %s is sent", (name) => {
  test.each(catalogs)("for %s is within what it takes", (_, catalog) => {
    const { schema } = planSchema(catalog, { for: name })
    expect(schema.type).toBe("object")
    expect(schema.anyOf).toBeUndefined()
    for (const part of everySchema(schema)) {
      expect(Object.keys(part).filter((key) => !taken[name].has(key))).toEqual([])
      if (part.$ref !== undefined) expect(Object.keys(part)).toEqual(["$ref"])
      if (part.type === "object") expect(part.additionalProperties).toBe(false)
      if (part.type === "object" && name === "openai")
        expect(part.required).toEqual(Object.keys(part.properties as object))
      for (const key of Object.keys(part.properties ?? {})) expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/)
      for (const value of (part.enum ?? []) as Json[]) expect(["string", "number"]).toContain(typeof value)
      if (name === "anthropic" && part.minItems !== undefined) expect(part.minItems).toBe(1)
    }
  })

  test.each(catalogs)("for %s never makes it guess between objects by their first key", (_, catalog) => {
    const { schema } = planSchema(catalog, { for: name })
    const definitions = (schema.$defs ?? {}) as { readonly [name: string]: JsonObject }
    for (const { anyOf = [] } of everySchema(schema)) {
      const objects = (anyOf as readonly JsonObject[])
        .map((one) => (typeof one.$ref === "string" ? (definitions[one.$ref.slice(8)] as JsonObject) : one))
        .filter(({ type }) => type === "object")
        .map(({ properties }) => Object.entries(properties as JsonObject)[0] ?? ["", {}])
      // One key may be shared where its listed values tell the objects apart.
      const firsts = objects.flatMap(
        ([key, inner]) =>
          ((inner as JsonObject).enum as Json[] | undefined)?.map((value) => `${key}=${value}`) ?? [key],
      )
      expect(new Set(firsts).size).toBe(firsts.length)
    }
  })
})

test("bounds go as keywords where they are taken, and in words where they are not", () => {
  /** What a parameter may be, but for expressions. */
  const said = (catalog: Catalog, name: ProviderName, tool: string, parameter: string): JsonObject => {
    for (const { properties = {} } of everySchema(planSchema(catalog, { for: name }).schema)) {
      const args = (properties as { readonly [key: string]: JsonObject })[tool]?.properties
      const schema = (args as { readonly [key: string]: JsonObject } | undefined)?.[parameter]
      if (schema !== undefined) return (schema.anyOf as readonly JsonObject[])[0] as JsonObject
    }
    throw new Error(`no ${parameter}`)
  }
  const cents = { type: "integer", minimum: 1, maximum: 50_000 }
  const centsInWords = { type: "integer", description: "an integer from 1 to 50000" }
  expect(names.map((name) => said(desk, name, "refund", "cents"))).toEqual([cents, centsInWords, cents])
  const memo = { type: "string", description: "a string of at most 40 characters" }
  expect(names.map((name) => said(desk, name, "refund", "memo"))).toEqual([memo, memo, memo])
  const reason = { type: "string", enum: ["changed_mind", "too_late"] }
  expect(names.map((name) => said(desk, name, "cancel_order", "reason"))).toEqual([reason, reason, reason])
  expect(names.map((name) => said(desk, name, "tag_items", "skus").maxItems)).toEqual([10, undefined, undefined])
  const code = said(odd as Catalog, "openai", "put", "code")
  expect(code).toEqual({ type: "string", pattern: "^[A-Z]{2}-\\d+$" })
  expect(said(odd as Catalog, "openai", "put", "even")).toEqual({ type: "integer", multipleOf: 2 })
  expect(said(odd as Catalog, "openai", "put", "yes")).toEqual({ type: "boolean", description: "always true" })
})

test("a schema is measured by what it declares, and as deep as its references lead", () => {
  const leaf = { type: "object", properties: { value: { enum: ["ab", "c"] } }, required: ["value"] }
  expect(
    measure({
      type: "object",
      properties: {
        list: { type: "array", items: { anyOf: [{ $ref: "#/$defs/leaf" }, { type: "null" }] } },
        other: { $ref: "#/$defs/choice" },
        more: { type: ["string", "null"] },
      },
      required: ["list"],
      $defs: { leaf, choice: { anyOf: [{ $ref: "#/$defs/leaf" }, { $ref: "#/$defs/choice" }] } },
    }),
  ).toEqual({
    properties: 4,
    depth: 2,
    enumValues: 2,
    longEnum: 0,
    characters: "listothermorevalueleafchoiceabc".length,
    optional: 2,
    unions: 3,
  })
  const long = Array.from({ length: 251 }, () => "abc")
  expect(measure({ type: "string", enum: long })).toMatchObject({ longEnum: 753, enumValues: 251, depth: 0 })
  expect(measure({ type: "string", enum: long.slice(1) })).toMatchObject({ longEnum: 0, enumValues: 250 })
})

describe("small and large catalogs", () => {
  const kinds = (catalog: Catalog): readonly string[] =>
    names.map((name) => planSchema(catalog, { for: name }).form.kind)

  test("5 tools", () => {
    expect(kinds(billing as Catalog)).toEqual(["structured", "structured", "structured"])
  })

  test.skipIf(!hasData)("the 16 tools of tau-bench retail", () => {
    expect(retail().tools.size).toBe(16)
    expect(kinds(retail())).toEqual(["structured", "envelope", "structured"])
  })

  test("50 tools", () => {
    expect(kinds(manyTools(50))).toEqual(["structured", "envelope", "envelope"])
  })

  test("600 tools", () => {
    expect(kinds(manyTools(600))).toEqual(["envelope", "envelope", "envelope"])
  })

  test("the notes say which form was chosen, and why", () => {
    const notes = (catalog: Catalog, name: ProviderName): readonly string[] => planSchema(catalog, { for: name }).notes
    expect(notes(desk, "openai")).toEqual([
      "OpenAI: each tool's arguments are spelt out (31 of 5000 properties, 8 of 10 levels of objects, 6 of 1000 listed values, 0 of 15000 characters in one long list of values, 235 of 120000 characters of names and listed values).",
    ])
    expect(notes(manyTools(50), "anthropic")).toEqual([
      "Anthropic: the arguments are asked for as JSON text, because spelling them out needs 104 parameters that may be left out and Anthropic takes 24 at most.".replace(
        "170",
        "103",
      ),
    ])
    expect(notes(manyTools(50), "gemini")[0]).toMatch(
      /because spelling them out needs \d+ properties and we send 120 at most\.$/,
    )
    expect(notes(misnamed as Catalog, "openai")).toEqual([
      "OpenAI: the arguments are asked for as JSON text, because a tool's name cannot be a key there.",
    ])
    expect(notes(manyTools(1_100), "openai")[1]).toMatch(/^There are more tools than can be listed/)
    expect(planSchema(manyTools(1_100), { for: "openai" }).schema).toMatchObject({
      properties: { steps: { items: { properties: { tool: { anyOf: [{ type: "string" }, { type: "null" }] } } } } },
    })
  })

  test("arguments too deep for OpenAI go as text", () => {
    const deep = (levels: number): Catalog =>
      defineCatalog({
        name: "deep",
        version: "1",
        tools: {
          dig: tool({
            description: "Dig.",
            effect: "read",
            params: z.strictObject({
              in: Array.from({ length: levels }).reduce<z.ZodType>(
                (inner) => z.strictObject({ in: inner }),
                z.string(),
              ),
            }),
          }),
        },
      })
    expect(planSchema(deep(2), { for: "openai" }).form.kind).toBe("structured")
    const { form, notes } = planSchema(deep(3), { for: "openai" })
    expect(form.kind).toBe("envelope")
    expect(notes[0]).toMatch(/needs 11 levels of objects and OpenAI takes 10 at most/)
  })
})

/** Every form there is, also those that a catalog is too large for. */
const forms: readonly Form[] = [
  { kind: "plan" },
  { kind: "envelope", absent: "null" },
  { kind: "envelope", absent: "omitted" },
  { kind: "structured", absent: "null" },
  { kind: "structured", absent: "omitted" },
]

function hold(catalog: Catalog, { plan, planHash }: CompiledPlan, form: Form): string {
  const text = encodePlan(catalog, plan.document, form)
  const decoded = decodePlan(catalog, text, form)
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.diagnostics))
  const again = compile(catalog, decoded.text)
  if (!again.ok) throw new Error(JSON.stringify([text, again.diagnostics]))
  expect(again.plan.planHash).toBe(planHash)
  return text
}

function accepted(catalog: Catalog, plan: Json | string): CompiledPlan {
  const compiled = compile(catalog, typeof plan === "string" ? plan : JSON.stringify(plan))
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  return compiled.plan
}

describe("there and back", () => {
  const validators = (catalog: Catalog) =>
    names.map((name) => {
      const { schema, form } = planSchema(catalog, { for: name })
      return { form, validates: validatorOf(schema) }
    })

  function holdAll(catalog: Catalog, plan: CompiledPlan, all: ReturnType<typeof validators>): void {
    for (const { form, validates } of all) {
      const text = hold(catalog, plan, form)
      expect(validates(JSON.parse(text)), text).toBe(true)
    }
    for (const form of forms) hold(catalog, plan, form)
  }

  test("plans for the order desk", () => {
    const all = validators(desk)
    let count = 0
    fc.assert(
      fc.property(rightPlan, (plan) => {
        const compiled = compile(desk, JSON.stringify(plan))
        if (!compiled.ok) return
        count++
        holdAll(desk, compiled.plan, all)
      }),
      { numRuns: 500 },
    )
    expect(count).toBeGreaterThan(300)
  })

  test("random arguments for random tools", () => {
    let count = 0
    fc.assert(
      fc.property(written, ({ catalog, plan }) => {
        const compiled = compile(catalog, JSON.stringify(plan))
        if (!compiled.ok) return
        count++
        holdAll(catalog, compiled.plan, validators(catalog))
      }),
      { numRuns: Number(process.env.RUNS ?? 80) },
    )
    console.log(`random: ${count} plans there and back`)
    expect(count).toBeGreaterThan(Number(process.env.RUNS ?? 80) * 0.25)
  })

  test.each(catalogs.slice(1, 4))("the plans of %s", (name, catalog) => {
    const all = validators(catalog)
    for (const file of readdirSync(`plans/${name}`)) {
      if (!file.endsWith(".json") || file === "inputs.json") continue
      holdAll(catalog, accepted(catalog, readFileSync(`plans/${name}/${file}`, "utf8")), all)
    }
  })

  test.skipIf(!hasData)("the recorded plans of tau-bench retail", () => {
    const catalog = retail()
    const all = validators(catalog)
    const written = validatorOf(planSchema(catalog).schema)
    const plans = retailPlans()
    let count = 0
    for (const text of plans) {
      const compiled = compile(catalog, text)
      if (!compiled.ok) continue
      count++
      holdAll(catalog, compiled.plan, all)
      expect(written(JSON.parse(text))).toBe(true)
    }
    console.log(`tau-bench retail: ${count} of ${plans.length} plans with references there and back`)
    expect(count).toBeGreaterThan(plans.length * 0.9)
  })

  test.each([
    [
      "null and absent, of an optional value that may be null",
      {
        lines: [
          { sku: "a", count: 1, memo: null },
          { sku: "b", count: 1 },
        ],
      },
    ],
    ["null where anything goes", { any: null }],
    [
      "data that is not spelt out",
      { table: { a: 1 }, pair: ["a", 1], open: { a: 1, b: [null] }, twoLists: [1], any: { x: [1, { y: null }] } },
    ],
    ["the empty pointer, said and left out", { any: [{ $from: "l" }, { $from: "l", path: "" }] }],
    [
      "the empty pick, said and left out",
      {
        any: [
          { $from: "l", path: "/rows", where: { "/key": "k" } },
          { $from: "l", path: "/rows", where: { "/key": "k" }, pick: "" },
        ],
      },
    ],
    [
      "all that `where` can compare with",
      {
        any: {
          $from: "l",
          path: "/rows",
          where: {
            "/key": { $concat: ["a"] },
            "/kind": "x",
            "/value": { $from: "l", path: "/text" },
          },
          pick: "/value",
        },
      },
    ],
    [
      "all that can be joined",
      {
        code: { $concat: ["AB-", 1, { $literal: "2" }] },
        any: {
          $concat: [
            "a",
            { $from: "l", path: "/flag" },
            { $concat: ["b"] },
            { $from: "l", path: "/rows", where: { "/key": "k" }, pick: "/kind" },
          ],
        },
      },
    ],
    ["literals", { any: { $literal: { _from: 1, $from: [] } }, yes: { $literal: true }, level: { $literal: "max" } }],
    ["objects told apart by a tag, and by a tag that is an expression", { shape: { kind: "round" } }],
    ["a tag that is an expression", { shape: { kind: { $literal: "square" }, sides: [1, { $literal: 2 }] } }],
    ["marks of the form, as data", { any: { _json: "x", _from: "y" }, table: { _concat: 1 } }],
  ])("%s", (_, args) => {
    const steps = [
      { id: "l", tool: "look", args: { path: null, note: null } },
      { id: "b", transition: "B", why: "asked", after: ["l"] },
      { id: "p", tool: "put", args, after: [] },
      { id: "q", tool: "put", args, occurrence: 2 },
    ]
    const catalog = odd as Catalog
    holdAll(catalog, accepted(catalog, { version: 1, goal: "", steps } as unknown as Json), validators(catalog))
  })

  test("parameters that cannot be keys", () => {
    const catalog = misnamedParameters as Catalog
    const steps = [
      { id: "a", tool: "one", args: { größe: 1 } },
      { id: "b", tool: "one", args: {} },
      { id: "c", tool: "two", args: {} },
      { id: "d", tool: "two", args: { inner: { $literal: { $id: "x" } } } },
    ]
    holdAll(catalog, accepted(catalog, { version: 1, steps }), validators(catalog))
  })
})
