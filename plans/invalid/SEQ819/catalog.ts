import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

const params = z.strictObject({ id: z.string() })

export default defineCatalog({
  name: "bare",
  version: "1",
  tools: {
    look: tool({ description: "Look.", effect: "read", params, requires: [{ tool: "look", same: ["id"] }] }),
    open: tool({ description: "Open.", effect: "read", params, requires: [{ tool: "find" }] }),
    find: tool({ description: "Find.", effect: "read", params, requires: [{ tool: "list" }] }),
    list: tool({ description: "List.", effect: "read", params, requires: [{ tool: "open" }] }),
  },
})
