/** What a model is offered and told, and what a host is told of a provider's answer. */
import { AIMessage } from "@langchain/core/messages"
import { defineCatalog, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import * as langchain from "../../src/planner/adapters/langchain.ts"
import * as openaiChat from "../../src/planner/adapters/openai-chat.ts"
import { desk } from "./desk.ts"
import { providers } from "./providers.ts"

const message = [{ role: "user", content: "Plan." }] as const
const { signal } = new AbortController()

describe.each(providers.filter(({ name }) => name !== "langchain"))("$name", ({ handle, planner }) => {
  test.each([
    ["an object", { error: { type: "overloaded_error", message: "Overloaded, try later" } }],
    ["a text", { error: "Overloaded, try later" }],
    ["a message", { message: "Overloaded, try later" }],
  ])("the provider's reason of an answer that is an error is told: %s", async (_, body) => {
    expect(await handle(desk().gate, body)).toMatchObject({ ending: "failed", reason: "Overloaded, try later" })
    const plan = planner(async () => body)(message, { signal })
    await expect(plan).rejects.toMatchObject({ ending: "failed", reason: "Overloaded, try later" })
    await expect(plan).rejects.toThrow("Overloaded, try later")
  })

  test("where it says none, none is told", async () => {
    expect(await handle(desk().gate, {})).not.toHaveProperty("reason")
  })
})

describe("langchain", () => {
  const invalid = (args: string) =>
    new AIMessage({ content: "", invalid_tool_calls: [{ id: "a", name: "find", args }] })
  const told = async (args: string) => {
    const end = await langchain.handle(desk().gate, invalid(args))
    return { kinds: end.verdicts.map(({ kind }) => kind), text: JSON.stringify(end.messages.at(-1)) }
  }

  test("arguments that are no JSON are refused as such, and are a verdict", async () => {
    for (const args of ["{'name': 'Ada'}", '{"name":"Ada",}', "Ada"]) {
      const { kinds, text } = await told(args)
      expect(kinds).toEqual(["refused"])
      expect(text).not.toContain("cut short")
    }
  })

  test("arguments that stop in the middle are those of an answer that was cut short", async () => {
    const { kinds, text } = await told('{"name":"Ad')
    expect(kinds).toEqual([])
    expect(text).toContain("cut short")
  })
})

test("openai-chat: arguments that came as an object go back as what they say", async () => {
  const call = { id: "a", type: "function", function: { name: "find", arguments: { name: "Ada" } } }
  const response = { choices: [{ finish_reason: "tool_calls", message: { role: "assistant", tool_calls: [call] } }] }
  const { gate, made } = desk()
  const end = await openaiChat.handle(gate, response)
  expect(made).toEqual([{ tool: "find", args: { name: "Ada" } }])
  expect(end.messages[0]).toMatchObject({ tool_calls: [{ id: "a", function: { arguments: '{"name":"Ada"}' } }] })
})

describe("a format is told by its name and an example, and not by a pattern of kilobytes", () => {
  const json = { type: "object", properties: { at: { type: "string", format: "email" } }, required: ["at"] } as const
  const params = z.strictObject({
    at: z.iso.datetime(),
    minutes: z.iso.datetime({ precision: -1 }).describe("when it begins"),
    to: z.email(),
    own: z.email({ pattern: /^[a-z]+@acme\.test$/ }),
  })
  const catalog = defineCatalog({
    name: "office",
    version: "1",
    tools: {
      zod: tool({ description: "By zod.", effect: "read", params }),
      json: tool({ description: "By JSON Schema.", effect: "read", params: { ...json, additionalProperties: false } }),
    },
  })
  const [zod, other] = openaiChat.toolsFor(catalog).map((one) => one.function.parameters.properties as object)

  test("by zod, and by JSON Schema", () => {
    expect(zod).toMatchObject({
      at: { description: 'a string in the format "datetime", as "2026-01-31T09:30:00Z"' },
      minutes: { description: 'when it begins (a string in the format "datetime", as "2026-01-31T09:30Z")' },
      to: { description: 'a string in the format "email", as "ada@example.org"' },
      own: { description: 'a string in the format "email"' },
    })
    expect(other).toEqual({
      at: { type: "string", description: 'a string in the format "email", as "ada@example.org"' },
    })
    expect(JSON.stringify([zod, other]).length).toBeLessThan(800)
  })
})
