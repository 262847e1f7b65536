/** Rules as guards: asked once, of what was known then, within their time; only yes lets a run through. */
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Compiled, compile, defineCatalog, diffCatalogs, type GuardFacts, predicate, tool } from "sequitur"
import {
  createRunner,
  type Event,
  execute,
  type Handlers,
  type Ids,
  Journal,
  memory,
  RunSecrets,
  resume,
  seededIds,
} from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { plain } from "../../../src/explain/look.ts"
import { explainPlan } from "../../../src/explain/table.ts"
import { viewPlan } from "../../../src/explain/view.ts"
import { prepare } from "../../../src/run/next/prepare.ts"
import { rederive } from "../../../src/run/rederive.ts"
import { accepted } from "../desk.ts"

type Rule = (facts: GuardFacts, principal: { readonly subject: string; readonly roles?: readonly string[] }) => unknown

const catalogOf = (rule: Rule, version = "1") =>
  defineCatalog({
    name: "till",
    version: "1",
    inputs: z.strictObject({ account: z.string(), pin: z.string().meta({ sensitive: true }) }),
    machine: {
      initial: "LOOKING",
      transitions: {
        LOOKING: { PAYING: { guard: predicate<GuardFacts, boolean>("small", version, rule as () => boolean) } },
        PAYING: { LOOKING: {} },
      },
    },
    tools: {
      look: tool({
        description: "Look at an account.",
        effect: "read",
        params: z.strictObject({ id: z.string() }),
        result: z.object({ cents: z.int().min(0), token: z.string().meta({ sensitive: true }) }),
      }),
      pay: tool({
        description: "Pay.",
        effect: "write",
        params: z.strictObject({ id: z.string(), pin: z.string().meta({ sensitive: true }), cents: z.int() }),
        states: ["PAYING"],
        idempotency: "natural",
        compensate: "none",
      }),
    },
  })

type Spec = ReturnType<typeof catalogOf>["spec"]

const plan = {
  version: 1,
  steps: [
    { id: "look", tool: "look", args: { id: { $from: "input", path: "/account" } } },
    { id: "open", transition: "PAYING" },
    {
      id: "pay",
      tool: "pay",
      args: {
        id: { $from: "input", path: "/account" },
        pin: { $from: "input", path: "/pin" },
        cents: { $from: "look", path: "/cents" },
      },
    },
  ],
}
const planFor = (catalog: ReturnType<typeof catalogOf>) => accepted(compile(catalog, JSON.stringify(plan)) as Compiled)
const inputs = { account: "a1", pin: "4711-0815-pin" }
const scope = {
  principal: { tenant: "acme", subject: "ada", roles: ["clerk"] },
  sessionId: "s",
  taskId: "t",
  runId: "run",
  inputs,
}

function open(rule: Rule) {
  const catalog = catalogOf(rule)
  const made: string[] = []
  const tools: Handlers<Spec> = {
    look: () => ({ cents: 500, token: "tok-98765-secret" }),
    pay: ({ cents }) => {
      made.push(`pay ${cents}`)
      return null
    },
  }
  const runner = createRunner({ catalog, store: memory(), tools })
  return { catalog, made, tools, runner, run: () => runner.run(planFor(catalog), scope) }
}

const ruled = (entries: readonly { readonly event: Event }[]) =>
  entries.flatMap(({ event }) => (event.kind === "rule-evaluated" ? [event] : []))

describe("a rule at a guard", () => {
  test("looks at the inputs, what was found, who acts and what would follow; and lets the run through", async () => {
    const seen: unknown[] = []
    const world = open((...given) => {
      seen.push(structuredClone(given))
      return Number((given[0].results.look as { cents: number }).cents) <= 500
    })
    expect(await world.run()).toMatchObject({ status: "succeeded" })
    expect(world.made).toEqual(["pay 500"])
    const facts = {
      from: "LOOKING",
      to: "PAYING",
      inputs,
      results: { look: { cents: 500, token: "tok-98765-secret" } },
      follows: [{ stepId: "pay", tool: "pay", args: { id: "a1", pin: inputs.pin, cents: 500 } }],
    }
    expect(seen).toEqual([[facts, { tenant: "acme", subject: "ada", roles: ["clerk"] }]])
    expect(ruled(await world.runner.entries("run"))).toMatchObject([
      { stepId: "open", rule: "small@1", inputs: facts, holds: true },
    ])
  })

  const refusals: readonly (readonly [string, Rule, string])[] = [
    ["no", () => false, "says no"],
    ["a promise of no", async () => false, "says no"],
    ["nothing", () => undefined, "answers with neither true nor false"],
    ["something like yes", () => 1, "answers with neither true nor false"],
    ["a boxed yes", () => Object(true), "answers with neither true nor false"],
    [
      "a throw",
      () => {
        throw new Error("no idea")
      },
      "failed: no idea",
    ],
    ["a rejection", () => Promise.reject(new Error("no idea")), "failed: no idea"],
    [
      "a change of what it was given",
      ({ results }) => {
        ;(results as Record<string, unknown>).look = { cents: 0 }
        return false
      },
      "says no",
    ],
  ]
  test.each(refusals)("%s stops the run, and says why", async (_, rule, said) => {
    const world = open(rule)
    expect(await world.run()).toMatchObject({
      status: "failed",
      failure: { code: "RUN316", message: `\`open\` is not taken: the rule \`small@1\` ${said}` },
    })
    expect(world.made).toEqual([])
    expect(ruled(await world.runner.entries("run"))).toMatchObject([
      { holds: false, inputs: { results: { look: { cents: 500 } } } },
    ])
  })

  it.effect("is not waited for beyond five seconds", () =>
    Effect.gen(function* () {
      const { catalog, tools, made } = open(() => new Promise(() => {}))
      const services = yield* Effect.scoped(Layer.build(Layer.merge(memory(), seededIds("rule"))))
      const running = yield* Effect.forkChild(
        Effect.provideContext(execute(planFor(catalog), { ...scope, catalog, tools }), services),
      )
      yield* TestClock.adjust("4 seconds")
      const entries = Effect.provideContext(
        Journal.use((journal) => journal.read("run")),
        services,
      )
      expect(ruled(yield* entries)).toEqual([])
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(running)).toMatchObject({
        status: "failed",
        failure: { code: "RUN316", message: "`open` is not taken: the rule `small@1` did not answer within 5000 ms" },
      })
      expect(made).toEqual([])
    }),
  )

  it.effect("is asked once: its answer stands when the run is taken up, whatever it would say by then", () =>
    Effect.gen(function* () {
      let answer = true
      let asked = 0
      const { catalog, tools, made } = open(() => {
        asked++
        return answer
      })
      const services = yield* Effect.scoped(Layer.build(Layer.merge(memory(), seededIds("rule"))))
      const inIt = <A, E>(effect: Effect.Effect<A, E, Ids | Journal>) => Effect.provideContext(effect, services)
      const broken = { ...tools, pay: () => new Promise<null>(() => {}) }
      const running = yield* Effect.forkChild(inIt(execute(planFor(catalog), { ...scope, catalog, tools: broken })))
      yield* TestClock.adjust("1 second")
      expect(asked).toBe(1)
      yield* Fiber.interrupt(running)
      answer = false
      const report = yield* inIt(resume("run", { catalog, tools, takeOver: true }))
      expect(report).toMatchObject({ status: "succeeded" })
      expect([asked, made]).toEqual([1, ["pay 500"]])
    }),
  )

  test("who cancels while it waits is heard", async () => {
    const world = open(async () => {
      world.runner.cancel("run", { by: "eve", reason: "enough" }).catch(() => {})
      await new Promise((done) => setTimeout(done, 100))
      return true
    })
    expect(await world.run()).toMatchObject({ status: "cancelled" })
    expect(world.made).toEqual([])
  })

  test("is derived anew by its stored answer; other facts, another rule or none do not follow", async () => {
    const world = open(() => true)
    await world.run()
    const ready = prepare(planFor(world.catalog), world.catalog)
    if (ready instanceof Error) throw ready
    const entries = await world.runner.entries("run")
    const told = (change: (event: Event & { kind: "rule-evaluated" }) => Event | undefined): string => {
      const forged = entries.flatMap((entry) => {
        const event = entry.event.kind === "rule-evaluated" ? change(entry.event) : entry.event
        return event === undefined ? [] : [{ ...entry, event }]
      })
      const state = rederive(
        ready,
        "run",
        forged.map((entry, seq) => ({ ...entry, seq })),
      )
      return state instanceof Error ? state.message : state.status
    }
    expect(told((event) => event)).toBe("succeeded")
    expect(told((event) => ({ ...event, rule: "small@2" }))).toMatch(/`rule-evaluated` stands where/)
    expect(told((event) => ({ ...event, inputs: { ...event.inputs, results: {} } }))).toMatch(/stands where/)
    expect(told((event) => ({ ...event, holds: false }))).toMatch(/says why it does not/)
    expect(told(() => undefined)).toMatch(/`state-entered` stands where `ask-rule` would follow/)
  })

  test("what it has looked at is shown without its secrets", async () => {
    const world = open(() => {
      throw new Error(`no ${inputs.pin} for tok-98765-secret`)
    })
    await world.run()
    const entries = await world.runner.entries("run")
    const secrets = RunSecrets.of(entries)
    const shown = JSON.stringify(entries.map((entry) => secrets.redact(entry)))
    expect(JSON.stringify(entries)).toContain("tok-98765-secret")
    expect(shown).not.toContain("tok-98765-secret")
    expect(shown).not.toContain(inputs.pin)
    expect(shown).toContain('"cents":500')
  })
})

describe("compile and explain", () => {
  test("say that a rule decides, and no person", () => {
    const catalog = catalogOf(() => true)
    const compiled = compile(catalog, JSON.stringify(plan))
    expect(compiled.diagnostics).toMatchObject([{ code: "SEQ305", severity: "notice" }])
    const seen = viewPlan(planFor(catalog), catalog)
    expect(seen.approvals).toEqual([])
    expect(seen.rules).toEqual([{ step: "open", from: "LOOKING", to: "PAYING", rule: "small@1", opens: ["pay"] }])
    expect(explainPlan(seen, plain)).toContain(
      "rules that must hold:\n  at `open`, LOOKING → PAYING: small@1, before pay",
    )
  })

  test("another version of a rule makes a plan stale", () => {
    expect(
      prepare(
        planFor(catalogOf(() => true)),
        catalogOf(() => true, "2"),
      ),
    ).toMatchObject({
      code: "RUN202",
      message: expect.stringContaining("machine"),
    })
    const { parts } = diffCatalogs(
      catalogOf(() => true),
      catalogOf(() => true, "2"),
    )
    expect(parts).toMatchObject([
      { part: "machine", tool: null, changes: [{ before: "rule small@1", after: "rule small@2" }] },
    ])
  })

  test("a guard that is none is told, and a machine with one lets nobody through", () => {
    const guards: readonly (readonly [unknown, string])[] = [
      [(): boolean => true, "SEQ805"],
      [{ kind: "predicate", name: "", version: "1", holds: () => true }, "SEQ805"],
      ["aproval", "SEQ801"],
      [7, "SEQ801"],
    ]
    for (const [guard, code] of guards) {
      const { machine: _, ...spec } = catalogOf(() => true).spec
      const catalog = defineCatalog({
        ...spec,
        machine: { initial: "LOOKING", transitions: { LOOKING: { PAYING: { guard } }, PAYING: {} } },
      } as never)
      expect(catalog.diagnostics.filter(({ severity }) => severity === "error").map((one) => one.code)).toEqual([code])
    }
  })
})
