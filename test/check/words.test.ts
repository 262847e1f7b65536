/** What is said would be right, where general words would lead astray. */
import { type AnySchema, applyPatch, compile, defineCatalog, named, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { stock } from "./catalog.ts"
import { call, from, planOf, refusal } from "./expect.ts"

const use = (params: AnySchema, args: object) =>
  refusal(
    defineCatalog({ name: "x", version: "1", tools: { use: tool({ description: "Use.", effect: "read", params }) } }),
    [call("u", "use", args)],
  )

test("`input` may be the name that was meant", () => {
  const [said] = refusal(stock, [call("a", "look", { sku: from("inputs", "/sku") })])
  expect(said).toMatchObject({ code: "SEQ201", hint: "Did you mean `input`?" })
})

test("there is one version, and it can be put in", () => {
  const document = { steps: [call("a", "look", { sku: "A" })] }
  const [said, ...others] = compile(stock, JSON.stringify(document)).diagnostics
  expect([said?.code, said?.hint, others]).toEqual(["SEQ102", "Add `version`: `1`.", []])
  expect(applyPatch(document as never, said?.fix ?? [])).toEqual(JSON.parse(planOf(document.steps)))
})

test("a name that is kept is not mended by other letters", () => {
  const [said] = refusal(stock, [call("constructor", "look", { sku: "A" })])
  expect(said).toMatchObject({ code: "SEQ105", hint: "Use another name, such as one with the tool's in it." })
})

test("null in the place of what may be left out", () => {
  const params = z.strictObject({
    note: z.string().optional(),
    must: z.string(),
    line: z.strictObject({ no: z.int().optional() }),
  })
  expect(use(params, { note: null, must: null, line: { no: null } }).map(({ hint }) => hint)).toEqual([
    "Write a string, or leave `note` out; nothing is converted.",
    "Write a string; nothing is converted.",
    "Write an integer, or leave `no` out; nothing is converted.",
  ])
})

test("a refinement is told by its name where its author gave no words", () => {
  const isIban = named("is-iban", "1", (text: string) => text.startsWith("DE"))
  const isLong = named("is-long", "1", (text: string) => text.length > 9)
  const params = z.strictObject({
    own: z.string().refine(isIban, "no IBAN"),
    all: z.array(z.strictObject({ n: z.string().refine(isIban).refine(isLong) })),
  })
  expect(use(params, { own: "x", all: [{ n: "x" }] }).map(({ message }) => message)).toEqual([
    "`own` of `use` is refused by its schema: no IBAN",
    ...Array.from(
      { length: 2 },
      () => "`all/0/n` of `use` is refused by its schema: it does not pass `is-iban` or `is-long`",
    ),
  ])
})

test("keys that are told by a pattern", () => {
  const labels = (properties: object) => ({
    type: "object",
    properties: { labels: { type: "object", properties, patternProperties: { "^[a-z]+$": { type: "string" } } } },
  })
  const hintOf = (properties: object): string | undefined => use(labels(properties), { labels: { ABC: "x" } })[0]?.hint
  expect(hintOf({})).toBe("A key here must be a string that matches /^[a-z]+$/u.")
  expect(hintOf({ Zebra: {} })).toBe(
    "Known parameters: `Zebra`. Any other key must be a string that matches /^[a-z]+$/u.",
  )
})

test("nobody who writes a plan is told to change the catalog", () => {
  const small = defineCatalog({
    ...(stock.spec as object as { readonly name: string; readonly version: string; readonly tools: object }),
    budgets: { steps: 1 },
  } as never)
  const [said] = refusal(small, [call("a", "look", { sku: "A" }), call("b", "look", { sku: "B" })])
  expect(said).toMatchObject({ code: "SEQ403", hint: "Do less in one plan." })
})
