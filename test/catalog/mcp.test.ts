/** Tools as an MCP server lists them, put into a catalog: their schemas are JSON Schemas that come over the wire. */
import {
  type ArgsOf,
  compile,
  defineCatalog,
  type Json,
  type JsonObject,
  type JsonSchema,
  type ResultOf,
  type ToolSpec,
  tool,
} from "sequitur"
import { expect, it } from "vitest"
import { type Equal, expectTypes } from "../typed/equal.ts"

/** What `tools/list` answers, as the protocol's own types have it. */
interface McpTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: {
    readonly type: "object"
    readonly properties?: { readonly [key: string]: object }
    readonly required?: readonly string[]
    readonly [keyword: string]: unknown
  }
  readonly outputSchema?: McpTool["inputSchema"]
}

/** A host decides itself what a stranger's tool may do. */
const toolOf = ({ name, description = name, inputSchema, outputSchema }: McpTool): ToolSpec => ({
  description,
  effect: "read",
  params: inputSchema,
  ...(outputSchema === undefined ? {} : { result: outputSchema }),
})

const listed: readonly McpTool[] = [
  {
    name: "find_order",
    description: "Find an order.",
    inputSchema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { id: { type: "string", format: "uuid" }, limit: { type: "integer", minimum: 1, default: 10 } },
      required: ["id"],
    },
    outputSchema: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
  },
  { name: "ping", inputSchema: { type: "object" } },
]

const catalogOf = (tools: readonly McpTool[]) =>
  defineCatalog({
    name: "orders",
    version: "1",
    tools: Object.fromEntries(tools.map((one) => [one.name, toolOf(one)])),
  })

it("makes a catalog", () => {
  const catalog = catalogOf(listed)
  expect(catalog.diagnostics.map(({ code, at }) => `${code} ${at}`)).toEqual([
    "SEQ803 /tools/find_order/params",
    "SEQ815 /tools/find_order/params",
    "SEQ803 /tools/ping/params",
  ])
  const plan = (args: object) => JSON.stringify({ version: 1, steps: [{ id: "a", tool: "find_order", args }] })
  expect(compile(catalog, plan({ id: "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b" })).ok).toBe(true)
  expect(compile(catalog, plan({ id: "6" })).ok).toBe(false)
  expect(compile(catalog, plan({ id: "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b", limit: 0 })).ok).toBe(false)
})

it("what a server sends later changes nothing", () => {
  const [first] = structuredClone(listed) as [McpTool]
  const catalog = catalogOf([first])
  Object.assign(first.inputSchema.properties ?? {}, { id: { type: "integer" } })
  const plan = JSON.stringify({ version: 1, steps: [{ id: "a", tool: "find_order", args: { id: 1 } }] })
  expect(compile(catalog, plan).ok).toBe(false)
})

it("has types: an object where the schema says so, any JSON or unknown where it is read from the wire", () => {
  const schema: JsonSchema = { type: "object" }
  const read = tool({ description: "Find.", effect: "read", params: schema })
  const written = tool({
    description: "Find.",
    effect: "read",
    params: { type: "object", properties: { id: { type: "string" } } },
    result: { type: "array" },
  })
  expectTypes<[Equal<ArgsOf<typeof written>, JsonObject>, Equal<ResultOf<typeof written>, Json>]>()
  expectTypes<[Equal<ArgsOf<typeof read>, Json>, Equal<ArgsOf<ToolSpec>, unknown>]>()
  // @ts-expect-error a number is no schema
  expect(defineCatalog({ name: "a", version: "1", tools: { a: { ...read, params: 5 } } }).diagnostics.length).toBe(1)
  expect(defineCatalog({ name: "a", version: "1", tools: { read, written } }).diagnostics.length).toBe(2)
})
