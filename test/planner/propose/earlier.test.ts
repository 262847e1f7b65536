/** Results of earlier runs in a plan: typed, labelled, sealed with it, and enough for its run and whoever takes that up. */
import { Effect } from "effect"
import { type Catalog, type CompileOptions, compile, defineCatalog, load, serialize, tool } from "sequitur"
import { createRunner, execute, memory, RunSecrets, resume, toolbox } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import office from "../../../plans/invalid/office.ts"
import type { RunStarted } from "../../../src/journal/entry.ts"
import { misshapen } from "../../../src/journal/event-shape.ts"
import { boxOn, catalog as counter, makeOutside, openStore } from "../../run/counter.ts"
import { principal } from "../../run/desk.ts"
import { planOf } from "./scripted.ts"

type Earlier = NonNullable<CompileOptions["earlier"]>

const listed = (carries: Earlier[string]["carries"] = []): Earlier => ({
  "r1/list": {
    tool: "list_payees",
    result: {
      payees: [
        { id: "p1", name: "Ann" },
        { id: "p2", name: "Bob" },
      ],
    },
    carries,
  },
})
const mail: Earlier = {
  "r1/mail": { tool: "read_mail", result: { messages: [{ id: "m1", from: "p1", body: "pay me" }] }, carries: [] },
}
const pay = (payeeId: unknown, more: object = {}): string =>
  planOf({ id: "pay", tool: "pay", args: { payeeId, cents: 900, currency: "EUR", ...more } })
const codesOf = (text: string, options: CompileOptions, of: Catalog = office): readonly string[] =>
  compile(of, text, options).diagnostics.flatMap(({ code, severity }) => (severity === "error" ? [code] : []))

describe("a reference to an earlier run", () => {
  test("is held to where a value may come from, as one to a step is", () => {
    const id = { $from: "r1/list", path: "/payees/0/id" }
    expect(codesOf(pay(id), { earlier: listed() })).toEqual([])
    expect(codesOf(pay({ $from: "r1/list", path: "/payees/0/name" }), { earlier: listed() })).toEqual(["SEQ601"])
    expect(codesOf(pay("p1"), { earlier: listed() })).toEqual(["SEQ601"])
  })

  test("keeps its labels: those of its tool, and those that came through it", () => {
    const picked = { $from: "r1/list", path: "/payees", where: { "/id": "p1" }, pick: "/id" }
    expect(codesOf(pay(picked), { earlier: listed() })).toEqual([])
    expect(codesOf(pay(picked), { earlier: listed(["untrusted"]) })).toEqual(["SEQ602"])
    expect(codesOf(pay(picked), { earlier: listed(), literals: "untrusted" })).toEqual(["SEQ602"])
    const chosen = { ...picked, where: { "/id": { $from: "r1/mail", path: "/messages/0/from" } } }
    expect(codesOf(pay(chosen), { earlier: { ...listed(), ...mail } })).toEqual(["SEQ602"])
    const post = planOf({ id: "p", tool: "post", args: { text: { $from: "r1/mail", path: "/messages/0/body" } } })
    expect(codesOf(post, { earlier: mail })).toEqual(["SEQ603"])
    expect(codesOf(post.replace("/body", "/id"), { earlier: mail })).toEqual([])
    const joined = planOf({
      id: "p",
      tool: "post",
      args: { text: { $concat: ["a ", { $from: "r1/list", path: "/payees/0/id" }] } },
    })
    expect(codesOf(joined, { earlier: listed(["private"]) })).toEqual(["SEQ603"])
  })

  test("is typed, and what is known not to be there is refused before any run", () => {
    const at = (path: string, more: object = {}) => pay({ $from: "r1/list", path, ...more })
    const earlier = listed()
    expect(codesOf(at("/payees/7/id"), { earlier })).toEqual(["SEQ205"])
    expect(codesOf(at("/payes/0/id"), { earlier })).toEqual(["SEQ205"])
    expect(codesOf(at("/payees/0"), { earlier })).toContain("SEQ207")
    expect(codesOf(at("/payees", { where: { "/name": "Cid" }, pick: "/id" }), { earlier })).toEqual(["SEQ205"])
    const { diagnostics } = compile(office, at("/payees", { where: { "/name": "Cid" }, pick: "/id" }), { earlier })
    expect(diagnostics[0]).toMatchObject({ at: "/steps/0/args/payeeId/where" })
    expect(diagnostics[0]?.hint).toBe("No element of it matches; it takes exactly one.")
  })

  test("may hold whatever a tool may give: large numbers, halves of pairs", () => {
    const earlier: Earlier = { "r1/look": { tool: "look", result: { id: "half \ud800", many: 1e300 }, carries: [] } }
    const text = planOf({ id: "a", tool: "look", args: { invoice: { $from: "r1/look", path: "/id" } } })
    const compiled = compile(counter, text, { earlier })
    expect(compiled.ok && compiled.plan.planHash).toMatch(/^[0-9a-f]{64}$/)
    expect(compiled.ok && load(counter, serialize(compiled.plan), { earlier })).toMatchObject({ ok: false })
  })

  test("names what was given, and nothing else", () => {
    const { diagnostics } = compile(office, pay({ $from: "r1/lst", path: "/payees/0/id" }), { earlier: listed() })
    expect(diagnostics[0]).toMatchObject({ code: "SEQ201", hint: "Did you mean `r1/list`?" })
    expect(codesOf(pay({ $from: "r1/list", path: "/payees/0/id" }), {})).toEqual(["SEQ201"])
    const after = planOf({ id: "a", tool: "list_payees", args: {}, after: ["r1/list"] })
    expect(codesOf(after, { earlier: listed() })).toEqual(["SEQ201"])
  })

  test.each([
    ["another name", { list: listed()["r1/list"] }],
    ["no such tool", { "r1/x": { tool: "nothing", result: 1, carries: [] } }],
    ["what the tool does not give", { "r1/x": { tool: "list_payees", result: { payees: 1 }, carries: [] } }],
    ["no labels", { "r1/x": { tool: "list_payees", result: { payees: [] } } }],
    ["labels that are none", { "r1/x": { tool: "list_payees", result: { payees: [] }, carries: ["fine"] } }],
    [
      "a getter",
      {
        get "r1/x"() {
          throw new Error("no")
        },
      },
    ],
    ["no object", 7],
  ])("the host's mistake is its own: %s", (_, earlier) => {
    expect(codesOf(planOf(), { earlier: earlier as never })).toEqual(["SEQ801"])
  })
})

describe("is sealed with the plan", () => {
  const text = pay({ $from: "r1/list", path: "/payees/0/id" })
  const made = (earlier: Earlier) => {
    const compiled = compile(office, text, { earlier })
    if (!compiled.ok) throw new Error("refused")
    return compiled.plan
  }

  test("only what it reads, and in its hash", () => {
    const plan = made({ ...listed(), ...mail })
    expect(Object.keys(plan.earlier)).toEqual(["r1/list"])
    expect(made(listed()).planHash).toBe(plan.planHash)
    const other = { "r1/list": { ...listed()["r1/list"], result: { payees: [{ id: "p9", name: "Eve" }] } } } as Earlier
    expect(made(other).planHash).not.toBe(plan.planHash)
    expect(() => Object.assign(plan.earlier["r1/list"] ?? {}, { tool: "x" })).toThrow()
  })

  test("and loaded only with what the host gives once more", () => {
    const stored = serialize(made(listed()))
    expect(load(office, stored, { earlier: listed() })).toMatchObject({ ok: true })
    expect(load(office, stored)).toMatchObject({ ok: false, diagnostics: [{ code: "SEQ201" }] })
    const other = { "r1/list": { ...listed()["r1/list"], result: { payees: [{ id: "p9", name: "Eve" }] } } } as Earlier
    expect(load(office, stored, { earlier: other })).toMatchObject({ ok: false, diagnostics: [{ code: "SEQ141" }] })
  })
})

describe("is enough for its run", () => {
  const earlier: Earlier = { "r1/look": { tool: "look", result: { id: "i1" }, carries: [] } }
  const text = planOf(
    { id: "pay", tool: "keyed", args: { invoice: { $from: "r1/look", path: "/id" } } },
    {
      id: "again",
      tool: "natural",
      args: { invoice: { $concat: [{ $from: "r1/look", path: "/id" }, "-", { $from: "pay", path: "/id" }] } },
    },
  )
  const plan = () => {
    const compiled = compile(counter, text, { earlier })
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
    return compiled.plan
  }

  test("which calls with the values, and holds them in its first entry", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { provide, journal } = yield* openStore
        const outside = makeOutside()
        const on = { principal, sessionId: "s", taskId: "t", catalog: counter, tools: boxOn(outside) }
        const report = yield* provide(execute(plan(), { ...on, runId: "r2" }))
        expect(report.status).toBe("succeeded")
        expect(outside.calls.map(({ args }) => args)).toEqual([{ invoice: "i1" }, { invoice: "i1-p_i1" }])
        const started = (yield* journal.read("r2"))[0]?.event as RunStarted
        expect(started).toMatchObject({ kind: "run-started", earlier })
        expect(misshapen(started, undefined)).toBeUndefined()
        expect(misshapen({ ...started, earlier: { x: { tool: "look" } } } as never, undefined)).toBeDefined()
      }),
    ))

  test("and whoever takes it up, after any of its entries, needs nothing else", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const first = yield* openStore
        const outside = makeOutside()
        const on = { principal, sessionId: "s", taskId: "t", catalog: counter, tools: boxOn(outside) }
        yield* first.provide(execute(plan(), { ...on, runId: "r2" }))
        const entries = yield* first.journal.read("r2")
        for (let count = 1; count < entries.length; count++) {
          const { provide, journal } = yield* openStore
          const records = entries.slice(0, count).map(({ seq, atMs, event }) => ({ seq, atMs, event }))
          yield* Effect.catchTag(journal.append("r2", records), "Taken", () => Effect.die("nothing was asked for"))
          const own = makeOutside()
          const report = yield* provide(resume("r2", { catalog: counter, tools: boxOn(own), takeOver: true }))
          expect([count, report.status]).toEqual([count, "succeeded"])
          const args = [...outside.calls, ...own.calls].map(({ args }) => JSON.stringify(args))
          expect(new Set(args)).toEqual(new Set(['{"invoice":"i1"}', '{"invoice":"i1-p_i1"}']))
        }
      }),
    ))

  test("what it takes is counted against limits as everything else", () => {
    const paid = { "r1/look": { tool: "look", result: { id: "i1" }, carries: [] } } as Earlier
    const twice = planOf(
      { id: "a", tool: "keyed", args: { invoice: { $from: "r1/look", path: "/id" } } },
      { id: "b", tool: "keyed", args: { invoice: { $from: "r1/look", path: "/id" } } },
    )
    expect(codesOf(twice, { earlier: paid }, counter)).toEqual(["SEQ701"])
  })
})

test("its secrets are hidden in what is shown of the run, and in what is told of a plan", async () => {
  const canary = "CANARY-51c0ffee"
  const vault = defineCatalog({
    name: "vault",
    version: "1",
    tools: {
      open: tool({
        description: "Open.",
        effect: "read",
        params: z.strictObject({ name: z.string() }),
        result: z.strictObject({
          key: z.string().meta({ sensitive: true }),
          codes: z.array(z.strictObject({ pin: z.string().meta({ sensitive: true }), id: z.string() })),
        }),
      }),
      echo: tool({
        description: "Echo.",
        effect: "read",
        params: z.strictObject({ text: z.string() }),
        result: z.strictObject({ text: z.string() }),
      }),
    },
  })
  const result = { key: canary, codes: [{ pin: "pin-4711", id: "a" }] }
  const earlier = { "r1/open": { tool: "open", result, carries: [] } } as Earlier
  const text = planOf({ id: "e", tool: "echo", args: { text: { $from: "r1/open", path: "/key" } } })
  const compiled = compile(vault, text, { earlier })
  if (!compiled.ok) throw new Error("refused")
  const runner = createRunner({
    catalog: vault,
    tools: toolbox(vault, { open: () => result, echo: ({ text }) => ({ text }) }),
    store: memory(),
  })
  const { runId, status } = await runner.run(compiled.plan, { principal, sessionId: "s", taskId: "t" })
  expect(status).toBe("succeeded")
  const entries = await runner.entries(runId)
  await runner.close()
  expect(JSON.stringify(entries)).toContain(canary)
  const secrets = RunSecrets.of(entries)
  expect(JSON.stringify(entries.map((entry) => secrets.redact(entry)))).not.toContain(canary)
  const wrong = planOf({ id: "e", tool: "echo", args: { text: 7, [canary]: canary } })
  expect(JSON.stringify(compile(vault, wrong, { earlier }).diagnostics)).not.toContain(canary)
  // Whoever writes plans may not try out what it is.
  const guess = (pin: string) =>
    planOf({
      id: "e",
      tool: "echo",
      args: { text: { $from: "r1/open", path: "/codes", where: { "/pin": pin }, pick: "/id" } },
    })
  expect(codesOf(guess("pin-4711"), { earlier }, vault)).toEqual(codesOf(guess("pin-0000"), { earlier }, vault))
})
