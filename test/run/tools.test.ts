/** Handlers are typed as they are written, at every door; and what a host hands over wrongly is told in words, never as a TypeError. */
import { Type } from "@sinclair/typebox"
import { Effect, Layer } from "effect"
import { defineCatalog, definePlan, tool } from "sequitur"
import {
  approve,
  createRunner,
  decide,
  execute,
  memory,
  type RunFailure,
  resume,
  seededIds,
  toolbox,
} from "sequitur/run"
import { describe, expect, expectTypeOf, test } from "vitest"
import { z } from "zod"
import { accepted, catalog, countCalls, guarded, guardedPlan, handlersOf, refundPlan, scope } from "./desk.ts"

const nothing = z.strictObject({})

const literals = defineCatalog({
  name: "literals",
  version: "1",
  tools: {
    door: tool({
      description: "Says where it is.",
      effect: "read",
      params: z.strictObject({ id: z.string(), wait: z.int().optional() }),
      result: z.strictObject({ s: z.enum(["in", "out"]) }),
    }),
    nested: tool({
      description: "Literals inside.",
      effect: "read",
      params: nothing,
      result: z.object({
        kind: z.literal("found"),
        list: z.array(z.object({ unit: z.enum(["EUR", "USD"]), tags: z.array(z.enum(["a", "b"])) })),
        either: z.union([z.object({ ok: z.literal(true), n: z.int() }), z.object({ ok: z.literal(false) })]),
        pair: z.tuple([z.literal("x"), z.int()]).optional(),
      }),
    }),
    boxed: tool({
      description: "The same in TypeBox.",
      effect: "read",
      params: Type.Object({}, { additionalProperties: false }),
      result: Type.Object({
        s: Type.Union([Type.Literal("in"), Type.Literal("out")]),
        list: Type.Array(Type.Object({ unit: Type.Literal("EUR") })),
      }),
    }),
    bare: tool({ description: "Declares no result.", effect: "read", params: nothing }),
  },
})

const nested = () => ({
  kind: "found" as const,
  list: [{ unit: "EUR" as const, tags: ["a" as const] }],
  either: { ok: false as const },
})
const boxed = () => ({ s: "in" as const, list: [] })
const bare = () => null
const rest = { nested, boxed, bare }

describe("what a handler returns is held to its result as it is written", () => {
  test("a literal is no mere string: of a value, a promise, an Effect, inside lists and unions", async () => {
    const plan = accepted(
      definePlan(literals, {
        version: 1,
        steps: [
          { id: "door", tool: "door", args: { id: "d" } },
          { id: "nested", tool: "nested", args: {} },
          { id: "boxed", tool: "boxed", args: {} },
        ],
      }),
    )
    const boxes = [
      toolbox(literals, {
        door: () => ({ s: "in" }),
        nested: () => ({
          kind: "found",
          list: [{ unit: "EUR", tags: ["a", "b"] }],
          either: { ok: true, n: 1 },
          pair: ["x", 1],
        }),
        boxed: () => ({ s: "out", list: [{ unit: "EUR" }] }),
        bare: () => 7,
      }),
      toolbox(literals, {
        door: async ({ id }) => (id === "d" ? { s: "in" } : { s: "out" }),
        nested: async () => ({ kind: "found", list: [], either: { ok: false } }),
        boxed: async (_, { signal }) => {
          if (signal.aborted) return { s: "in", list: [] }
          return { s: "out", list: [{ unit: "EUR" }] }
        },
        bare: async () => undefined,
      }),
      toolbox(literals, {
        door: ({ id }) => Effect.succeed({ s: id === "d" ? "in" : "out" }),
        nested: () => Effect.succeed({ kind: "found", list: [{ unit: "USD", tags: [] }], either: { ok: true, n: 2 } }),
        boxed: () => Effect.succeed({ s: "in", list: [] }),
        bare: () => Effect.void,
      }),
    ]
    for (const tools of boxes) {
      const runner = createRunner({ catalog: literals, tools, store: memory() })
      const { principal, sessionId, taskId } = scope
      const report = await runner.run(plan, { principal, sessionId, taskId })
      if (report.status !== "succeeded") throw new Error(JSON.stringify(report))
      expectTypeOf(report.steps.door.s).toEqualTypeOf<"in" | "out">()
      expect(report.steps.door.s).toBe("in")
      await runner.close()
    }
  })

  test("at the door of the runner, and of Effects, as in a toolbox", () => {
    createRunner({
      catalog: literals,
      store: memory(),
      tools: {
        door: ({ id, wait }) => {
          expectTypeOf(id).toEqualTypeOf<string>()
          expectTypeOf(wait).toEqualTypeOf<number | undefined>()
          return { s: "in" }
        },
        nested: async (_) => ({ kind: "found", list: [{ unit: "EUR", tags: ["b"] }], either: { ok: false } }),
        boxed: (_) => Effect.succeed({ s: "in", list: [{ unit: "EUR" }] }),
        bare: () => ({ any: "thing" }),
      },
    })
    const plan = accepted(definePlan(literals, { version: 1, steps: [] }))
    const tools = toolbox(literals, { ...rest, door: () => ({ s: "in" }) })
    execute(plan, { ...scope, catalog: literals, tools })
    execute(plan, { ...scope, catalog: literals, tools: { ...rest, door: (_) => ({ s: "in" }) } })
    resume("run", { catalog: literals, tools: { ...rest, door: async (_) => ({ s: "out" }) } })
    approve("run", "open", {
      by: "bob",
      catalog: literals,
      tools: { ...rest, door: (_) => Effect.succeed({ s: "in" }) },
    })
    // @ts-expect-error tsc's limit that is told at `Equipment`: without a parameter, and not in a toolbox, `"in"` is any string
    createRunner({ catalog: literals, store: memory(), tools: { ...rest, door: () => ({ s: "in" }) } })
  })

  test("and refused where it is another", () => {
    // @ts-expect-error no such place
    toolbox(literals, { ...rest, door: () => ({ s: "up" }) })
    // @ts-expect-error no such place, in a promise
    toolbox(literals, { ...rest, door: async () => ({ s: "up" }) })
    // @ts-expect-error no such place, in an Effect
    toolbox(literals, { ...rest, door: () => Effect.succeed({ s: "up" }) })
    // @ts-expect-error a string that may be any
    toolbox(literals, { ...rest, door: ({ id }) => ({ s: id }) })
    // @ts-expect-error `s` is missing
    toolbox(literals, { ...rest, door: () => ({}) })
    // @ts-expect-error no such unit, deep inside
    toolbox(literals, { ...rest, door: () => ({ s: "in" }), boxed: () => ({ s: "in", list: [{ unit: "USD" }] }) })
    // @ts-expect-error `door` takes an id, and no name
    toolbox(literals, { ...rest, door: ({ name }) => ({ s: name === "" ? "in" : "out" }) })
    // @ts-expect-error no such place
    createRunner({ catalog: literals, store: memory(), tools: { ...rest, door: (_) => ({ s: "up" }) } })
    // @ts-expect-error no such place
    resume("run", { catalog: literals, tools: { ...rest, door: (_) => ({ s: "up" }) } })
  })

  test("each tool has one handler, and there are no others", () => {
    const door = () => ({ s: "in" as const })
    // @ts-expect-error `door` is missing
    expect(toolbox(literals, rest).fault?.message).toContain("no handler for `door`")
    // @ts-expect-error the catalog has no `dor`
    expect(toolbox(literals, { ...rest, door, dor: door }).fault?.message).toContain("handlers for `dor`")
    // @ts-expect-error the catalog has no `dor`
    createRunner({ catalog: literals, store: memory(), tools: { nested, door, boxed, bare, dor: door } })
    // @ts-expect-error `door` is missing
    createRunner({ catalog: literals, store: memory(), tools: rest })
    // @ts-expect-error a handler is a function
    expect(toolbox(literals, { ...rest, door: { s: "in" } }).fault?.message).toContain("no handler for `door`")
    expect(toolbox(literals, { ...rest, door }).fault).toBeUndefined()
    // @ts-expect-error a toolbox of another catalog
    createRunner({ catalog, store: memory(), tools: toolbox(literals, { ...rest, door }) })
  })
})

/** How an Effect of ours has failed; whatever else it does fails the test. */
const refusalOf = (effect: unknown): Promise<RunFailure> =>
  Effect.runPromise(
    Effect.flip(effect as Effect.Effect<unknown, RunFailure>).pipe(
      Effect.provide(Layer.merge(memory(), seededIds(1))),
    ) as Effect.Effect<RunFailure>,
  )

describe("what is handed over wrongly is told in words", () => {
  const tools = handlersOf(countCalls())
  const options = { ...scope, catalog, tools }
  const wrong = (value: unknown) => value as never

  const equipment = {
    "no catalog": [{ ...options, catalog: undefined }, "`catalog` must be what `defineCatalog` makes, but is missing"],
    "a spec for a catalog": [
      { ...options, catalog: catalog.spec },
      "`catalog` must be what `defineCatalog` makes, but is an object",
    ],
    "no tools": [{ ...options, tools: undefined }, "`tools` must be an object of handlers, but is missing"],
    "tools under another name": [
      { ...scope, catalog, toolbox: tools },
      "`tools` must be an object of handlers, but is missing",
    ],
    "a list of tools": [{ ...options, tools: [tools.find] }, "`tools` must be an object of handlers, but is an array"],
    "a toolbox, and no catalog": [{ ...scope, tools: toolbox(catalog, tools) }, "`catalog` must be what"],
    "a toolbox of another catalog": [{ ...options, tools: toolbox(guarded, tools) }, "it was made for another catalog"],
    "a toolbox that does not fit": [{ ...options, tools: toolbox(catalog, wrong({})) }, "no handler for `find`"],
  } as const
  for (const [name, [given, message]] of Object.entries(equipment)) {
    test(`HandlerMissing: ${name}`, async () => {
      const refused = await refusalOf(execute(refundPlan, wrong(given)))
      expect(refused).toMatchObject({ _tag: "HandlerMissing", code: "RUN203" })
      expect(refused.message).toContain(message)
      if ("toolbox" in given) return
      const own = Object.entries(given).filter(([key]) => key === "catalog" || key === "tools")
      const runner = createRunner(wrong({ ...Object.fromEntries(own), store: memory() }))
      await expect(runner.run(refundPlan, scope)).rejects.toThrow(message)
      await runner.close()
    })
  }

  test("InputsRefused: options that are none", async () => {
    for (const nothing of [undefined, null, 7, "options"]) {
      const missing = nothing === undefined ? "is missing" : ""
      for (const effect of [
        execute(refundPlan, wrong(nothing)),
        resume("run", wrong(nothing)),
        approve("run", "open", wrong(nothing)),
        decide("run", "open", wrong(nothing)),
      ]) {
        const refused = await refusalOf(effect)
        expect(refused).toMatchObject({ _tag: "InputsRefused", code: "RUN201" })
        expect(refused.message).toContain(`\`options\` of this run must be an object, but ${missing}`)
      }
    }
  })

  test("a runner made of nothing says so to whoever asks", async () => {
    for (const nothing of [undefined, null, {}, { catalog, tools }, { catalog, tools, store: "runs.db" }]) {
      const runner = createRunner(wrong(nothing))
      for (const ask of [runner.run(refundPlan, scope), runner.status("run"), runner.runs()]) {
        await expect(ask).rejects.toMatchObject({ _tag: "StoreUnavailable", code: "RUN501" })
        await expect(ask).rejects.toThrow("`store` must be `memory()` or `sqlite(file)`, but is")
      }
      await runner.close()
    }
    expect(toolbox(wrong(undefined), wrong(undefined)).fault?.message).toContain("`catalog` must be")
  })

  test("a runner's questions: ids and tenants that are none, and never everybody's runs by a slip", async () => {
    const runner = createRunner({ catalog: guarded, tools, store: memory() })
    const { runId } = await runner.run(guardedPlan, scope)
    const refused = { _tag: "InputsRefused", code: "RUN201" }
    for (const tenant of [null, 7, "", ["acme"]]) {
      for (const ask of [runner.status, runner.entries, runner.resume]) {
        await expect(ask(runId, { tenant: wrong(tenant) })).rejects.toMatchObject(refused)
      }
      await expect(runner.runs({ tenant: wrong(tenant) })).rejects.toMatchObject(refused)
      await expect(runner.deny(runId, "open", { by: "bob", tenant: wrong(tenant) })).rejects.toMatchObject(refused)
    }
    for (const options of [null, "acme", ["acme"]]) {
      for (const ask of [runner.status, runner.entries, runner.resume]) {
        await expect(ask(runId, wrong(options))).rejects.toMatchObject(refused)
      }
      await expect(runner.runs(wrong(options))).rejects.toMatchObject(refused)
    }
    for (const id of [undefined, null, 7]) {
      for (const ask of [runner.status, runner.entries, runner.resume]) {
        await expect(ask(wrong(id))).rejects.toMatchObject(refused)
      }
      await expect(runner.approve(runId, wrong(id), { by: "bob" })).rejects.toMatchObject(refused)
    }
    for (const decide of [runner.approve, runner.deny]) {
      await expect(decide(runId, "open", wrong(undefined))).rejects.toThrow(
        "`by` of this run must be a string, but is missing",
      )
    }
    expect((await runner.status(runId)).status).toBe("awaiting_approval")
    await runner.close()
  })
})
