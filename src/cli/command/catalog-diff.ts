/** `sequitur catalog diff`: what changed from one catalog to the next, and what that means to each plan. */
import { resolve } from "node:path"
import type { Catalog } from "../../catalog/catalog.ts"
import { diffCatalogs } from "../../catalog/difference.ts"
import { type Compiled, compile } from "../../compile.ts"
import {
  explainDifference,
  explainEffects,
  explainStranded,
  type PlanEffect,
  viewEffect,
} from "../../explain/difference.ts"
import { load } from "../../stored.ts"
import { loadCatalog, nameOf } from "../modules.ts"
import { isFaulty, readPlan } from "../plan-file.ts"
import { lookFor } from "../read-file.ts"
import { findStranded } from "../stranded.ts"
import { complain, exit, type Format, lookOf, print, printJson, UsageError } from "../terminal.ts"
import { tellFaults } from "./lint.ts"

export async function diff(
  oldFile: string,
  newFile: string,
  files: readonly string[],
  { format, store }: { readonly format: Format; readonly store?: string },
): Promise<number> {
  if (files.filter((file) => file === "-").length > 1) throw new UsageError("standard input can be read once only")
  const [before, after] = [await loadSound(oldFile, format), await loadSound(newFile, format)]
  const difference = diffCatalogs(before, after)
  const plans: PlanEffect[] = []
  const unread: { readonly file: string; readonly trouble: string }[] = []
  for (const file of files) {
    const plan = await tryToCompile(file, before, after)
    if (plan instanceof UsageError) unread.push({ file, trouble: plan.message })
    else plans.push(plan)
  }
  const runs = store === undefined ? undefined : await findStranded(store, before, after)
  if (format === "json") {
    const names = { before: nameOf(resolve(oldFile)), after: nameOf(resolve(newFile)) }
    printJson({ ...names, ...difference, plans, unread, ...(runs === undefined ? {} : { runs }) })
  } else {
    const look = lookOf(process.stdout)
    print(explainDifference(difference, look))
    if (plans.length > 0) print(`\n${explainEffects(plans, look)}`)
    if (runs !== undefined) print(`\n${explainStranded(runs.stranded, runs.unended, look)}`)
  }
  for (const { trouble } of unread) complain(`error: ${trouble}`)
  if (unread.length > 0) return exit.usage
  const stale = plans.some(({ effect }) => effect === "stale" || effect === "refused-now")
  const asked = files.length > 0 || runs !== undefined
  const touched = asked
    ? stale || (runs !== undefined && runs.stranded.length > 0)
    : difference.parts.length + difference.lowered.length > 0
  return touched ? exit.refused : exit.fine
}

/** What a faulty catalog means is not known: it cannot be compared. */
async function loadSound(file: string, format: Format): Promise<Catalog> {
  const path = resolve(file)
  const catalog = await loadCatalog(path, "argument")
  if (!isFaulty(catalog)) return catalog
  const errors = catalog.diagnostics.filter(({ severity }) => severity === "error")
  if (format === "pretty") tellFaults(errors, path)
  const said = errors.map(({ code }) => code).join(", ")
  throw new UsageError(`${nameOf(path)} has faults of its own (${said}), and cannot be compared; see \`sequitur lint\``)
}

async function tryToCompile(file: string, before: Catalog, after: Catalog): Promise<PlanEffect | UsageError> {
  try {
    await lookFor(file)
    const { bytes, stored } = await readPlan(file, Math.max(before.bounds.textBytes, after.bounds.textBytes))
    const old = (stored ? load : compile)(before, bytes)
    return viewEffect(file, old, compileAnew(after, bytes, stored, old))
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}

/** Of a stored plan it is the document that is compiled anew; loading it would say only that it is stale. */
function compileAnew(catalog: Catalog, bytes: Uint8Array, stored: boolean, old: Compiled): Compiled {
  if (!stored) return compile(catalog, bytes)
  return old.ok ? compile(catalog, JSON.stringify(old.plan.plan.document)) : load(catalog, bytes)
}
