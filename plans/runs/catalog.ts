/** What the recorded runs beside it went by. It stays as it is: the runs are replayed against it for ever. */
import { arg, defineCatalog, fromArgs, tool } from "sequitur"
import { z } from "zod"

const order = z.strictObject({ order: z.string() })
const changing = { states: ["CHANGING"] } as const

export default defineCatalog({
  name: "recorded",
  version: "1",
  inputs: z.strictObject({ order: z.string() }),
  machine: {
    initial: "LOOKING",
    transitions: { LOOKING: { CHANGING: { guard: "approval" } }, CHANGING: { LOOKING: {} } },
  },
  blastRadius: { cents: { max: 5_000, per: "session" } },
  budgets: { retries: 5, deadlineMs: 3_600_000, microUsd: 1_000 },
  tools: {
    look: tool({
      description: "Look at an order.",
      effect: "read",
      params: order,
      result: z.object({ cents: z.int().min(0).max(5_000) }),
    }),
    hold: tool({
      description: "Hold an order.",
      effect: "write",
      params: order,
      ...changing,
      idempotency: "natural",
      compensate: { tool: "let_go", args: { order: fromArgs("/order") } },
      retry: { times: 2, backoffMs: 10 },
    }),
    let_go: tool({
      description: "Let an order go.",
      effect: "write",
      params: order,
      ...changing,
      idempotency: "none",
      compensate: "none",
    }),
    refund: tool({
      description: "Refund an amount.",
      effect: "destructive",
      params: z.strictObject({ order: z.string(), cents: z.int().positive().max(5_000) }),
      result: z.object({ refund: z.string() }),
      ...changing,
      blast: { cents: arg("cents", { max: 5_000 }) },
      once: { by: ["order"], scope: "session" },
      idempotency: { key: { retentionMs: 86_400_000 } },
      reconcile: { finalAfterMs: 20 },
      compensate: "none",
      retry: { times: 1, backoffMs: 10 },
      cost: { microUsd: 100 },
    }),
    tell: tool({
      description: "Tell the customer.",
      effect: "write",
      params: z.strictObject({ text: z.string() }),
      ...changing,
      idempotency: "none",
      compensate: "none",
    }),
  },
})
