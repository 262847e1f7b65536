/** A till, for single calls over MCP: look a price up, note something, give money back when a person agrees. */
import { arg, defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "till",
  version: "1",
  approvals: "unsigned",
  blastRadius: { cents: { max: 5_000, per: "session" } },
  tools: {
    price: tool({
      description: "Say what something costs.",
      effect: "read",
      params: z.strictObject({ id: z.int() }),
      result: z.strictObject({ cents: z.int(), pin: z.string().meta({ sensitive: true }) }),
    }),
    note: tool({
      description: "Write a note.",
      effect: "write",
      params: z.strictObject({ text: z.string() }),
      result: z.strictObject({ at: z.int() }),
      idempotency: "none",
      compensate: "none",
    }),
    give_back: tool({
      description: "Give money back.",
      effect: "destructive",
      params: z.strictObject({ cents: z.int().min(0).max(5_000) }),
      result: z.strictObject({ given: z.int() }),
      blast: { cents: arg("cents") },
      idempotency: "none",
      compensate: "none",
      authority: { roles: ["lead"], approval: "always" },
    }),
    slow: tool({ description: "Take time.", effect: "read", params: z.strictObject({}) }),
  },
})
