/** Runtime checks: each fails its run as soon as its value is known, and before any later effect. */
import { arg, count, defineCatalog, tool } from "sequitur"
import { createRunner, type Handlers, memory } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { catalog, countCalls, type Desk, handlersOf, planOf, scope, calls as steps, workspaces } from "./desk.ts"

/** Runs a plan with some handlers replaced; says how it ended and what was called. */
async function run(plan: readonly unknown[], instead: Partial<Handlers<Desk>> = {}) {
  const made = countCalls()
  const runner = createRunner({ catalog, tools: handlersOf(made, instead), store: memory() })
  const report = await runner.run(planOf(plan), scope)
  await runner.close()
  const failure = "failure" in report ? report.failure : undefined
  return { status: report.status, failure, called: made.made.map((one) => one.tool) }
}

const note = (text: unknown, id = "note") => ({ id, tool: "note", args: { text } })

test("a guessed index that is not there fails before the effect that comes first", async () => {
  const guess = { $from: "find", path: "/workspaces/7/id" }
  const { status, failure, called } = await run([
    steps.find,
    note("first"),
    { id: "look", tool: "look", args: { id: guess } },
  ])
  expect(status).toBe("failed")
  expect(failure).toMatchObject({ tag: "RuntimeCheckFailed", code: "RUN106", stepId: "look" })
  expect(failure?.message).toContain("`/workspaces/7/id` of `find` does not exist")
  expect(failure?.message).toContain("/steps/2/args/id")
  expect(called).toEqual(["find"])
})

test("a selection of none or several fails before the effect that comes first", async () => {
  for (const found of [[], [...workspaces, { id: "w3", role: "secondary", cents: 1 }]]) {
    const { failure, called } = await run([steps.find, note("first"), steps.cancel], {
      find: () => ({ workspaces: found }),
    })
    expect(failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "cancel" })
    expect(called).toEqual(["find"])
  }
})

test("a value that turns out not to fit its parameter is told with where it came from", async () => {
  const plan = [steps.find, steps.cancel, steps.refund]
  const { failure, called } = await run(plan, { cancel: ({ id }) => ({ id, proratedCents: 0 }) })
  expect(failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "refund" })
  expect(failure?.message).toContain("/steps/2/args/cents")
  expect(failure?.message).toContain("(from `/proratedCents` of `cancel`)")
  expect(called).toEqual(["find", "cancel"])
})

test("a call that is wrong in two ways is told both", async () => {
  const strict = defineCatalog({
    name: "two",
    version: "1",
    tools: {
      find: tool({
        description: "Find.",
        effect: "read",
        params: z.strictObject({}),
        result: z.object({ n: z.int() }),
      }),
      use: tool({
        description: "Use.",
        effect: "read",
        params: z.strictObject({ a: z.int().max(5), b: z.int().min(9) }),
      }),
    },
  })
  const runner = createRunner({ catalog: strict, tools: { find: () => ({ n: 7 }), use: () => 1 }, store: memory() })
  const read = { $from: "find", path: "/n" }
  const use = { id: "use", tool: "use", args: { a: read, b: read } }
  const { inputs: _, ...rest } = scope
  const report = await runner.run(planOf([{ id: "find", tool: "find", args: {} }, use], strict), rest)
  expect(report.failure?.message).toBe(
    "step `use` cannot be called: at `/steps/1/args/a`: expected an integer of at most 5, found 7 (from `/n` of `find`); " +
      "at `/steps/1/args/b`: expected an integer of at least 9, found 7 (from `/n` of `find`)",
  )
  await runner.close()
})

test("what is known of a call is checked while the rest of it is not", async () => {
  // `cents` does not fit, and is known two effects before `id` is.
  const cents = { $from: "find", path: "/workspaces/0/cents" }
  const refund = { id: "refund", tool: "refund", args: { id: { $from: "cancel", path: "/id" }, cents } }
  const { failure, called } = await run([steps.find, steps.cancel, refund], {
    find: () => ({ workspaces: workspaces.map((one) => ({ ...one, cents: 0 })) }),
  })
  expect(failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "refund" })
  expect(called).toEqual(["find"])
})

test("inputs are checked before the first call", async () => {
  const open = defineCatalog({
    name: "inputs",
    version: "1",
    inputs: z.strictObject({ ids: z.array(z.string()) }),
    tools: {
      note: tool({
        description: "Write.",
        effect: "write",
        params: z.strictObject({ text: z.string() }),
        idempotency: "natural",
        compensate: "none",
      }),
    },
  })
  const called: string[] = []
  const tools = {
    note: ({ text }: { text: string }) => {
      called.push(text)
      return null
    },
  }
  const runner = createRunner({ catalog: open, tools, store: memory() })
  const plan = planOf([note("first", "a"), note({ $from: "input", path: "/ids/0" }, "b")], open)
  const report = await runner.run(plan, { ...scope, inputs: { ids: [] } })
  expect(report).toMatchObject({ status: "failed", failure: { tag: "RuntimeCheckFailed", stepId: "b" } })
  expect(called).toEqual([])
  await runner.close()
})

describe("`same`", () => {
  const refundOf = (id: unknown, name = "refund") => ({ id: name, tool: "refund", args: { id, cents: 10 } })
  const other = { $from: "find", path: "/workspaces/0/id" }

  test("a predecessor about another thing fails, before even that predecessor", async () => {
    const { failure, called } = await run([steps.find, steps.cancel, refundOf(other)])
    expect(failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "refund" })
    expect(failure?.message).toContain("no earlier `cancel` was about the same `id`")
    expect(called).toEqual(["find"])
  })

  test("one of several predecessors suffices", async () => {
    const first = { ...steps.cancel, id: "first", args: { id: other } }
    const { status } = await run([steps.find, first, steps.cancel, refundOf(other)])
    expect(status).toBe("succeeded")
  })

  test("a predecessor whose argument is known later is waited for", async () => {
    const late = { id: "late", tool: "cancel", args: { id: { $from: "look", path: "/name" } } }
    const { status } = await run([steps.find, steps.look, late, refundOf("workspace w2")])
    expect(status).toBe("succeeded")
    const wrong = await run([steps.find, steps.look, late, refundOf("w2")])
    expect(wrong.failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "refund" })
    expect(wrong.called).toEqual(["find", "look"])
  })
})

test("two steps that come to the same effect stop before either", async () => {
  const again = { ...steps.cancel, id: "again", args: { id: { $from: "find", path: "/workspaces/1/id" } } }
  const { status, failure, called } = await run([steps.find, steps.cancel, again])
  expect(status).toBe("failed")
  expect(failure).toMatchObject({ tag: "EffectRepeated", code: "RUN107", stepId: "again" })
  expect(failure?.message).toContain("`cancel`")
  expect(called).toEqual(["find"])
  const meant = await run([steps.find, steps.cancel, { ...again, occurrence: 2 }])
  expect(meant.status).toBe("succeeded")
})

test("A063: what was bounded by the compiler is bounded for the values that come", async () => {
  const small = defineCatalog({
    name: "small",
    version: "1",
    blastRadius: { records: { max: 3 }, cents: { max: 10 } },
    tools: {
      list: tool({
        description: "List.",
        effect: "read",
        params: z.strictObject({}),
        result: z.object({ ids: z.array(z.string()), cents: z.int() }),
      }),
      remove: tool({
        description: "Remove.",
        effect: "destructive",
        params: z.strictObject({ ids: z.array(z.string()), cents: z.int().min(0) }),
        blast: { records: count("ids", { max: 3 }), cents: arg("cents", { max: 10 }) },
        idempotency: "natural",
        compensate: "none",
      }),
    },
  })
  const plan = planOf(
    [
      { id: "list", tool: "list", args: {} },
      {
        id: "remove",
        tool: "remove",
        args: { ids: { $from: "list", path: "/ids" }, cents: { $from: "list", path: "/cents" } },
      },
    ],
    small,
  )
  const removed: string[][] = []
  const attempt = async (ids: string[], cents: number) => {
    const tools = {
      list: () => ({ ids, cents }),
      remove: (args: { ids: string[] }) => {
        removed.push(args.ids)
        return null
      },
    }
    const runner = createRunner({ catalog: small, tools, store: memory() })
    const { inputs: _, ...rest } = scope
    const report = await runner.run(plan, rest)
    await runner.close()
    return report.failure?.tag ?? report.status
  }
  expect(await attempt(["a", "b", "c"], 10)).toBe("succeeded")
  expect(await attempt(["a", "b", "c", "d"], 10)).toBe("BlastExceeded")
  expect(await attempt(["a"], 11)).toBe("BlastExceeded")
  expect(await attempt(["a"], -1)).toBe("RuntimeCheckFailed")
  expect(removed).toEqual([["a", "b", "c"]])
})

test("A049: arguments that grow beyond the bound of a result are refused", async () => {
  const wide = defineCatalog({
    name: "wide",
    version: "1",
    bounds: { resultBytes: 1_000 },
    tools: {
      big: tool({ description: "Big.", effect: "read", params: z.strictObject({}) }),
      take: tool({ description: "Take.", effect: "read", params: z.strictObject({ all: z.array(z.unknown()) }) }),
    },
  })
  const all = Array.from({ length: 100 }, () => ({ $from: "big" }))
  const plan = planOf(
    [
      { id: "big", tool: "big", args: {} },
      { id: "take", tool: "take", args: { all } },
    ],
    wide,
  )
  let taken = 0
  const tools = { big: () => "x".repeat(500), take: () => ++taken }
  const runner = createRunner({ catalog: wide, tools, store: memory() })
  const { inputs: _, ...rest } = scope
  const report = await runner.run(plan, rest)
  expect(report).toMatchObject({ status: "failed", failure: { tag: "RuntimeCheckFailed", stepId: "take" } })
  expect(taken).toBe(0)
  await runner.close()
})
