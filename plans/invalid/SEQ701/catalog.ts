/** The order desk, with an effect that happens once for an order, whatever else is said. */
import { type CatalogSpec, defineCatalog, tool } from "sequitur"
import { z } from "zod"
import desk from "../catalog.ts"

const spec = desk.spec as CatalogSpec

export default defineCatalog({
  ...spec,
  tools: {
    ...spec.tools,
    thank: tool({
      description: "Thank for an order.",
      effect: "write",
      params: z.strictObject({ orderId: z.string(), words: z.string() }),
      states: ["LOOKING"],
      once: { by: ["orderId"], scope: "tenant" },
      idempotency: "natural",
      compensate: "none",
    }),
  },
})
