import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "bare",
  version: "1",
  blastRadius: { cent: { max: 100 }, records: { max: 5, approveAbove: 5 } },
  budgets: { wallMs: 60_000, deadlineMs: 30_000 },
  tools: {
    look: tool({
      description: "Look.",
      effect: "read",
      params: z.strictObject({ id: z.string() }),
      blast: { records: 1 },
    }),
  },
})
