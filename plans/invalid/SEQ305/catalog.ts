import { defineCatalog, type GuardFacts, predicate, tool } from "sequitur"
import { z } from "zod"

const inHours = predicate("in-hours", "2", ({ inputs }: GuardFacts) => inputs !== null)

export default defineCatalog({
  name: "till",
  version: "1",
  machine: { initial: "LOOKING", transitions: { LOOKING: { PAYING: { guard: inHours } }, PAYING: { LOOKING: {} } } },
  tools: {
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ cents: z.int() }),
      states: ["PAYING"],
      idempotency: "natural",
      compensate: "none",
    }),
  },
})
