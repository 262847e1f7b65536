/** Document to syntax tree. Total: whatever could be read has a tree. Codes: SEQ130 … SEQ133. */
import type { Catalog } from "../catalog/catalog.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import type { Report } from "../diagnostic/report.ts"
import { type Document, isUnread, type StepDocument } from "../document/document.ts"
import type { JsonObject } from "../text/json.ts"
import { child, type Pointer, root } from "../text/pointer.ts"
import { type Earlier, noEarlier, readBy } from "./earlier.ts"
import { holdsForm, type Lowering, lowerExpression } from "./expression.ts"
import type { Expression, Name, Plan, Read, Step } from "./plan.ts"

export function lower(document: Document, catalog: Catalog, report: Report, earlier: Earlier = noEarlier): Plan {
  const steps = child(root, "steps")
  const { bounds } = catalog
  const shapeOf: Lowering["shapeOf"] = (source) => {
    if (source === "input") return catalog.inputs?.shape
    const named = Object.hasOwn(earlier, source) ? earlier[source] : document.steps.find(({ id }) => id === source)
    return catalog.tools.get(named?.tool ?? "")?.result?.shape
  }
  const lowered = document.steps.map((step, index) =>
    lowerStep(step, index, child(steps, index), { bounds, report, shapeOf }),
  )
  return { document, goal: document.goal, steps: lowered, earlier: readBy(lowered, earlier) }
}

export function lowerStep(step: StepDocument, index: number, at: Pointer, lowering: Omit<Lowering, "reads">): Step {
  const { id, why } = step
  const after = step.after === undefined ? none : lowerNames(step.after, child(at, "after"))
  const unread = step.unread === undefined ? {} : { unread: step.unread }
  const isCall = step.tool !== undefined || isUnread(step, "tool")
  // What may be either is taken for a call: others may mean to use what it gives.
  if (!isCall && !isUnread(step, "kind"))
    return { kind: "transition", id, index, at, to: step.transition ?? "", after, why, ...unread }
  const reads: Read[] = []
  const toArgs = child(at, "args")
  const args: Expression =
    step.args === undefined ? { kind: "broken", at: toArgs } : lowerArgs(step.args, toArgs, { ...lowering, reads })
  const { tool = "", occurrence = 1 } = step
  return { kind: "call", id, index, at, tool, args, reads, after, occurrence, why, ...unread }
}

const none: readonly Name[] = []

const lowerNames = (ids: readonly string[], at: Pointer): readonly Name[] =>
  ids.map((id, index) => ({ id, at: child(at, index) }))

/** The whole of `args` is an object of parameters, never an expression. */
function lowerArgs(args: JsonObject, at: Pointer, lowering: Lowering): Expression {
  let whole = true
  for (const key in args) {
    if (!key.startsWith("$")) continue
    whole = false
    const problem = "`args` is an object of parameters, not an expression"
    const form = "Write each parameter by name, with an expression as its value where one is needed."
    lowering.report.add(diagnose("SEQ131", child(at, key), { problem, form }, { part: "key" }))
  }
  if (!whole) return { kind: "broken", at }
  return holdsForm(args) ? lowerExpression(args, at, lowering) : { kind: "literal", at, value: args }
}
