/** The catalog that the refused plans in this folder are held against: a small order desk. */
import { arg, count, defineCatalog, named, tool } from "sequitur"
import { z } from "zod"

const orderId = z.string().min(1).max(20)
const notBlank = named("notBlank", "1", (text: string) => text.trim() !== "")

export default defineCatalog({
  name: "desk",
  version: "1",
  machine: {
    initial: "LOOKING",
    transitions: {
      LOOKING: { CHANGING: { guard: "approval" } },
      CHANGING: { LOOKING: {}, CLOSED: {} },
      CLOSED: {},
    },
  },
  blastRadius: { cents: { max: 60_000 }, records: { max: 4 } },
  budgets: { steps: 10, sideEffects: 4, microUsd: 2_000 },
  tools: {
    find_order: tool({
      description: "Look up one order.",
      effect: "read",
      params: z.strictObject({ orderId }),
      result: z.strictObject({
        orderId,
        status: z.enum(["open", "sent"]),
        totalCents: z.int().min(0).max(40_000),
        items: z
          .array(z.strictObject({ sku: z.string(), kind: z.enum(["book", "toy"]), note: z.string().optional() }))
          .max(20),
        customer: z.strictObject({ email: z.string(), address: z.strictObject({ city: z.string() }) }),
        coupon: z.string().optional(),
      }),
    }),
    cancel_order: tool({
      description: "Cancel an order.",
      effect: "destructive",
      params: z.strictObject({ orderId, reason: z.enum(["changed_mind", "too_late"]) }),
      result: z.strictObject({ orderId, refundCents: z.int().min(0).max(40_000) }),
      states: ["CHANGING"],
      requires: [{ tool: "find_order", same: ["orderId"] }],
      blast: { records: 1 },
      idempotency: { key: { retentionMs: 86_400_000 } },
      compensate: "none",
    }),
    refund: tool({
      description: "Pay money back.",
      effect: "destructive",
      params: z.strictObject({ orderId, cents: z.int().min(1).max(50_000), memo: z.string().max(40).optional() }),
      result: z.strictObject({ refundId: z.string() }),
      states: ["CHANGING"],
      requires: [{ tool: "cancel_order", same: ["orderId"] }],
      blast: { cents: arg("cents"), records: 1 },
      cost: { microUsd: 800 },
      idempotency: { key: { retentionMs: 86_400_000 } },
      compensate: "none",
    }),
    tag_items: tool({
      description: "Tag items of an order.",
      effect: "write",
      params: z.strictObject({
        skus: z.array(z.string()).max(10),
        tag: z.string().refine(notBlank, "must not be blank"),
      }),
      states: ["LOOKING", "CHANGING"],
      blast: { records: count("skus") },
      idempotency: "natural",
      compensate: "none",
    }),
  },
})
