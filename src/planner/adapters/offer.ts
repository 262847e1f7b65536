/** A catalog's tools as an offer to a model: a name its provider takes, words, and the schema of the arguments. */
import type { Catalog } from "../../catalog/catalog.ts"
import { demandCatalog } from "../../catalog/define.ts"
import { demand } from "../../text/demand.ts"
import type { JsonObject } from "../../text/json.ts"
import { namesOf } from "./names.ts"
import { type ParametersStyle, parametersOf } from "./parameters.ts"

export interface ToolsOptions {
  /** Only these tools of the catalog. */
  readonly only?: readonly string[]
}

export interface Offer {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** Throws a `TypeError` for what is no catalog, and for a tool that it does not have. */
export function offersOf(catalog: Catalog, { only }: ToolsOptions = {}, style: ParametersStyle): readonly Offer[] {
  demandCatalog(catalog)
  for (const name of only ?? []) demand(catalog.tools.has(name), `the catalog has no tool \`${name}\``)
  const { toProvider } = namesOf(catalog)
  return [...catalog.tools.values()]
    .filter(({ name }) => only?.includes(name) ?? true)
    .map((tool) => ({
      name: toProvider(tool.name),
      description: tool.description,
      parameters: parametersOf(tool, style),
    }))
}
