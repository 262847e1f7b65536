/** The host's own mistakes, found before any plan is: one question a file, in `lint/`. Codes: SEQ805, SEQ807 … SEQ826. */
import type { Unplaced } from "../diagnostic/diagnostic.ts"
import { child, root } from "../text/pointer.ts"
import type { Built, CatalogSpec } from "./catalog.ts"
import { lintAnswers } from "./lint/answers.ts"
import { lintAuthority } from "./lint/authority.ts"
import { lintBlast } from "./lint/blast.ts"
import { lintClaims } from "./lint/claims.ts"
import { lintCompensate } from "./lint/compensate.ts"
import { lintDecisions } from "./lint/decisions.ts"
import { lintInputLabels, lintLabels } from "./lint/labels.ts"
import { lintLimits } from "./lint/limits.ts"
import { lintMachine, lintStates } from "./lint/machine.ts"
import { lintNames, lintParameterNames } from "./lint/names.ts"
import { lintOnce, lintReconcile, lintValidate } from "./lint/once.ts"
import { isKnown } from "./lint/parameter.ts"
import { lintRequires } from "./lint/requires.ts"
import { lintRetry } from "./lint/retry.ts"
import { lintRules } from "./lint/rules.ts"

export function lint(catalog: Built, spec: CatalogSpec): Unplaced[] {
  const said = [
    ...lintNames(catalog),
    ...lintMachine(catalog, spec),
    ...lintDecisions(catalog, spec),
    ...lintLimits(catalog, spec),
    ...lintInputLabels(catalog, spec),
  ]
  for (const tool of catalog.tools.values()) {
    const toolSpec = spec.tools[tool.name]
    if (toolSpec === undefined) continue
    const at = child(child(root, "tools"), tool.name)
    said.push(
      ...lintParameterNames(tool, at),
      ...lintStates(tool, catalog, at),
      ...lintRequires(tool, catalog, at),
      ...lintAnswers(tool, toolSpec, at),
      ...lintReconcile(tool, at),
      ...lintValidate(tool, at),
      ...lintAuthority(tool, toolSpec, catalog, at),
      ...lintLabels(tool, toolSpec, at),
      ...lintRetry(tool, catalog, at),
      ...lintClaims(tool, toolSpec, at),
    )
    // What is wrong with a schema was told: nothing is known of its parameters.
    if (!isKnown(tool)) continue
    said.push(
      ...lintBlast(tool, toolSpec, catalog, at),
      ...lintOnce(tool, at),
      ...lintCompensate(tool, catalog, spec, at),
      ...lintRules(tool, toolSpec, catalog, at),
    )
  }
  return said
}
