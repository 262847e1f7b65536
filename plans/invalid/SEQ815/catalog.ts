import { defineCatalog, tool } from "sequitur"

export default defineCatalog({
  name: "noted",
  version: "1",
  tools: {
    list: tool({
      description: "List the newest.",
      effect: "read",
      params: { type: "object", properties: { limit: { type: "integer", default: 20 } }, additionalProperties: false },
    }),
  },
})
