import { arg, count, defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "bare",
  version: "1",
  blastRadius: { cents: { max: 100 } },
  tools: {
    unbounded: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ cents: z.int().min(0) }),
      blast: { cents: arg("cents") },
      idempotency: "natural",
      compensate: "none",
    }),
    fraction: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ cents: z.number().min(0).max(9) }),
      blast: { cents: arg("cents") },
      idempotency: "natural",
      compensate: "none",
    }),
    negative: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ cents: z.int().max(9) }),
      blast: { cents: arg("cents") },
      idempotency: "natural",
      compensate: "none",
    }),
    optional: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ cents: z.int().min(0).max(9).optional() }),
      // @ts-expect-error it may be left out: types see it too.
      blast: { cents: arg("cents") },
      idempotency: "natural",
      compensate: "none",
    }),
    text: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ cents: z.string() }),
      // @ts-expect-error it is no number: types see it too.
      blast: { cents: arg("cents") },
      idempotency: "natural",
      compensate: "none",
    }),
    absent: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ cents: z.int() }),
      // @ts-expect-error `cent` is no parameter: types see it too.
      blast: { cents: arg("cent") },
      idempotency: "natural",
      compensate: "none",
    }),
    below: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ cents: z.int().min(0).max(90) }),
      blast: { cents: arg("cents", { max: 50 }) },
      idempotency: "natural",
      compensate: "none",
    }),
    uncounted: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ cents: z.array(z.string()) }),
      blast: { cents: count("cents") },
      idempotency: "natural",
      compensate: "none",
    }),
  },
})
