/** `sequitur lint`: what a catalog's own faults are, and what it may want to know of itself. */
import { resolve } from "node:path"
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import { explainDiagnostic } from "../../explain/diagnostic.ts"
import { plural } from "../../explain/verdict.ts"
import { findCatalog, loadCatalog, nameOf } from "../modules.ts"
import { exit, type Format, lookOf, print, printJson } from "../terminal.ts"

export async function lintCatalog(file: string | undefined, { format }: { readonly format: Format }): Promise<number> {
  const path = resolve(file ?? findCatalog("-", "name one: `sequitur lint shop/catalog.ts`"))
  const { diagnostics, tools } = await loadCatalog(path, "argument")
  const errors = diagnostics.filter(({ severity }) => severity === "error").length
  if (format === "json") {
    printJson({ catalog: nameOf(path), accepted: errors === 0, diagnostics })
  } else {
    tellFaults(diagnostics, path)
    const verdict = errors === 0 ? "accepted" : "refused "
    const found = errors === 0 ? plural(tools.size, "tool") : plural(errors, "error")
    print(`${verdict} ${nameOf(path)}: ${found}`)
  }
  return errors === 0 ? exit.fine : exit.refused
}

export function tellFaults(diagnostics: readonly Diagnostic[], path: string): void {
  for (const one of diagnostics) print(`${explainDiagnostic(one, { name: nameOf(path) }, lookOf(process.stdout))}\n`)
}
