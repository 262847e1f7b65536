/** Arguments round the holes that references leave, and whole ones by the author's own validator. */
import fc from "fast-check"
import { compile } from "sequitur"
import { expect, test } from "vitest"
import { stock } from "./catalog.ts"
import { call, checksOf, expectDiagnostics, expectValid, from, planOf, refusal } from "./expect.ts"

const look = call("a", "look", { sku: "A" })
const move = (args: object) => [look, call("b", "move", args)]

test("all faults of one call at once, as they stand in the text", () => {
  expectDiagnostics(stock, move({ sku: 1, amount: 51, colour: "red", tags: ["x", 2, "y"], to: "warm" })).toEqual([
    "SEQ122 /steps/1/args/sku",
    "SEQ123 /steps/1/args/amount",
    "SEQ121 /steps/1/args/colour",
    "SEQ122 /steps/1/args/tags/1",
    "SEQ123 /steps/1/args/to",
  ])
})

test("faults are found round a reference as they are in literals", () => {
  expectDiagnostics(
    stock,
    move({ sku: from("a", "/sku"), amount: "3", colour: from("a", "/sku"), tags: [from("a", "/sku"), null] }),
  ).toEqual(["SEQ122 /steps/1/args/amount", "SEQ121 /steps/1/args/colour", "SEQ122 /steps/1/args/tags/1"])
  expectDiagnostics(stock, move({ sku: from("a", "/sku") })).toEqual(["SEQ120 /steps/1/args"])
})

test("an array with references still has its number of items", () => {
  const tags = (count: number) => Array.from({ length: count }, () => from("a", "/sku"))
  expectValid(stock, move({ sku: "A", amount: 1, tags: tags(3) }))
  expectDiagnostics(stock, move({ sku: "A", amount: 1, tags: tags(4) })).toEqual(["SEQ123 /steps/1/args/tags"])
})

test("nothing is converted, trimmed or filled in", () => {
  for (const amount of ["1", "1.0", true, null, [1], { value: 1 }]) {
    expectDiagnostics(stock, move({ sku: "A", amount })).toEqual(["SEQ122 /steps/1/args/amount"])
  }
  for (const amount of [1.5, 0, -1, 51])
    expectDiagnostics(stock, move({ sku: "A", amount })).toEqual(["SEQ123 /steps/1/args/amount"])
  for (const amount of [1, 50]) expectValid(stock, move({ sku: "A", amount }))
  expectDiagnostics(stock, move({ sku: "A", amount: 1, to: null })).toEqual(["SEQ122 /steps/1/args/to"])
})

test("names that every object has are no parameters", () => {
  for (const name of ["toString", "valueOf", "hasOwnProperty"]) {
    expectDiagnostics(stock, move({ sku: "A", amount: 1, [name]: "x" })).toEqual([`SEQ121 /steps/1/args/${name}`])
    expectDiagnostics(stock, move({ sku: from("a", "/sku"), amount: 1, [name]: "x" })).toEqual([
      `SEQ121 /steps/1/args/${name}`,
    ])
  }
})

test("a refinement judges whole arguments now, and those with holes in the run", () => {
  expectValid(stock, [call("n", "note", { text: "HEY" })])
  const [said] = refusal(stock, [call("n", "note", { text: "hey" })])
  expect(said).toMatchObject({
    code: "SEQ124",
    at: "/steps/0/args/text",
    message: expect.stringContaining("must shout"),
  })
  const steps = [look, call("n", "note", { text: from("a", "/sku") })]
  expect(checksOf(expectValid(stock, steps))).toEqual(["fits /steps/1/args/text", "judged /steps/1/args"])
  expect(checksOf(expectValid(stock, [look, call("n", "note", { text: "HEY", row: from("a", "/left") })]))).toEqual([
    "judged /steps/1/args",
  ])
})

test("data that looks like an expression is data under `$literal`", () => {
  const data = { $from: "nobody", path: 3, $concat: [], deep: [{ $ref: "x" }] }
  expectValid(stock, move({ sku: "A", amount: 1, data: { $literal: data } }))
  const codes = refusal(stock, move({ sku: "A", amount: 1, data })).map(({ code }) => code)
  expect(new Set(codes)).toEqual(new Set(["SEQ131"]))
})

test("arguments without a reference are accepted exactly where the author's own schema accepts them", () => {
  const odd = fc.oneof(
    fc.constantFrom<unknown>("", "hey", 0, 51, 1.5, null, ["x", "y", "z", "t"], [1], {}, { $literal: "dry" }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const mostly = (...right: readonly unknown[]) =>
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: odd })
  const sku = mostly("A", { $literal: "B" })
  const optional = { requiredKeys: [] }
  const calls = fc.oneof(
    fc.tuple(fc.constant("look" as const), fc.record({ sku, more: odd }, optional)),
    fc.tuple(
      fc.constant("note" as const),
      fc.record({ text: mostly("HEY", { $literal: "" }), row: mostly(3) }, optional),
    ),
    fc.tuple(
      fc.constant("move" as const),
      fc.record(
        { sku, amount: mostly(1, 50), to: mostly("dry"), tags: mostly(["x"], []), data: odd, more: odd },
        { requiredKeys: ["sku", "amount", "to"] },
      ),
    ),
  )
  const verdicts = { accepted: 0, refused: 0 }
  fc.assert(
    fc.property(calls, ([name, given]) => {
      fc.pre(!/"\$(?!literal)/.test(JSON.stringify(given)))
      const plain = JSON.parse(JSON.stringify(given), (_, part) =>
        part !== null && typeof part === "object" && "$literal" in part ? part.$literal : part,
      )
      const expected = stock.spec.tools[name].params.safeParse(plain).success
      // `move` wants the same article looked at before.
      const looked = call("a", "look", { sku: typeof plain.sku === "string" ? plain.sku : "A" })
      const codes = compile(stock, planOf([looked, call("b", name, given)])).diagnostics.map(({ code }) => code)
      // Numbers and keys that no plan may hold are refused by the reader.
      fc.pre(codes.every((code) => code >= "SEQ100"))
      expect(codes.length === 0, codes.join()).toBe(expected)
      verdicts[expected ? "accepted" : "refused"] += 1
    }),
    { numRuns: 1_500 },
  )
  expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(300)
})
