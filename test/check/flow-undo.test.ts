/** What feeds an undo is held against the rules of the tool that undoes, at the step that would be undone. */
import { compile, defineCatalog, fromArgs, fromResult, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import type { CompensationSpec } from "../../src/catalog/tool.ts"
import { call, expectValid, from, inShort, planOf, type WrittenStep } from "./expect.ts"

const text = z.string()
const effect = { effect: "write", idempotency: "natural" } as const

const catalogOf = (args: CompensationSpec["args"]) =>
  defineCatalog({
    name: "bookings",
    version: "1",
    tools: {
      mail: tool({
        description: "Read mail.",
        effect: "read",
        params: z.strictObject({}),
        result: z.strictObject({ body: text, secret: text }),
        untrusted: ["/body"],
        private: ["/secret"],
      }),
      look: tool({
        description: "Look up.",
        effect: "read",
        params: z.strictObject({}),
        result: z.strictObject({ iban: text }),
      }),
      book: tool({
        description: "Book.",
        params: z.strictObject({ memo: text, post: text.optional() }),
        result: z.strictObject({ ref: text, no: text }),
        untrusted: ["/ref"],
        compensate: { tool: "back", args },
        ...effect,
      }),
      back: tool({
        description: "Pay back.",
        params: z.strictObject({
          iban: text.optional(),
          to: text.optional(),
          post: text.optional(),
          currency: text.optional(),
        }),
        rules: {
          iban: { from: ["look#/iban"] },
          to: { trusted: true },
          post: { public: true },
          currency: { mustState: true },
        },
        compensate: "none",
        ...effect,
      }),
    },
  })

const mail = call("m", "mail", {})
const look = call("l", "look", {})
const book = (memo: unknown): WrittenStep => call("b", "book", { memo })

const told = (args: CompensationSpec["args"], memo: unknown): readonly string[] => {
  const compiled = compile(catalogOf({ currency: "EUR", ...args }), planOf([mail, look, book(memo)]))
  return compiled.ok ? [] : compiled.diagnostics.map(inShort)
}

test("by its arguments", () => {
  expect(told({ to: fromArgs("/memo") }, from("m", "/body"))).toEqual(["SEQ602 /steps/2/args/memo"])
  expect(told({ post: fromArgs("/memo") }, from("m", "/secret"))).toEqual(["SEQ603 /steps/2/args/memo"])
  expect(told({ iban: fromArgs("/memo") }, "DE0")).toEqual(["SEQ601 /steps/2/args/memo"])
  expect(told({ iban: fromArgs("/memo"), to: fromArgs("/memo") }, from("l", "/iban"))).toEqual([])
})

test("by its result, with what came through", () => {
  expect(told({ to: fromResult("/ref") }, "a")).toEqual(["SEQ602 /steps/2/tool"])
  expect(told({ iban: fromResult("/no") }, "a")).toEqual(["SEQ601 /steps/2/tool"])
  expect(told({ to: fromResult("/no") }, from("m", "/body"))).toEqual(["SEQ602 /steps/2/tool"])
  expect(told({ to: fromResult("/no") }, "a")).toEqual([])
})

test("what the catalog writes is the host's word, and what it leaves out is told by lint", () => {
  expectValid(catalogOf({ currency: "EUR", iban: "DE0", to: "a" }), [mail, book(from("m", "/body"))])
  expect(catalogOf({ to: "a" }).diagnostics.map(inShort)).toContain("SEQ823 /tools/book/compensate/args")
})
