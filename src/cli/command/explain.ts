/** `sequitur explain`: a plan as a table, or a code in words. */

import { nearestTo, orList } from "../../diagnostic/nearest.ts"
import { explainCode, viewCodes } from "../../explain/code.ts"
import type { PlanOptions } from "../plan-file.ts"
import { exit, type Format, lookOf, print, printJson, secrets, UsageError } from "../terminal.ts"

export interface ExplainOptions extends PlanOptions {
  readonly format: Format
}

export async function explain(subject: string, options: ExplainOptions): Promise<number> {
  return /^(SEQ|RUN)\d+$/i.test(subject)
    ? explainOneCode(subject.toUpperCase(), options)
    : explainPlanFile(subject, options)
}

function explainOneCode(wanted: string, { format }: ExplainOptions): number {
  const known = viewCodes()
  const found = known.find(({ code }) => code === wanted)
  if (found === undefined) {
    const near = nearestTo(
      wanted,
      known.map(({ code }) => code),
    )
    throw new UsageError(`there is no code ${wanted}${near.length > 0 ? `; did you mean ${orList(near)}?` : ""}`)
  }
  if (format === "json") printJson(found)
  else print(explainCode(found, lookOf(process.stdout)))
  return exit.fine
}

async function explainPlanFile(file: string, options: ExplainOptions): Promise<number> {
  const [{ openPlan, spokenOf }, { explainPlan }, { explainVerdict, viewVerdict }, { viewPlan }, { sayDiagnostic }] =
    await Promise.all([
      import("../plan-file.ts"),
      import("../../explain/table.ts"),
      import("../../explain/verdict.ts"),
      import("../../explain/view.ts"),
      import("../../explain/diagnostic.ts"),
    ])
  const plan = await openPlan(file, options)
  const { name, compiled, catalog } = plan
  const look = lookOf(process.stdout)
  if (options.format === "json") {
    printJson({ ...viewVerdict(file, compiled), plan: compiled.ok ? viewPlan(compiled.plan, catalog, secrets) : null })
  } else if (compiled.ok) {
    // The table says itself where the run waits for a person.
    const warnings = compiled.diagnostics.filter(({ severity }) => severity !== "approval")
    for (const warning of warnings) print(`${sayDiagnostic(warning, name, look)}\n`)
    print(explainPlan(viewPlan(compiled.plan, catalog, secrets), look))
  } else {
    print(explainVerdict(compiled, spokenOf(plan), look))
  }
  return compiled.ok ? exit.fine : exit.refused
}
