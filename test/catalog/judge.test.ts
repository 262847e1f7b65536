/**
 * The author's own validator, in each language and wherever it stands: what it throws, what it does to its value and what it
 * puts off until later becomes a diagnostic, and never a yes.
 */
import { Kind, type TSchema, Type, TypeRegistry } from "@sinclair/typebox"
import { type AnySchema, compile, defineCatalog, named, tool } from "sequitur"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { Json } from "../../src/text/json.ts"

const catalogOf = (params: AnySchema) =>
  defineCatalog({ name: "a", version: "1", tools: { look: tool({ description: "Look.", effect: "read", params }) } })

const faultsOf = (params: AnySchema): readonly string[] =>
  catalogOf(params)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, message }) => `${code} ${message}`)

/** Compiles a call with literal arguments. */
const judge = (params: AnySchema, args: Json): readonly string[] => {
  const catalog = catalogOf(params)
  expect(catalog.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
  const compiled = compile(catalog, JSON.stringify({ version: 1, steps: [{ id: "a", tool: "look", args }] }))
  return compiled.ok ? [] : compiled.diagnostics.map(({ code, message }) => `${code} ${message}`)
}

type Ask = (value: { n: number }) => boolean

/** What a refinement may do that none should; the last is a good one. */
const deeds: readonly (readonly [what: string, ask: Ask, said: RegExp])[] = [
  [
    "throws",
    () => {
      throw new Error("boom")
    },
    /failed to judge this value: boom/,
  ],
  ["answers with a promise", (() => Promise.resolve(true)) as never, /answered with a promise/],
  ["answers with a promise that fails", (() => Promise.reject(new Error("late"))) as never, /answered with a promise/],
  ["changes its value", (value) => value.n++ === 1, /changes this value instead of judging it/],
  ["adds to its value", (value) => Boolean(Object.assign(value, { more: 1 })), /changes this value instead/],
  ["takes from its value", (value) => Reflect.deleteProperty(value, "n"), /changes this value instead|failed to judge/],
]

const byRefine = (ask: Ask): z.ZodType => z.looseObject({ n: z.int() }).refine(named("ask", "1", ask as never))

const byCheck = (ask: Ask): z.ZodType =>
  z.looseObject({ n: z.int() }).check(
    named("ask", "1", (payload: z.core.ParsePayload<{ n: number }>) => {
      const answer: unknown = ask(payload.value)
      if (answer !== true && answer !== false) return answer as never
      if (!answer) payload.issues.push({ code: "custom", input: payload.value })
      return undefined as never
    }),
  )

const byKind = (ask: Ask): TSchema => {
  TypeRegistry.Set(
    "Asked",
    named("ask", "1", (_: unknown, value: unknown) => ask(value as { n: number })),
  )
  return { [Kind]: "Asked" } as unknown as TSchema
}

const places: readonly (readonly [
  place: string,
  value: (one: Json) => Json,
  zod: Wrap<z.ZodType>,
  typeBox: Wrap<TSchema>,
])[] = [
  ["in a property", (one) => one, (one) => one, (one) => one],
  ["in an array", (one) => [one], (one) => z.array(one), (one) => Type.Array(one)],
  ["in a tuple", (one) => [1, one], (one) => z.tuple([z.int(), one]), (one) => Type.Tuple([Type.Integer(), one])],
  ["in a record", (one) => ({ k: one }), (one) => z.record(z.string(), one), (one) => Type.Record(Type.String(), one)],
  ["in a union", (one) => one, (one) => z.union([z.string(), one]), (one) => Type.Union([Type.String(), one])],
  ["behind another schema", (one) => one, (one) => z.lazy(() => one), (one) => Type.Intersect([one, Type.Any()])],
  ["where it may lack", (one) => one, (one) => one.optional(), (one) => Type.Optional(one)],
]

type Wrap<S> = (one: S) => S

describe.each(places)("%s", (_, value, zod, typeBox) => {
  const schemas: readonly (readonly [string, (ask: Ask) => AnySchema])[] = [
    ["zod `.refine()`", (ask) => z.strictObject({ a: zod(byRefine(ask)) })],
    ["zod `.check()`", (ask) => z.strictObject({ a: zod(byCheck(ask)) })],
    ["a kind of TypeBox", (ask) => Type.Object({ a: typeBox(byKind(ask)) }, { additionalProperties: false })],
  ]

  it.each(schemas)("%s", async (_, schema) => {
    for (const [what, ask, said] of deeds) {
      const told = judge(schema(ask), { a: value({ n: 1 }) })
      expect([what, told.length > 0]).toEqual([what, true])
      expect(told.join("\n")).toMatch(said)
    }
    expect(
      judge(
        schema(({ n }) => n === 1),
        { a: value({ n: 1 }) },
      ),
    ).toEqual([])
    expect(
      judge(
        schema(({ n }) => n === 1),
        { a: value({ n: 2 }) },
      ),
    ).not.toEqual([])
    // A promise that fails must not end the process.
    await new Promise((resolve) => setTimeout(resolve, 2))
  })
})

it("a refinement that says it waits, or hides its function, refuses the catalog, however deep it stands", () => {
  const slow = async (): Promise<boolean> => true
  const deep = (one: z.ZodType) => z.strictObject({ a: z.array(z.object({ b: z.union([z.null(), one]) })) })
  expect(faultsOf(deep(z.string().refine(slow)))).toEqual([
    expect.stringMatching(/^SEQ802 .*`\.refine\(\)` at `\/a\/\*\/b` waits/),
  ])
  expect(faultsOf(deep(z.string().refine(named("slow", "1", slow))))).toEqual([
    expect.stringMatching(/^SEQ802 .*waits/),
  ])
  expect(faultsOf(deep(z.string().superRefine(slow as never)))).toEqual([expect.stringMatching(/^SEQ80[25] /)])
  expect(faultsOf(deep(z.string().superRefine(named("s", "1", () => undefined))))).toEqual([
    expect.stringMatching(/^SEQ805 .*`\/a\/\*\/b` has no name and version/),
  ])
  TypeRegistry.Set("Waits", named("waits", "1", slow) as never)
  const kind = { [Kind]: "Waits" } as unknown as TSchema
  expect(faultsOf(Type.Object({ a: Type.Array(Type.Not(kind)) }))).toEqual([expect.stringMatching(/^SEQ802 .*waits/)])
})

it("what is done to the insides of a zod schema later does not reach what was read out of it", () => {
  const params = z.strictObject({ a: z.string().max(3) })
  const catalog = catalogOf(params)
  const inside = params._zod.def.shape as Record<string, z.ZodType>
  inside.a = z.any()
  const verdict = (a: Json): boolean =>
    compile(catalog, JSON.stringify({ version: 1, steps: [{ id: "a", tool: "look", args: { a } }] })).ok
  expect(["abc", "abcd", 1].map(verdict)).toEqual([true, false, false])
})
