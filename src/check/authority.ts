/**
 * Authority: each call is one that the principal may make, where one is known; and what a person will be asked is told.
 * Codes: SEQ502 (role), SEQ503 (tenant), SEQ504 (predicate), SEQ505 (nobody), SEQ507 (above an amount), SEQ508 (each call).
 * Transitions are told where their states are (SEQ501).
 */
import { isAbove, mayUse, type NotAllowed, sayApprovers, sayNotAllowed } from "../catalog/authority.ts"
import type { Catalog, Limit, Tool } from "../catalog/catalog.ts"
import type { Principal } from "../catalog/predicate.ts"
import { diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Call, Plan, Step } from "../plan/plan.ts"
import { isObject } from "../text/json.ts"
import { child } from "../text/pointer.ts"
import type { Bounded, Spent } from "./blast.ts"
import type { ApprovalNeed } from "./compiled.ts"
import type { Staged } from "./machine.ts"
import type { Tooled } from "./tools.ts"

export interface Allowed {
  /** In the order of the plan's steps. */
  readonly approvals: readonly ApprovalNeed[]
}

export function checkAuthority<P extends Plan & Tooled & Staged & Bounded>(
  plan: P,
  catalog: Catalog,
  report: Report,
  principal: Principal | undefined,
  spent: Spent,
): P & Allowed {
  const always: ApprovalNeed[] = []
  for (const step of plan.steps) {
    const tool = plan.tools[step.index]
    if (step.kind === "transition" || tool === undefined) continue
    if (principal !== undefined) checkPrincipal(step, tool, principal, report)
    if (tool.authority.approval !== undefined && !isCovered(step, plan)) always.push(needAlways(step, tool, report))
  }
  const above = [...catalog.limits.values()].flatMap((limit) => needsAbove(limit, plan, spent, report))
  // Node keeps the order of equals.
  const approvals = [...plan.guards, ...always, ...above].sort((one, other) => one.index - other.index)
  return { ...plan, approvals }
}

/** A call that the decision at the transition before it stands for. */
const isCovered = ({ id }: Step, { guards }: Staged): boolean => guards.some(({ covers }) => covers === id)

/** Arguments that only the run knows are asked about then. */
function checkPrincipal(step: Call, tool: Tool, principal: Principal, report: Report): void {
  const { args } = step
  const known = args.kind === "literal" && isObject(args.value) && !report.spoilt(step.index) ? args.value : undefined
  const refusal = mayUse(tool, principal, known)
  if (refusal !== undefined) report.add(diagnoseRefusal(refusal, step))
}

const codeOf = { nobody: "SEQ505", role: "SEQ502", tenant: "SEQ503", predicate: "SEQ504" } as const

const diagnoseRefusal = (refusal: NotAllowed, { id: step, tool, at }: Call): Unplaced =>
  diagnose(codeOf[refusal.kind], child(at, refusal.kind === "predicate" ? "args" : "tool"), {
    tool,
    step,
    problem: sayNotAllowed(refusal),
  })

function needAlways({ id, index, at }: Call, { name, authority }: Tool, report: Report): ApprovalNeed {
  const { approvers } = authority
  report.add(diagnose("SEQ508", child(at, "tool"), { tool: name, step: id, approvers: sayApprovers(approvers) }))
  return { kind: "always", stepId: id, index, tool: name, approvers }
}

/** Each step that may take the sum in the limit's scope above what is done unasked. One that is asked about anyway is not told twice. */
function needsAbove(
  { dimension, approveAbove }: Limit,
  plan: Plan & Tooled & Staged & Bounded,
  spent: Spent,
  report: Report,
): readonly ApprovalNeed[] {
  if (approveAbove === undefined) return []
  const needs: ApprovalNeed[] = []
  const given = Object.hasOwn(Object(spent), dimension) ? (spent[dimension] ?? 0) : 0
  let [least, most] = [given, given]
  plan.costs.forEach((cost, index) => {
    const own = cost.find((one) => one.dimension === dimension)
    const step = plan.steps[index]
    const tool = plan.tools[index]
    if (own === undefined || step === undefined || tool === undefined) return
    const certain = isAbove(approveAbove, least, own.min)
    const worst = most + own.max
    if (isAbove(approveAbove, most, own.max) && tool.authority.approval === undefined && !isCovered(step, plan)) {
      const { approvers } = tool.authority
      const need = certain ? "needs" : "may need"
      report.add(
        diagnose("SEQ507", child(step.at, "tool"), { step: step.id, need, dimension, worst, above: approveAbove }),
      )
      needs.push({
        kind: "above",
        stepId: step.id,
        index,
        tool: tool.name,
        dimension,
        above: approveAbove,
        certain,
        approvers,
      })
    }
    least += own.min
    most = worst
  })
  return needs
}
