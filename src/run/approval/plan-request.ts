/** The request to show and sign, where a whole plan is to be approved before it runs. */
import type { Catalog, CatalogSpec } from "../../catalog/catalog.ts"
import { isCatalog } from "../../catalog/define.ts"
import type { CompiledPlan } from "../../check/compiled.ts"
import { isObject } from "../../text/json.ts"
import { admitName, admitRun, type RunOptions, readOptions, refuseCount, sayFound } from "../admit.ts"
import { InputsRefused, StalePlan } from "../failure.ts"
import { prepare } from "../next/prepare.ts"
import { admitPlan } from "../run.ts"
import { type PlanRequest, requestOf } from "./plan.ts"

export interface PlanRequestOptions<Spec extends CatalogSpec = CatalogSpec>
  extends Pick<RunOptions<Spec>, "principal" | "inputs"> {
  readonly catalog: Catalog<Spec>
  /** Of the one run that it will be: `runner.run(plan, { runId, approval, … })`. */
  readonly runId: string
  /** By dimension, less than the plan may come to at worst: what passes it is asked about then. */
  readonly blast?: { readonly [dimension: string]: number } | undefined
}

/**
 * What somebody is asked to approve as a whole: show it, have `issueApproval` sign its `bound`, and hand the token to
 * `runner.run(plan, { runId, approval: token, … })`. It rejects where the run could not be begun so.
 */
export async function planRequest<Spec extends CatalogSpec>(
  plan: CompiledPlan,
  given: PlanRequestOptions<Spec>,
): Promise<PlanRequest> {
  const options = readOptions(given)
  if (options instanceof InputsRefused) throw options
  const { catalog, runId, blast = {} } = options
  const refused = admitPlan(plan) ?? admitCatalog(catalog) ?? admitName("runId", runId) ?? admitBlast(plan, blast)
  if (refused !== undefined) throw refused
  const ready = prepare(plan, catalog)
  if (ready instanceof StalePlan) throw ready
  // Neither is part of what is signed.
  const scope = { sessionId: "unknown", taskId: "unknown" }
  const started = admitRun(ready, { ...options, ...scope } as RunOptions, "")
  if (started instanceof InputsRefused) throw started
  return requestOf(ready, runId, started, blast)
}

const admitCatalog = (catalog: unknown): InputsRefused | undefined =>
  isCatalog(catalog)
    ? undefined
    : new InputsRefused({
        field: "`catalog`",
        problem: `must be what \`defineCatalog\` makes, but ${sayFound(catalog)}`,
        expected: "Give the catalog.",
      })

function admitBlast({ blast: totals }: CompiledPlan, blast: unknown): InputsRefused | undefined {
  if (!isObject(blast)) {
    const problem = `must be an object, but ${sayFound(blast)}`
    return new InputsRefused({ field: "`blast`", problem, expected: "Give the most by dimension." })
  }
  for (const [dimension, most] of Object.entries(blast)) {
    const field = `\`blast.${dimension}\``
    const total = totals.find((one) => one.dimension === dimension)
    if (total === undefined) {
      const expected = "Name a dimension of the catalog's `blastRadius`."
      return new InputsRefused({ field, problem: "is not counted by the plan", expected })
    }
    if (!Number.isSafeInteger(most) || Number(most) < 0) return refuseCount(field, most, 0)
    if (Number(most) > total.max) {
      const problem = `is ${most}, which is more than the plan comes to at worst: ${total.max}`
      return new InputsRefused({ field, problem, expected: "Give as much or less, or leave it out." })
    }
  }
  return undefined
}
