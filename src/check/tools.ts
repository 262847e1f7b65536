/** Tools: each call names a tool of the catalog.   Codes: SEQ108. */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { judgePattern } from "../catalog/schema/pattern.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { intended, isSpelling, nearestTo, suggest } from "../diagnostic/nearest.ts"
import type { JsonPatch } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import { isUnread } from "../document/document.ts"
import type { Call, Hole, Plan } from "../plan/plan.ts"
import { escapeNonAscii } from "../text/escape.ts"
import { child, type Pointer } from "../text/pointer.ts"

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
      const mend = (): JsonPatch | undefined => mendTool(step, at, catalog)
      report.add(diagnose("SEQ108", at, { tool: escapeNonAscii(step.tool.slice(0, 140)), nearest }, { mend }))
    }
    return tool
  })
  return { ...plan, tools }
}

/** A read that was not meant does nothing. An effect is sure by its spelling, or by arguments that no other tool near takes. */
function mendTool({ tool: written, args }: Call, at: Pointer, { tools }: Catalog): JsonPatch | undefined {
  const meant = tools.get(intended(written, tools.keys()) ?? "")
  if (meant === undefined) return undefined
  const takes = (tool: Tool): boolean => judgePattern<Hole>(tool.params.shape, args, () => undefined).length === 0
  const near = [...tools.values()].filter(({ name }) => nearestTo(written, [name]).length > 0)
  const sure = !meant.mutates || isSpelling(written, meant.name) || (takes(meant) && near.filter(takes).length === 1)
  return sure ? [{ op: "replace", path: at, value: meant.name }] : undefined
}
