/** A catalog's own formats: judged alike in JSON Schema and TypeBox, hashed, and beyond the reach of any registry. */
import { format as walkedFormats } from "@cfworker/json-schema"
import { FormatRegistry, Kind, type TSchema, Type, TypeRegistry } from "@sinclair/typebox"
import { compile, defineCatalog, type FormatSpec, named, tool } from "sequitur"
import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import { readFormats } from "../../src/catalog/format.ts"
import { startFindings } from "../../src/catalog/schema/front-end/findings.ts"
import { lowerJsonSchema } from "../../src/catalog/schema/front-end/json-schema.ts"
import { readJsonSchema } from "../../src/catalog/schema/front-end/read-json-schema.ts"
import { generate, walk } from "../../src/catalog/schema/front-end/validate.ts"
import { judgeBy, judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import type { AnySchema, Schema } from "../../src/catalog/schema/schema.ts"
import { hashSlice, sliceFor } from "../../src/catalog/slice.ts"
import { root } from "../../src/text/pointer.ts"

const even = named("is-even", "1", (text: string) => text.length % 2 === 0)
const own = { even, sku: /^[A-Z]{2}-\d+$/i } as const

const catalogOf = (params: AnySchema, formats: { readonly [name: string]: FormatSpec } = own) =>
  defineCatalog({
    name: "shop",
    version: "1",
    formats,
    tools: { look: tool({ description: "Look.", effect: "read", params }) },
  })

const faultsOf = (params: AnySchema, formats?: { readonly [name: string]: FormatSpec }): readonly string[] =>
  catalogOf(params, formats)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, message, hint }) => `${code} ${message}. ${hint}`)

const hashOf = (params: AnySchema, formats: { readonly [name: string]: FormatSpec }): string =>
  hashSlice(sliceFor(catalogOf(params, formats), ["look"]))

function lowered(schema: unknown, formats: { readonly [name: string]: FormatSpec } = own): Schema {
  const result = lowerSchema(schema, "params", readFormats(formats, []))
  if (!result.ok) throw new Error(JSON.stringify(result.faults))
  return result.schema
}

const json = (format: string, more: object = {}) =>
  ({ type: "object", properties: { a: { type: "string", format, ...more } }, additionalProperties: false }) as const
const typeBox = (format: string, more: object = {}) =>
  Type.Object({ a: Type.String({ format, ...more }) }, { additionalProperties: false })

const languages = [
  ["JSON Schema", json],
  ["TypeBox", typeBox],
] as const

const forget = ["even", "sku", "date", "unknown-here"]
afterEach(() => {
  for (const name of forget) FormatRegistry.Delete(name)
})

describe.each(languages)("in %s", (language, of) => {
  const verdicts = (schema: Schema, texts: readonly string[]) =>
    texts.map((a) => judgeWhole(schema, { a }).length === 0)

  it("a pattern is exact, whatever its flags, and a function is not", () => {
    const bySource = lowered(of("sku"))
    expect(bySource.exact).toBe(true)
    expect(verdicts(bySource, ["ab-1", "AB-1", "AB1"])).toEqual([true, true, false])
    expect(["ab-1", "AB-1", "AB1"].map((a) => bySource.judge({ a }).length === 0)).toEqual([true, true, false])
    const byFunction = lowered(of("even", { maxLength: 4 }))
    expect(byFunction.exact).toBe(false)
    expect(verdicts(byFunction, ["", "a", "ab", "abcdef"])).toEqual([true, false, true, false])
  })

  it("the fixed ones are known too, and are not the catalog's to change", () => {
    expect(verdicts(lowered(of("date")), ["2024-02-29", "2023-02-29", "soon"])).toEqual([true, false, false])
    const [said, ...others] = catalogOf(of("date"), { date: /^soon$/ }).diagnostics.filter(
      ({ severity }) => severity === "error",
    )
    expect([said?.code, said?.at, others]).toEqual(["SEQ801", "/formats/date", []])
  })

  it("one that is not known is refused by name, whoever registered it elsewhere", () => {
    FormatRegistry.Set("unknown-here", () => true)
    expect(faultsOf(of("unknown-here"))).toEqual([
      'SEQ804 params of `look`: the format "unknown-here" at `/a` is not known. Declare it in the catalog\'s `formats`, or take it out of the schema.',
    ])
  })

  it("what a later import does to a global registry changes nothing", () => {
    for (const format of ["even", "sku", "date"]) {
      const schema = lowered(of(format))
      const texts = ["2024-02-29", "AB-1", "a", "ab", ""]
      const before = verdicts(schema, texts)
      expect(new Set(before).size).toBe(2)
      for (const answer of [true, false]) {
        FormatRegistry.Set(format, () => answer)
        walkedFormats[format] = () => answer
        expect(verdicts(schema, texts)).toEqual(before)
      }
      FormatRegistry.Clear()
      TypeRegistry.Clear()
      delete walkedFormats[format]
      expect(verdicts(schema, texts)).toEqual(before)
    }
  })

  it("nor does what is done to the declaration", () => {
    const formats: Record<string, FormatSpec> = { even, sku: /^x$/ }
    const schema = catalogOf(of("sku"), formats).tools.get("look")?.params
    ;(formats.sku as RegExp).compile("^y$")
    formats.sku = /^y$/
    expect(schema && verdicts(schema, ["x", "y"])).toEqual([true, false])
  })

  it("a function that throws, waits or answers otherwise refuses, and says so", () => {
    const asks: readonly (readonly [FormatSpec, string])[] = [
      [named("f", "1", (): boolean => JSON.parse("no")), "the schema failed to judge this value: Unexpected token"],
      [named("f", "1", (() => Promise.resolve(true)) as never), "`f` answered with a promise"],
      // biome-ignore lint/suspicious/noThenProperty: something that waits and is no Promise.
      [named("f", "1", (() => ({ then: () => undefined })) as never), "`f` answered with a promise"],
      [named("f", "1", (() => 1) as never), "`f@1` answered neither true nor false"],
    ]
    for (const [ask, said] of asks) {
      const issues = judgeWhole(lowered(of("odd"), { odd: ask }), { a: "x" })
      expect(issues).toHaveLength(1)
      expect(issues[0]?.message).toContain(said)
    }
  })

  it("one that is not right hides neither another nor what else is wrong with its schema", () => {
    const formats = { slow: /^(a+)+$/, sku: "no" as never }
    expect(faultsOf(of("slow"), formats).map((fault) => fault.slice(0, 6))).toEqual(["SEQ801", "SEQ814"])
    expect(faultsOf(of("sku"), formats).map((fault) => fault.slice(0, 6))).toEqual(["SEQ801"])
  })

  it("one that only this catalog knows is told with what it asks", () => {
    const compiled = compile(
      catalogOf(of("sku")),
      JSON.stringify({ version: 1, steps: [{ id: "a", tool: "look", args: { a: "7" } }] }),
    )
    expect(compiled.diagnostics.map(({ hint }) => hint)).toEqual([
      'Write a string in the format "sku", which matches /^[A-Z]{2}-\\d+$/i.',
    ])
  })

  it("a pattern is held to pattern safety", () => {
    expect(faultsOf(of("slow"), { slow: /^(a+)+$/ }).map((fault) => fault.slice(0, 6))).toEqual(["SEQ814"])
    expect(faultsOf(of("square"), { square: /^a*a*b$/ })).toEqual([])
    expect(catalogOf(of("square"), { square: /^a*a*b$/ }).diagnostics.map(({ code }) => code)).toContain("SEQ816")
    expect(faultsOf(of("square", { maxLength: 50 }), { square: /^a*a*b$/ })).toEqual([])
  })

  it("counts in the hash of the tools that use it, by name and version", () => {
    const first = hashOf(of("even"), own)
    expect(hashOf(of("even"), { even })).toBe(first)
    expect(hashOf(of("even"), { even: named("is-even", "2", even) })).not.toBe(first)
    expect(hashOf(of("even"), { even: named("other", "1", even) })).not.toBe(first)
    expect(hashOf(of("sku"), own)).not.toBe(hashOf(of("sku"), { sku: /^[A-Z]{2}-\d+$/ }))
    // Also where the shape does not say it.
    const not = (sku: RegExp): string =>
      hashOf(language === "TypeBox" ? Type.Not(of("sku") as TSchema) : { not: of("sku") }, { sku })
    expect(not(/a/)).not.toBe(not(/b/))
    expect(not(/a/)).toBe(not(/a/))
  })

  it("is found inside what only the validator judges", () => {
    const schema = lowered(language === "TypeBox" ? Type.Not(of("even") as TSchema) : { not: of("even") })
    expect(verdicts(schema, ["a", "ab"])).toEqual([true, false])
  })
})

it("zod keeps its own formats", () => {
  const schema = z.strictObject({ a: z.iso.date() })
  expect(judgeWhole(lowered(schema, { date: /^soon$/ }), { a: "2024-02-29" })).toEqual([])
  expect(hashOf(schema, {})).toBe(hashOf(schema, { date: /^soon$/ }))
})

it("Ajv and the walker judge the catalog's formats alike", () => {
  const formats = readFormats({ ...own, exact: /^😀$/u }, [])
  for (const format of ["even", "sku", "exact", "date"]) {
    const findings = startFindings("params", formats)
    const normal = readJsonSchema({ type: "array", items: { type: "string", format } }, findings, root)
    if (normal === undefined) throw new Error(JSON.stringify(findings.faults))
    lowerJsonSchema(normal, findings, root)
    const [byAjv, byWalker] = [generate, walk].map((make) => judgeBy(make(normal, formats), "params"))
    for (const text of ["", "a", "ab", "ab-1", "AB-12", "😀", "2024-02-29"]) {
      expect([text, byWalker?.([text]).length]).toEqual([text, byAjv?.([text]).length])
    }
  }
})

it("messages name the format", () => {
  const at = (schema: AnySchema, a: string) => lowered(schema).judge({ a })[0]
  expect(at(typeBox("even"), "a")).toEqual({ at: "/a", message: "Expected string to match 'even' format" })
  expect(at(typeBox("even", { minLength: 3 }), "a")?.message).toBe("Expected string length greater or equal to 3")
  expect(at(json("even"), "a")).toEqual({ at: "/a", message: 'must match format "even"' })
})

describe("a declaration that is wrong", () => {
  it.each<[string, unknown, string]>([
    ["unnamed", (text: string) => text === "", "has no name and version. Name it: `named("],
    ["asynchronous", async () => true, "waits, and compiling cannot wait. "],
    ["named and asynchronous", named("a", "1", async () => true), "waits, and compiling cannot wait. "],
    ["global", /a/g, "has the flag `g` or `y`, which remembers the text before. Remove the flag."],
    ["sticky", /a/y, "has the flag `g` or `y`"],
    ["changed", Object.assign(/a/, { test: () => true }), "is neither a regular expression nor a function"],
    ["text", "^a$", "is neither a regular expression nor a function. Write `/^…$/u` or `named(…)`."],
    ["null", null, "is neither a regular expression nor a function"],
  ])("%s", (_, format, said) => {
    const [fault, ...more] = faultsOf(z.strictObject({}), { sku: format as FormatSpec })
    expect(fault).toContain(`SEQ801 the format \`sku\` ${said}`)
    expect(more).toEqual([])
  })

  it("no table", () => {
    for (const formats of [[], new Map(), 1, "x"]) {
      expect(faultsOf(z.strictObject({}), formats as never).length).toBeGreaterThan(0)
    }
    expect(faultsOf(z.strictObject({}), undefined)).toEqual([])
  })
})

describe("a host's TypeBox schema that changes after the catalog was made changes no verdict", () => {
  const planOf = (args: object) => JSON.stringify({ version: 1, steps: [{ id: "a", tool: "look", args }] })

  it("its keywords", () => {
    const params = Type.Object({ a: Type.Array(Type.String(), { uniqueItems: true }) }, { additionalProperties: false })
    const catalog = catalogOf(params)
    delete params.properties.a.uniqueItems
    params.additionalProperties = true
    expect(compile(catalog, planOf({ a: ["x", "y"] })).ok).toBe(true)
    expect(compile(catalog, planOf({ a: ["x", "x"] })).ok).toBe(false)
    expect(compile(catalog, planOf({ a: [], b: 1 })).ok).toBe(false)
  })

  it("its kinds: neither what they say nor what the registry asks", () => {
    TypeRegistry.Set(
      "Below",
      named("below", "1", (schema: unknown, value: unknown) => Number(value) < (schema as { max: number }).max),
    )
    const below = { [Kind]: "Below", max: 5 } as unknown as TSchema
    const catalog = catalogOf(Type.Object({ a: Type.Union([below, Type.Null()]) }, { additionalProperties: false }))
    below.max = 100
    for (const change of [() => TypeRegistry.Set("Below", () => true), () => TypeRegistry.Clear()]) {
      change()
      expect([4, 7, null].map((a) => compile(catalog, planOf({ a })).ok)).toEqual([true, false, true])
    }
  })
})
