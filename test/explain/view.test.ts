import { expect, test } from "vitest"
import { z } from "zod"
import { explainPlan } from "../../src/explain/table.ts"
import { viewPlan } from "../../src/explain/view.ts"
import { arg, compile, defineCatalog, predicate, tool } from "../../src/index.ts"

const Order = z.strictObject({ id: z.string(), kind: z.string() })
const catalog = defineCatalog({
  name: "shop",
  version: "2",
  inputs: z.strictObject({ names: z.array(z.string()) }),
  blastRadius: { cents: { max: 900 } },
  budgets: { steps: 10, sideEffects: 3, microUsd: 100 },
  tools: {
    list: tool({
      description: "List orders.",
      effect: "read",
      params: z.strictObject({ name: z.string() }),
      result: z.object({ orders: z.array(Order), most: z.int() }),
      cost: { microUsd: 7 },
    }),
    pay: tool({
      description: "Pay.",
      effect: "destructive",
      params: z.strictObject({ id: z.string(), cents: z.int().min(0).max(400), note: z.string().max(80) }),
      result: z.object({ paid: z.boolean() }),
      blast: { cents: arg("cents") },
      idempotency: "natural",
      compensate: "none",
      requires: [{ tool: "list" }],
    }),
  },
})

test("checks stand under the step whose answer they wait for", () => {
  const select = {
    $from: "b",
    path: "/orders",
    where: { "/kind": { $from: "a", path: "/orders/0/kind" } },
    pick: "/id",
  }
  const compiled = compile(
    catalog,
    JSON.stringify({
      version: 1,
      goal: "Pay once.",
      steps: [
        { id: "a", tool: "list", args: { name: { $from: "input", path: "/names/1" } } },
        { id: "b", tool: "list", args: { name: "x" } },
        {
          id: "p",
          tool: "pay",
          args: {
            id: select,
            cents: { $from: "a", path: "/most" },
            note: { $concat: ["for ", { $from: "a", path: "/orders/0/id" }] },
          },
        },
      ],
    }),
  )
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  const view = viewPlan(compiled.plan, catalog)
  const told = view.checks.map(({ step, after, kind, at }) => [step, after, kind, at])
  expect(told).toContainEqual(["a", "input", "present", "/steps/0/args/name/path"])
  // One selection reads from both: what it compares with is there when `a` has answered, what it selects from when `b` has.
  expect(told).toContainEqual(["p", "b", "selects-one", "/steps/2/args/id"])
  expect(told).toContainEqual(["p", "a", "present", "/steps/2/args/id/where/~1kind/path"])
  expect(told).toContainEqual(["p", "a", "fits", "/steps/2/args/cents"])
  expect(told).toContainEqual(["p", "a", "fits", "/steps/2/args/note"])
  expect(view.steps.map(({ id, waitsOn }) => [id, waitsOn])).toEqual([
    ["a", []],
    ["b", []],
    ["p", ["a", "b"]],
  ])
  expect(view.totals).toEqual([{ dimension: "cents", min: 0, max: 400, limit: 900 }])
  expect(view.budgets).toEqual([
    { budget: "steps", needs: 3, limit: 10 },
    { budget: "sideEffects", needs: 1, limit: 3 },
    { budget: "microUsd", needs: 14, limit: 100 },
  ])
  expect(view.approvals).toEqual([])
})

test("a plan is not shown under a catalog that does not have its tools", () => {
  const compiled = compile(catalog, '{"version":1,"steps":[{"id":"a","tool":"list","args":{"name":"x"}}]}')
  if (!compiled.ok) throw new Error("it is a good plan")
  const other = defineCatalog({ name: "other", version: "1", tools: {} })
  expect(() => viewPlan(compiled.plan, other)).toThrow("catalog other has no tool list")
})

test("what each call is held to right before it, and who must agree: all of it, by tool", () => {
  const held = defineCatalog({
    name: "desk",
    version: "1",
    authority: { default: "deny" },
    machine: {
      initial: "LOOKING",
      transitions: {
        LOOKING: { PAYING: { guard: "approval", covers: "next", approvers: 2, approverRoles: ["lead"] } },
      },
    },
    tools: {
      iban_of: tool({
        description: "Look an account up.",
        effect: "read",
        params: z.strictObject({ of: z.string() }),
        result: z.object({ iban: z.string() }),
        authority: { roles: ["clerk", "treasurer"] },
      }),
      pay: tool({
        description: "Pay.",
        effect: "destructive",
        params: z.strictObject({ iban: z.string(), currency: z.enum(["EUR", "USD"]).optional() }),
        rules: { currency: { mustState: true } },
        states: ["PAYING"],
        validate: true,
        idempotency: "natural",
        compensate: "none",
        authority: {
          tenants: ["acme", "globex"],
          when: predicate("small", "2", () => true),
          approval: "always",
          freshness: { pointers: ["/iban"], maxAgeMs: 60_000 },
        },
      }),
    },
  })
  const pay = (id: string) => ({
    id,
    tool: "pay",
    occurrence: id === "p" ? 1 : 2,
    args: { iban: { $from: "a", path: "/iban" }, currency: "EUR" },
  })
  const steps = [{ id: "a", tool: "iban_of", args: { of: "x" } }, { id: "o", transition: "PAYING" }, pay("p"), pay("q")]
  const compiled = compile(held, JSON.stringify({ version: 1, steps }))
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  const view = viewPlan(compiled.plan, held)
  expect(view.held).toEqual([
    { tool: "iban_of", steps: ["a"], roles: ["clerk", "treasurer"] },
    {
      tool: "pay",
      steps: ["p", "q"],
      tenants: 2,
      when: "small@2",
      mustState: ["currency"],
      validate: true,
      freshness: { pointers: ["/iban"], maxAgeMs: 60_000 },
    },
  ])
  const told = explainPlan(view, { color: false, width: 120 })
  expect(told).toContain(`
held to right before each call:
  iban_of (for a): who acts is clerk or treasurer
  pay (for p, q): who acts is of one of 2 tenants; small@2 holds for its arguments; currency stated; its own \`validate\` lets it; what /iban was taken from is read again if it is older than 60,000 ms`)
  expect(told).toContain(
    "at `o`, LOOKING → PAYING, by 2 people with the role lead, before p, q, for the call of `p` too",
  )
  expect(told).not.toContain("globex")
  expect(viewPlan(compiled.plan, held).approvals.map((need) => [need.step, need.approverRoles])).toEqual([
    ["o", ["lead"]],
    ["q", undefined],
  ])
})
