/** The exported schema beside the compiler: what it accepts has the right shape, and it accepts every plan that compiles. */
import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { type Catalog, compile, defineCatalog, type Json, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import billing from "../../plans/billing/catalog.ts"
import desk from "../../plans/invalid/catalog.ts"
import invoices from "../../plans/invoices/catalog.ts"
import servers from "../../plans/servers/catalog.ts"
import { planSchema } from "../../src/planner/index.ts"
import { anyPlan, rightPlan } from "../check/arbitrary.ts"
import { misnamed, misnamedParameters, odd } from "./catalogs.ts"
import { structural, validatorOf } from "./validate.ts"
import { written } from "./written.ts"

/** The codes of a plan's shape that the compiler gives it. */
function shapeFaults(catalog: Catalog, plan: Json): readonly string[] {
  const { diagnostics } = compile(catalog, JSON.stringify(plan))
  return diagnostics.map(({ code }) => code).filter((code) => structural.has(code))
}

/** A constant `$concat` is a string like any other to the compiler, and to a schema a `$concat`. */
const joins = (plan: Json): boolean => JSON.stringify(plan).includes('"$concat"')

describe("on the order desk", () => {
  const validates = validatorOf(planSchema(desk).schema)

  test("what validates has the right shape, and what compiles validates", () => {
    const seen = { validates: 0, compiles: 0, all: 0 }
    fc.assert(
      fc.property(fc.oneof(rightPlan, anyPlan), (plan) => {
        const valid = validates(plan)
        const compiled = compile(desk, JSON.stringify(plan))
        seen.all++
        if (valid) seen.validates++
        if (compiled.ok) seen.compiles++
        if (compiled.ok) expect(valid, "compiles, but does not validate").toBe(true)
        if (valid) expect(shapeFaults(desk, plan).filter((code) => code !== "SEQ123" || !joins(plan))).toEqual([])
      }),
      { numRuns: 2_000 },
    )
    console.log(`desk: ${seen.validates} of ${seen.all} plans validate, ${seen.compiles} compile`)
    expect(seen.compiles / seen.all).toBeGreaterThan(0.3)
    expect(seen.validates).toBeLessThan(seen.all * 0.9)
    expect(seen.validates).toBeGreaterThan(seen.compiles)
  })

  test.each([
    "SEQ101",
    "SEQ102",
    "SEQ103",
    "SEQ104",
    "SEQ105",
    "SEQ107",
    "SEQ108",
    "SEQ120",
    "SEQ121",
    "SEQ122",
    "SEQ123",
    "SEQ130",
    "SEQ131",
    "SEQ132",
  ])("no plan refused for %s validates", (code) => {
    const folder = `plans/invalid/${code}`
    const files = readdirSync(folder).filter((file) => file.endsWith(".json") && !file.includes(".expected."))
    expect(files).not.toEqual([])
    for (const file of files) {
      const text = readFileSync(`${folder}/${file}`, "utf8")
      expect(validates(JSON.parse(text)), file).toBe(false)
    }
  })
})

test.each([
  ["billing", billing],
  ["invoices", invoices],
  ["servers", servers],
])("the plans of %s validate", (name, catalog) => {
  const validates = validatorOf(planSchema(catalog as Catalog).schema)
  const files = readdirSync(`plans/${name}`).filter((file) => file.endsWith(".json") && file !== "inputs.json")
  expect(files.length).toBeGreaterThan(0)
  for (const file of files)
    expect(validates(JSON.parse(readFileSync(`plans/${name}/${file}`, "utf8"))), file).toBe(true)
})

test("random arguments for random tools: what compiles validates, and what validates has the right shape", () => {
  const seen = { all: 0, validates: 0, compiles: 0 }
  fc.assert(
    fc.property(written, ({ catalog, plan }) => {
      const valid = validatorOf(planSchema(catalog).schema)(plan)
      const compiled = compile(catalog, JSON.stringify(plan))
      seen.all++
      if (valid) seen.validates++
      if (compiled.ok) seen.compiles++
      if (compiled.ok) expect(valid, "compiles, but does not validate").toBe(true)
      // Lengths in UTF-16 units, fractions of steps and some patterns are looser in a schema (SEQ123).
      if (valid) expect(shapeFaults(catalog, plan).filter((code) => code !== "SEQ123")).toEqual([])
    }),
    { numRuns: Number(process.env.RUNS ?? 100) },
  )
  console.log(`random: ${seen.validates} of ${seen.all} plans validate, ${seen.compiles} compile`)
  expect(seen.compiles / seen.all).toBeGreaterThan(0.3)
  expect(seen.validates).toBeLessThan(seen.all)
})

describe("in detail", () => {
  const validates = validatorOf(planSchema(odd).schema)
  const put = (args: object): Json =>
    ({
      version: 1,
      steps: [
        { id: "b", transition: "B" },
        { id: "p", tool: "put", args },
      ],
    }) as unknown as Json
  const both = (args: object): { valid: boolean; faults: readonly string[] } => ({
    valid: validates(put(args)),
    faults: shapeFaults(odd, put(args)),
  })
  const right = { valid: true, faults: [] }

  test("expressions stand where the compiler allows them", () => {
    expect(both({ lines: [{ sku: { $from: "input", path: "/who" }, count: 1 }] })).toEqual(right)
    expect(both({ lines: { $from: "input", path: "/list" } })).toEqual(right)
    expect(both({ any: [{ deep: { $concat: ["a", 1, true, { $literal: 2 }] } }] })).toEqual(right)
    expect(both({ any: { $literal: { $from: 1, $odd: [] } } })).toEqual(right)
    expect(both({ table: { $literal: { $key: 1 } } })).toEqual(right)
    expect(both({ table: { a: { $literal: 1 } } })).toEqual(right)
    expect(both({ pair: ["a", { $literal: 1 }] })).toEqual(right)
    expect(both({ shape: { kind: { $literal: "square" }, sides: [1, { $literal: 2 }] } })).toEqual(right)
    expect(both({ open: { a: 1, b: { $concat: [] } } })).toEqual(right)
    const where = { "/id": { $concat: ["a", { $literal: "b" }] }, "/n": { $literal: 1 }, "": { x: [null] } }
    expect(validates(put({ code: { $from: "input", path: "/list", where, pick: "/id" } }))).toBe(true)
  })

  test("and nowhere else", () => {
    const wrong = { valid: false, faults: [expect.stringMatching(/^SEQ1[23]/)] }
    expect(both({ $from: "input" })).toEqual(wrong)
    expect(both({ $literal: {} })).toEqual(wrong)
    expect(both({ table: { $key: 1 } })).toEqual(wrong)
    expect(both({ open: { a: 1, $b: 1 } })).toEqual(wrong)
    expect(both({ any: { deep: [{ $odd: 1 }] } })).toEqual(wrong)
    expect(both({ even: { $literal: { $from: "input" } } })).toEqual(wrong)
    expect(both({ even: { $concat: ["2"] } })).toEqual(wrong)
    expect(both({ even: 3 })).toEqual(wrong)
    expect(both({ code: "a" })).toEqual(wrong)
    expect(both({ any: { $concat: [1.5] } })).toEqual(wrong)
    expect(both({ any: { $concat: [{ $concat: [{ $from: "input", path: "/who" }] }] } })).toEqual(wrong)
    expect(both({ any: { $concat: ["a", "b", "c", "d", "e"] } })).toEqual(wrong)
    expect(both({ any: { $from: "input", path: "who" } })).toEqual(wrong)
    expect(both({ any: { $from: "input", pick: "/who" } })).toEqual(wrong)
    expect(both({ any: { $from: "input", path: "/list", where: {} } })).toEqual(wrong)
    expect(
      both({ any: { $from: "input", path: "/list", where: { "/id": { $from: "input", where: { "": 1 } } } } }),
    ).toEqual(wrong)
    expect(both({ shape: { kind: "round", sides: [1] } })).toEqual(wrong)
    expect(both({ lines: [{ sku: "a", count: 100 }] })).toEqual(wrong)
  })

  test("bounds of the catalog are in it", () => {
    const steps = Array.from({ length: 41 }, (_, index) => ({ id: `s${index}`, transition: "B" }))
    expect(validates({ version: 1, steps: steps.slice(1) })).toBe(true)
    expect(validates({ version: 1, steps })).toBe(false)
    expect(validates({ version: 1, goal: "g".repeat(31), steps: [] })).toBe(false)
  })

  test("an id that the language keeps is none; `input` is a source", () => {
    const step = (id: string): Json => ({ version: 1, steps: [{ id, transition: "B" }] })
    for (const id of ["input", "toString", "1a", "a b", "", "a".repeat(65)]) expect(validates(step(id)), id).toBe(false)
    expect(validates(step("input_"))).toBe(true)
  })

  test("names that only a literal can hold", () => {
    for (const catalog of [misnamed, misnamedParameters]) {
      const valid = validatorOf(planSchema(catalog).schema)
      const [name = ""] = catalog.tools.keys()
      const plan = (args: object): Json => ({ version: 1, steps: [{ id: "a", tool: name, args }] }) as unknown as Json
      expect(valid(plan({ größe: 1, _json: "x" }))).toBe(true)
      expect(valid(plan({ $ref: "x" }))).toBe(false)
    }
    const valid = validatorOf(planSchema(misnamedParameters).schema)
    const two = (inner: Json): Json => ({ version: 1, steps: [{ id: "a", tool: "two", args: { inner } }] })
    expect(valid(two({ $literal: { $id: "x" } }))).toBe(true)
    expect(valid(two({ $id: "x" }))).toBe(false)
  })

  test("a catalog of nothing takes only the empty plan", () => {
    const valid = validatorOf(planSchema(defineCatalog({ name: "none", version: "1", tools: {} })).schema)
    expect(valid({ version: 1, steps: [] })).toBe(true)
    expect(valid({ version: 1, steps: [{ id: "a", tool: "b", args: {} }] })).toBe(false)
  })
})

test("a catalog with faults says so in the notes", () => {
  const faulty = defineCatalog({
    name: "faulty",
    version: "1",
    tools: { a: tool({ description: "A.", effect: "read", params: z.strictObject({ a: z.coerce.number() }) }) },
  })
  expect(planSchema(faulty).notes[0]).toBe("The catalog has faults (1): until they are mended no plan compiles.")
  expect(planSchema(faulty, { for: "openai" }).notes[0]).toContain("The catalog has faults (1)")
})

test("the same catalog gives the same schema", () => {
  expect(JSON.stringify(planSchema(odd))).toBe(JSON.stringify(planSchema(odd)))
})
