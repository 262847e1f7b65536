/** Plans that are not all literal: what is known is asked about, the rest is left to the compiler, and a literal that was widened is told. */
import {
  type Catalog,
  type Compiled,
  defineCatalog,
  definePlan,
  type PlanLiteral,
  type StepResult,
  tool,
  type ValidatePlan,
} from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { type Equal, expectTypes } from "./equal.ts"

const catalog = defineCatalog({
  name: "shapes",
  version: "1",
  tools: {
    get: tool({
      description: "Gets.",
      effect: "read",
      params: z.strictObject({ id: z.string(), mode: z.enum(["a", "b"]).optional() }),
      result: z.strictObject({ id: z.string(), n: z.int() }),
    }),
  },
})

const codesOf = (verdict: Compiled<unknown>) =>
  verdict.diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)
const one = { id: "one", tool: "get", args: { id: "x" } } as const
const two = { id: "two", tool: "get", args: { id: { $from: "one", path: "/id" } } } as const
const wrong = { id: "two", tool: "get", args: { id: { $from: "one", path: "/n" } } } as const

test("`as const`, alone or by parts, is a literal", () => {
  const plan = { version: 1, steps: [one, two] } as const
  const verdict = definePlan(catalog, plan)
  expect(codesOf(verdict)).toEqual([])
  expectTypes<[Equal<StepResult<typeof verdict, "two">, { id: string; n: number }>]>()
  const steps = [one, wrong] as const
  // @ts-expect-error the second reads a number
  expect(codesOf(definePlan(catalog, { version: 1, steps }))).toEqual(["SEQ207"])
  // @ts-expect-error so does this one, spread
  expect(codesOf(definePlan(catalog, { version: 1, steps: [...steps] }))).toEqual(["SEQ207"])
  // @ts-expect-error a field of a value is a field all the same
  expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, note: "" }] }))).toEqual(["SEQ103"])
})

test("what is as wide as any plan is left to the compiler", () => {
  const any = JSON.parse(JSON.stringify({ version: 1, steps: [one, wrong] }))
  const unknown: unknown = any
  const literal: PlanLiteral = any
  const list: readonly PlanLiteral<"get">["steps"][number][] = any.steps
  expect(codesOf(definePlan(catalog, any))).toEqual(["SEQ207"])
  expect(codesOf(definePlan(catalog, unknown))).toEqual(["SEQ207"])
  expect(codesOf(definePlan(catalog, literal))).toEqual(["SEQ207"])
  expect(codesOf(definePlan(catalog, { version: 1, steps: list }))).toEqual(["SEQ207"])
  // With a catalog of any tools too.
  expect(codesOf(definePlan(catalog as Catalog, { version: 1, steps: [one, wrong] }))).toEqual(["SEQ207"])
})

test("a literal that was widened is told, and what to do", () => {
  const widened = { version: 1, steps: [{ id: "one", tool: "get", args: { id: "x" } }] }
  // @ts-expect-error `as const` is missing
  expect(codesOf(definePlan(catalog, widened))).toEqual([])
  type Asked = ValidatePlan<typeof catalog, typeof widened>
  type Said = Asked["steps"] extends { readonly "~planError": infer Message } ? Message : never
  expectTypes<
    [
      Equal<
        Said,
        "the types of this plan's steps were widened: write the plan where it is compiled, or `as const` after it; or compile its text"
      >,
    ]
  >()
})

test("values that are known only to run time are held to their types", () => {
  const text = String(1)
  const number = Number("1")
  const mode = Math.random() > 2 ? "a" : "c"
  const either = Math.random() > 2 ? "zero" : "one"
  expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "one", tool: "get", args: { id: text } }] }))).toEqual(
    [],
  )
  const numbered = { id: "one", tool: "get", args: { id: number } } as const
  // @ts-expect-error no number is a text
  expect(codesOf(definePlan(catalog, { version: 1, steps: [numbered] }))).toEqual(["SEQ122"])
  // Of several, each must be right; which it is, is known when it runs.
  const args = { id: "x", mode } as const
  // @ts-expect-error there is no mode `c`
  expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "one", tool: "get", args }] }))).toEqual(["SEQ123"])
  const from = { id: "two", tool: "get", args: { id: { $from: either, path: "/id" } } } as const
  expect(codesOf(definePlan(catalog, { version: 1, steps: [one, from] }))).toEqual([])
  // An id that is not known may be any: references to others are not refused.
  const named = { id: text === "" ? "a" : text === "1" ? "zero" : "b", tool: "get", args: { id: "x" } } as const
  const after = { id: "two", tool: "get", args: { id: { $from: "zero", path: "/id" } } } as const
  expect(codesOf(definePlan(catalog, { version: 1, steps: [named, after] }))).toEqual([])
})

test("a function of one's own asks the same, and hands on what it was given", () => {
  const run = <const P>(plan: ValidatePlan<typeof catalog, P>) => definePlan(catalog, plan)
  const verdict = run({ version: 1, steps: [one, two] })
  expect(codesOf(verdict)).toEqual([])
  expectTypes<[Equal<StepResult<typeof verdict, "two">, { id: string; n: number }>]>()
  // @ts-expect-error the second reads a number
  expect(codesOf(run({ version: 1, steps: [one, wrong] }))).toEqual(["SEQ207"])
  // @ts-expect-error text is no plan
  expect(codesOf(run("{}"))).toEqual(["SEQ101"])
})
