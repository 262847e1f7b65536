/** Budgets: what a plan surely needs is within what the catalog allows.   Codes: SEQ403. */
import type { Catalog } from "../catalog/catalog.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Plan } from "../plan/plan.ts"
import { child, root } from "../text/pointer.ts"
import { cameToNothing, type Known } from "./known.ts"
import type { Tooled } from "./tools.ts"

export function checkBudgets<P extends Plan & Tooled>(plan: P, { budgets }: Catalog, report: Report, known?: Known): P {
  let microUsd = 0
  let sideEffects = 0
  for (const [index, tool] of plan.tools.entries()) {
    if (cameToNothing(known, index)) continue
    microUsd += tool?.costMicroUsd ?? 0
    if (tool?.mutates) sideEffects += 1
  }
  const needs = { steps: plan.steps.length, microUsd, sideEffects } as const
  for (const budget of ["steps", "microUsd", "sideEffects"] as const) {
    const max = budgets[budget]
    const needed = needs[budget]
    if (max !== undefined && needed > max) report.add(diagnose("SEQ403", child(root, "steps"), { needed, budget, max }))
  }
  return plan
}
