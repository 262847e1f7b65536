/** What holds of every adapter: calls go to the gate, and each is answered once, in order, whatever became of it. */
import { describe, expect, test } from "vitest"
import { NoAnswer } from "../../src/planner/adapters/ask.ts"
import type { Ending } from "../../src/planner/adapters/turn.ts"
import { desk, yes } from "./desk.ts"
import { providers } from "./providers.ts"

describe.each(providers)("$name", ({ handle, respond, said, told, text, planner, ordered, name }) => {
  const args = (value: object) => (text ? JSON.stringify(value) : value)
  const find = (id: unknown, who: string) => ({ id, name: "find", args: args({ name: who }) })
  const send = (id: string) => ({ id, name: "mail_send_now", args: args({ to: "ada@example.org", text: "hello" }) })

  test("parallel calls are made, by the catalog's names, and answered in order", async () => {
    const { gate, made, proposed } = desk()
    const end = await handle(gate, respond([find("a1", "Ada"), send("a2")], "I look."))
    expect(proposed.map(({ callId, tool }) => [callId, tool])).toEqual([
      ["a1", "find"],
      ["a2", "mail/send.now"],
    ])
    expect(made).toHaveLength(2)
    expect(end).toMatchObject({ done: false, text: "I look.", ending: "calls" })
    expect(end.verdicts.map(({ kind }) => kind)).toEqual(["accepted", "accepted"])
    expect(said(end.messages).map(({ id }) => id)).toEqual(["a1", "a2"])
    expect(told(end.messages).map(({ id }) => id)).toEqual(["a1", "a2"])
    expect(String(told(end.messages)[1]?.text)).toContain("ada@example.org")
  })

  test("what the model said goes back as it came", async () => {
    const response = respond([find("a1", "Ada")], "I look.")
    const before = JSON.stringify(response)
    const { messages } = await handle(desk().gate, response)
    expect(JSON.stringify(response)).toBe(before)
    // Each part of it, signatures and all, is in what goes back.
    const back = JSON.stringify(messages)
    for (const part of ["c2ln", "gAAA", '"refusal":null'].filter((part) => before.includes(part)))
      expect(back).toContain(part)
  })

  test("a refused call, an unknown tool and a right call in one turn: each is told its own", async () => {
    const { gate, made } = desk()
    const calls = [find("a1", "Ada"), { id: "a2", name: "finde", args: args({}) }, find("a3", "Eve")]
    const wrong = { id: "a4", name: "find", args: args({ name: 5, nmae: "x" }) }
    const { messages, verdicts } = await handle(gate, respond([...calls, wrong], ""))
    expect(verdicts.map(({ kind }) => kind)).toEqual(["accepted", "refused", "accepted", "refused"])
    expect(made).toHaveLength(2)
    const answers = told(messages)
    expect(answers.map(({ id }) => id)).toEqual(["a1", "a2", "a3", "a4"])
    expect(answers[1]?.text).toContain("finde")
    expect(answers[3]?.text).toContain("nmae")
  })

  test.runIf(text)("arguments that are no JSON are refused and answered, and the calls beside them made", async () => {
    const { gate, made } = desk()
    const broken = ["{", "", '{"name": "Ada",}', "{'name': 'Ada'}", '{"name":"a","name":"b"}', "null", "[]"]
    const calls = broken.map((args, index) => ({ id: `b${index}`, name: "find", args }))
    const { messages, verdicts } = await handle(gate, respond([...calls, find("a1", "Ada")], ""))
    expect(verdicts.map(({ kind }) => kind)).toEqual([...broken.map(() => "refused"), "accepted"])
    expect(told(messages).map(({ id }) => id)).toEqual([...calls.map(({ id }) => id), "a1"])
    expect(made).toHaveLength(1)
  })

  test.runIf(!text)("a text in place of arguments is not read as JSON", async () => {
    const { gate, made } = desk()
    const call = { id: "a1", name: "find", args: '{"name":"Ada"}' }
    const { messages, verdicts } = await handle(gate, respond([call], ""))
    expect(verdicts).toMatchObject([{ kind: "refused" }])
    expect(made).toEqual([])
    expect(told(messages)).toHaveLength(1)
  })

  test("an id that stands twice is told, and never run twice; what goes back has two ids", async () => {
    const { gate, made } = desk()
    const { messages } = await handle(gate, respond([find("a1", "Ada"), find("a1", "Ada"), find("a2", "Eve")], ""))
    expect(made.map(({ args }) => args)).toEqual([{ name: "Ada" }, { name: "Eve" }])
    const ids = said(messages).map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
    expect(told(messages).map(({ id }) => id)).toEqual(ids)
    expect(told(messages)[1]?.text).toContain("same answer")
  })

  test.each([
    ["missing", undefined],
    ["empty", ""],
    ["no text", 7],
    ["a page long", "x".repeat(9_000)],
  ])("calls whose ids are %s are made, each answered once", async (_, id) => {
    const { gate, made, proposed } = desk()
    const response = respond([find(id, "Ada"), find(id, "Eve")], "")
    const { messages } = await handle(gate, response)
    expect(made).toHaveLength(2)
    expect(new Set(proposed.map(({ callId }) => callId)).size).toBe(2)
    expect(told(messages).map((answer) => answer.id)).toEqual(said(messages).map((call) => call.id))
    if (ordered !== true) expect(new Set(said(messages).map((call) => call.id)).size).toBe(2)
    // The same answer again is the same calls again: nothing is made twice.
    const again = await handle(gate, response)
    expect(again.verdicts.map((one) => one.kind === "accepted" && one.replayed)).toEqual([true, true])
    expect(made).toHaveLength(2)
  })

  test("an answer without any id of its own, handled again, is the same calls; another is not", async () => {
    const { gate, made } = desk()
    const without = (value: unknown): object => {
      const kept = Object.entries(value as object).filter(([key]) => !["id", "responseId", "$metadata"].includes(key))
      return Object.fromEntries(kept)
    }
    const bare = (who: string, text: string): object => {
      const rest = without(respond([find(undefined, who)], text))
      return "response" in rest ? { ...rest, response: without(rest.response) } : rest
    }
    for (const again of [false, true]) {
      const { verdicts } = await handle(gate, bare("Ada", "I look."))
      expect(verdicts).toMatchObject([{ kind: "accepted", replayed: again }])
    }
    expect((await handle(gate, bare("Eve", "I look."))).verdicts).toMatchObject([{ replayed: false }])
    expect(made).toHaveLength(2)
  })

  test.each(["cut-short", "refused", "failed"] satisfies Ending[])(
    "of an answer that was %s no call is made, and each is told so",
    async (ending) => {
      const { gate, proposed } = desk()
      const end = await handle(gate, respond([find("a1", "Ada"), find("a2", "Eve")], "", ending))
      expect(proposed).toEqual([])
      expect(end).toMatchObject({ ending, done: false, verdicts: [] })
      expect(told(end.messages).map(({ id }) => id)).toEqual(["a1", "a2"])
      expect(String(told(end.messages)[0]?.text)).toMatch(/^Not made/)
    },
  )

  test("an answer in words is the end", async () => {
    const end = await handle(desk().gate, respond([], "It is done."))
    expect(end).toMatchObject({ done: true, text: "It is done.", ending: "finished", verdicts: [] })
    expect(told(end.messages)).toEqual([])
    expect(end.messages).toHaveLength(name === "openai-responses" ? 2 : 1)
  })

  test("what is no response at all is told as failed", async () => {
    for (const nothing of [null, undefined, "", 7, [], {}, { error: { message: "overloaded" } }]) {
      const end = await handle(desk().gate, nothing)
      expect(end).toMatchObject({ done: true, text: "", verdicts: [] })
      if (name !== "langchain") expect(end).toMatchObject({ messages: [], ending: "failed" })
    }
  })

  test("ten thousand calls are answered, one by one", async () => {
    const { gate } = yes()
    const calls = Array.from({ length: 10_000 }, (_, index) => find(`a${index}`, "Ada"))
    const { messages } = await handle(gate, respond(calls, ""))
    expect(told(messages).map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
  })

  test("names of the language are names like others", async () => {
    const { gate, made } = desk()
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "then"]
    const calls = names.map((word) => ({ id: word, name: word, args: args({}) }))
    const { messages, verdicts } = await handle(gate, respond(calls, ""))
    expect(verdicts.map(({ kind }) => kind)).toEqual(names.map(() => "refused"))
    expect(told(messages).map(({ id }) => id)).toEqual(names)
    expect(made).toEqual([])
  })

  test("a gate that fails is the host's to know of", async () => {
    const gate = { ...desk().gate, turn: () => Promise.reject(new Error("the store is down")) }
    await expect(handle(gate, respond([find("a1", "Ada")], ""))).rejects.toThrow("the store is down")
  })

  test("the host's words for a verdict", async () => {
    const tell = ({ kind, callId }: { kind: string; callId: string }) => `${callId}: ${kind}`
    const { messages } = await handle(desk().gate, respond([find("a1", "Ada")], ""), { tell })
    expect(told(messages)[0]?.text).toBe("a1: accepted")
  })

  test("a planner gives the text and what it cost", async () => {
    const requests: unknown[] = []
    const ask = planner(async (request) => {
      requests.push(request)
      return respond([], '{"version":1}')
    })
    const { signal } = new AbortController()
    const messages = [
      { role: "system", content: "You plan." },
      { role: "user", content: "Do it." },
      { role: "assistant", content: "{}" },
      { role: "user", content: "Again." },
    ] as const
    expect(await ask(messages, { signal })).toEqual({
      text: '{"version":1}',
      usage: { inputTokens: 7, outputTokens: 5 },
    })
    for (const { content } of messages) expect(JSON.stringify(requests)).toContain(JSON.stringify(content))
  })

  test("a planner whose text was cut short gives it; one that gives none fails, and says how it ended", async () => {
    const { signal } = new AbortController()
    const message = [{ role: "user", content: "Do it." }] as const
    const cut = planner(async () => respond([], '{"version', "cut-short"))
    expect((await cut(message, { signal })).text).toBe('{"version')
    const silent = planner(async () => respond([], "", "refused"))
    await expect(silent(message, { signal })).rejects.toThrow(NoAnswer)
    await expect(silent(message, { signal })).rejects.toMatchObject({ ending: "refused" })
    await expect(planner(async () => null)(message, { signal })).rejects.toThrow(NoAnswer)
  })
})

describe("openai-responses: calls that are no functions", () => {
  const output = (...items: object[]) => ({ id: "r", status: "completed", output: items })
  const { handle } = providers.find(({ name }) => name === "openai-responses") ?? expect.fail("it is not there")

  test("a custom call is refused, and answered in its own form", async () => {
    const { gate, made } = desk()
    const item = { type: "custom_tool_call", call_id: "b", name: "find", input: '{"name":"Ada"}' }
    const end = await handle(gate, output(item))
    expect(end).toMatchObject({ done: false, ending: "calls", left: [], verdicts: [{ kind: "refused" }] })
    expect(end.messages).toMatchObject([item, { type: "custom_tool_call_output", call_id: "b" }])
    expect(made).toEqual([])
  })

  test("what only the host can answer is left to it, and said to be", async () => {
    const types = ["computer_call", "local_shell_call", "shell_call", "apply_patch_call", "mcp_approval_request"]
    const items = types.map((type) => ({ type, call_id: type, id: type }))
    const end = await handle(desk().gate, output(...items))
    expect(end).toMatchObject({ done: false, ending: "calls", left: items, messages: items, verdicts: [] })
  })

  test("what the provider has answered is not", async () => {
    const items = ["shell_call", "shell_call_output"].map((type) => ({ type, call_id: "s" }))
    expect(await handle(desk().gate, output(...items))).toMatchObject({ done: true, ending: "finished", left: [] })
  })
})
