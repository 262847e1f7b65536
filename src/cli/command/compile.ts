/** `sequitur compile`: what the compiler says of each plan, offline. */
import { writeFile } from "node:fs/promises"
import { codes } from "../../diagnostic/codes.ts"
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import { explainDiagnostic } from "../../explain/diagnostic.ts"
import { explainVerdict, plural, sayVerdict, type VerdictView, viewVerdict } from "../../explain/verdict.ts"
import { feedback } from "../../planner/feedback.ts"
import { serialize } from "../../stored.ts"
import { nameOf } from "../modules.ts"
import { isFaulty, openPlan, type PlanFile, type PlanOptions } from "../plan-file.ts"
import { lookForPlace, unusable } from "../read-file.ts"
import { complain, exit, type Format, lookOf, print, printJson, UsageError } from "../terminal.ts"

export interface CompileOptions extends PlanOptions {
  readonly format: Format | "feedback"
  readonly out?: string
}

/** A plan that could not be read, or whose catalog could not be loaded: why. */
interface Unread {
  readonly file: string
  readonly accepted: false
  readonly trouble: string
}

export async function compilePlans(files: readonly string[], options: CompileOptions): Promise<number> {
  const { format, out } = options
  if (out !== undefined && files.length > 1) throw new UsageError("--out takes one plan")
  if (files.filter((file) => file === "-").length > 1) throw new UsageError("standard input can be read once only")
  if (out !== undefined) await lookForPlace(out)
  const told = new Set<string>()
  const views: (VerdictView | Unread)[] = []
  const catalogs = new Map<string, readonly Diagnostic[]>()
  for (const file of files) {
    const plan = await tryToOpen(file, options)
    if (plan instanceof UsageError) {
      views.push({ file, accepted: false, trouble: plan.message })
      // One catalog may fail many plans: once is enough.
      if (!told.has(plan.message)) complain(`error: ${plan.message}`)
      told.add(plan.message)
      continue
    }
    views.push(viewVerdict(file, plan.compiled))
    if (plan.catalog.diagnostics.length > 0) catalogs.set(nameOf(plan.catalogPath), plan.catalog.diagnostics)
    if (format === "feedback") {
      print(plan.compiled.ok ? "accepted" : feedback(plan.compiled.diagnostics, { more: plan.compiled.more }))
    } else if (format === "pretty") {
      if (views.length > 1) print("")
      tell(plan, told)
    }
    if (out !== undefined && plan.compiled.ok) await keep(out, serialize(plan.compiled.plan))
  }
  const accepted = views.filter((view) => view.accepted).length
  const unread = views.filter((view) => "trouble" in view).length
  const refused = views.length - accepted - unread
  if (format === "json") {
    printJson({ plans: views, catalogs: Object.fromEntries(catalogs), accepted, refused, unread })
  } else if (format === "pretty") {
    for (const line of notices(catalogs)) print(line)
    if (files.length > 1) print(`\n${summary({ accepted, refused, unread })}`)
  }
  return unread > 0 ? exit.usage : refused > 0 ? exit.refused : exit.fine
}

async function tryToOpen(file: string, options: PlanOptions): Promise<PlanFile | UsageError> {
  try {
    return await openPlan(file, options)
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}

/** A catalog's own faults are told once, not with each of its plans. */
function tell({ name, text, compiled, catalog, catalogPath }: PlanFile, told: Set<string>): void {
  const look = lookOf(process.stdout)
  if (!isFaulty(catalog)) {
    print(explainVerdict(compiled, { name, text }, look))
    return
  }
  if (!told.has(catalogPath)) {
    for (const fault of compiled.diagnostics)
      print(`${explainDiagnostic(fault, { name: nameOf(catalogPath) }, look)}\n`)
    told.add(catalogPath)
  }
  print(sayVerdict(compiled, name, look))
}

/** What a catalog may want to know of itself is counted, not told in full: it is there with every plan. */
function notices(catalogs: ReadonlyMap<string, readonly Diagnostic[]>): readonly string[] {
  return [...catalogs].flatMap(([name, diagnostics]) => {
    const mild = Map.groupBy(
      diagnostics.filter(({ severity }) => severity !== "error"),
      ({ code }) => code,
    )
    return [...mild].map(([code, { length }]) => {
      const { severity, title } = codes[code]
      return `${severity} ${code} ${name}: ${title}, ${plural(length, "time")}; \`sequitur explain ${code}\` says why`
    })
  })
}

function summary(counts: { readonly accepted: number; readonly refused: number; readonly unread: number }): string {
  const { accepted, refused, unread } = counts
  const parts = [
    [accepted, "accepted"],
    [refused, "refused"],
    [unread, "not read"],
  ] as const
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return `${plural(accepted + refused + unread, "plan")}: ${told.join(", ")}`
}

async function keep(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, `${text}\n`)
  } catch (error) {
    throw unusable(file, error)
  }
}
