/** A small shop, for the tests of the command line: find an order, refund it behind an approval. */
import { arg, defineCatalog, fromArgs, tool } from "sequitur"
import { z } from "zod"

const OrderId = z.string().regex(/^o_[0-9]+$/)

export default defineCatalog({
  name: "shop",
  version: "1",
  inputs: z.strictObject({ orderId: OrderId }),
  approvals: "unsigned",
  machine: { initial: "LOOKING", transitions: { LOOKING: { PAYING: { guard: "approval" } }, PAYING: {} } },
  blastRadius: { cents: { max: 5_000 } },
  budgets: { retries: 1 },
  tools: {
    find_order: tool({
      description: "Find an order.",
      effect: "read",
      params: z.strictObject({ orderId: OrderId }),
      result: z.object({ orderId: OrderId, cents: z.int().positive().max(5_000) }),
    }),
    refund: tool({
      description: "Refund an order to the card that paid for it.",
      effect: "destructive",
      params: z.strictObject({ orderId: OrderId, cents: z.int().positive().max(5_000), note: z.string().optional() }),
      result: z.object({ refundId: z.string() }),
      states: ["PAYING"],
      blast: { cents: arg("cents") },
      idempotency: { key: { retentionMs: 86_400_000 } },
      retry: { backoffMs: 50 },
      compensate: "none",
    }),
    hold: tool({
      description: "Hold an order back from the post.",
      effect: "write",
      params: z.strictObject({ orderId: OrderId }),
      states: ["LOOKING", "PAYING"],
      idempotency: "natural",
      compensate: { tool: "let_go", args: { orderId: fromArgs("/orderId") } },
    }),
    let_go: tool({
      description: "Let an order go to the post that was held back.",
      effect: "write",
      params: z.strictObject({ orderId: OrderId }),
      states: ["LOOKING", "PAYING"],
      idempotency: "natural",
      retry: { backoffMs: 50 },
      compensate: "none",
    }),
  },
})
