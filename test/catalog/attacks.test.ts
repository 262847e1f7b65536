/** The attacks on schemas in data/attacks.jsonl and the public reports of the same kind, by their ids, asked of whole plans. */
import { Type } from "@sinclair/typebox"
import { compile, defineCatalog, tool } from "sequitur"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import type { AnySchema, JsonSchema } from "../../src/catalog/schema/schema.ts"
import type { Json } from "../../src/text/json.ts"
import { hasData, readData } from "../data.ts"

/** What is said of one call: code and place, message without the words that lead in. */
function said(params: AnySchema, args: unknown, name = "act"): readonly string[] {
  const catalog = defineCatalog({
    name: "attacked",
    version: "1",
    tools: { [name]: tool({ description: "Acts.", effect: "read", params }) },
  })
  const plan = JSON.stringify({ version: 1, steps: [{ id: "s1", tool: name, args }] })
  return compile(catalog, plan)
    .diagnostics.filter(({ severity }) => severity !== "notice")
    .map(({ code, at, message, hint }) => `${code} ${at} ${message} ${hint}`)
}

const values: readonly Json[] = [null, true, 5, 5.5, "5", [5], { a: 5 }]
/** Each lets through what is named, of the values above. */
const types: readonly (readonly [type: string, written: readonly AnySchema[], right: readonly Json[]])[] = [
  ["null", [z.null(), Type.Null(), { type: "null" }], [null]],
  ["boolean", [z.boolean(), Type.Boolean(), { type: "boolean" }], [true]],
  ["integer", [z.int(), Type.Integer(), { type: "integer" }], [5]],
  ["number", [z.number(), Type.Number(), { type: "number" }], [5, 5.5]],
  ["string", [z.string(), Type.String(), { type: "string" }], ["5"]],
  ["array", [z.array(z.unknown()), Type.Array(Type.Unknown()), { type: "array" }], [[5]]],
  [
    "object",
    [
      z.looseObject({}),
      Type.Object({}, { additionalProperties: true }),
      { type: "object", additionalProperties: true },
    ],
    [{ a: 5 }],
  ],
]

describe("A029: every type given for every type, in every language", () => {
  it.each(types)("%s", (_, written, right) => {
    for (const schema of written) {
      const lowered = lowerSchema(schema, "params")
      if (!lowered.ok) throw new Error(JSON.stringify(lowered.faults))
      for (const value of values) {
        const isRight = right.some((one) => JSON.stringify(one) === JSON.stringify(value))
        expect([value, judgeWhole(lowered.schema, value).length === 0]).toEqual([value, isRight])
        expect([value, lowered.schema.judge(value).length === 0]).toEqual([value, isRight])
      }
    }
  })

  it("null is not absent", () => {
    expect(said({ type: "object", properties: { a: { type: "string" } } }, { a: null })).toHaveLength(1)
    expect(said({ type: "object", properties: { a: { type: "string" } } }, {})).toEqual([])
    expect(said({ type: "object", properties: { a: { type: ["string", "null"] } }, required: ["a"] }, {})).toHaveLength(
      1,
    )
  })
})

it("A030: an object as text is no object", () => {
  const params: JsonSchema = { type: "object", properties: { fields: { type: "object", additionalProperties: true } } }
  expect(said(params, { fields: '{"a":1}' })).toEqual([
    expect.stringMatching(/^SEQ122 \/steps\/0\/args\/fields .*an object/),
  ])
})

it("A031: a tool with a catastrophic pattern allows nothing", () => {
  expect(said({ type: "object", properties: { a: { pattern: "^(a+)+$" } } }, {})).toEqual([
    expect.stringMatching(/^SEQ814 \/tools\/act\/params /),
  ])
})

it("A033: a schema that leads to a file or an address allows nothing", () => {
  for (const $ref of ["https://x.test/a", "file:///etc/passwd", "//x.test/a", "a.json"]) {
    expect(said({ type: "object", properties: { a: { $ref } } }, {})).toEqual([
      expect.stringMatching(/^SEQ804 .*nothing is fetched/),
    ])
  }
})

it("A034: a constraint that is not honoured is never ignored", () => {
  for (const [keyword, value] of Object.entries({
    $dynamicRef: "#a",
    contentSchema: {},
    minlength: 3,
    dependencies: {},
  })) {
    expect(said({ type: "object", properties: { a: { [keyword]: value } } }, {})).toEqual([
      expect.stringMatching(/^SEQ804 .* at `\/a` /),
    ])
  }
  expect(
    said({ type: "object", properties: { a: {} }, dependentSchemas: { a: { required: ["b"] } } }, { a: 1 }),
  ).toHaveLength(1)
  expect(said({ type: "object", properties: { a: {} }, unevaluatedProperties: false }, { b: 1 })).toHaveLength(1)
})

interface Report {
  readonly id: string
  readonly repro: {
    readonly mcp_tool?: { readonly name: string; readonly inputSchema: JsonSchema }
    readonly plan: { readonly steps: readonly { readonly args: { readonly [key: string]: Json } }[] }
  }
}

describe.skipIf(!hasData)("public reports of schemas that were read wrongly", () => {
  const reports = (hasData ? readData("reports.jsonl").trim().split("\n") : []).map(
    (line) => JSON.parse(line) as Report,
  )
  function read(id: string, schema?: JsonSchema): (args?: object) => readonly string[] {
    const report = reports.find((one) => one.id === id)
    const { mcp_tool: mcp, plan } = report?.repro ?? {}
    const params = schema ?? mcp?.inputSchema
    if (params === undefined || plan === undefined) throw new Error(`no report ${id}`)
    return (args = plan.steps[0]?.args ?? {}) => said(params, args, mcp?.name)
  }

  it("D06: a union at the top keeps its branches", () => {
    const ask = read("D06")
    expect(ask()).toEqual([
      expect.stringMatching(/^SEQ120 \/steps\/0\/args .*`count`/),
      expect.stringMatching(/^SEQ121 \/steps\/0\/args\/title .*`title`/),
    ])
    expect(ask({ kind: "quiz", count: 1 })).toEqual([])
    expect(ask({})).toHaveLength(1)
  })

  it("D07: an enum is kept, and its case", () => {
    const ask = read("D07")
    expect(ask()).toEqual([expect.stringMatching(/^SEQ123 \/steps\/0\/args\/action .*remove/)])
    expect(ask({ action: "remove", user: "u1" })).toEqual([])
  })

  it("D08: keys that a schema for others lets in are judged and kept", () => {
    const ask = read("D08")
    expect(ask()).toEqual([])
    expect(ask({ query: { kind: 5 } })).toEqual([expect.stringContaining("SEQ122 /steps/0/args/query/kind")])
  })

  it("D09: an argument that is misspelt is refused, and the right one guessed", () => {
    const money = { type: "integer", minimum: 0 }
    const ask = read("D09", {
      type: "object",
      properties: {
        to: { type: "string" },
        amount_minor: money,
        currency: { enum: ["EUR"] },
        max_fee_minor: { ...money, default: 50 },
      },
      required: ["to", "amount_minor", "currency"],
      additionalProperties: false,
    })
    expect(ask()).toEqual([expect.stringMatching(/^SEQ121 \/steps\/0\/args\/max_fee_minr .*`max_fee_minor`/)])
  })

  it("D10: an object sent as JSON text is refused", () => {
    const fields = { type: "object", properties: { summary: { type: "string" } } }
    const ask = read("D10", {
      type: "object",
      properties: { key: { type: "string" }, fields },
      required: ["key", "fields"],
    })
    expect(ask()).toEqual([expect.stringMatching(/^SEQ122 \/steps\/0\/args\/fields .*object/)])
  })
})
