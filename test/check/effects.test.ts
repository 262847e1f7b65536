/** The same effect twice: by value, however it is written, and only where the plan does not say that it means it. */
import { defineCatalog, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { stock } from "./catalog.ts"
import { call, expectDiagnostics, expectValid, from, refusal } from "./expect.ts"

const look = call("a", "look", { sku: "A" })
const move = (id: string, more: object = {}, args: object = {}) =>
  call(id, "move", { sku: "A", amount: 1, ...args }, more)

test("reads may be repeated; effects may not", () => {
  expectValid(stock, [look, { ...look, id: "b" }])
  const [said] = refusal(stock, [look, move("b"), move("c")])
  expect(said).toMatchObject({ code: "SEQ701", at: "/steps/2/tool", related: [{ at: "/steps/1" }] })
})

test("the order of keys is no difference; a value is", () => {
  const turned = call("c", "move", { amount: 1, sku: "A" })
  expectDiagnostics(stock, [look, move("b"), turned]).toEqual(["SEQ701 /steps/2/tool"])
  expectDiagnostics(stock, [
    look,
    move("b", {}, { data: { x: 1, y: [2] } }),
    move("c", {}, { data: { y: [2.0], x: 1 } }),
  ]).toEqual(["SEQ701 /steps/2/tool"])
  expectValid(stock, [look, move("b"), move("c", {}, { amount: 2 })])
  expectValid(stock, [look, move("b"), move("c", {}, { to: "dry" })])
})

test("fractions in another order are the same too, though their sum is not", () => {
  const data = (keys: string) => Object.fromEntries([...keys].map((key) => [key, { a: 0.1, b: 0.2, c: 0.3 }[key]]))
  const catalog = defineCatalog({
    name: "sums",
    version: "1",
    tools: {
      put: tool({
        description: "Put.",
        effect: "write",
        params: z.strictObject({ a: z.number(), b: z.number(), c: z.number() }),
        idempotency: "none",
        compensate: "none",
      }),
    },
  })
  expectDiagnostics(catalog, [call("x", "put", data("abc")), call("y", "put", data("cba"))]).toEqual([
    "SEQ701 /steps/1/tool",
  ])
})

test("equal references are equal values; data is never taken for a reference", () => {
  const read = { sku: from("a", "/sku") }
  expectDiagnostics(stock, [look, move("b", {}, read), move("c", {}, { sku: { $from: "a", path: "/sku" } })]).toEqual([
    "SEQ701 /steps/2/tool",
  ])
  const data = { data: from("a") }
  expectValid(stock, [look, move("b", {}, data), move("c", {}, { data: { $literal: from("a") } })])
})

test("`occurrence` tells them apart, whatever the numbers", () => {
  expectValid(stock, [look, move("b"), move("c", { occurrence: 2 }), move("d", { occurrence: 9 })])
  expectDiagnostics(stock, [look, move("b", { occurrence: 2 }), move("c", { occurrence: 2 }), move("d")]).toEqual([
    "SEQ701 /steps/2/tool",
  ])
  const [said] = refusal(stock, [look, move("b"), move("c", { occurrence: 4 }), move("d")])
  expect(said?.hint).toContain('"occurrence": 5')
})

test("what happens once happens once in a plan, whatever else is said; what only the run can compare is left to it", () => {
  const shop = defineCatalog({
    name: "shop",
    version: "1",
    inputs: z.strictObject({ order: z.strictObject({ id: z.string() }) }),
    tools: {
      cancel: tool({
        description: "Cancel.",
        effect: "destructive",
        params: z.strictObject({
          order: z.strictObject({ id: z.string() }),
          line: z.int(),
          note: z.string().optional(),
        }),
        once: { by: ["/order/id", "line"], scope: "tenant" },
        idempotency: "natural",
        compensate: "none",
      }),
    },
  })
  const cancel = (id: string, order: unknown, line: unknown, more: object = {}, note = {}) =>
    call(id, "cancel", { order, line, ...note }, more)
  const twice = [cancel("a", { id: "1" }, 1), cancel("b", { id: "1" }, 1, { occurrence: 2 }, { note: "x" })]
  const [said] = refusal(shop, twice)
  expect(said).toMatchObject({
    code: "SEQ701",
    at: "/steps/1/tool",
    message: "step `b` does the same as `a`: `cancel` happens once for the same `order/id`, `line`",
    hint: "Remove one; `occurrence` does not make it happen again.",
  })
  expect(said?.fix).toBeUndefined()
  expect(refusal(shop, [cancel("a", { id: "1" }, 1), cancel("b", { id: "1" }, 1)])[0]?.fix).toBeDefined()
  const input = from("input", "/order/id")
  expectDiagnostics(shop, [cancel("a", { id: input }, 1), cancel("b", { id: input }, 1, {}, { note: "x" })]).toEqual([
    "SEQ701 /steps/1/tool",
  ])
  expectValid(shop, [cancel("a", { id: "1" }, 1), cancel("b", { id: "1" }, 2), cancel("c", { id: input }, 1)])
  // The whole of `order` is one reference, and its `id` another: whether they are the same only the run knows.
  expectValid(shop, [cancel("a", from("input", "/order"), 1), cancel("b", { id: input }, 1)])
})
