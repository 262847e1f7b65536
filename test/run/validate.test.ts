/** A tool's own look at a call right before it is made: what it refuses has not happened, and has used up no approval. */
import { type Compiled, compile, defineCatalog, tool } from "sequitur"
import { createRunner, type Handlers, isolated, memory, type RunnerOptions, type Toolbox, toolbox } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { prepare } from "../../src/run/next/prepare.ts"
import { rederive } from "../../src/run/rederive.ts"
import { everybody, say } from "./approval/people.ts"
import { accepted } from "./desk.ts"

const catalog = defineCatalog({
  name: "shelf",
  version: "1",
  tools: {
    look: tool({
      description: "Look at a shelf.",
      effect: "read",
      params: z.strictObject({ id: z.string() }),
      result: z.object({ count: z.int() }),
    }),
    take: tool({
      description: "Take something.",
      effect: "write",
      params: z.strictObject({ id: z.string() }),
      validate: true,
      idempotency: { key: { retentionMs: 86_400_000 } },
      reconcile: { finalAfterMs: 0 },
      timeoutMs: 200,
      compensate: { tool: "put_back", args: { id: "all" } },
    }),
    put_back: tool({
      description: "Put something back.",
      effect: "write",
      params: z.strictObject({ id: z.string() }),
      validate: true,
      idempotency: "natural",
      compensate: "none",
    }),
    sell: tool({
      description: "Sell something.",
      effect: "destructive",
      params: z.strictObject({ id: z.string() }),
      validate: true,
      idempotency: "natural",
      compensate: "none",
      authority: { approval: "always" },
    }),
  },
})

type Spec = (typeof catalog)["spec"]
type Answer = () => unknown

interface World {
  readonly runner: ReturnType<typeof createRunner<Spec>>
  readonly made: string[]
}

function open(
  answer: Partial<Record<"take" | "put_back" | "sell", Answer>> = {},
  store: RunnerOptions["store"] = memory(),
): World {
  const made: string[] = []
  const one = (name: "take" | "put_back" | "sell", result: Answer = () => null) => ({
    call: ({ id }: { readonly id: string }) => {
      made.push(`${name} ${id}`)
      return result()
    },
    validate: ({ id }: { readonly id: string }) => {
      made.push(`ask ${name} ${id}`)
      return (answer[name]?.() ?? true) as true
    },
  })
  const tools = {
    look: () => ({ count: 1 }),
    take: { ...one("take"), reconcile: () => ({ kind: "not-applied" }) },
    put_back: one("put_back"),
    sell: one("sell"),
  } as unknown as Handlers<Spec>
  return { runner: createRunner({ catalog, store, approvers: everybody(), tools }), made }
}

const planOf = (...steps: readonly object[]) =>
  accepted(compile(catalog, JSON.stringify({ version: 1, steps })) as Compiled)
const scope = { principal: { tenant: "acme", subject: "ada" }, sessionId: "s", taskId: "t", runId: "run" }
const take = { id: "take", tool: "take", args: { id: "a" } }
const sell = { id: "sell", tool: "sell", args: { id: "a" } }

describe("validate", () => {
  test("comes right before the call, each time, and lets it be made by `true` alone", async () => {
    const { runner, made } = open()
    expect(await runner.run(planOf(take), scope)).toMatchObject({ status: "succeeded" })
    expect(made).toEqual(["ask take a", "take a"])
  })

  const refusals: readonly (readonly [string, Answer, string])[] = [
    ["a reason", () => "there is none left", "there is none left"],
    ["a promise of one", async () => "there is none left", "there is none left"],
    ["false", () => false, "it says no"],
    ["nothing at all", async () => undefined, "it answered with neither `true` nor a reason"],
    ["an empty reason", () => " ", "it answered with neither `true` nor a reason"],
    ["something true", () => ({ ok: true }), "it answered with neither `true` nor a reason"],
    [
      "a throw",
      () => {
        throw new Error("the shelf is down")
      },
      "it failed: the shelf is down",
    ],
    ["a rejection", () => Promise.reject(new Error("the shelf is down")), "it failed: the shelf is down"],
    ["no answer in the time of the tool", () => new Promise(() => {}), "`take` did not answer within 200 ms"],
  ]
  test.each(refusals)("%s refuses: nothing is called, no intent is written", async (_, answer, said) => {
    const { runner, made } = open({ take: answer })
    const report = await runner.run(planOf(take), scope)
    expect(report).toMatchObject({
      status: "failed",
      failure: {
        code: "RUN116",
        message: `step \`take\` was not called: \`validate\` of \`take\` refuses it: ${said}`,
      },
    })
    expect(made).toEqual(["ask take a"])
    expect((await runner.entries("run")).map(({ event }) => event.kind)).toEqual([
      "run-started",
      "step-refused",
      "run-ended",
    ])
  })

  test("may be in a process of its own", async () => {
    const from = (name: string) => isolated(new URL("isolated-validate.ts", import.meta.url), name)
    const made: string[] = []
    const tools = {
      look: () => ({ count: 1 }),
      take: { call: () => null, validate: from("accept"), reconcile: () => ({ kind: "barred" }) },
      put_back: { call: () => null, validate: from("never") },
      sell: { call: () => made.push("sold"), validate: from("accept") },
    } as unknown as Handlers<Spec>
    const runner = createRunner({ catalog, store: memory(), tools })
    // Its process is begun in the time of the call: what takes too long refuses, too.
    const slow = {
      ...catalog.spec,
      tools: { ...catalog.spec.tools, take: { ...catalog.spec.tools.take, timeoutMs: 20_000 } },
    }
    const patient = defineCatalog(slow as never)
    const other = createRunner({ catalog: patient, store: memory(), tools: tools as never })
    const good = accepted(compile(patient, JSON.stringify({ version: 1, steps: [take] })) as Compiled)
    const bad = accepted(
      compile(patient, JSON.stringify({ version: 1, steps: [{ ...take, args: { id: "b" } }] })) as Compiled,
    )
    expect(await other.run(good, { ...scope, runId: "one" })).toMatchObject({ status: "succeeded" })
    expect(await other.run(bad, { ...scope, runId: "two" })).toMatchObject({
      status: "failed",
      failure: { message: expect.stringContaining("refuses it: no `b` here") },
    })
    await runner.close()
    await other.close()
  }, 30_000)

  test("what was done before is undone; and the undo itself is not asked about", async () => {
    const { runner, made } = open({ sell: () => "sold out", put_back: () => "never" })
    await runner.run(planOf(take, sell), scope)
    const [waiting] = await runner.approvals.list()
    if (waiting === undefined) throw new Error("nothing waits")
    const report = await runner.approve("run", "sell", { token: await say(waiting) })
    expect(report).toMatchObject({ status: "failed", effects: [{ stepId: "take", state: "undone" }] })
    expect(made).toEqual(["ask take a", "take a", "ask sell a", "put_back all"])
  })

  test("people are asked first, and what they have said is used up by no refusal", async () => {
    const { runner, made } = open({ sell: () => "sold out" })
    await runner.run(planOf(sell), scope)
    expect(made).toEqual([])
    const [waiting] = await runner.approvals.list()
    if (waiting === undefined) throw new Error("nothing waits")
    const report = await runner.approve("run", "sell", { token: await say(waiting) })
    expect(report).toMatchObject({ status: "failed", failure: { code: "RUN116" } })
    const kinds = (await runner.entries("run")).map(({ event }) => event.kind)
    expect(kinds).not.toContain("intent")
    expect(kinds).not.toContain("approval-lapsed")
    expect(made).toEqual(["ask sell a"])
  })

  test("an approval that ends while it is looked at does not count", async () => {
    let now: readonly object[] = everybody()
    const made: string[] = []
    const runner = createRunner({
      catalog,
      store: memory(),
      approvers: (kid) => now.find((one) => (one as { kid: string }).kid === kid) as never,
      tools: {
        ...({} as Handlers<Spec>),
        look: () => ({ count: 1 }),
        take: { call: () => null, validate: () => true, reconcile: () => ({ kind: "barred" }) },
        put_back: { call: () => null, validate: () => true },
        sell: {
          call: () => made.push("sell"),
          validate: async () => {
            now = []
            return true
          },
        },
      },
    })
    await runner.run(planOf(sell), scope)
    const [waiting] = await runner.approvals.list()
    if (waiting === undefined) throw new Error("nothing waits")
    expect(await runner.approve("run", "sell", { token: await say(waiting) })).toMatchObject({
      status: "awaiting_approval",
    })
    expect(made).toEqual([])
  })

  test("who cancels meanwhile is heard: nothing is called", async () => {
    const world = open({
      take: async () => {
        world.runner.cancel("run", { by: "eve", reason: "enough" }).catch(() => {})
        await new Promise((done) => setTimeout(done, 100))
        return true
      },
    })
    expect(await world.runner.run(planOf(take), scope)).toMatchObject({ status: "cancelled" })
    expect(world.made).toEqual(["ask take a"])
  })

  test("a refusal follows when the run is derived anew; of a tool without `validate` none does", async () => {
    const { runner } = open({ take: () => "there is none left" })
    await runner.run(planOf(take), scope)
    const ready = prepare(planOf(take), catalog)
    if (ready instanceof Error) throw ready
    const entries = await runner.entries("run")
    expect(rederive(ready, "run", entries)).toMatchObject({ status: "failed" })
    const without = entries.map((entry) =>
      entry.event.kind === "step-refused"
        ? { ...entry, event: { ...entry.event, failure: { ...entry.event.failure, tag: "StepFailed" as const } } }
        : entry,
    )
    expect(rederive(ready, "run", without)).toMatchObject({ code: "RUN504" })
  })
})

describe("catalog and toolbox", () => {
  const faultOf = (tools: Record<string, unknown>): string | undefined =>
    (toolbox(catalog, { ...fitting(), ...tools } as never) as Toolbox).fault?.message
  const fitting = (): Record<string, unknown> => ({
    look: () => ({ count: 1 }),
    take: { call: () => null, validate: () => true, reconcile: () => ({ kind: "barred" }) },
    put_back: { call: () => null, validate: () => true },
    sell: { call: () => null, validate: () => true },
  })

  test("fit, or no run is started", () => {
    expect(faultOf({})).toBeUndefined()
    expect(faultOf({ sell: () => null })).toMatch(/`sell` is declared with `validate`: it needs `{ call, validate }`/)
    expect(faultOf({ look: { call: () => null, validate: () => true } })).toMatch(
      /a `validate` for `look`, which is declared without/,
    )
    const lost = isolated(new URL("file:///nowhere/at/all.ts"), "look")
    expect(faultOf({ sell: { call: () => null, validate: lost } })).toMatch(
      /the isolated handler of `sell`: there is no file/,
    )
  })

  test("types hold the same", () => {
    const handlers: Handlers<Spec> = {
      look: () => ({ count: 1 }),
      take: { call: () => null, validate: ({ id }) => id === "a" || "another", reconcile: () => ({ kind: "barred" }) },
      put_back: { call: () => null, validate: async () => true },
      // @ts-expect-error it is declared with `validate`
      sell: () => null,
    }
    expect(toolbox(catalog, handlers as never).fault).toBeDefined()
  })

  test("it is part of what a plan depends on", () => {
    const { sell, ...others } = catalog.spec.tools
    const { validate: _, ...without } = sell
    const other = defineCatalog({ ...catalog.spec, tools: { ...others, sell: without } } as never)
    expect(prepare(planOf({ id: "s", tool: "sell", args: { id: "a" } }), other as never)).toMatchObject({
      code: "RUN202",
    })
  })
})
