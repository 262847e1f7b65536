import { defineCatalog, fromResult, tool } from "sequitur"
import { z } from "zod"

const key = { idempotency: "natural", states: ["OPEN"] } as const

export default defineCatalog({
  name: "bare",
  version: "1",
  inputs: z.strictObject({ customer: z.strictObject({ email: z.string() }) }),
  inputLabels: { private: ["/customer/mail"] },
  machine: { initial: "OPEN", transitions: {} },
  tools: {
    // @ts-expect-error there is no state `OPNE`: types see it too.
    look: tool({
      description: "Look.",
      effect: "read",
      params: z.strictObject({ id: z.string() }),
      result: z.strictObject({ items: z.array(z.strictObject({ sku: z.string() })) }),
      states: ["OPNE"],
      requires: [{ tool: "buy_items" }],
    }),
    // @ts-expect-error `idd` is no parameter of `look` either: types see it too.
    buy: tool({
      description: "Buy.",
      effect: "write",
      params: z.strictObject({ id: z.string(), sku: z.string() }),
      result: z.strictObject({ orderId: z.string() }),
      // @ts-expect-error `idd` is no parameter: types see it too.
      requires: [{ tool: "look", same: ["idd"] }],
      // @ts-expect-error `skus` is no parameter: types see it too.
      rules: { sku: { from: ["look#/items/*/skus"] }, skus: { trusted: true } },
      untrusted: ["/orderID"],
      // @ts-expect-error `ids` is no parameter: types see it too.
      once: { by: ["ids"], scope: "tenant" },
      compensate: { tool: "cancel", args: { order: fromResult("/orderId") } },
      ...key,
    }),
    // @ts-expect-error there is no tool `uncancel`: types see it too.
    cancel: tool({
      description: "Cancel.",
      effect: "write",
      params: z.strictObject({ orderId: z.string().optional() }),
      compensate: { tool: "uncancel", args: {} },
      ...key,
    }),
  },
})
