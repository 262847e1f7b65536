import { arg, defineCatalog, tool } from "sequitur"
import { z } from "zod"

const effect = {
  effect: "write",
  idempotency: "natural",
  compensate: "none",
  authority: { roles: ["clerk"] },
} as const
const cents = z.int().min(200).max(300)

export default defineCatalog({
  name: "bare",
  version: "1",
  authority: { default: "deny" },
  blastRadius: { cents: { max: 100 }, records: { max: 1 } },
  budgets: { steps: 2, microUsd: 50, sideEffects: 1 },
  tools: {
    pay: tool({
      description: "Pay.",
      params: z.strictObject({ cents }),
      blast: { cents: arg("cents") },
      cost: { microUsd: 60 },
      ...effect,
    }),
    nobodys: tool({ description: "Look.", effect: "read", params: z.strictObject({}) }),
    drop: tool({ description: "Drop.", params: z.strictObject({}), blast: { records: 1 }, ...effect }),
    purge: tool({
      description: "Purge.",
      params: z.strictObject({}),
      blast: { records: 1 },
      requires: [{ tool: "drop" }],
      ...effect,
    }),
  },
})
