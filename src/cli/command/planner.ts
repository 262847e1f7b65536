/** `sequitur schema` and `sequitur prompt`: what a planner is given of a catalog. */
import { resolve } from "node:path"
import type { Catalog } from "../../catalog/catalog.ts"
import type { ProviderName } from "../../planner/form/provider.ts"
import { planSchema } from "../../planner/form/schema.ts"
import { planPrompt } from "../../planner/prompt.ts"
import { findCatalog, loadCatalog } from "../modules.ts"
import { complain, exit, print, printJson } from "../terminal.ts"
import { tellFaults } from "./lint.ts"

export interface PlannerOptions {
  readonly catalog?: string
  readonly for?: ProviderName
}

/** The schema alone goes to standard output, so that it can be piped; what is to be known of it goes to standard error. */
export async function printSchema(options: PlannerOptions): Promise<number> {
  return withCatalog(options, (catalog) => {
    const { schema, notes } = planSchema(catalog, providerOf(options))
    printJson(schema, 2)
    for (const note of notes) complain(`note: ${note}`)
  })
}

export async function printPrompt(options: PlannerOptions): Promise<number> {
  return withCatalog(options, (catalog) => {
    const { form } = planSchema(catalog, providerOf(options))
    print(planPrompt(catalog, options.for === undefined ? {} : { form }))
  })
}

const providerOf = (options: PlannerOptions): { readonly for?: ProviderName } =>
  options.for === undefined ? {} : { for: options.for }

/** A catalog with faults accepts no plan: a planner told of it would write for nothing. */
async function withCatalog(options: PlannerOptions, use: (catalog: Catalog) => void): Promise<number> {
  const path = resolve(options.catalog ?? findCatalog("-"))
  const catalog = await loadCatalog(path)
  const faults = catalog.diagnostics.filter(({ severity }) => severity === "error")
  if (faults.length === 0) {
    use(catalog)
    return exit.fine
  }
  tellFaults(faults, path)
  return exit.refused
}
