/** Of a union, `where` tells which element is meant, and so what can be picked; and arrays that fit only where they are empty. */
import { compile, defineCatalog, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { call, expectDiagnostics, expectValid, from, planOf } from "./expect.ts"

const shop = defineCatalog({
  name: "shop",
  version: "1",
  tools: {
    find: tool({
      description: "Find.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({
        pays: z.array(
          z.discriminatedUnion("kind", [
            z.strictObject({ kind: z.literal("card"), last4: z.string() }),
            z.strictObject({ kind: z.literal("paypal"), email: z.string() }),
            z.strictObject({ kind: z.literal("voucher"), last4: z.int() }),
          ]),
        ),
        some: z.array(z.strictObject({ id: z.string() })).min(1),
        pair: z.tuple([z.string(), z.string()]),
      }),
    }),
    use: tool({
      description: "Use.",
      effect: "read",
      params: z.strictObject({ text: z.string().optional(), texts: z.array(z.string()).optional() }),
    }),
  },
})

const find = call("find", "find")
const pick = (kind: string, path: string) =>
  call("use", "use", { text: { $from: "find", path: "/pays", where: { "/kind": kind }, pick: path } })

test("what is compared tells what there is to be picked", () => {
  expectValid(shop, [find, pick("card", "/last4")])
  expectValid(shop, [find, pick("paypal", "/email")])
  expectDiagnostics(shop, [find, pick("paypal", "/last4")]).toEqual(["SEQ205 /steps/1/args/text/pick"])
  expectDiagnostics(shop, [find, pick("voucher", "/last4")]).toEqual(["SEQ207 /steps/1/args/text"])
  expectDiagnostics(shop, [find, pick("cash", "/last4")]).toEqual(["SEQ212 /steps/1/args/text/where/~1kind"])
})

test("an array of which only the empty one fits is accepted with a warning; one that is never empty is refused", () => {
  const compiled = compile(shop, planOf([find, call("use", "use", { texts: from("find", "/pays") })]))
  expect([compiled.ok, compiled.diagnostics.map(({ code, at }) => `${code} ${at}`)]).toEqual([
    true,
    ["SEQ215 /steps/1/args/texts"],
  ])
  expectDiagnostics(shop, [find, call("use", "use", { texts: from("find", "/some") })]).toEqual([
    "SEQ207 /steps/1/args/texts",
  ])
  expect(compile(shop, planOf([find, call("use", "use", { texts: from("find", "/pair") })])).diagnostics).toEqual([])
})

test("past the end of an array that is short by declaration the last index is told", () => {
  const { diagnostics } = compile(shop, planOf([find, call("use", "use", { text: from("find", "/pair/2") })]))
  expect(diagnostics).toMatchObject([{ code: "SEQ205", hint: "Its last index is 1." }])
})
