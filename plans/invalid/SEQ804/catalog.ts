import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "bare",
  version: "1",
  tools: {
    look: tool({ description: "Look.", effect: "read", params: z.strictObject({ since: z.date() }) }),
    see: tool({
      description: "See.",
      effect: "read",
      params: {
        type: "object",
        properties: { at: { $ref: "https://example.com/place.json" } },
        additionalProperties: false,
      },
    }),
    watch: tool({
      description: "Watch.",
      effect: "read",
      params: {
        type: "object",
        properties: { until: { type: "string", nullable: true } },
        additionalProperties: false,
      },
    }),
  },
})
