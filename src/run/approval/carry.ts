/**
 * An approval of one whole plan that stands for another: where the catalog lets it, and the other does the same outside, at most as
 * much of it, and asks nobody about more.
 */
import type { Catalog } from "../../catalog/catalog.ts"
import type { CompiledPlan } from "../../check/compiled.ts"
import { diffPlans, type PlanDifference } from "../../check/difference.ts"
import type { PlanApproval } from "../../journal/entry.ts"
import { hasEarlier } from "../../plan/earlier.ts"
import { StalePlan } from "../failure.ts"
import { prepare } from "../next/prepare.ts"

export type Signed = NonNullable<PlanApproval["plan"]>

/** What was signed, as it is kept; undefined where that is the plan itself. Or, in words, why it does not stand for it. */
export function carry(signed: CompiledPlan, plan: CompiledPlan, catalog: Catalog): Signed | undefined | string {
  const { planHash, catalogHash } = signed
  if (planHash === plan.planHash) return undefined
  if (!catalog.carryOver)
    return "another plan was signed, and the catalog does not say that approvals carry over (`carryOver`)"
  if (prepare(signed, catalog) instanceof StalePlan) return "what was signed was compiled by another catalog"
  if ([signed, plan].some(hasEarlier)) return "it reads what other runs have found"
  const difference = diffPlans(signed, plan)
  const { kind } = difference
  if (kind !== "same" && kind !== "smaller") return sayDifference(difference)
  return { planHash, catalogHash, document: signed.plan.document }
}

function sayDifference({ added, removed, changed, reordered, radius, approvals, catalog }: PlanDifference): string {
  const more = radius.filter(({ before, after }) => after > before)
  const said = [
    ...added.map(({ stepId }) => `\`${stepId}\` was not in it`),
    ...changed.map(({ stepId, arguments: names }) =>
      names.length === 0
        ? `\`${stepId}\` is called in another state`
        : `\`${stepId}\` has other arguments (${names.join(", ")})`,
    ),
    ...more.map(({ dimension, before, after }) => `${after} ${dimension} instead of ${before}`),
    ...approvals.map(({ stepId }) => `\`${stepId}\` asks people who were not to be asked`),
    ...removed.map(({ stepId }) => `\`${stepId}\` is left out`),
    ...(reordered ? ["its effects are in another order"] : []),
    ...(catalog.length > 0 ? ["its catalog differs"] : []),
  ]
  const shown = said.slice(0, shownMax).join(", ")
  return `the plan is not the one that was signed, nor less of the same: ${shown}${said.length > shownMax ? ", and more" : ""}`
}

const shownMax = 5
