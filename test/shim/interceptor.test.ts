/** What the interceptor of old promised, on our engine; and what it did wrong, done right. */

import { handle as handleAnthropic } from "sequitur/adapters/anthropic"
import { handle as handleOpenAI } from "sequitur/adapters/openai-chat"
import { handle as handleResponses } from "sequitur/adapters/openai-responses"
import type { Told } from "sequitur/gate"
import { describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { createInterceptor, type Interceptor, type InterceptorOptions } from "./interceptor.ts"

const pay = z.strictObject({ account: z.string(), cents: z.int().min(1), memo: z.strictObject({ text: z.string() }) })
const right = { account: "a", cents: 5, memo: { text: "m" } }

interface Desk {
  readonly interceptor: Interceptor
  readonly made: unknown[]
  readonly outside: { fails: string | undefined; stock: boolean | string }
  readonly call: (id: string, args?: unknown, name?: string) => ReturnType<Interceptor["intercept"]>
}

function desk(options: InterceptorOptions = {}): Desk {
  const made: unknown[] = []
  const outside: Desk["outside"] = { fails: undefined, stock: true }
  const interceptor = createInterceptor(options)
  interceptor.registerTool({
    name: "pay",
    schema: pay,
    handler: (args) => {
      made.push(args)
      if (outside.fails !== undefined) throw new Error(outside.fails)
      return { paid: made.length }
    },
  })
  interceptor.registerTool({
    name: "reserve",
    schema: z.strictObject({ item: z.string() }),
    validate: async () => outside.stock,
    handler: (args) => {
      made.push(args)
      return { reserved: true }
    },
  })
  const call: Desk["call"] = (id, args = right, name = "pay") => interceptor.intercept({ id, name, arguments: args })
  return { interceptor, made, outside, call }
}

describe("a call", () => {
  test("that is right is made, and gives its result", async () => {
    const { call, made } = desk()
    expect(await call("1")).toEqual({ ok: true, result: { paid: 1 } })
    expect(await call("2", JSON.stringify(right))).toEqual({ ok: true, result: { paid: 2 } })
    expect(made).toEqual([right, right])
  })

  test("of an unknown tool is told with the name that was meant, and nothing throws", async () => {
    const { call, made } = desk()
    const answer = await call("1", right, "pya")
    expect(answer).toMatchObject({ ok: false, reason: "validation" })
    expect(answer).toHaveProperty("message", expect.stringMatching(/SEQ108.*pya.*pay/s))
    expect(made).toEqual([])
  })

  test("that breaks its schema is told every field at once", async () => {
    const { call, made } = desk()
    const answer = await call("1", { account: 7, cents: 0, memo: { txt: "m" }, extra: true })
    expect(answer).toMatchObject({ ok: false, reason: "validation" })
    const { message } = answer as { message: string }
    for (const at of ["/args/account", "/args/cents", "/args/memo/txt", "/args/memo", "/args/extra"])
      expect(message).toContain(`"${at}"`)
    expect(message).toContain("must be a string, but is 7")
    expect(made).toEqual([])
  })

  test("that a tool's own validation refuses was not made, and counts as a failure", async () => {
    const { call, made, outside } = desk({ maxConsecutiveFailures: 2 })
    outside.stock = "none left"
    const item = { item: "x" }
    const first = await call("1", item, "reserve")
    expect(first).toMatchObject({ ok: false, reason: "validation" })
    expect(first).toHaveProperty("message", expect.stringContaining("none left"))
    expect(await call("2", item, "reserve")).toMatchObject({ reason: "validation" })
    expect(await call("3", item, "reserve")).toMatchObject({ reason: "circuit-open" })
    expect(made).toEqual([])
  })
})

describe("the breaker", () => {
  test("opens at N, for that tool alone, and is reset", async () => {
    const { call, interceptor, outside, made } = desk({ maxConsecutiveFailures: 3 })
    outside.fails = "down"
    const reasons: unknown[] = []
    for (const id of ["1", "2", "3", "4"]) reasons.push((await call(id)).ok || (await call(id)))
    expect(reasons).toMatchObject([
      { reason: "handler-failure" },
      { reason: "handler-failure" },
      { reason: "handler-failure" },
      { reason: "circuit-open" },
    ])
    expect(made).toHaveLength(3)
    outside.fails = undefined
    expect(await call("5")).toMatchObject({ reason: "circuit-open" })
    await interceptor.reset("pay")
    expect(await call("6")).toMatchObject({ ok: true })
  })

  test("resets them all", async () => {
    const { call, interceptor } = desk({ maxConsecutiveFailures: 1 })
    await call("1", {})
    expect(await call("2")).toMatchObject({ reason: "circuit-open" })
    await interceptor.reset()
    expect(await call("3")).toMatchObject({ ok: true })
  })

  test("counts wrong arguments and failures together, and a success sets it back", async () => {
    const { call, outside } = desk({ maxConsecutiveFailures: 3 })
    outside.fails = "down"
    await call("1")
    await call("2", {})
    outside.fails = undefined
    expect(await call("3")).toMatchObject({ ok: true })
    await call("4", {})
    await call("5", {})
    expect(await call("6")).toMatchObject({ ok: true })
    for (const id of ["7", "8", "9"]) expect(await call(id, {})).toMatchObject({ reason: "validation" })
    expect(await call("10")).toMatchObject({ reason: "circuit-open" })
  })

  test("0 turns it off", async () => {
    const { call } = desk({ maxConsecutiveFailures: 0 })
    for (let index = 0; index < 20; index++) expect(await call(`${index}`, {})).toMatchObject({ reason: "validation" })
    expect(await call("last")).toMatchObject({ ok: true })
  })
})

test("hooks hear what became of each call, and why", async () => {
  const heard: string[] = []
  const hear =
    (name: string) =>
    ({ callId, tool, reason }: Told): unknown =>
      heard.push([name, callId, tool, reason ?? ""].join(" ").trim())
  const hooks = { onAccepted: hear("accepted"), onRefused: hear("refused"), onFailed: hear("failed") }
  const { call, outside } = desk({ maxConsecutiveFailures: 2, hooks })
  await call("1")
  await call("2", { account: 7 })
  outside.fails = "down"
  await call("3")
  await call("4")
  await vi.waitFor(() =>
    expect(heard).toEqual([
      "accepted 1 pay",
      "refused 2 pay validation",
      "failed 3 pay handler-failure",
      "refused 4 pay circuit-open",
    ]),
  )
})

describe("a response with several calls", () => {
  const asked = [
    { id: "c1", name: "pay", args: right },
    { id: "c2", name: "pay", args: { account: 7 } },
    { id: "c3", name: "nothing", args: {} },
    { id: "c4", name: "reserve", args: { item: "x" } },
  ]

  test("OpenAI, chat completions: each is answered by its tool_call_id, broken arguments too", async () => {
    const { interceptor, made } = desk()
    const calls = asked.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: id === "c2" ? '{"account": ' : JSON.stringify(args) },
    }))
    const message = { role: "assistant", content: null, tool_calls: calls }
    const { messages, verdicts } = await interceptor.handle(handleOpenAI, {
      choices: [{ finish_reason: "tool_calls", message }],
    })
    expect(verdicts.map(({ kind }) => kind)).toEqual(["accepted", "refused", "refused", "accepted"])
    expect(messages.slice(1)).toMatchObject(asked.map(({ id }) => ({ role: "tool", tool_call_id: id })))
    expect(made).toEqual([right, { item: "x" }])
  })

  test("OpenAI, responses: each is answered by its call_id", async () => {
    const { interceptor, made } = desk()
    const output = asked.map(({ id, name, args }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(args),
      status: "completed",
    }))
    const { messages, verdicts } = await interceptor.handle(handleResponses, { id: "r", status: "completed", output })
    expect(verdicts.map(({ kind }) => kind)).toEqual(["accepted", "refused", "refused", "accepted"])
    const answers = messages.filter((one) => (one as { type?: string }).type === "function_call_output")
    expect(answers).toMatchObject(asked.map(({ id }) => ({ call_id: id })))
    expect(made).toEqual([right, { item: "x" }])
  })

  test("Anthropic: one user turn answers them all", async () => {
    const { interceptor, made } = desk()
    const content = asked.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }))
    const response = { id: "m", type: "message", role: "assistant", stop_reason: "tool_use", content }
    const { messages, verdicts } = await interceptor.handle(handleAnthropic, response)
    expect(verdicts.map(({ kind }) => kind)).toEqual(["accepted", "refused", "refused", "accepted"])
    expect(messages).toHaveLength(2)
    expect(messages[1]).toMatchObject({
      role: "user",
      content: asked.map(({ id }) => ({ type: "tool_result", tool_use_id: id })),
    })
    expect(made).toEqual([right, { item: "x" }])
  })
})

describe("what it did wrong", () => {
  test("unknown fields are told, and not stripped", async () => {
    const { call, made } = desk()
    expect(await call("1", { ...right, dry_run: true })).toMatchObject({ reason: "validation" })
    expect(made).toEqual([])
  })

  test("the same call id is one call", async () => {
    const { call, made } = desk()
    expect(await Promise.all([call("1"), call("1")])).toEqual([
      { ok: true, result: { paid: 1 } },
      { ok: true, result: { paid: 1 } },
    ])
    expect(await call("1", { ...right, cents: 6 })).toMatchObject({ reason: "call-id-reused" })
    expect(made).toHaveLength(1)
  })

  test("a hook that throws is no failure of the tool", async () => {
    const { call } = desk({
      maxConsecutiveFailures: 1,
      hooks: {
        onAccepted: () => {
          throw new Error("telemetry")
        },
      },
    })
    expect(await call("1")).toMatchObject({ ok: true })
    expect(await call("2")).toMatchObject({ ok: true })
  })

  test("ten calls at once do not walk past the breaker", async () => {
    const { call, outside, made } = desk({ maxConsecutiveFailures: 3 })
    outside.fails = "down"
    await Promise.all(Array.from({ length: 10 }, (_, index) => call(`${index}`)))
    expect(made).toHaveLength(3)
  })

  test("a tool that never answers ends", async () => {
    const interceptor = createInterceptor()
    const schema = z.strictObject({})
    interceptor.registerTool({ name: "hang", schema, timeoutMs: 50, handler: () => new Promise(() => {}) })
    expect(await interceptor.intercept({ id: "1", name: "hang", arguments: {} })).toMatchObject({ ok: false })
  })
})
