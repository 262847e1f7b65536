/** Plans written in code: the same compiled plan, by the same passes, with the types of its results. */
import type { Catalog, CatalogSpec } from "./catalog/catalog.ts"
import { type Compiled, guarded, type Occasional, readOccasion } from "./compile.ts"
import { diagnose } from "./diagnostic/diagnostic.ts"
import { copyJson } from "./text/copy-json.ts"
import type { ValidatePlan } from "./typed/plan.ts"
import type { ResultsOf } from "./typed/results.ts"
import type { WrittenPlan } from "./typed/written.ts"

/** Compiles a plan that is a value. It is copied first: later changes to the value change nothing. Never throws. */
export function definePlan<Spec extends CatalogSpec, const Plan>(
  catalog: Catalog<Spec>,
  plan: ValidatePlan<Catalog<Spec>, Plan>,
  options?: Occasional,
): Compiled<ResultsOf<Spec, Plan>, WrittenPlan<Spec, Plan>> {
  const compiled = guarded(catalog, (report) => {
    const copied = copyJson(plan, { ...catalog.bounds, bytes: catalog.bounds.textBytes })
    if (copied.ok) return { value: copied.value, ...readOccasion(options, report, catalog) }
    report.add(diagnose("SEQ019", copied.at, { problem: copied.problem }))
    return undefined
  })
  return compiled as Compiled<ResultsOf<Spec, Plan>, WrittenPlan<Spec, Plan>>
}
