/** What must be stated, where only one branch of a union has it: asked of the branch that the given value matches. */
import { compile, defineCatalog, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"

const card = z.strictObject({ by: z.literal("card"), currency: z.string().optional() })
const catalog = defineCatalog({
  name: "till",
  version: "1",
  tools: {
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ how: z.union([card, z.strictObject({ by: z.literal("cash") })]) }),
      idempotency: "natural",
      compensate: "none",
      rules: { "/how/currency": { mustState: true } },
    }),
  },
})

test.each([
  [{ by: "cash" }, []],
  [{ by: "card", currency: "EUR" }, []],
  [{ by: "card" }, ["SEQ506"]],
])("%j", (how, codes) => {
  const steps = [{ id: "pay", tool: "pay", args: { how } }]
  const { diagnostics } = compile(catalog, JSON.stringify({ version: 1, steps }))
  expect(diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)).toEqual(codes)
})
