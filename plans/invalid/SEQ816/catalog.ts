import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "quadratic",
  version: "1",
  tools: {
    find: tool({
      description: "Find a customer.",
      effect: "read",
      params: z.strictObject({ email: z.string().regex(/^[^@\s]+@[^@\s]+\.[^@\s]+$/) }),
    }),
  },
})
