/** Single calls through the gate: each has exactly one verdict, whatever the model asks and the tools do. */
import { compile, defineCatalog, tool } from "sequitur"
import { createGate, type Verdict, verdictText } from "sequitur/gate"
import { createRunner, memory } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { fails, makeWorld, openShop, shop, throws, who } from "./shop.ts"

const kinds = (verdicts: readonly Verdict[]): readonly string[] => verdicts.map(({ kind }) => kind)
const codes = (verdict: Verdict): readonly string[] =>
  verdict.kind === "refused" ? verdict.diagnostics.map(({ code, at }) => `${code} ${at}`) : []

describe("a call", () => {
  test("is made once, and the same again is answered with what it gave", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    const args = { customerId: "c1" }
    const first = await gate.call("find", args, { callId: "a" })
    expect(first).toMatchObject({ kind: "accepted", callId: "a", tool: "find", stepId: "a", replayed: false })
    expect(await gate.call("find", '{"customerId": "c1"}', { callId: "a" })).toEqual({ ...first, replayed: true })
    expect(await gate.call("find", { customerId: "c2" }, { callId: "a" })).toMatchObject({ kind: "call-id-reused" })
    expect(await gate.call("mail", args, { callId: "a" })).toMatchObject({ kind: "call-id-reused" })
    expect(world.count("find")).toBe(1)
    expect(await gate.close()).toMatchObject({ status: "succeeded" })
    expect(await gate.call("mail", {}, { callId: "z" })).toMatchObject({ kind: "run-over" })
  })

  test("is refused by the gates of a plan, and nothing is called", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    expect(codes(await gate.call("fnd", {}, { callId: "a" }))).toEqual(["SEQ108 /tool"])
    expect(codes(await gate.call("find", { customerId: 7, more: 1 }, { callId: "b" }))).toEqual(
      expect.arrayContaining(["SEQ121 /args/more", "SEQ122 /args/customerId"]),
    )
    expect(codes(await gate.call("refund", { orderId: "o1", cents: 5 }, { callId: "c" }))).toContain("SEQ301 /tool")
    expect(codes(await gate.call("ship", { to: "x" }, { callId: "d" }))).toContain("SEQ208 /tool")
    expect(await gate.enter("SELLING")).toMatchObject({ kind: "accepted", result: { state: "SELLING" } })
    expect(codes(await gate.call("refund", { orderId: "o1", cents: 5 }, { callId: "e" }))).toEqual([
      "SEQ601 /args/orderId",
    ])
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    expect(await gate.call("refund", { orderId: "o2", cents: 8_000 }, { callId: "g" })).toMatchObject({
      kind: "accepted",
    })
    expect(codes(await gate.call("refund", { orderId: "o1", cents: 3_000 }, { callId: "h" }))).toEqual([
      "SEQ402 /args/cents",
    ])
    expect(await gate.call("refund", { orderId: "o1", cents: 500 }, { callId: "i" })).toMatchObject({
      kind: "accepted",
    })
    expect(codes(await gate.call("refund", { orderId: "o1", cents: 500 }, { callId: "j" }))).toEqual(["SEQ701 /tool"])
    const again = { callId: "k", occurrence: 2 }
    expect(await gate.call("refund", { orderId: "o1", cents: 500 }, again)).toMatchObject({ kind: "accepted" })
    expect(world.made.map(({ tool }) => tool)).toEqual(["find", "refund", "refund", "refund"])
    // The refusal of a call is kept, as its result would be.
    expect(codes(await gate.call("ship", { to: "x" }, { callId: "d" }))).toContain("SEQ208 /tool")
    expect(await gate.call("ship", { to: "y" }, { callId: "d" })).toMatchObject({ kind: "call-id-reused" })
    await gate.leave()
  })

  test("is told what can be done about a call, not about a plan; each refusal counts", async () => {
    const gate = await openShop(makeWorld(), { maxConsecutiveFailures: { tool: 2, session: 0 } })
    await gate.enter("SELLING")
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    const hints = async (callId: string, tool: string, args: unknown) => {
      const verdict = await gate.call(tool, args, { callId })
      return verdict.kind === "refused" ? verdict.diagnostics.map(({ hint }) => hint).join(" ") : verdict.kind
    }
    const told = [
      await hints("a", "refund", '{"orderId": "o1", "ce'),
      await hints("b", "ship", { to: "x" }),
      await hints("c", "refund", { orderId: "o1", cents: 5 }),
      await hints("d", "refund", { orderId: "o1", cents: 5 }),
      await hints("e", "refund", { orderId: "o1", cents: 5 }),
      await hints("g", "refund", { orderId: "o1", cents: 5 }),
    ]
    expect(told).toEqual([
      expect.stringContaining("Write the whole call again"),
      "Call what it needs first, then this again.",
      "accepted",
      expect.stringContaining("go on with what that gave"),
      expect.stringContaining("go on with what that gave"),
      "circuit-open",
    ])
    expect(told.join(" ")).not.toMatch(/plan|\$from|occurrence|step/)
    await gate.leave()
  })

  test.each([
    ["{", "SEQ002"],
    ["", "SEQ120"],
    ["[]", "SEQ101"],
    ['"x"', "SEQ101"],
    ['{"customerId": "c1", "customerId": "c2"}', "SEQ003"],
    ['{"__proto__": {}}', "SEQ008"],
    ['{"customerId": 9007199254740993}', "SEQ004"],
    ['```json\n{"customerId": "c1"}\n```', "SEQ013"],
    ['{"$from": "a"}', "SEQ131"],
  ])("with arguments %j is refused as %s", async (args, code) => {
    const world = makeWorld()
    const gate = await openShop(world)
    const verdict = await gate.call("find", args, { callId: "a" })
    expect(codes(verdict).map((one) => one.split(" ")[0])).toContain(code)
    expect(world.made).toEqual([])
    expect(await gate.call("find", args, { callId: "a" })).toEqual(verdict)
    await gate.leave()
  })

  test("takes what looks like an expression for data", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    await gate.enter("SELLING")
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    await gate.call("refund", { orderId: "o1", cents: 9 }, { callId: "r" })
    const note = { deep: [{ $from: "f", path: "/orders" }], $literal: 1 }
    expect(await gate.call("ship", { to: "x", note }, { callId: "s" })).toMatchObject({ kind: "accepted" })
    expect(world.made.at(-1)).toEqual({ tool: "ship", args: { to: "x", note } })
    expect(await gate.call("ship", { to: "x", note }, { callId: "s" })).toMatchObject({
      kind: "accepted",
      replayed: true,
    })
    await gate.leave()
  })

  test("that fails ends nothing, and went before nothing", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    await gate.enter("SELLING")
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    world.next.set("refund", fails())
    const refund = { orderId: "o1", cents: 9_000 }
    const failed = await gate.call("refund", refund, { callId: "r1" })
    expect(failed).toMatchObject({ kind: "failed", applied: false, failure: { tag: "StepFailed" } })
    expect(await gate.call("refund", refund, { callId: "r1" })).toEqual(failed)
    expect(codes(await gate.call("ship", { to: "x" }, { callId: "s1" }))).toEqual(["SEQ208 /tool"])
    world.next.clear()
    // The same again is no second effect, and what did not happen counts in no limit.
    expect(await gate.call("refund", refund, { callId: "r2" })).toMatchObject({ kind: "accepted", replayed: false })
    expect(await gate.call("ship", { to: "x" }, { callId: "s2" })).toMatchObject({ kind: "accepted" })
    expect(await gate.close()).toMatchObject({ status: "succeeded" })
  })

  test("that took effect and answered wrongly is told so", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    await gate.enter("SELLING")
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    world.next.set("refund", () => ({ refundId: 7 }))
    expect(await gate.call("refund", { orderId: "o1", cents: 9 }, { callId: "r" })).toMatchObject({
      kind: "failed",
      applied: true,
      failure: { tag: "ResultMismatch" },
    })
    expect(await gate.call("ship", { to: "x" }, { callId: "s" })).toMatchObject({ kind: "accepted" })
    await gate.leave()
  })

  test("whose outcome is not known holds all others until it is settled", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    world.next.set("post", throws)
    const doubt = await gate.call("post", { text: "hi" }, { callId: "p" })
    expect(doubt).toMatchObject({ kind: "in-doubt", stepId: "p", failure: { tag: "EffectInDoubt" } })
    expect(await gate.call("mail", {}, { callId: "m" })).toMatchObject({ kind: "in-doubt", callId: "m", stepId: "p" })
    await expect(gate.close()).rejects.toMatchObject({ _tag: "RunInDoubt" })
    expect(world.count("mail")).toBe(0)
    await gate.leave()
  })
})

describe("literals", () => {
  test("are untrusted once untrusted data was shown, and not before", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    expect(await gate.call("post", { text: "before" }, { callId: "a" })).toMatchObject({ kind: "accepted" })
    // Written in one turn with the call that reads: nothing was shown yet.
    const verdicts = await gate.turn([
      { callId: "m", tool: "mail", args: {} },
      { callId: "b", tool: "post", args: { text: "same turn" } },
    ])
    expect(kinds(verdicts)).toEqual(["accepted", "accepted"])
    expect(codes(await gate.call("post", { text: "after" }, { callId: "c" }))).toEqual(["SEQ602 /args/text"])
    await gate.close()
  })

  test("are untrusted from the start where the host says so", async () => {
    const gate = await openShop(makeWorld(), { literals: "untrusted" })
    expect(codes(await gate.call("post", { text: "x" }, { callId: "a" }))).toEqual(["SEQ602 /args/text"])
    await gate.leave()
  })
})

test("a literal may be a part of what is private, once that was shown", async () => {
  const quiet = { idempotency: "none", compensate: "none" } as const
  const catalog = defineCatalog({
    name: "private",
    version: "1",
    tools: {
      salary: tool({
        description: "Look up a salary.",
        effect: "read",
        params: z.strictObject({}),
        result: z.strictObject({ cents: z.int() }),
        private: ["/cents"],
      }),
      tell: tool({
        description: "Tell everybody.",
        effect: "write",
        params: z.strictObject({ text: z.string() }),
        rules: { text: { public: true } },
        ...quiet,
      }),
    },
  })
  const tools = { salary: () => ({ cents: 7 }), tell: () => ({}) }
  const gate = await createGate({ ...who, catalog, tools, store: memory(), inputs: undefined })
  expect(await gate.call("tell", { text: "a" }, { callId: "a" })).toMatchObject({ kind: "accepted" })
  await gate.call("salary", {}, { callId: "b" })
  expect(codes(await gate.call("tell", { text: "7" }, { callId: "c" }))).toEqual(["SEQ603 /args/text"])
  await gate.close()
})

describe("a turn", () => {
  test("gives each call a verdict, in their order; one refused poisons what depends on it alone", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    await gate.enter("SELLING")
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    const verdicts = await gate.turn([
      { callId: "1", tool: "refund", args: "{ broken" },
      { callId: "2", tool: "ship", args: { to: "x" } },
      { callId: "3", tool: "mail", args: {} },
      { callId: "4", tool: "refund", args: { orderId: "o1", cents: 9 } },
      { callId: "5", tool: "ship", args: { to: "y" } },
      { callId: "4", tool: "refund", args: { cents: 9, orderId: "o1" } },
      { callId: "4", tool: "refund", args: { cents: 8, orderId: "o1" } },
    ])
    expect(kinds(verdicts)).toEqual([
      ...["refused", "refused", "accepted", "accepted", "accepted", "accepted", "call-id-reused"],
    ])
    expect(verdicts.map(({ callId }) => callId)).toEqual(["1", "2", "3", "4", "5", "4", "4"])
    expect(world.made.map(({ tool }) => tool)).toEqual(["find", "mail", "refund", "ship"])
    await gate.close()
  })

  test("does not make what depends on a call that failed", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    await gate.enter("SELLING")
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    world.next.set("refund", fails())
    const verdicts = await gate.turn([
      { callId: "1", tool: "refund", args: { orderId: "o1", cents: 9 } },
      { callId: "2", tool: "ship", args: { to: "x" } },
    ])
    expect(kinds(verdicts)).toEqual(["failed", "refused"])
    expect(world.count("ship")).toBe(0)
    await gate.close()
  })

  test("of concurrent calls, each is made in the order in which it came", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    const wanted = Array.from({ length: 8 }, (_, index) => `t${index}`)
    const verdicts = await Promise.all(wanted.map((text) => gate.call("post", { text }, { callId: text })))
    expect(kinds(verdicts)).toEqual(wanted.map(() => "accepted"))
    expect(world.made.map(({ args }) => (args as { text: string }).text)).toEqual(wanted)
    await gate.close()
  })
})

describe("what a host must not do", () => {
  test.each([
    ["no call id", {}],
    ["a call id of another kind", { callId: 7 }],
  ])("%s", async (_, options) => {
    const gate = await openShop(makeWorld())
    await expect(gate.call("find", {}, options as never)).rejects.toMatchObject({ _tag: "InputsRefused" })
    expect(await gate.call("find", { customerId: "c1" }, { callId: "a" })).toMatchObject({ kind: "accepted" })
    await gate.leave()
  })

  test("options that are none are told", async () => {
    for (const more of [
      { expiresMs: 0 },
      { expiresMs: 1e15 },
      { coolDownMs: -1 },
      { maxConsecutiveFailures: 1.5 },
      { session: "" },
      { breaker: {} },
      { literals: "x" },
    ])
      await expect(openShop(makeWorld(), more as never), JSON.stringify(more)).rejects.toMatchObject({
        _tag: "InputsRefused",
      })
  })

  test("a slip of an option's name is told, with the one that was meant", async () => {
    const { session, task, ...more } = { ...who, catalog: shop, tools: makeWorld().tools, store: memory() }
    const gate = (options: object) => createGate(options as never).catch((error: unknown) => `${error}`)
    expect(await gate({ ...more, session, task, credential: () => ({}) })).toMatch(
      /`credential` of this gate is no option/,
    )
    expect(await gate({ ...more, sessionId: session, taskId: task })).toContain("`sessionId`")
    expect(await createGate({ ...more, sessionId: session, task } as never).catch(({ hint }) => hint)).toBe(
      "Did you mean `session`?",
    )
    expect(await gate({ ...more, task })).toContain("`session` of this gate must be a string, but is missing")
    const runner = createRunner({ ...more, principal: undefined, inputs: undefined, approver: [] } as never)
    await expect(runner.runs()).rejects.toMatchObject({ _tag: "InputsRefused", hint: "Did you mean `approvers`?" })
    await runner.close()
    const compiled = compile(shop, '{"version": 1, "steps": []}', { principle: who.principal } as never)
    expect(compiled).toMatchObject({ ok: false, diagnostics: [{ code: "SEQ801", hint: "Did you mean `principal`?" }] })
  })
})

describe("a gate", () => {
  test("that was closed says so, whatever it is asked", async () => {
    for (const end of ["close", "leave"] as const) {
      const gate = await openShop(makeWorld())
      await gate[end]()
      const closed = expect.objectContaining({
        tag: "InputsRefused",
        message: expect.stringContaining("after it was closed"),
      })
      const late = await gate.call("mail", {}, { callId: "a" })
      expect(late).toMatchObject({ kind: "run-over", failure: closed })
      expect(verdictText(late)).toContain("was closed")
      expect(await gate.enter("SELLING")).toMatchObject({ kind: "run-over", failure: closed })
      for (const ask of [gate.status, gate.close]) await expect(ask()).rejects.toMatchObject({ code: "RUN201" })
      await gate.leave()
    }
  })

  test("that a handler of its own asks is no place to wait in", async () => {
    const world = makeWorld()
    const gate = await openShop(world)
    let said: unknown
    world.next.set("find", async () => {
      await null
      said = await gate.call("mail", {}, { callId: "inner" }).catch((error: unknown) => error)
      return { orders: [] }
    })
    // Whoever asks meanwhile is in the queue, as ever.
    const [first, second] = await Promise.all([
      gate.call("find", { customerId: "c1" }, { callId: "a" }),
      gate.call("mail", {}, { callId: "b" }),
    ])
    expect([first.kind, second.kind]).toEqual(["accepted", "accepted"])
    expect(said).toMatchObject({ code: "RUN201", message: expect.stringContaining("handler") })
    expect(await gate.call("mail", {}, { callId: "inner" })).toMatchObject({ kind: "accepted" })
    await gate.leave()
  })
})
