/** Catalogs as code declares them: what `src/catalog` makes of them, with the names in them checked by tsc. */
import type { Catalog, CatalogSpec } from "./catalog/catalog.ts"
import { defineCatalog as define } from "./catalog/define.ts"
import type { ToolSpec } from "./catalog/tool.ts"
import type { CheckCatalog, CheckTool } from "./typed/names.ts"

/** Declares a tool. Gives back what it was given; the types of its schemas are kept. */
export const tool = <const T extends ToolSpec>(spec: [T] extends [object] ? CheckTool<T> : T): T => spec as T

/**
 * Declares what a host allows. The result carries the catalog's own faults (SEQ8xx) in `diagnostics`; with an error
 * among them no plan compiles.
 */
export const defineCatalog = <const Spec extends CatalogSpec>(
  spec: [Spec] extends [object] ? CheckCatalog<Spec> : Spec,
): Catalog<Spec> => define(spec as Spec)
