/** Tools that a host has already, of several libraries, become a catalog and a toolbox: nothing is believed of them. */
import { tool as langchainTool } from "@langchain/core/tools"
import { tool as aiTool, jsonSchema } from "ai"
import { compile } from "sequitur"
import { fromTools } from "sequitur/from-tools"
import { createGate } from "sequitur/gate"
import { createRunner, memory } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const policy = { name: "shop", version: "1" } as const
const order = z.object({ id: z.string() })
const who = { principal: { tenant: "acme", subject: "ada" }, session: "s", task: "t" }

const orderSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] } as const

const libraries = {
  "AI SDK": {
    find_order: aiTool({ description: "Find.", inputSchema: order, execute: async ({ id }) => ({ found: id }) }),
  },
  "AI SDK, by JSON Schema": {
    find_order: aiTool({
      description: "Find.",
      inputSchema: jsonSchema<{ id: string }>({
        type: "object",
        properties: { id: { type: "string" } },
        required: ["id"],
      }),
      execute: ({ id }) => ({ found: id }),
    }),
  },
  LangChain: [langchainTool(({ id }) => ({ found: id }), { name: "find_order", description: "Find.", schema: order })],
  "OpenAI, chat": [
    {
      type: "function",
      function: {
        name: "find_order",
        description: "Find.",
        parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      },
    },
  ],
  "OpenAI, responses": [
    {
      type: "function",
      name: "find_order",
      description: "Find.",
      strict: true,
      parameters: {
        type: "object",
        properties: { id: { type: "string" } },
        required: ["id"],
        additionalProperties: false,
      },
    },
  ],
  zod: { find_order: order.describe("Find.") },
  Anthropic: [{ name: "find_order", description: "Find.", input_schema: orderSchema }],
  "Bedrock's toolConfig": {
    tools: [{ toolSpec: { name: "find_order", description: "Find.", inputSchema: { json: orderSchema } } }],
  },
  Gemini: [
    {
      functionDeclarations: [
        {
          name: "find_order",
          description: "Find.",
          parameters: { type: "OBJECT", properties: { id: { type: "STRING" } }, required: ["id"] },
        },
      ],
    },
  ],
  "Gemini, by JSON Schema": {
    functionDeclarations: [{ name: "find_order", description: "Find.", parametersJsonSchema: orderSchema }],
  },
  "an MCP server's answer": { tools: [{ name: "find_order", description: "Find.", inputSchema: orderSchema }] },
}
const running = ["AI SDK", "AI SDK, by JSON Schema", "LangChain"]

describe.each(Object.entries(libraries))("%s", (library, existing) => {
  const bare = !running.includes(library)
  const handlers = bare ? { handlers: { find_order: (args: unknown) => ({ found: (args as { id: string }).id }) } } : {}

  test("a tool has an effect, and gives what is untrusted and private, until the policy says otherwise", () => {
    const { catalog, refused, unmapped } = fromTools(existing, { ...policy, ...handlers })
    expect(refused).toEqual([])
    expect(unmapped).toEqual(["find_order"])
    expect(catalog.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
    expect(catalog.tools.get("find_order")).toMatchObject({ effect: "write", mutates: true, description: "Find." })
    expect(catalog.spec.tools.find_order).toMatchObject({ untrusted: true, private: true })
    const tools = { find_order: { effect: "read", untrusted: ["/found"] } } as const
    const mapped = fromTools(existing, { ...policy, ...handlers, tools })
    expect(mapped.catalog.tools.get("find_order")?.effect).toBe("read")
    expect(mapped.unmapped).toEqual([])
  })

  test("its arguments are held to its schema, which is closed", () => {
    const { catalog } = fromTools(existing, { ...policy, ...handlers })
    const codes = (args: object) =>
      compile(catalog, JSON.stringify({ version: 1, steps: [{ id: "s", tool: "find_order", args }] })).diagnostics.map(
        ({ code }) => code,
      )
    expect(codes({ id: "A-1" })).toEqual([])
    expect(codes({ id: 1 })).toHaveLength(1)
    expect(codes({ id: "A-1", more: 1 })).toHaveLength(1)
    if (library !== "OpenAI, responses") expect(catalog.diagnostics).not.toEqual([])
  })

  test("what did the work does it", async () => {
    const { catalog, tools } = fromTools(existing, { ...policy, ...handlers })
    const compiled = compile(catalog, '{"version":1,"steps":[{"id":"s","tool":"find_order","args":{"id":"A-1"}}]}')
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
    const runner = createRunner({ catalog, tools, store: memory() })
    const who = { principal: { tenant: "acme", subject: "ada" }, sessionId: "s", taskId: "t" }
    const result = await runner.run(compiled.plan, who)
    expect(result.status).toBe("succeeded")
    expect(result.of("s", "find_order")).toEqual({ found: "A-1" })
    await runner.close()
  })
})

test("a tool that cannot be held is left out by name, with what and why; the others stay", () => {
  const { catalog, refused } = fromTools(
    {
      trims: z.object({ a: z.string().trim(), b: z.coerce.number(), c: z.string().default("x") }),
      "no name": order,
      idle: { description: "Does nothing.", inputSchema: order },
      odd: { description: "No schema.", execute: () => 1 },
      good: order,
    },
    { ...policy, handlers: { trims: () => 1, "no name": () => 1, good: () => 1 } },
  )
  expect([...catalog.tools.keys()]).toEqual(["good"])
  expect(refused.map(({ name }) => name)).toEqual(["trims", "no name", "idle", "odd"])
  const [trims, named, idle, odd] = refused.map(({ why }) => why.join("; "))
  for (const place of ["/a", "/b", "/c"]) expect(trims).toContain(place)
  expect(named).toContain("name")
  expect(idle).toContain("handlers")
  expect(odd).toContain("no schema")
})

test("a tool of Anthropic's SDK that runs itself does so, by arguments it has parsed", async () => {
  const ran: unknown[] = []
  const tool = {
    ...{ type: "custom", name: "find_order", description: "Find.", input_schema: orderSchema },
    parse: (args: unknown) => order.parse(args),
    run: (args: unknown) => {
      ran.push(args)
      return "found"
    },
  }
  const { catalog, tools } = fromTools([tool], policy)
  const gate = await createGate({ catalog, tools, store: memory(), mode: "observe", ...who })
  expect(await gate.call("find_order", { id: 1 }, { callId: "w" })).toMatchObject({ kind: "failed" })
  expect(await gate.call("find_order", { id: "A" }, { callId: "r" })).toMatchObject({ result: "found" })
  expect(ran).toEqual([{ id: "A" }])
  await gate.close()
})

test("where no tool is left, it says of each why", () => {
  expect(() => fromTools([{ name: "odd", description: "Odd." }], policy)).toThrow(/`odd`: .*`handlers`.*no schema/)
  expect(() => fromTools([{ name: "find", input_schema: orderSchema }], policy)).toThrow(/`find`: .*`handlers`/)
  expect(() => fromTools([], policy)).toThrow("no tools")
  expect(() => fromTools({}, policy)).toThrow("no tools")
})

describe("a tool whose library asks a person first", () => {
  const wipe = (needsApproval: unknown) => ({
    wipe: { description: "Wipe.", inputSchema: order, needsApproval, execute: () => ({ wiped: true }) },
  })

  test.each([
    ["always", true],
    ["by a function", () => false],
  ])("waits for one here, too (%s)", async (_, needs) => {
    const { catalog, tools, notices } = fromTools(wipe(needs), policy)
    expect(notices).toMatchObject([{ name: "wipe", notice: expect.stringContaining("needsApproval") }])
    const gate = await createGate({ catalog, tools, store: memory(), ...who })
    expect(await gate.call("wipe", { id: "A" }, { callId: "c" })).toMatchObject({ kind: "waiting" })
    await gate.leave()
  })

  test("keeps what the policy says of who may, and goes without only by the policy's word", () => {
    const roles = { authority: { roles: ["ops"] } }
    const kept = fromTools(wipe(true), { ...policy, tools: { wipe: roles } })
    expect(kept.catalog.tools.get("wipe")?.authority).toMatchObject({ roles: ["ops"], approval: "always" })
    const without = fromTools(wipe(true), { ...policy, tools: { wipe: { needsApproval: false } } })
    expect(without.catalog.tools.get("wipe")?.authority.approval).toBeUndefined()
    expect(without.notices).toEqual([])
    expect(fromTools(wipe(false), policy).notices).toEqual([])
  })
})

test("a policy for a tool that is not there is the host's mistake", () => {
  const give = (more: object) => () => fromTools({ good: order }, { ...policy, handlers: { good: () => 1 }, ...more })
  expect(give({ tools: { god: { effect: "read" } } })).toThrow("`god`")
  expect(give({ handlers: { god: () => 1 } })).toThrow("`god`")
  expect(() => fromTools(7 as never, policy)).toThrow(TypeError)
})

test("a tool that tells how far it is: its last word is the result", async () => {
  const existing = {
    count: {
      description: "Count.",
      inputSchema: z.strictObject({}),
      async *execute() {
        yield { n: 1 }
        yield { n: 2 }
      },
    },
  }
  const { catalog, tools } = fromTools(existing, { ...policy, tools: { count: { effect: "read" } } })
  const compiled = compile(catalog, '{"version":1,"steps":[{"id":"s","tool":"count","args":{}}]}')
  if (!compiled.ok) throw new Error("refused")
  const runner = createRunner({ catalog, tools, store: memory() })
  const who = { principal: { tenant: "acme", subject: "ada" }, sessionId: "s", taskId: "t" }
  expect((await runner.run(compiled.plan, who)).of("s", "count")).toEqual({ n: 2 })
  await runner.close()
})

test.each([
  ["zod", z.object({ ids: z.array(z.string()).min(1) })],
  [
    "JSON Schema with its own check",
    jsonSchema<{ ids: string[] }>(
      { type: "object", properties: { ids: { type: "array", items: { type: "string" } } }, required: ["ids"] },
      {
        validate: (value) => {
          const read = z.object({ ids: z.array(z.string()).min(1) }).safeParse(value)
          return read.success ? { success: true, value: read.data } : { success: false, error: read.error }
        },
      },
    ),
  ],
])(
  "while observing, `execute` gets what the AI SDK would have given it, and nothing else (%s)",
  async (_, inputSchema) => {
    const ran: unknown[] = []
    const execute = (args: unknown) => {
      ran.push(args)
      return { n: 1 }
    }
    const { catalog, tools } = fromTools({ del: { description: "Delete.", inputSchema, execute } }, policy)
    const gate = await createGate({ catalog, tools, store: memory(), mode: "observe", ...who })
    for (const [index, args] of [{ ids: [] }, { ids: "all" }, {}, '{"ids":[1]}'].entries())
      expect(await gate.call("del", args, { callId: `w${index}` })).toMatchObject({ kind: "failed", observed: true })
    expect(ran).toEqual([])
    expect(await gate.call("del", { ids: ["a"], more: 1 }, { callId: "r" })).toMatchObject({ kind: "accepted" })
    expect(ran).toEqual([{ ids: ["a"] }])
    await gate.close()
  },
)
