/** A tool-calling loop behind the gate. The model is scripted: what it asks for stands in `turns`. */
import { arg, defineCatalog, tool } from "sequitur"
import { createGate, verdictText } from "sequitur/gate"
import { memory } from "sequitur/run"
import { z } from "zod"

const catalog = defineCatalog({
  name: "orders",
  version: "1",
  blastRadius: { cents: { max: 5_000 } },
  tools: {
    find_orders: tool({
      description: "Find the orders of a customer.",
      effect: "read",
      params: z.strictObject({ customer: z.string() }),
      result: z.strictObject({ orders: z.array(z.strictObject({ id: z.string(), cents: z.int().min(0) })) }),
    }),
    refund: tool({
      description: "Refund an order.",
      effect: "write",
      params: z.strictObject({ orderId: z.string(), cents: z.int().positive().max(5_000) }),
      result: z.strictObject({ refundId: z.string() }),
      rules: { orderId: { from: ["find_orders#/orders/*/id"] } },
      blast: { cents: arg("cents", { max: 5_000 }) },
      idempotency: { key: { retentionMs: 86_400_000 } },
      compensate: "none",
    }),
  },
})

const gate = await createGate({
  catalog,
  tools: {
    find_orders: async () => ({ orders: [{ id: "o-17", cents: 1_200 }] }),
    refund: async ({ orderId }) => ({ refundId: `r-${orderId}` }),
  },
  store: memory(),
  principal: { tenant: "acme", subject: "ada" },
  session: "s-1",
  task: "t-1",
})

const turns = [
  [{ callId: "1", tool: "refund", args: '{"orderId": "o-71", "cents": 1200}' }],
  [{ callId: "2", tool: "find_orders", args: '{"customer": "ann"}' }],
  [
    { callId: "3", tool: "refund", args: '{"orderId": "o-17", "cents": "1200"}' },
    { callId: "4", tool: "refund", args: '{"orderId": "o-17", "cents": 1200}' },
  ],
  [{ callId: "4", tool: "refund", args: '{"orderId": "o-17", "cents": 1200}' }],
  [{ callId: "5", tool: "refund", args: '{"orderId": "o-17", "cents": 4000}' }],
]
for (const calls of turns)
  for (const verdict of await gate.turn(calls))
    console.log(`${verdict.callId} ${verdict.kind}: ${verdictText(verdict, { catalog }).split("\n").at(-1)}`)
console.log((await gate.close()).status)
