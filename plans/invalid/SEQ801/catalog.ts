import { defineCatalog } from "sequitur"
import { z } from "zod"

const spec: unknown = {
  name: "bare",
  version: 3,
  toolz: {},
  tools: { look: { description: "Look.", effect: "writes", params: z.strictObject({}) } },
}

export default defineCatalog(spec as never)
