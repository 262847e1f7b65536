import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "bare",
  version: "1",
  tools: {
    drop: tool({
      description: "Drop.",
      effect: "destructive",
      params: z.strictObject({ id: z.string() }),
      idempotency: "none",
      compensate: "none",
    }),
  },
})
