/**
 * State machine: each tool is called only in a state it is available in, and only declared transitions are taken.
 * Codes: SEQ301 (not available here), SEQ302 (undeclared transition), SEQ303 (unknown state), SEQ304 (no machine).
 */
import type { Catalog, Machine, Tool } from "../catalog/catalog.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { orList, suggest } from "../diagnostic/nearest.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Call, Plan, Transition } from "../plan/plan.ts"
import { child } from "../text/pointer.ts"
import type { ApprovalNeed } from "./compiled.ts"
import type { Tooled } from "./tools.ts"

export interface Staged {
  /** By step index: the state before it; one more for the state at the end. Undefined without a machine. */
  readonly states: readonly (string | undefined)[]
  readonly approvals: readonly ApprovalNeed[]
}

export function checkMachine<P extends Plan & Tooled>(plan: P, { machine }: Catalog, report: Report): P & Staged {
  const states: (string | undefined)[] = []
  const approvals: ApprovalNeed[] = []
  let state = machine?.initial
  for (const step of plan.steps) {
    states.push(state)
    if (step.kind === "call") {
      const tool = plan.tools[step.index]
      if (machine !== undefined && state !== undefined && tool?.states !== undefined)
        checkCall(step, tool, tool.states, state, machine, report)
    } else if (machine === undefined) {
      report.add(diagnose("SEQ304", child(step.at, "transition"), { state: step.to, step: step.id }))
    } else {
      const need = checkTransition(step, state, machine, report)
      if (need !== undefined) approvals.push(need)
      // After an undeclared transition the plan is where it says it is: one fault, told once.
      state = machine.states.has(step.to) ? step.to : undefined
    }
  }
  states.push(state)
  return { ...plan, states, approvals }
}

function checkCall(
  step: Call,
  tool: Tool,
  states: ReadonlySet<string>,
  state: string,
  machine: Machine,
  report: Report,
): void {
  if (states.has(state)) return
  const way = wayTo(machine, state, states)
  report.add(
    diagnose("SEQ301", child(step.at, "tool"), {
      tool: tool.name,
      states: orList([...states]),
      state,
      way:
        way === undefined ? `No way leads there from \`${state}\`.` : `Put ${transitions(way)} before \`${step.id}\`.`,
    }),
  )
}

function checkTransition(
  step: Transition,
  state: string | undefined,
  machine: Machine,
  report: Report,
): ApprovalNeed | undefined {
  const at = child(step.at, "transition")
  if (!machine.states.has(step.to)) {
    report.add(diagnose("SEQ303", at, { state: step.to, nearest: suggest(step.to, machine.states, "states") }))
    return undefined
  }
  if (state === undefined) return undefined
  const rule = machine.transitions.get(state)?.get(step.to)
  if (rule === undefined) {
    const way = wayTo(machine, state, new Set([step.to]))
    const hint = way === undefined ? `No way leads there from \`${state}\`.` : `Go by ${transitions(way)}.`
    report.add(
      diagnose("SEQ302", at, {
        from: state,
        to: step.to,
        way: state === step.to ? `The plan is in \`${state}\` already: remove the step.` : hint,
      }),
    )
    return undefined
  }
  if (rule.guard === undefined) return undefined
  report.add(diagnose("SEQ501", at, { from: state, to: step.to, step: step.id }))
  return { stepId: step.id, index: step.index, from: state, to: step.to }
}

const transitions = (way: readonly string[]): string =>
  `${way.length === 1 ? "a transition" : "transitions"} to ${way.map((state) => `\`${state}\``).join(", then ")}`

/** The fewest transitions from a state to one of those wanted, breadth first. */
function wayTo(machine: Machine, from: string, wanted: ReadonlySet<string>): readonly string[] | undefined {
  const ways = new Map<string, readonly string[]>([[from, []]])
  for (const [state, way] of ways) {
    if (wanted.has(state) && way.length > 0) return way
    for (const to of machine.transitions.get(state)?.keys() ?? []) if (!ways.has(to)) ways.set(to, [...way, to])
  }
  return undefined
}
