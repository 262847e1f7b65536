/**
 * The providers' own SDKs against a server on this machine that speaks their published shapes: tools go out, a response with calls
 * comes back and is handled, and the next request carries the answers. What types the SDKs ask for, tsc holds here.
 */

import { spawn } from "node:child_process"
import { createServer, type RequestListener, type Server } from "node:http"
import { createServer as createHttp2Server } from "node:http2"
import type { AddressInfo } from "node:net"
import Anthropic from "@anthropic-ai/sdk"
import { type Content, GoogleGenAI } from "@google/genai"
import { BaseChatModel } from "@langchain/core/language_models/chat_models"
import {
  AIMessage,
  AIMessageChunk,
  coerceMessageLikeToMessage,
  HumanMessage,
  type ToolMessage,
} from "@langchain/core/messages"
import { convertToOpenAITool } from "@langchain/core/utils/function_calling"
import { tool as aiTool, generateText, type ModelMessage, Output } from "ai"
import { MockLanguageModelV3 } from "ai/test"
import OpenAI from "openai"
import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import * as aiSdk from "../../src/planner/adapters/ai-sdk.ts"
import * as anthropic from "../../src/planner/adapters/anthropic.ts"
import * as gemini from "../../src/planner/adapters/gemini.ts"
import * as langchain from "../../src/planner/adapters/langchain.ts"
import * as openaiChat from "../../src/planner/adapters/openai-chat.ts"
import * as openaiResponses from "../../src/planner/adapters/openai-responses.ts"
import { planSchema } from "../../src/planner/index.ts"
import { desk, office } from "./desk.ts"
import { type ModelCall, providers } from "./providers.ts"

interface Heard {
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the SDK has sent
  readonly body: any
}

let server: { readonly close: () => unknown } | undefined
afterEach(() => server?.close())

type Create = (answer: RequestListener) => Server

/** Answers each request with the next of the responses. */
async function listen(
  responses: readonly object[],
  create: Create = createServer,
): Promise<{ readonly url: string; readonly heard: Heard[] }> {
  const heard: Heard[] = []
  const own = create((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      heard.push({ path: request.url ?? "", body: JSON.parse(Buffer.concat(chunks).toString() || "null") })
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(responses[heard.length - 1] ?? {}))
    })
  })
  server = own
  await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(own.address() as AddressInfo).port}`, heard }
}

const scripted = (name: string): readonly object[] => {
  const provider = providers.find((one) => one.name === name)
  if (provider === undefined) throw new Error(`no provider ${name}`)
  const args = (value: object) => (provider.text ? JSON.stringify(value) : value)
  const calls: ModelCall[] = [
    { id: "call_a", name: "find", args: args({ name: "Ada" }) },
    { id: "call_b", name: "mail_send_now", args: args({ to: "ada", text: "hello" }) },
  ]
  return [provider.respond(calls, ""), provider.respond([], "It is done."), provider.respond([], '{"version":1}')]
}

const { signal } = new AbortController()

test("openai: chat completions", async () => {
  const { url, heard } = await listen(scripted("openai-chat"))
  const client = new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 })
  const { gate, made } = desk()
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Write to Ada." }]
  const tools = openaiChat.toolsFor(office)
  for (let done = false; !done; ) {
    const response = await client.chat.completions.create({ model: "m", messages, tools })
    const end = await openaiChat.handle(gate, response)
    messages.push(...end.messages)
    done = end.done
  }
  expect(made).toEqual([{ tool: "find", args: { name: "Ada" } }])
  const [first, second] = heard
  expect(first?.body.tools.map((tool: OpenAI.ChatCompletionFunctionTool) => tool.function.name)).toEqual([
    "find",
    "mail_send_now",
  ])
  expect(first?.body.tools[0].function).toMatchObject({
    strict: false,
    parameters: {
      type: "object",
      properties: { name: { type: "string", description: "as it is written" }, limit: { type: "integer", maximum: 9 } },
      required: ["name"],
      additionalProperties: false,
    },
  })
  expect(second?.body.messages.map((message: { role: string }) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "tool",
  ])
  expect(second?.body.messages[3]).toMatchObject({ tool_call_id: "call_b" })
  expect(second?.body.messages[3].content).toContain("email")
  const plan = openaiChat.planner({
    send: (request, options) => client.chat.completions.create(request, options),
    model: "m",
    maxTokens: 99,
    schema: planSchema(office, { for: "openai" }),
  })
  expect((await plan([{ role: "user", content: "Plan." }], { signal })).text).toBe('{"version":1}')
  expect(heard[2]?.body).toMatchObject({
    max_completion_tokens: 99,
    response_format: { type: "json_schema", json_schema: { name: "plan", strict: true } },
  })
})

test("openai: responses", async () => {
  const { url, heard } = await listen(scripted("openai-responses"))
  const client = new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 })
  const { gate, made } = desk()
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Write to Ada." }]
  for (let done = false; !done; ) {
    const response = await client.responses.create({ model: "m", input, tools: openaiResponses.toolsFor(office) })
    const end = await openaiResponses.handle(gate, response)
    input.push(...end.messages)
    done = end.done
  }
  expect(made).toHaveLength(1)
  expect(heard[0]?.body.tools[1]).toMatchObject({ type: "function", name: "mail_send_now", strict: false })
  expect(heard[1]?.body.input.map((item: { type?: string }) => item.type)).toEqual([
    undefined,
    "reasoning",
    "function_call",
    "function_call",
    "function_call_output",
    "function_call_output",
  ])
  expect(heard[1]?.body.input[1]).toMatchObject({ encrypted_content: "gAAA" })
  const plan = openaiResponses.planner({
    send: (request, options) => client.responses.create(request, options),
    model: "m",
    schema: planSchema(office, { for: "openai" }),
  })
  expect((await plan([{ role: "user", content: "Plan." }], { signal })).text).toBe('{"version":1}')
  expect(heard[2]?.body.text.format).toMatchObject({ type: "json_schema", strict: true })
})

test("anthropic: messages", async () => {
  const { url, heard } = await listen(scripted("anthropic"))
  const client = new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0 })
  const { gate, made } = desk()
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Write to Ada." }]
  for (let done = false; !done; ) {
    const tools = anthropic.toolsFor(office)
    const response = await client.messages.create({ model: "m", max_tokens: 99, messages, tools })
    const end = await anthropic.handle(gate, response)
    messages.push(...end.messages)
    done = end.done
  }
  expect(made).toHaveLength(1)
  expect(heard[0]?.body.tools[1]).toMatchObject({ name: "mail_send_now", input_schema: { type: "object" } })
  expect(heard[1]?.body.messages.map((message: { role: string }) => message.role)).toEqual([
    "user",
    "assistant",
    "user",
  ])
  expect(heard[1]?.body.messages[1].content[0]).toEqual({ type: "thinking", thinking: "hm", signature: "c2ln" })
  expect(heard[1]?.body.messages[2].content).toMatchObject([
    { type: "tool_result", tool_use_id: "call_a", is_error: false },
    { type: "tool_result", tool_use_id: "call_b", is_error: true },
  ])
  const plan = anthropic.planner({
    send: (request, options) => client.messages.create(request, options),
    model: "m",
    schema: planSchema(office, { for: "anthropic" }),
  })
  const asked = [
    { role: "system", content: "You plan." },
    { role: "user", content: "Plan." },
  ] as const
  expect(await plan(asked, { signal })).toEqual({ text: '{"version":1}', usage: { inputTokens: 7, outputTokens: 5 } })
  expect(heard[2]?.body).toMatchObject({ system: "You plan.", output_config: { format: { type: "json_schema" } } })
})

test("anthropic: a call of the host's toolset is none of the catalog's, by whatever name", async () => {
  const { gate, made, proposed } = desk()
  const caller = { type: "direct" } as const
  const use = { type: "tool_use", caller, name: "find" } as const
  const content = [
    { ...use, id: "call_a", input: { text: "Ada" }, toolset_name: "browser" },
    { ...use, id: "call_b", input: { name: "Ada" }, toolset_name: null },
  ] satisfies Anthropic.ToolsetToolUseBlock[]
  const end = await anthropic.handle(gate, { id: "m", content, stop_reason: "tool_use" as const })
  expect(proposed.map(({ callId }) => callId)).toEqual(["call_b"])
  expect(made).toHaveLength(1)
  expect([end.done, end.left]).toEqual([false, [content[0]]])
  expect(end.messages).toMatchObject([
    { role: "assistant", content },
    { role: "user", content: [{ tool_use_id: "call_b" }] },
  ])
  const alone = await anthropic.handle(gate, {
    id: "n",
    content: content.slice(0, 1),
    stop_reason: "tool_use" as const,
  })
  expect([alone.done, alone.ending, alone.messages.length]).toEqual([false, "calls", 1])
})

/** In a process of its own: under vitest's conditions Node cannot load this SDK. */
test("bedrock: converse", async () => {
  const forced = { toolUse: { toolUseId: "t1", name: "plan", input: { version: 1, steps: [] } } }
  const responses = [
    ...scripted("bedrock"),
    ...scripted("bedrock").slice(2),
    { output: { message: { role: "assistant", content: [{ text: "Here:" }, forced] } }, stopReason: "tool_use" },
  ]
  const { url, heard } = await listen(responses, createHttp2Server as never)
  const child = spawn(process.execPath, ["--conditions=@sequitur/source", "test/adapters/converse.ts", url], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(String(chunk)))
  await new Promise((resolve) => child.on("close", resolve))
  expect(JSON.parse(said.join(""))).toEqual({
    made: 1,
    plans: ['{"version":1}', '{"version":1}', '{"version":1,"steps":[]}'],
  })
  const { schema } = planSchema(office, { for: "anthropic" })
  expect(heard[3]?.body.outputConfig.textFormat).toMatchObject({
    type: "json_schema",
    structure: { jsonSchema: { name: "plan" } },
  })
  expect(JSON.parse(heard[3]?.body.outputConfig.textFormat.structure.jsonSchema.schema)).toEqual(schema)
  expect(heard[4]?.body.outputConfig).toBeUndefined()
  expect(heard[4]?.body.toolConfig).toMatchObject({
    tools: [{ toolSpec: { name: "plan", inputSchema: { json: schema } } }],
    toolChoice: { tool: { name: "plan" } },
  })
  expect(heard[0]?.body.toolConfig.tools[1].toolSpec).toMatchObject({
    name: "mail_send_now",
    inputSchema: { json: { type: "object", required: ["to", "text"] } },
  })
  expect(Object.keys(heard[0]?.body.toolConfig.tools[0].toolSpec.inputSchema.json)).toEqual([
    "type",
    "properties",
    "required",
  ])
  expect(heard[1]?.body.messages[2]).toMatchObject({
    role: "user",
    content: [
      { toolResult: { toolUseId: "call_a", status: "success" } },
      { toolResult: { toolUseId: "call_b", status: "error" } },
    ],
  })
})

test("gemini: generateContent", async () => {
  const { url, heard } = await listen(scripted("gemini"))
  const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url } })
  const { gate, made } = desk()
  const contents: Content[] = [{ role: "user", parts: [{ text: "Write to Ada." }] }]
  for (let done = false; !done; ) {
    const config = { tools: gemini.toolsFor(office) }
    const response = await client.models.generateContent({ model: "m", contents, config })
    const end = await gemini.handle(gate, response)
    contents.push(...end.messages)
    done = end.done
  }
  expect(made).toHaveLength(1)
  const [declared] = heard[0]?.body.tools ?? []
  expect(declared.functionDeclarations[1]).toMatchObject({ name: "mail_send_now" })
  expect(declared.functionDeclarations[0].parametersJsonSchema).toMatchObject({ required: ["name"] })
  expect(heard[1]?.body.contents[1].parts[0]).toMatchObject({ thoughtSignature: "c2ln" })
  expect(heard[1]?.body.contents[2].parts).toMatchObject([
    { functionResponse: { id: "call_a", name: "find", response: { output: '{"tool":"find","args":{"name":"Ada"}}' } } },
    { functionResponse: { id: "call_b", name: "mail_send_now" } },
  ])
  const plan = gemini.planner({
    send: (request) => client.models.generateContent(request),
    model: "m",
    schema: planSchema(office, { for: "gemini" }),
  })
  expect(await plan([{ role: "user", content: "Plan." }], { signal })).toMatchObject({
    text: '{"version":1}',
    usage: { inputTokens: 7, outputTokens: 5 },
  })
  expect(heard[2]?.body.generationConfig).toMatchObject({ responseMimeType: "application/json" })
})

test("the AI SDK: generateText", async () => {
  const usage = {
    inputTokens: { total: 7, noCache: 7, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 5, text: 5, reasoning: undefined },
  }
  const answer = (content: object[], finishReason: "tool-calls" | "stop") =>
    ({ content, finishReason: { unified: finishReason, raw: undefined }, usage, warnings: [] }) as never
  const call = (toolCallId: string, toolName: string, input: string) => ({
    type: "tool-call",
    toolCallId,
    toolName,
    input,
  })
  const calls = [
    call("call_a", "find", '{"name":"Ada"}'),
    call("call_b", "mail_send_now", '{"to":"ada","text":"x"}'),
    call("call_c", "find", '{"name":'),
  ]
  const model = new MockLanguageModelV3({
    doGenerate: [
      answer(calls, "tool-calls"),
      answer([{ type: "text", text: "It is done." }], "stop"),
      answer([{ type: "text", text: '{"version":1}' }], "stop"),
    ],
  })
  const { gate, made, proposed } = desk()
  const messages: ModelMessage[] = [{ role: "user", content: "Write to Ada." }]
  for (let done = false; !done; ) {
    const result = await generateText({ model, messages, tools: aiSdk.toolsFor(office) })
    const end = await aiSdk.handle(gate, result)
    messages.push(...end.messages)
    done = end.done
  }
  // What is no JSON the SDK has answered itself, and the gate has judged: the model is told once, by the gate.
  expect(proposed.map(({ callId }) => callId)).toEqual(["call_a", "call_b", "call_c"])
  expect(made).toHaveLength(1)
  const [first, second] = model.doGenerateCalls
  expect(first?.tools).toMatchObject([
    { name: "find", inputSchema: { properties: { name: { type: "string" } }, required: ["name"] } },
    { name: "mail_send_now" },
  ])
  const told = (second?.prompt ?? [])
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content as object[])
  expect(told.map((part) => Reflect.get(part, "toolCallId")).toSorted()).toEqual(["call_a", "call_b", "call_c"])
  expect(JSON.stringify(told.find((part) => Reflect.get(part, "toolCallId") === "call_c"))).toContain("was refused")
  const plan = aiSdk.planner({ send: (request) => generateText({ model, ...request }) })
  expect(await plan([{ role: "user", content: "Plan." }], { signal })).toEqual({
    text: '{"version":1}',
    usage: { inputTokens: 7, outputTokens: 5 },
  })
})

describe("the AI SDK: a turn whose only call it has answered itself", () => {
  const usage = {
    inputTokens: { total: 7, noCache: 7, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 5, text: 5, reasoning: undefined },
  }
  const ask = (toolName: string, input: string) => {
    const content = [{ type: "tool-call" as const, toolCallId: "call_a", toolName, input }]
    const model = new MockLanguageModelV3({
      doGenerate: { content, finishReason: { unified: "tool-calls", raw: undefined }, usage, warnings: [] },
    })
    const own = aiTool({ inputSchema: z.object({ n: z.number() }), execute: ({ n }) => ({ n }) })
    return generateText({ model, prompt: "Find Ada.", tools: { ...aiSdk.toolsFor(office), own } })
  }
  const partsOf = (messages: readonly object[]) =>
    messages.filter((one) => Reflect.get(one, "role") === "tool").flatMap((one) => Reflect.get(one, "content"))

  test.each([
    ["arguments that are no JSON", "find", '{"name":'],
    ["a tool that is not there", "fnd", '{"name":"Ada"}'],
  ])("is a refusal, and the model is asked again: %s", async (_, tool, input) => {
    const { gate, made, proposed } = desk()
    const end = await aiSdk.handle(gate, await ask(tool, input))
    expect(end).toMatchObject({ done: false, ending: "calls", verdicts: [{ kind: "refused", callId: "call_a", tool }] })
    expect(proposed).toHaveLength(1)
    expect(made).toEqual([])
    expect(partsOf(end.messages)).toEqual([
      expect.objectContaining({ toolCallId: "call_a", output: { type: "error-text", value: expect.any(String) } }),
    ])
  })

  test.each([
    ["made", '{"n":1}'],
    ["refused by its own schema", '{"n":"one"}'],
  ])("of a tool of the host's is left as it is, and not the end: %s", async (_, input) => {
    const { gate, proposed } = desk()
    const result = await ask("own", input)
    const end = await aiSdk.handle(gate, result)
    expect(end).toMatchObject({ done: false, ending: "calls", verdicts: [] })
    expect(end.messages).toEqual(result.response.messages)
    expect(proposed).toEqual([])
  })
})

test("the AI SDK: a plan held to a schema", async () => {
  const usage = { inputTokens: { total: 7 }, outputTokens: { total: 5 } }
  const answer = (text: string, unified: string) =>
    ({ content: [{ type: "text", text }], finishReason: { unified, raw: undefined }, usage, warnings: [] }) as never
  const model = new MockLanguageModelV3({
    doGenerate: [
      answer('{"version":1,"goal":null}', "stop"),
      answer("I would rather not.", "stop"),
      answer('{"version":1,"st', "length"),
    ],
  })
  const schema = planSchema(office, { for: "openai" })
  const plan = aiSdk.planner({
    schema,
    send: (request, { schema }) =>
      generateText({ model, ...request, output: Output.object({ schema, name: "plan" }), maxRetries: 0 }),
  })
  const told = { inputTokens: 7, outputTokens: 5 }
  const ask = () => plan([{ role: "user", content: "Plan." }], { signal })
  expect(await ask()).toEqual({ text: '{"version":1,"goal":null}', usage: told })
  expect(model.doGenerateCalls[0]?.responseFormat).toMatchObject({ type: "json", name: "plan", schema: schema.schema })
  // What the SDK throws away as no object is what the model said, all the same.
  expect(await ask()).toEqual({ text: "I would rather not.", usage: told })
  expect(await ask()).toEqual({ text: '{"version":1,"st', usage: told })
  // What it has not said is the host's to hear of.
  await expect(ask()).rejects.toThrow()
})

class Scripted extends BaseChatModel {
  readonly heard: unknown[] = []
  readonly answers: AIMessageChunk[]
  constructor(answers: AIMessageChunk[]) {
    super({ maxRetries: 0 })
    this.answers = answers
  }
  _llmType() {
    return "scripted"
  }
  override bindTools(tools: object[]) {
    this.heard.push(...tools)
    return this as never
  }
  async _generate() {
    const message = this.answers.shift() ?? new AIMessageChunk("")
    return { generations: [{ text: "", message }] }
  }
}

test("LangChain: a plan held to a schema", async () => {
  const call = (args: object, response_metadata: object) =>
    Object.assign(
      new AIMessageChunk({
        content: "Here:",
        tool_calls: [{ type: "tool_call", id: "c", name: "plan", args: args as Record<string, unknown> }],
        response_metadata,
      }),
      { usage_metadata: { input_tokens: 7, output_tokens: 5, total_tokens: 12 } },
    )
  const model = new Scripted([
    call({ version: 1, steps: [] }, { finish_reason: "tool_calls" }),
    call({ version: 1, steps: [] }, { finish_reason: "length" }),
    new AIMessageChunk("I would rather not."),
    call({ version: 1, steps: [] }, {}),
  ])
  const schema = planSchema(office, { for: "openai" })
  const plan = langchain.planner({
    schema,
    send: (messages, { signal, schema }) =>
      model.withStructuredOutput(schema, { name: "plan", includeRaw: true }).invoke(messages, { signal }),
  })
  const ask = () => plan([{ role: "user", content: "Plan." }], { signal })
  expect(await ask()).toEqual({ text: '{"version":1,"steps":[]}', usage: { inputTokens: 7, outputTokens: 5 } })
  expect(model.heard[0]).toMatchObject({ function: { name: "plan", parameters: schema.schema } })
  // LangChain completes what was cut off: that plan the model has not written.
  expect((await ask()).text).toBe("Here:")
  expect((await ask()).text).toBe("I would rather not.")
  const bare = langchain.planner({
    schema,
    send: (messages, { schema }) => model.withStructuredOutput(schema, { name: "plan" }).invoke(messages),
  })
  expect(await bare([{ role: "user", content: "Plan." }], { signal })).toEqual({
    text: '{"version":1,"steps":[]}',
    usage: {},
  })
})

test("LangChain: its messages", async () => {
  const { gate, made } = desk()
  expect(langchain.toolsFor(office).map((tool) => convertToOpenAITool(tool).function.name)).toEqual([
    "find",
    "mail_send_now",
  ])
  const message = new AIMessage({
    content: "I look.",
    tool_calls: [{ type: "tool_call", id: "call_a", name: "find", args: { name: "Ada" } }],
    invalid_tool_calls: [
      { type: "invalid_tool_call", id: "call_b", name: "find", args: "{", error: "Malformed args." },
    ],
    additional_kwargs: { signature: "c2ln" },
    response_metadata: { finish_reason: "tool_calls" },
  })
  const end = await langchain.handle(gate, message)
  const spoken = end.messages.map(coerceMessageLikeToMessage)
  expect(spoken.map((one) => one.type)).toEqual(["ai", "tool", "tool"])
  const [said, ...told] = spoken
  expect((said as AIMessage).tool_calls?.map(({ id }) => id)).toEqual(["call_a", "call_b"])
  expect(said?.additional_kwargs).toMatchObject({ signature: "c2ln" })
  expect(told.map((one) => (one as ToolMessage).tool_call_id)).toEqual(["call_a", "call_b"])
  expect(told.map((one) => (one as ToolMessage).status)).toEqual(["success", "error"])
  expect(made).toHaveLength(1)
  // As it came, where nothing had to be written anew.
  const plain = new AIMessage({ content: "", tool_calls: [{ id: "call_c", name: "find", args: { name: "Eve" } }] })
  expect((await langchain.handle(gate, plain)).messages[0]).toBe(plain)
  const plan = langchain.planner({
    send: async (messages) => {
      expect(messages.map(coerceMessageLikeToMessage)[0]).toBeInstanceOf(HumanMessage)
      const usage_metadata = { input_tokens: 7, output_tokens: 5, total_tokens: 12 }
      return Object.assign(new AIMessage('{"version":1}'), { usage_metadata })
    },
  })
  expect(await plan([{ role: "user", content: "Plan." }], { signal })).toEqual({
    text: '{"version":1}',
    usage: { inputTokens: 7, outputTokens: 5 },
  })
})

const streamed = (args: string, ending: object) =>
  ["", args]
    .reduce(
      (message, args, index) =>
        message.concat(
          new AIMessageChunk({
            content: "",
            tool_call_chunks: [
              { type: "tool_call_chunk", index: 0, args, ...(index === 0 ? { id: "c1", name: "find" } : {}) },
            ],
          }),
        ),
      new AIMessageChunk({ content: "", id: "m" }),
    )
    .concat(new AIMessageChunk({ content: "", ...ending }))

test.each([
  ["Anthropic's stream", { additional_kwargs: { stop_reason: "max_tokens" } }],
  ["Bedrock's stream", { response_metadata: { messageStop: { stopReason: "max_tokens" } } }],
  ["nothing but what was completed", {}],
])("LangChain: of a turn that was cut short nothing is made, by %s", async (_, ending) => {
  const { gate, made } = desk()
  const message = streamed('{"name":"Ada"', ending)
  expect(message.tool_calls?.[0]?.args).toEqual({ name: "Ada" })
  const end = await langchain.handle(gate, message)
  expect([end.ending, end.done, made]).toEqual(["cut-short", false, []])
  expect(end.messages[1]).toMatchObject({ tool_call_id: "c1", content: expect.stringMatching(/^Not made/) })
})

test("LangChain: a whole stream is made", async () => {
  const { gate, made } = desk()
  const whole = streamed('{"name":"Ada"}', { additional_kwargs: { stop_reason: "tool_use" } })
  expect((await langchain.handle(gate, whole)).ending).toBe("calls")
  expect(made).toHaveLength(1)
})
