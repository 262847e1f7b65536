/** A plan in a file or on standard input, read within its catalog's bounds, and compiled. */
import { resolve } from "node:path"
import type { Catalog } from "../catalog/catalog.ts"
import { type Compiled, compile } from "../compile.ts"
import { load } from "../stored.ts"
import { findCatalog, loadCatalog, nameOf } from "./modules.ts"
import { lookFor, readBytes } from "./read-file.ts"

export interface PlanOptions {
  /** The catalog's module. By default the one that is found beside the plan or above it. */
  readonly catalog?: string
  readonly unwrap?: "fence"
}

/** A plan's text, as far as it was read, and what came of it under its catalog. */
export interface PlanFile {
  readonly name: string
  readonly text: string
  readonly catalogPath: string
  readonly catalog: Catalog
  readonly compiled: Compiled
}

export async function openPlan(file: string, options: PlanOptions): Promise<PlanFile> {
  await lookFor(file)
  const catalogPath = resolve(options.catalog ?? findCatalog(file))
  const catalog = await loadCatalog(catalogPath)
  const { bytes, text, stored } = await readPlan(file, catalog.bounds.textBytes)
  const { unwrap } = options
  const compiled = stored ? load(catalog, bytes) : compile(catalog, bytes, unwrap === undefined ? {} : { unwrap })
  return { name: nameOf(file), text, catalogPath, catalog, compiled: withFlags(compiled) }
}

/** A plan, or what `--out` wrote of one: its bytes, and some more than there may be where it is too large. */
export async function readPlan(
  file: string,
  textBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly text: string; readonly stored: boolean }> {
  const bytes = await readBytes(file, (head) => (isStored(head) ? textBytes * storedFactor : textBytes))
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  return { bytes, text, stored: isStored(text) }
}

/** What is an option in code is a flag here. */
const withFlags = (compiled: Compiled): Compiled => ({
  ...compiled,
  diagnostics: compiled.diagnostics.map((one) =>
    one.code === "SEQ013" ? { ...one, hint: one.hint.replace('`unwrap: "fence"`', "`--unwrap fence`") } : one,
  ),
})

/** What `--out` wrote, and no plan: a plan has no such field. */
const isStored = (text: string): boolean => /^\s*\{\s*"sequitur"\s*:/.test(text)

/** A stored plan is a few times the size of its document. */
const storedFactor = 16

/** Whether the catalog has faults of its own, which are then all that compiling has to say. */
export const isFaulty = ({ diagnostics }: Catalog): boolean => diagnostics.some(({ severity }) => severity === "error")
