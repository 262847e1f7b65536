/** Predecessors: there, about the same thing, or to be compared in the run. */
import { defineCatalog, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { call, checksOf, expectDiagnostics, expectValid, from, refusal } from "./expect.ts"

const effect = { idempotency: "natural", compensate: "none" } as const
const shop = z.string()

const catalog = defineCatalog({
  name: "doors",
  version: "1",
  tools: {
    find: tool({
      description: "Finds.",
      effect: "read",
      params: z.strictObject({ shop, id: z.string(), extra: z.string().optional() }),
      result: z.strictObject({ shop, id: z.string() }),
    }),
    ask: tool({ description: "Asks.", effect: "read", params: z.strictObject({}) }),
    open: tool({
      description: "Opens.",
      effect: "write",
      params: z.strictObject({ shop, id: z.string(), extra: z.string().optional() }),
      requires: [{ tool: "find", same: ["shop", "id"] }, { tool: "ask" }],
      ...effect,
    }),
    shut: tool({
      description: "Shuts.",
      effect: "write",
      params: z.strictObject({ extra: z.string().optional() }),
      requires: [{ tool: "find", same: ["extra"] }],
      ...effect,
    }),
  },
})

const ask = call("ask", "ask")
const find = (name: string, shop: unknown, id: unknown) => call(name, "find", { shop, id })
const open = (shop: unknown, id: unknown) => call("o", "open", { shop, id })

test("each requirement is asked by itself, and must come earlier", () => {
  expectDiagnostics(catalog, [open("s", "1")]).toEqual(["SEQ208 /steps/0/tool", "SEQ208 /steps/0/tool"])
  expectDiagnostics(catalog, [find("f", "s", "1"), open("s", "1"), ask]).toEqual(["SEQ208 /steps/1/tool"])
  expectValid(catalog, [find("f", "s", "1"), ask, open("s", "1")])
})

test("equal constants and equal references are proved, and leave nothing to the run", () => {
  const first = find("f", "s", "1")
  for (const id of [from("f", "/id"), { $concat: ["x", from("f", "/id")] }, { $from: "f", path: "/id" }]) {
    expect(checksOf(expectValid(catalog, [first, ask, find("g", "s", id), open("s", id)]))).toEqual([])
  }
})

test("different constants are refused, with the twin named", () => {
  const [said] = refusal(catalog, [find("f", "s", "1"), ask, open("s", "2")])
  expect(said).toMatchObject({
    code: "SEQ209",
    at: "/steps/2/args/id",
    message: expect.stringContaining('`f` has `"1"` and `o` has `"2"`'),
    related: [{ at: "/steps/0/args/id" }],
  })
})

test("every parameter must be the same in one and the same step", () => {
  expectDiagnostics(catalog, [find("f", "s", "2"), find("g", "t", "1"), ask, open("s", "1")]).toEqual([
    "SEQ209 /steps/3/args/id",
  ])
  expectValid(catalog, [find("f", "s", "2"), find("g", "t", "1"), find("h", "s", "1"), ask, open("s", "1")])
})

test("a reference beside a constant is compared in the run", () => {
  const steps = [find("f", "s", "1"), ask, open("s", from("f", "/id"))]
  expect(checksOf(expectValid(catalog, steps))).toEqual(["same /steps/2/args"])
  expectDiagnostics(catalog, [find("f", "t", "1"), ask, open("s", from("f", "/id"))]).toEqual([
    "SEQ209 /steps/2/args/shop",
  ])
  const other = [find("f", "t", "1"), find("g", from("f", "/shop"), "2"), ask, open("s", from("g", "/id"))]
  expect(checksOf(expectValid(catalog, other))).toEqual(["same /steps/3/args"])
})

test("both left out is the same; one left out is not", () => {
  const shut = (extra?: string) => call("s", "shut", extra === undefined ? {} : { extra })
  const found = (extra?: string) => call("f", "find", { shop: "s", id: "1", ...(extra === undefined ? {} : { extra }) })
  expectValid(catalog, [found(), shut()])
  expectValid(catalog, [found("x"), shut("x")])
  expectDiagnostics(catalog, [found("x"), shut()]).toEqual(["SEQ209 /steps/1/tool"])
  expectDiagnostics(catalog, [found(), shut("x")]).toEqual(["SEQ209 /steps/1/args/extra"])
})
