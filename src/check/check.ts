/** Every question asked of a plan, in order. A pass that needs what a later one learns does not compile. */
import type { Catalog } from "../catalog/catalog.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Plan } from "../plan/plan.ts"
import { type Argued, checkArguments } from "./arguments.ts"
import { type Bounded, checkBlast, type Spent } from "./blast.ts"
import { checkBudgets } from "./budgets.ts"
import { checkEffects } from "./effects.ts"
import { checkMachine, type Staged } from "./machine.ts"
import { checkOrder, type Ordered } from "./order.ts"
import { checkPredecessors, type Preceded } from "./predecessors.ts"
import { checkReferences, type Typed } from "./references.ts"
import { checkTemplates } from "./templates.ts"
import { checkTools, type Tooled } from "./tools.ts"

/** What the passes learnt. It is a proof only if the report has no error. */
export type Checked = Plan & Tooled & Ordered & Typed & Argued & Preceded & Staged & Bounded

export function check(plan: Plan, catalog: Catalog, report: Report, spent: Spent): Checked {
  const tooled = checkTools(plan, catalog, report)
  const ordered = checkOrder(tooled, catalog, report)
  const typed = checkReferences(ordered, catalog, report)
  const argued = checkArguments(typed, catalog, report)
  const plain = checkTemplates(argued, catalog, report)
  const preceded = checkPredecessors(plain, catalog, report)
  const staged = checkMachine(preceded, catalog, report)
  const bounded = checkBlast(staged, catalog, report, spent)
  const budgeted = checkBudgets(bounded, catalog, report)
  return checkEffects(budgeted, catalog, report)
}
