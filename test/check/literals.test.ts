/** Constant `$concat` and `$literal` count as literals, for every question that is asked of literals. */
import { arg, defineCatalog, named, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { call, checksOf, expectDiagnostics, expectValid, from } from "./expect.ts"

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
