/** Refunds, each of which a person must agree to. */
import { arg, defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "webhook",
  version: "1",
  blastRadius: { cents: { max: 50_000 } },
  tools: {
    find_order: tool({
      description: "Look up an order.",
      effect: "read",
      params: z.strictObject({ orderId: z.string() }),
      result: z.strictObject({ paidCents: z.int().min(0).max(50_000), email: z.email().meta({ sensitive: true }) }),
    }),
    refund: tool({
      description: "Refund an order to the card it was paid with.",
      effect: "destructive",
      params: z.strictObject({ orderId: z.string(), cents: z.int().positive().max(50_000), tell: z.email() }),
      result: z.strictObject({ refundId: z.string() }),
      blast: { cents: arg("cents") },
      authority: { approval: "always", approverRoles: ["support-lead"] },
      idempotency: { key: { retentionMs: 86_400_000 } },
      compensate: "none",
    }),
  },
})
