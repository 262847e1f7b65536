/** Where a run came from, as `run` wrote it down: so that another process finds the same catalog and tools again. */
import type { Catalog } from "../catalog/catalog.ts"
import type { Entry } from "../journal/entry.ts"
import { loadCatalog } from "./modules.ts"
import { readEntries } from "./store.ts"
import { UsageError } from "./terminal.ts"

export interface OriginOptions {
  readonly store: string
  readonly catalog?: string
  readonly tools?: string
}

export interface Origin {
  readonly catalog: Catalog
  readonly toolsPath: string
}

export async function originOf(runId: string, options: OriginOptions): Promise<Origin> {
  const [first] = await readEntries(options.store, runId)
  const catalogPath = options.catalog ?? keptIn(first, "catalog")
  const toolsPath = options.tools ?? keptIn(first, "tools")
  return { catalog: await loadCatalog(catalogPath), toolsPath }
}

function keptIn(first: Entry | undefined, role: "catalog" | "tools"): string {
  const kept = first?.event.kind === "run-started" ? first.event.origin[role] : undefined
  if (typeof kept === "string") return kept
  throw new UsageError(`this run was not started by \`sequitur run\`; name its ${role} with --${role}`)
}
