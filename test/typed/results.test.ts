/** What the steps of a plan written in code give, and what its handlers get: read out of the catalog's own schemas. */
import { Type } from "@sinclair/typebox"
import {
  type ArgsOf,
  type CompiledPlan,
  compile,
  defineCatalog,
  definePlan,
  type PlanLiteral,
  type ResultOf,
  type ResultsOf,
  type StepResult,
  tool,
} from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { type Equal, expectTypes } from "./equal.ts"

const Place = z.strictObject({ id: z.string(), row: z.int().optional() })

const catalog = defineCatalog({
  name: "typed",
  version: "1",
  machine: { initial: "A", transitions: { A: { A: {} } } },
  tools: {
    find: tool({
      description: "Finds.",
      effect: "read",
      params: z.strictObject({ name: z.string(), limit: z.int().optional() }),
      result: z.object({ places: z.array(Place), kind: z.enum(["dry", "cold"]) }),
    }),
    count: tool({
      description: "Counts.",
      effect: "read",
      params: Type.Object(
        { ids: Type.Array(Type.String()), deep: Type.Optional(Type.Boolean()) },
        { additionalProperties: false },
      ),
      result: Type.Object({ total: Type.Integer() }),
    }),
    ping: tool({ description: "Pings.", effect: "read", params: z.strictObject({}) }),
  },
})

type Spec = (typeof catalog)["spec"]
type Tools = Spec["tools"]

test("handlers get what the parameters declare, and give what the result declares", () => {
  expectTypes<
    [
      Equal<ArgsOf<Tools["find"]>, { name: string; limit?: number | undefined }>,
      Equal<ArgsOf<Tools["count"]>, { ids: string[]; deep?: boolean }>,
      Equal<ArgsOf<Tools["ping"]>, Record<string, never>>,
      Equal<ResultOf<Tools["find"]>, { places: { id: string; row?: number | undefined }[]; kind: "dry" | "cold" }>,
      Equal<ResultOf<Tools["count"]>, { total: number }>,
      Equal<ResultOf<Tools["ping"]>, unknown>,
    ]
  >()
})

const written = {
  version: 1,
  steps: [
    { id: "f", tool: "find", args: { name: "x" } },
    { id: "t", transition: "A" },
    { id: "n", tool: "count", args: { ids: [{ $from: "f", path: "/places/0/id" }] } },
    { id: "p", tool: "ping", args: {} },
  ],
} as const

interface Expected {
  readonly f: { places: { id: string; row?: number | undefined }[]; kind: "dry" | "cold" }
  readonly n: { total: number }
  readonly p: unknown
}

test("a plan's results are those of its calls, by id", () => {
  expectTypes<
    [
      Equal<ResultsOf<Spec, typeof written>, { readonly [Id in keyof Expected]: Expected[Id] }>,
      Equal<ResultsOf<Spec, { version: 1; steps: [] }>, Record<never, never>>,
    ]
  >()
})

type ResultsIn<Verdict> = Verdict extends { readonly ok: true; readonly plan: CompiledPlan<infer R> } ? R : never

test("a plan written in code knows what its steps give; one from text does not", () => {
  const inCode = definePlan(catalog, {
    version: 1,
    steps: [
      { id: "f", tool: "find", args: { name: "x" } },
      { id: "t", transition: "A" },
      { id: "n", tool: "count", args: { ids: [{ $from: "f", path: "/places/0/id" }] } },
      { id: "p", tool: "ping", args: {} },
    ],
  })
  const inText = compile(catalog, JSON.stringify(written))
  type InCode = Extract<typeof inCode, { ok: true }>
  type InText = Extract<typeof inText, { ok: true }>
  expectTypes<
    [Equal<ResultsIn<InCode>, { readonly [Id in keyof Expected]: Expected[Id] }>, Equal<ResultsIn<InText>, unknown>]
  >()
  if (!inCode.ok || !inText.ok) throw new Error("refused")
  expect(inCode.plan.planHash).toBe(inText.plan.planHash)
  expect(inCode.diagnostics).toEqual(inText.diagnostics)
})

test("an id that no call has gives no result", () => {
  const inCode = definePlan(catalog, written)
  // @ts-expect-error there is no step `c`
  type Misspelt = StepResult<typeof inCode, "c">
  type OfTransition = StepResult<typeof inCode, "t">
  const inText = compile(catalog, JSON.stringify(written))
  expectTypes<
    [
      Equal<StepResult<typeof inCode, "n">, { total: number }>,
      Equal<Misspelt, unknown>,
      Equal<OfTransition, unknown>,
      Equal<StepResult<typeof inText, "any">, unknown>,
    ]
  >()
})

test("what is not known gives no results that may not be there", () => {
  const one = { id: "f", tool: "find", args: { name: "x" } } as const
  type Either = {
    readonly version: 1
    readonly steps: readonly [typeof one | { readonly id: "g"; readonly tool: "ping" }]
  }
  type AnyId = { readonly version: 1; readonly steps: readonly [{ readonly id: string; readonly tool: "ping" }] }
  type TwoIds = { readonly version: 1; readonly steps: readonly [{ readonly id: "a" | "b"; readonly tool: "ping" }] }
  type AnyTool = { readonly version: 1; readonly steps: readonly [{ readonly id: "a"; readonly tool: string }] }
  type Listless = { readonly version: 1; readonly steps: readonly (typeof one)[] }
  expectTypes<
    [
      Equal<ResultsOf<Spec, Listless>, unknown>,
      Equal<ResultsOf<Spec, PlanLiteral>, unknown>,
      Equal<ResultsOf<Spec, unknown>, unknown>,
      Equal<ResultsOf<Spec, ReturnType<typeof JSON.parse>>, unknown>,
      Equal<ResultsOf<Spec, AnyId>, Record<never, never>>,
      Equal<ResultsOf<Spec, TwoIds>, Record<never, never>>,
      Equal<ResultsOf<Spec, AnyTool>, { readonly a: unknown }>,
      // One of two steps: neither may be there.
      Equal<ResultsOf<Spec, Either>, Record<never, never>>,
    ]
  >()
})
