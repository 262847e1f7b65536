/** What types say of a compiled plan that was written in code, held against what the same plan is when it runs. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  arg,
  type Catalog,
  type CompiledPlan,
  compile,
  count,
  defineCatalog,
  definePlan,
  type FinalState,
  type PlanLiteral,
  type StepIds,
  type StepOf,
  serialize,
  type TotalsOf,
  tool,
} from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { generateCatalog, generatePlan } from "../../bench/types/generate.ts"
import { check } from "../../bench/types/measure.ts"
import { withProject } from "../../bench/types/project.ts"
import billing from "../../plans/billing/catalog.ts"
import { type Equal, expectTypes } from "./equal.ts"

const workspaceId = { $from: "find", path: "/workspaces/0/id" } as const

const refund = definePlan(billing, {
  version: 1,
  steps: [
    { id: "find", tool: "list_workspaces", args: { accountId: "acc_1001" } },
    { id: "open", transition: "MUTATING" },
    { id: "cancel", tool: "cancel_workspace", args: { workspaceId } },
    {
      id: "refund",
      tool: "execute_refund",
      args: {
        workspaceId: { $from: "cancel", path: "/workspaceId" },
        amountInCents: { $from: "cancel", path: "/proratedCents" },
        currency: "USD",
        reasonCode: "DUPLICATE_CHARGE",
      },
    },
    { id: "close", transition: "INVESTIGATING" },
  ],
})
if (!refund.ok) throw new Error(refund.diagnostics.map(({ message }) => message).join("\n"))
const { plan } = refund
type Refund = typeof plan

describe("a compiled plan that was written in code", () => {
  test("knows each step by its id", () => {
    expectTypes<
      [
        Equal<StepIds<Refund>, "find" | "open" | "cancel" | "refund" | "close">,
        Equal<StepOf<Refund, "refund">["tool"], "execute_refund">,
        Equal<StepOf<Refund, "refund">["effect"], "destructive">,
        Equal<StepOf<Refund, "refund">["before"], "MUTATING">,
        Equal<StepOf<Refund, "refund">["after"], "MUTATING">,
        Equal<StepOf<Refund, "refund">["result"], { refundId: string }>,
        Equal<StepOf<Refund, "find">["effect"], "read">,
        Equal<StepOf<Refund, "find">["before"], "INVESTIGATING">,
        Equal<StepOf<Refund, "close">["transition"], "INVESTIGATING">,
        Equal<StepOf<Refund, "close">["before"], "MUTATING">,
        // Of the verdict that holds the plan too.
        Equal<StepOf<typeof refund, "close">["after"], "INVESTIGATING">,
      ]
    >()
    // @ts-expect-error there is no step `refnd`
    type Misspelt = StepOf<Refund, "refnd">
    expectTypes<[Equal<Misspelt, unknown>]>()
  })

  test("knows its steps in order", () => {
    const [find, open, , paid] = plan.steps
    expectTypes<
      [
        Equal<typeof find.step.id, "find">,
        Equal<typeof find.step.tool, "list_workspaces">,
        Equal<typeof open.step.to, "MUTATING">,
        Equal<typeof open.before, "INVESTIGATING">,
        Equal<typeof open.after, "MUTATING">,
        Equal<typeof paid.before, "MUTATING">,
        Equal<typeof plan.steps.length, 5>,
      ]
    >()
    expect([find.step.id, find.step.tool, open.step.to, open.before, open.after, paid.before]).toEqual([
      "find",
      "list_workspaces",
      "MUTATING",
      "INVESTIGATING",
      "MUTATING",
      "MUTATING",
    ])
    const ids = plan.steps.map(({ step }) => step.id)
    expectTypes<[Equal<(typeof ids)[number], StepIds<Refund>>]>()
    for (const { step, before } of plan.steps) {
      expectTypes<[Equal<typeof step.id, StepIds<Refund>>, Equal<typeof before, "INVESTIGATING" | "MUTATING">]>()
    }
    // @ts-expect-error no step is called so
    expect(plan.steps.find(({ step }) => step.id === "refnd")).toBeUndefined()
    // @ts-expect-error no step calls it
    expect(find.step.tool === "cancel_workspace").toBe(false)
  })

  test("knows the state it ends in", () => {
    expectTypes<
      [
        Equal<typeof plan.states.initial, "INVESTIGATING">,
        Equal<typeof plan.states.final, "INVESTIGATING">,
        Equal<FinalState<Refund>, "INVESTIGATING">,
        Equal<FinalState<typeof refund>, "INVESTIGATING">,
      ]
    >()
    expect(plan.states.final satisfies FinalState<Refund>).toBe("INVESTIGATING")
    // @ts-expect-error it ends elsewhere
    expect(plan.states.final === "MUTATING").toBe(false)
  })

  test("knows what it counts, where every step writes it", () => {
    expectTypes<
      [
        Equal<
          TotalsOf<Refund>,
          {
            // What the result before says decides.
            readonly cents: number
            readonly records: 2
            readonly webhooks: 2
          }
        >,
      ]
    >()
    const records = plan.blast.find(({ dimension }) => dimension === "records")
    expect(records).toEqual({ dimension: "records", min: 2, max: 2 } satisfies typeof records)
    // @ts-expect-error there is no such limit
    expect(plan.blast.find(({ dimension }) => dimension === "recrds")).toBeUndefined()
  })

  test("is a compiled plan like any other", () => {
    const any: CompiledPlan = plan
    expect(serialize(any)).toBe(serialize(plan))
    expectTypes<[Equal<StepOf<typeof any, "whatever">, unknown>, Equal<typeof any.states, LooseStates>]>()
  })
})

type LooseStates = { readonly initial: string; readonly final: string } | undefined

const counting = defineCatalog({
  name: "counting",
  version: "1",
  blastRadius: { items: { max: 1_000_000 }, calls: { max: 5 } },
  tools: {
    many: tool({
      description: "Many.",
      effect: "write",
      idempotency: "natural",
      compensate: "none",
      params: z.strictObject({ ids: z.array(z.string()).max(1_000), name: z.string().optional() }),
      blast: { items: count("ids"), calls: 1 },
    }),
  },
})

test("items are counted, and a number that is not known is any", () => {
  const ids = ["a", "b", "c"] as const
  const written = definePlan(counting, {
    version: 1,
    steps: [
      { id: "a", tool: "many", args: { ids } },
      { id: "b", tool: "many", args: { ids: ["d", "e"] } },
    ],
  })
  const counted = definePlan(counting, {
    version: 1,
    steps: [{ id: "a", tool: "many", args: { ids: [...ids, ...process.argv] } }],
  })
  expectTypes<
    [
      Equal<TotalsOf<typeof written>, { readonly items: 5; readonly calls: 2 }>,
      Equal<TotalsOf<typeof counted>, { readonly items: number; readonly calls: 1 }>,
      Equal<FinalState<typeof written>, undefined>,
      Equal<StepOf<typeof written, "a">["before"], undefined>,
    ]
  >()
  expect(written.ok && written.plan.blast).toEqual([
    { dimension: "calls", min: 2, max: 2 },
    { dimension: "items", min: 5, max: 5 },
  ])
  expect(written.ok && written.plan.states).toBeUndefined()
})

const walking = defineCatalog({
  name: "walking",
  version: "1",
  machine: { initial: "A", transitions: { A: { B: {} }, B: { C: {} }, C: {} } },
  blastRadius: { metres: { max: 1_000 } },
  tools: {
    walk: tool({
      description: "Walks.",
      effect: "read",
      params: z.strictObject({ metres: z.int().min(0).max(100) }),
      states: ["A", "B", "C"],
      blast: { metres: arg("metres") },
    }),
  },
})

test("of more than ten steps as much is known", () => {
  const written = definePlan(walking, {
    version: 1,
    steps: [
      { id: "a", tool: "walk", args: { metres: 1 } },
      { id: "b", tool: "walk", args: { metres: 2 } },
      { id: "c", tool: "walk", args: { metres: 3 } },
      { id: "d", tool: "walk", args: { metres: 4 } },
      { id: "e", tool: "walk", args: { metres: 5 } },
      { id: "f", transition: "B" },
      { id: "g", tool: "walk", args: { metres: 6 } },
      { id: "h", tool: "walk", args: { metres: 7 } },
      { id: "i", tool: "walk", args: { metres: 8 } },
      { id: "j", tool: "walk", args: { metres: 9 } },
      { id: "k", tool: "walk", args: { metres: 10 } },
      { id: "l", transition: "C" },
      { id: "m", tool: "walk", args: { metres: 45 } },
    ],
  })
  if (!written.ok) throw new Error("refused")
  type Written = typeof written.plan
  expectTypes<
    [
      Equal<TotalsOf<Written>, { readonly metres: 100 }>,
      Equal<FinalState<Written>, "C">,
      Equal<StepOf<Written, "a">["before"], "A">,
      Equal<StepOf<Written, "g">["before"], "B">,
      Equal<StepOf<Written, "k">["before"], "B">,
      Equal<StepOf<Written, "m">["before"], "C">,
    ]
  >()
  expect(written.plan.blast).toEqual([{ dimension: "metres", min: 100, max: 100 }])
  expect(written.plan.steps.map(({ before }) => before).join("")).toBe("AAAAAABBBBBBC")
})

test("of plans that are not known in full nothing is claimed", () => {
  const one = { id: "a", tool: "many", args: { ids: ["x"] } } as const
  const two = { id: "b", tool: "many", args: { ids: ["y"] } } as const
  const list: readonly (typeof one | typeof two)[] = [one]
  const listed = definePlan(counting, { version: 1, steps: list })
  const literal = definePlan(counting, { version: 1, steps: [one] } as PlanLiteral)
  const loose = definePlan(counting as Catalog, { version: 1, steps: [one] })
  const text = compile(counting, JSON.stringify({ version: 1, steps: [one] }))
  const chosen = process.argv.length > 1_000 ? two : one
  const either = definePlan(counting, { version: 1, steps: [chosen] })
  if (!listed.ok || !literal.ok || !loose.ok || !text.ok || !either.ok) throw new Error("refused")
  expectTypes<
    [
      Equal<TotalsOf<typeof listed>, { readonly items: number; readonly calls: number }>,
      Equal<StepIds<typeof listed>, string>,
      Equal<StepOf<typeof listed, "a">, unknown>,
      Equal<StepIds<typeof literal>, string>,
      Equal<StepIds<typeof text>, string>,
      Equal<TotalsOf<typeof text>, { readonly [dimension: string]: number }>,
      Equal<FinalState<typeof text>, string | undefined>,
      Equal<FinalState<typeof loose>, string | undefined>,
      Equal<NonNullable<typeof loose.plan.states>["final"], string>,
      Equal<StepOf<typeof loose, "a">["tool"], "many">,
      Equal<StepOf<typeof loose, "a">["before"], string | undefined>,
      Equal<StepIds<typeof either>, "a" | "b">,
      // It may be the one or the other.
      Equal<StepOf<typeof either, "a">, unknown>,
    ]
  >()
  for (const { plan } of [listed, literal, loose, text, either]) {
    expect(plan.steps.map(({ step }) => step.id)).toEqual(["a"])
  }
})

test("a thousand steps can be asked, at a cost that grows with them", () => {
  const steps = 1_000
  const written = generatePlan(steps, 20)
  const records = [...written.matchAll(/tool: "t(\d+)"/g)].reduce((sum, [, tool]) => sum + (Number(tool) % 7), 0)
  const state = [...written.matchAll(/transition: "([AB])"/g)].at(-1)?.[1]
  const asked = `
type Plan = Extract<typeof plan, { ok: true }>
export const last: import("sequitur").StepOf<Plan, "s${steps - 1}">["after"] = "${state}"
export const final: import("sequitur").FinalState<Plan> = "${state}"
export const records: import("sequitur").TotalsOf<Plan>["records"] = ${records}
// @ts-expect-error there is no such step
export type Misspelt = import("sequitur").StepOf<Plan, "s${steps}">
`
  const costOf = (text: string): number =>
    withProject((folder) => {
      writeFileSync(join(folder, "catalog.ts"), generateCatalog(20))
      writeFileSync(join(folder, "plan.ts"), text)
      const { instantiations, errors } = check(folder)
      expect(errors).toEqual([])
      return instantiations
    })
  // One that looks at every step for every step costs thousands.
  expect((costOf(`${written}${asked}`) - costOf(written)) / steps).toBeLessThan(300)
})
