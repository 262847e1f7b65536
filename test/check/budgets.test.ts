/** Budgets: what a plan surely needs, met exactly. */
import { defineCatalog, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { call, expectDiagnostics, expectValid, refusal, type WrittenStep } from "./expect.ts"

const params = z.strictObject({ to: z.string().optional() })

const catalog = defineCatalog({
  name: "thrift",
  version: "1",
  machine: { initial: "A", transitions: { A: { A: {} } } },
  budgets: { steps: 4, sideEffects: 2, microUsd: 100 },
  tools: {
    look: tool({ description: "Looks.", effect: "read", params, cost: { microUsd: 50 } }),
    peek: tool({ description: "Peeks.", effect: "read", params }),
    write: tool({
      description: "Writes.",
      effect: "write",
      params,
      states: ["A"],
      idempotency: "natural",
      compensate: "none",
    }),
    wipe: tool({
      description: "Wipes.",
      effect: "destructive",
      params,
      states: ["A"],
      idempotency: "natural",
      compensate: "none",
    }),
  },
})

const calls = (...tools: readonly string[]): readonly WrittenStep[] =>
  tools.map((name, index) => call(`s${index}`, name, { to: `${index}` }))

test("each is met exactly", () => {
  expectValid(catalog, calls("look", "look", "write", "wipe"))
  expectValid(catalog, [...calls("peek", "peek", "peek"), { id: "t", transition: "A" }])
})

test("and refused by one more, each by itself", () => {
  expectDiagnostics(catalog, calls("peek", "peek", "peek", "peek", "peek")).toEqual(["SEQ403 /steps"])
  expectDiagnostics(catalog, [...calls("peek", "peek", "peek", "peek"), { id: "t", transition: "A" }]).toEqual([
    "SEQ403 /steps",
  ])
  const said = refusal(catalog, calls("look", "look", "look", "write", "wipe", "write"))
  expect(said.map(({ message }) => message).sort()).toEqual([
    "the plan needs 150 microUsd; the budget is 100",
    "the plan needs 3 sideEffects; the budget is 2",
    "the plan needs 6 steps; the budget is 4",
  ])
})
