/** A toolbox whose tools are those of MCP servers, and of the host beside them. */
import type { Catalog, CatalogSpec } from "../../catalog/catalog.ts"
import { type Toolbox, toolbox } from "../../run/toolbox.ts"
import type { McpServer } from "./server.ts"

export interface McpToolboxOptions {
  readonly servers: readonly McpServer[]
  /** Of the catalog's tools that are no server's. */
  readonly handlers?: { readonly [name: string]: unknown }
}

/** Tools that a server has and the catalog has not are out of reach. A name that two sides claim is the host's mistake: a `TypeError`. */
export function mcpToolbox<Spec extends CatalogSpec>(
  catalog: Catalog<Spec>,
  { servers, handlers = {} }: McpToolboxOptions,
): Toolbox<Spec> {
  const all = new Map<string, unknown>(Object.entries(handlers))
  for (const server of servers) {
    for (const [name, handler] of Object.entries(server.handlers)) {
      if (all.has(name)) throw new TypeError(`\`${name}\` has more than one handler`)
      if (catalog.tools.has(name)) all.set(name, handler)
    }
  }
  return toolbox(catalog, Object.fromEntries(all) as never)
}
