/** The host's own mistakes, found before any plan is: one question a file, in `lint/`. Codes: SEQ806 … SEQ825. */
import { diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { child, type Pointer, root } from "../text/pointer.ts"
import type { Built, CatalogSpec, Tool } from "./catalog.ts"
import { lintAnswers } from "./lint/answers.ts"
import { lintBlast } from "./lint/blast.ts"
import { lintCompensate } from "./lint/compensate.ts"
import { lintLimits } from "./lint/limits.ts"
import { lintMachine, lintStates } from "./lint/machine.ts"
import { lintNames } from "./lint/names.ts"
import { isKnown } from "./lint/parameter.ts"
import { lintRequires } from "./lint/requires.ts"
import { lintRetry } from "./lint/retry.ts"
import { lintOnce, lintReconcile, lintRules } from "./lint/rules.ts"
import type { ToolSpec } from "./tool.ts"

export function lint(catalog: Built, spec: CatalogSpec): Unplaced[] {
  const said = [...lintNames(catalog), ...lintMachine(catalog), ...lintLimits(catalog, spec), ...lintUnheldLimits(spec)]
  for (const tool of catalog.tools.values()) {
    const toolSpec = spec.tools[tool.name]
    if (toolSpec === undefined) continue
    const at = child(child(root, "tools"), tool.name)
    said.push(
      ...lintStates(tool, catalog, at),
      ...lintRequires(tool, catalog, at),
      ...lintAnswers(tool, toolSpec, at),
      ...lintReconcile(tool, at),
      ...lintRetry(tool, catalog, at),
      ...lintUnheldPolicies(tool, toolSpec, at),
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

/** Declared policies whose gates this version lacks: refused by name, never ignored. */
function lintUnheldLimits({ blastRadius = {} }: CatalogSpec): Unplaced[] {
  return Object.entries(blastRadius)
    .filter(([, limit]) => limit.approveAbove !== undefined)
    .map(([dimension]) =>
      unheld(
        child(child(child(root, "blastRadius"), dimension), "approveAbove"),
        `limit \`${dimension}\``,
        "approveAbove",
      ),
    )
}

const lintUnheldPolicies = (tool: Tool, spec: ToolSpec, at: Pointer): Unplaced[] =>
  (["rules", "authority"] as const)
    .filter((policy) => spec[policy] !== undefined)
    .map((policy) => unheld(child(at, policy), `tool \`${tool.name}\``, policy))

const unheld = (at: Pointer, where: string, policy: string): Unplaced => diagnose("SEQ806", at, { where, policy })
