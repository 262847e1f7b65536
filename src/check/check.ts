/** Every question asked of a plan, in order. A pass that needs what a later one learns does not compile. */
import type { Catalog } from "../catalog/catalog.ts"
import type { Principal } from "../catalog/predicate.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Earlier } from "../plan/earlier.ts"
import type { Plan } from "../plan/plan.ts"
import { type Argued, checkArguments } from "./arguments.ts"
import { type Allowed, checkAuthority } from "./authority.ts"
import { type Bounded, checkBlast, type Spent } from "./blast.ts"
import { checkBudgets } from "./budgets.ts"
import { checkEffects } from "./effects.ts"
import { checkFlow, type Flowed } from "./flow.ts"
import type { Known } from "./known.ts"
import { checkMachine, type Staged } from "./machine.ts"
import type { Literals, Writer } from "./marks.ts"
import { checkOmissions } from "./omissions.ts"
import { checkOrder, type Ordered } from "./order.ts"
import { checkPredecessors, type Preceded } from "./predecessors.ts"
import { checkReferences, type Typed } from "./references.ts"
import { checkTemplates } from "./templates.ts"
import { checkTools, type Tooled } from "./tools.ts"

/** What the passes learnt. It is a proof only if the report has no error. */
export type Checked = Plan & Tooled & Ordered & Typed & Argued & Preceded & Staged & Bounded & Allowed & Flowed

/** What is known of the run that a plan is for. */
export interface Occasion {
  /** What is already committed or in doubt in the limits' scope. */
  readonly spent: Spent
  /** Who acts. Undefined where that is not known yet. */
  readonly principal: Principal | undefined
  readonly literals: Literals
  readonly seen?: Writer["seen"]
  readonly inputs?: Writer["inputs"]
  /** Of a plan that grows as it runs. */
  readonly known?: Known | undefined
  /** What earlier runs of the session gave. */
  readonly earlier: Earlier
}

export function check(plan: Plan, catalog: Catalog, report: Report, occasion: Occasion): Checked {
  const { spent, principal, known, earlier } = occasion
  const tooled = checkTools(plan, catalog, report)
  const ordered = checkOrder(tooled, catalog, report, earlier)
  const typed = checkReferences(ordered, catalog, report)
  const argued = checkArguments(typed, catalog, report)
  const plain = checkTemplates(argued, catalog, report)
  const stated = checkOmissions(plain, catalog, report)
  const preceded = checkPredecessors(stated, catalog, report, known)
  const staged = checkMachine(preceded, catalog, report, known)
  const bounded = checkBlast(staged, catalog, report, spent, known)
  const budgeted = checkBudgets(bounded, catalog, report, known)
  const allowed = checkAuthority(budgeted, catalog, report, principal, spent)
  const flowed = checkFlow(allowed, catalog, report, occasion, known)
  return checkEffects(flowed, catalog, report, known)
}
