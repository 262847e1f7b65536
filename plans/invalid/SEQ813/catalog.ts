import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "bare",
  version: "1",
  tools: {
    look: tool({
      description: "Look.",
      effect: "read",
      params: z.strictObject({ id: z.string() }),
      blast: { webhooks: 1 },
    }),
  },
})
