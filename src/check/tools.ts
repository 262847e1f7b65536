/** Tools: each call names a tool of the catalog.   Codes: SEQ108. */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { intended, suggest } from "../diagnostic/nearest.ts"
import type { JsonPatch } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import { isUnread } from "../document/document.ts"
import type { Plan } from "../plan/plan.ts"
import { escapeNonAscii } from "../text/escape.ts"
import { child } from "../text/pointer.ts"

export interface Tooled {
  /** The tool of each step by its index; undefined for transitions and for tools that do not exist. */
  readonly tools: readonly (Tool | undefined)[]
}

export function checkTools<P extends Plan>(plan: P, catalog: Catalog, report: Report): P & Tooled {
  const tools = plan.steps.map((step) => {
    if (step.kind === "transition") return undefined
    const tool = isUnread(step, "kind") ? undefined : catalog.tools.get(step.tool)
    if (tool === undefined && !isUnread(step, "tool", "kind")) {
      const nearest = suggest(step.tool, catalog.tools.keys(), "tools")
      const at = child(step.at, "tool")
      const mend = (): JsonPatch | undefined => {
        const meant = intended(step.tool, catalog.tools.keys())
        return meant === undefined ? undefined : [{ op: "replace", path: at, value: meant }]
      }
      report.add(diagnose("SEQ108", at, { tool: escapeNonAscii(step.tool.slice(0, 140)), nearest }, { mend }))
    }
    return tool
  })
  return { ...plan, tools }
}
