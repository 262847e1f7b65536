import { defineCatalog } from "sequitur"
import desk from "../catalog.ts"

const catalog = defineCatalog({ ...desk.spec })
// A planted fault: no host can reach the table of tools by the types.
Map.prototype.set.call(catalog.tools, "find_order", {
  get params() {
    throw new Error("planted")
  },
})

export default catalog
