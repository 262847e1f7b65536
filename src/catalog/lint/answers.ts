/**
 * After a crash somebody must know what may be repeated; after a failure, what can be undone.
 * Codes: SEQ812, SEQ821, SEQ822.
 */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import type { Tool } from "../catalog.ts"
import type { ToolSpec } from "../tool.ts"

export function lintAnswers(tool: Tool, spec: ToolSpec, at: Pointer): Unplaced[] {
  if (!tool.mutates) return []
  const said: Unplaced[] = []
  if (spec.idempotency === undefined && tool.reconcile === undefined) {
    said.push(diagnose("SEQ812", at, { tool: tool.name }))
  } else if (tool.idempotency.kind === "none" && tool.reconcile === undefined) {
    said.push(diagnose("SEQ821", child(at, "idempotency"), { tool: tool.name }))
  }
  if (tool.compensation.kind === "unsaid") said.push(diagnose("SEQ822", at, { tool: tool.name }))
  return said
}
