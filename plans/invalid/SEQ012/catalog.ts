import { defineCatalog } from "sequitur"
import desk from "../catalog.ts"

export default defineCatalog({ ...desk.spec, bounds: { nodes: 5 } })
