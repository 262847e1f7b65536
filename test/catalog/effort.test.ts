/** Small schemas that would take long to lower are refused by name: counted in steps, over all schemas of a catalog. */
import { defineCatalog, tool } from "sequitur"
import { describe, expect, it } from "vitest"
import { startEffort } from "../../src/catalog/schema/effort.ts"
import { formats } from "../../src/catalog/schema/front-end/formats.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import { patternSize } from "../../src/catalog/schema/pattern-size.ts"
import type { AnySchema } from "../../src/catalog/schema/schema.ts"
import { faultsOf } from "./redos.ts"

const many = <A>(count: number, make: (index: number) => A): A[] => Array.from({ length: count }, (_, i) => make(i))
const keyed = (count: number, make: (index: number) => readonly [string, unknown]): object =>
  Object.fromEntries(many(count, make))

function nested(depth: number): object {
  let schema: object = { type: "string" }
  for (let d = 0; d < depth; d++) {
    const alternative = (key: string): object => ({
      type: "object",
      properties: { a: schema, [key]: { const: d } },
      required: ["a"],
    })
    schema = { anyOf: [alternative("x"), alternative("y")] }
  }
  return schema
}

const openObjects = (count: number, key: string): object => ({
  anyOf: many(count, (i) => ({ type: "object", properties: { [`${key}${i}`]: { type: "string" } } })),
})

const hostile: { readonly [what: string]: object } = {
  "many objects that may all hold at once": openObjects(3_000, "k"),
  "unions in unions, twice": { allOf: [nested(9), nested(9)] },
  "unions in unions, by references": {
    allOf: many(2, () => ({ $ref: "#/$defs/d11" })),
    $defs: keyed(12, (d) => {
      const a = d === 0 ? { type: "string" } : { $ref: `#/$defs/d${d - 1}` }
      const one = (key: string): object => ({ type: "object", properties: { a, [key]: { const: d } }, required: ["a"] })
      return [`d${d}`, { anyOf: [one("x"), one("y")] }]
    }),
  },
  "wide unions in wide unions": {
    allOf: many(2, () => ({
      anyOf: many(60, (i) => ({ type: "object", properties: { p: openObjects(60, "q"), [`k${i}`]: {} } })),
    })),
  },
  "many keys and many patterns for them": {
    type: "object",
    properties: keyed(4_000, (i) => [`k${i}`, {}]),
    patternProperties: keyed(4_000, (i) => [`^z${i}`, {}]),
  },
  "many schemas that depend on keys": {
    type: "object",
    dependentSchemas: keyed(30, (i) => [`k${i}`, { properties: { [`q${i}`]: {} } }]),
  },
}

describe("a schema whose lowering would take long", () => {
  it.each(Object.entries(hostile))("%s", (_, schema) => {
    const effort = startEffort()
    const { steps } = effort
    const faults = faultsOf(lowerSchema(schema, "params", formats, effort))
    expect(faults).toContainEqual(expect.stringMatching(/^(?:unsupported .*has|.*) too many alternatives$/))
    // What is begun is not ended at once: but it is of the order of what was allowed.
    expect(effort.steps).toBeGreaterThan(-2 * steps)
  })
})

const usual: { readonly [what: string]: object } = {
  "a hundred objects that may all hold at once": openObjects(100, "k"),
  "a tag that tells five hundred objects apart": {
    oneOf: many(500, (i) => ({ type: "object", properties: { kind: { const: `k${i}` } }, required: ["kind"] })),
  },
  "three thousand constants with titles": { oneOf: many(3_000, (i) => ({ const: `c${i}`, title: "x" })) },
  "unions in unions, twice": { allOf: [nested(4), nested(4)] },
  "strings of two thousand patterns": {
    oneOf: many(2_000, (i) => ({ type: "string", maxLength: i, pattern: `^a${i}` })),
  },
}

it.each(Object.entries(usual))("%s: is lowered", (_, schema) => {
  const lowered = lowerSchema(schema, "params")
  expect(faultsOf(lowered)).toEqual([])
  if (lowered.ok) expect(judgeWhole(lowered.schema, 7)).not.toEqual([])
})

const said = (tools: { readonly [name: string]: AnySchema }): readonly string[] =>
  defineCatalog({
    name: "effort",
    version: "1",
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, params]) => [name, tool({ description: "Acts.", effect: "read", params })]),
    ),
  }).diagnostics.flatMap(({ severity, code, at }) => (severity === "error" ? [`${code} ${at}`] : []))

describe("over all schemas of a catalog", () => {
  it("one that has used up what there is leaves nothing to the next", () => {
    const wide = { ...openObjects(1_000, "k"), type: "object" } as AnySchema
    const small = { ...openObjects(100, "k"), type: "object" } as AnySchema
    expect(said({ small })).toEqual([])
    expect(said({ wide, small })).toEqual(["SEQ804 /tools/wide/params", "SEQ804 /tools/small/params"])
  })

  it("patterns that are hard to check are refused unchecked, once there were too many", () => {
    const params = (index: number): AnySchema => ({
      type: "object",
      properties: { a: { type: "string", pattern: `^(?=.{1,9}$)(?:[ab]{90}[cd]{90}[ef]{90}|${index})$` } },
    })
    const tools = Object.fromEntries(many(20, (i) => [`t${i}`, params(i)]))
    const faults = said(tools)
    expect(faults.length).toBeGreaterThanOrEqual(19)
    expect(faults.every((fault) => fault.startsWith("SEQ814"))).toBe(true)
  })
})

it.each([
  ["", 0],
  ["abc", 3],
  ["a{30}b|c", 32],
  ["(?:a[bc]{2,9}\\d){10}$", 110],
  ["^\\p{L}+$", 4],
  ["((a{9}){9}){9}", 729],
])("the size of %s is about %d", (source, size) => {
  expect(patternSize(source)).toBeGreaterThanOrEqual(size)
  expect(patternSize(source)).toBeLessThanOrEqual(size + 2 + 0.2 * size)
})
