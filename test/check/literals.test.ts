/** Constant `$concat` and `$literal` count as literals, for every question that is asked of literals. */
import { applyFixes, arg, compile, defineCatalog, named, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { call, checksOf, expectDiagnostics, expectValid, from, planOf } from "./expect.ts"

const notX = named("notX", "1", (text: string) => text !== "x-1")

const catalog = defineCatalog({
  name: "literals",
  version: "1",
  blastRadius: { units: { max: 10 } },
  tools: {
    find: tool({
      description: "Finds.",
      effect: "read",
      params: z.strictObject({ id: z.string() }),
      result: z.strictObject({ id: z.string(), parts: z.array(z.strictObject({ id: z.string(), row: z.int() })) }),
    }),
    take: tool({
      description: "Takes.",
      effect: "write",
      params: z.strictObject({ id: z.string().max(5).refine(notX, "not this"), units: z.int().min(0) }),
      requires: [{ tool: "find", same: ["id"] }],
      blast: { units: arg("units", { max: 100 }) },
      idempotency: "natural",
      compensate: "none",
    }),
  },
})

const find = call("f", "find", { id: "A-1" })
const take = (id: string, of: unknown, units: unknown) => call(id, "take", { id: of, units })

/** One value, written in each way that is constant. */
const writings = (text: string): readonly unknown[] => [
  text,
  { $literal: text },
  { $concat: [...text] },
  { $concat: [{ $literal: text }, ""] },
  { $concat: [{ $concat: [text] }] },
]

test("the schema's limits are met by them", () => {
  for (const id of [...writings("A-1")].map((written) => take("t", written, 1))) expectValid(catalog, [find, id])
  for (const written of writings("A-1234"))
    expectDiagnostics(catalog, [call("f", "find", { id: "A-1234" }), take("t", written, 1)]).toEqual([
      "SEQ123 /steps/1/args/id",
    ])
})

test("the author's validator judges them, and leaves nothing to the run", () => {
  const steps = (written: unknown) => [call("f", "find", { id: "x-1" }), take("t", written, 1)]
  for (const written of writings("x-1")) expectDiagnostics(catalog, steps(written)).toEqual(["SEQ124 /steps/1/args/id"])
  for (const written of writings("A-1"))
    expect(checksOf(expectValid(catalog, [find, take("t", written, 1)]))).toEqual([])
})

test("`same` compares them by their value", () => {
  for (const written of writings("A-2")) {
    expectDiagnostics(catalog, [find, take("t", written, 1)]).toEqual(["SEQ209 /steps/1/args/id"])
    expectValid(catalog, [call("f", "find", { id: written }), take("t", "A-2", 1)])
  }
})

test("the same effect twice is seen through them", () => {
  for (const written of writings("A-1")) {
    expectDiagnostics(catalog, [find, take("t", "A-1", 1), take("u", written, { $literal: 1 })]).toEqual([
      "SEQ701 /steps/2/tool",
    ])
  }
})

test("blast counts them as themselves", () => {
  const plan = expectValid(catalog, [find, take("t", "A-1", { $literal: 10 })])
  expect(plan.blast).toEqual([{ dimension: "units", min: 10, max: 10 }])
  expectDiagnostics(catalog, [find, take("t", "A-1", { $literal: 11 })]).toEqual(["SEQ401 /steps/1/args/units"])
})

test("`where` compares with them", () => {
  const select = (row: unknown) =>
    call("g", "find", { id: { $from: "f", path: "/parts", where: { "/row": row }, pick: "/id" } })
  expectValid(catalog, [find, select({ $literal: 1 })])
  expectDiagnostics(catalog, [find, select({ $concat: ["1"] })]).toEqual(["SEQ212 /steps/1/args/id/where/~1row"])
})

test("integers and booleans are joined as JSON writes them", () => {
  const joined = (parts: readonly unknown[]) => call("f", "find", { id: { $concat: parts } })
  for (const [parts, id] of [
    [[1, "-", true], "1-true"],
    [[false, 0], "false0"],
    [[-0], "0"],
    [[1e3], "1000"],
    [[], ""],
  ] as const) {
    const { steps } = expectValid(catalog, [joined(parts)])
    expect(steps[0]?.step).toMatchObject({ args: { kind: "literal", value: { id } } })
  }
})

test("a reference anywhere makes it no constant", () => {
  const { steps } = expectValid(catalog, [find, call("g", "find", { id: { $concat: ["A", from("f", "/id")] } })])
  expect(steps[1]?.step).toMatchObject({ args: { kind: "object" }, reads: [{ source: "f" }] })
})

test("a fault within `$literal` is placed where the plan has it, and mended there", () => {
  const words = defineCatalog({
    name: "words",
    version: "1",
    tools: {
      say: tool({
        description: "Says.",
        effect: "read",
        params: z.strictObject({
          rows: z.array(z.strictObject({ tone: z.enum(["loud", "quiet"]), text: z.string().refine(notX, "not this") })),
        }),
      }),
    },
  })
  const say = (rows: unknown) => [call("s", "say", { rows })]
  const row = (more: object) => ({ tone: "loud", text: "a", ...more })
  const within = "/steps/0/args/rows/$literal/0"
  expectDiagnostics(words, say({ $literal: [row({ text: 1 }), { tone: "loud" }] })).toEqual([
    `SEQ122 ${within}/text`,
    "SEQ120 /steps/0/args/rows/$literal/1",
  ])
  expectDiagnostics(words, say({ $literal: [row({ text: "x-1" })] })).toEqual([`SEQ124 ${within}/text`])
  expectDiagnostics(words, say([{ $literal: row({ text: "x-1" }) }])).toEqual([
    "SEQ124 /steps/0/args/rows/0/$literal/text",
  ])
  // Within data a key named `$literal` is a key.
  expectDiagnostics(words, say({ $literal: [row({ text: { $literal: "a" } })] })).toEqual([`SEQ122 ${within}/text`])
  for (const [faulty, at] of [
    [row({ extra: 1 }), `${within}/extra`],
    [row({ tone: "Loud" }), `${within}/tone`],
    [{ tone: "loud", txet: "a" }, `${within}/txet`],
  ] as const) {
    const text = planOf(say({ $literal: [faulty] }))
    const { diagnostics } = compile(words, text)
    const told = diagnostics.find((one) => one.at === at)
    expect(told?.fix, at).toBeDefined()
    const mended = applyFixes(JSON.parse(text), diagnostics)
    expect(compile(words, JSON.stringify(mended.document)).ok, at).toBe(true)
  }
})

test("every part that cannot be joined is told", () => {
  expectDiagnostics(catalog, [call("f", "find", { id: { $concat: ["a", 0.5, null, { $from: "no" }] } })]).toEqual([
    "SEQ131 /steps/0/args/id/$concat/1",
    "SEQ131 /steps/0/args/id/$concat/2",
    "SEQ201 /steps/0/args/id/$concat/3/$from",
  ])
})
