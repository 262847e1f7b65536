import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "slow",
  version: "1",
  tools: {
    look: tool({ description: "Look.", effect: "read", params: z.strictObject({ slug: z.string().regex(/^(a+)+$/) }) }),
    see: tool({
      description: "See.",
      effect: "read",
      params: {
        type: "object",
        properties: { words: { type: "array", items: { type: "string", pattern: "^(\\w+\\s?)*$" } } },
        additionalProperties: false,
      },
    }),
  },
})
