/** Where a run came from, as `run` wrote it down, so that another process finds the same catalog and tools again; and where they
 *  are looked for when a program started the run. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { Catalog } from "../catalog/catalog.ts"
import type { Entry } from "../journal/entry.ts"
import type { KeySet } from "../run/approval/key-set.ts"
import { approversFor } from "./approvers.ts"
import { findTools, loadCatalog, moduleIn, namesOf } from "./modules.ts"
import { UsageError } from "./terminal.ts"

export interface OriginOptions {
  readonly store: string
  /** Only a run of this tenant is found. */
  readonly tenant?: string
  readonly catalog?: string
  readonly tools?: string
  /** The key set of those who may approve. */
  readonly approvers?: string
}

export interface Origin {
  readonly catalog: Catalog
  readonly toolsPath: string
  readonly approvers: KeySet | undefined
}

export async function originOf(entries: readonly Entry[], options: OriginOptions): Promise<Origin> {
  const path = catalogPathOf(entries, options)
  const kept = keptIn(entries)
  // Tools belong to their catalog: with another one, those beside that are meant.
  const keptTools = resolve(path) === kept.catalog ? kept.tools : undefined
  const toolsPath = options.tools ?? keptTools ?? findTools(path)
  return { catalog: await loadCatalog(path), toolsPath, approvers: approversFor(options.approvers, path) }
}

/** For what needs no tools. */
export const catalogOf = (entries: readonly Entry[], options: OriginOptions): Promise<Catalog> =>
  loadCatalog(catalogPathOf(entries, options))

function catalogPathOf(entries: readonly Entry[], options: OriginOptions): string {
  const path = options.catalog ?? keptIn(entries).catalog ?? moduleIn(process.cwd(), "catalog")
  if (path !== undefined) return path
  const tools = options.tools === undefined ? " (and its tools with --tools, unless they are beside it)" : ""
  throw new UsageError(
    `the run names no catalog that is there, and there is no ${namesOf("catalog")} in this folder; name it with --catalog${tools}`,
  )
}

/**
 * The same; undefined where nothing was named and nothing is found, or what is found cannot be used. A person's word is taken all
 * the same then, and what follows from it is left to whoever takes the run up.
 */
export async function tryOriginOf(entries: readonly Entry[], options: OriginOptions): Promise<Origin | undefined> {
  try {
    return await originOf(entries, options)
  } catch (error) {
    if (error instanceof UsageError && options.catalog === undefined && options.tools === undefined) return undefined
    throw error
  }
}

/** Whether whoever drives it from here must say by which catalog. */
export const needsCatalog = (entries: readonly Entry[]): boolean =>
  keptIn(entries).catalog === undefined && moduleIn(process.cwd(), "catalog") === undefined

/** What the run says, as far as it is still there. */
function keptIn([first]: readonly Entry[]): { readonly [Role in "catalog" | "tools"]?: string | undefined } {
  const origin = first?.event.kind === "run-started" ? first.event.origin : {}
  const there = (path: unknown): string | undefined => (typeof path === "string" && existsSync(path) ? path : undefined)
  return { catalog: there(origin.catalog), tools: there(origin.tools) }
}
