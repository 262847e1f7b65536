import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

const effect = {
  description: "Pay.",
  effect: "destructive",
  params: z.strictObject({ id: z.string() }),
} as const

export default defineCatalog({
  name: "late",
  version: "1",
  budgets: { retries: 2, wallMs: 60_000 },
  tools: {
    forgotten: tool({ ...effect, compensate: "none", idempotency: { key: { retentionMs: 10_000 } } }),
    patient: tool({
      ...effect,
      compensate: "none",
      idempotency: { key: { retentionMs: 40_000 } },
      retry: { times: 4 },
    }),
    longer: tool({
      ...effect,
      compensate: "none",
      idempotency: "natural",
      retry: { times: 10, backoffMs: 30_000, maxBackoffMs: 20_000 },
    }),
    often: tool({ ...effect, effect: "read", retry: { times: 5 } }),
  },
})
