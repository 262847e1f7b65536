/**
 * State machine: each tool is called only in a state it is available in, and only declared transitions are taken.
 * Codes: SEQ301 (not available here), SEQ302 (undeclared transition), SEQ303 (unknown state), SEQ304 (no machine).
 */
import type { Catalog, Machine, Tool } from "../catalog/catalog.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { intended, orList, suggest } from "../diagnostic/nearest.ts"
import type { JsonPatch } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import { isUnread } from "../document/document.ts"
import type { Call, Plan, Transition } from "../plan/plan.ts"
import { child } from "../text/pointer.ts"
import type { TransitionNeed } from "./compiled.ts"
import { cameToNothing, type Known } from "./known.ts"
import { insertTransition, moveStep, removeStep, wrongState } from "./rearrange.ts"
import type { Tooled } from "./tools.ts"

export interface Staged {
  /** By step index: the state before it; one more for the state at the end. Undefined without a machine. */
  readonly states: readonly (string | undefined)[]
  /** The guarded transitions. */
  readonly guards: readonly TransitionNeed[]
}

export function checkMachine<P extends Plan & Tooled>(
  plan: P,
  catalog: Catalog,
  report: Report,
  known?: Known,
): P & Staged {
  const { machine } = catalog
  const states: (string | undefined)[] = []
  const guards: TransitionNeed[] = []
  let state = machine?.initial
  for (const step of plan.steps) {
    states.push(state)
    if (cameToNothing(known, step.index)) continue
    if (step.kind === "call") {
      const tool = plan.tools[step.index]
      if (machine !== undefined && state !== undefined && tool?.states !== undefined)
        checkCall(step, tool, tool.states, state, { plan, catalog, machine, report })
      // It may be a transition.
      if (isUnread(step, "kind")) state = undefined
    } else if (isUnread(step, "transition")) {
      state = undefined
    } else if (machine === undefined) {
      const mend = () => removeStep(plan, catalog, step.index)
      report.add(diagnose("SEQ304", child(step.at, "transition"), { state: step.to, step: step.id }, { mend }))
    } else {
      const need = checkTransition(step, state, { plan, catalog, machine, report })
      if (need !== undefined) guards.push(need)
      // After an undeclared transition the plan is where it says it is: one fault, told once.
      state = machine.states.has(step.to) ? step.to : undefined
    }
  }
  states.push(state)
  return { ...plan, states, guards }
}

interface Visit {
  readonly plan: Plan
  readonly catalog: Catalog
  readonly machine: Machine
  readonly report: Report
}

function checkCall(step: Call, tool: Tool, states: ReadonlySet<string>, state: string, visit: Visit): void {
  if (states.has(state)) return
  const way = wayTo(visit.machine, state, states)
  const params = {
    tool: tool.name,
    states: orList([...states]),
    state,
    way:
      way === undefined
        ? `No way leads there from \`${state}\`.`
        : `Put ${transitions(way)} before \`${step.id}\`${guarded(visit.machine, state, way)}.`,
  }
  const mend = (): JsonPatch | undefined => mendCall(step, state, states, visit)
  visit.report.add(diagnose("SEQ301", child(step.at, "tool"), params, { mend }))
}

/** The call or the transition is out of order, or the only transition that leads there was forgotten. */
function mendCall(step: Call, state: string, wanted: ReadonlySet<string>, visit: Visit): JsonPatch | undefined {
  const { plan, catalog, machine } = visit
  const { index } = step
  const fault = { index, what: wrongState }
  const move = (from: number, to: number) => moveStep(plan, catalog, from, to, fault)
  const later = nextTransition(index, plan)
  const moved =
    (later === undefined ? undefined : move(later.index, index)) ??
    (plan.steps[index - 1]?.kind === "transition" ? move(index, index - 1) : undefined)
  if (moved !== undefined) return moved
  const [to, ...others] = targetsOf(machine, state).filter((target) => wanted.has(target))
  return to === undefined || others.length > 0 ? undefined : insertTransition(plan, catalog, index, to, fault)
}

const nextTransition = (index: number, { steps }: Plan): Transition | undefined =>
  steps.slice(index + 1).find((step) => step.kind === "transition")

const targetsOf = ({ transitions }: Machine, state: string): readonly string[] => [
  ...(transitions.get(state)?.keys() ?? []),
]

function checkTransition(step: Transition, state: string | undefined, visit: Visit): TransitionNeed | undefined {
  const { machine, report } = visit
  const at = child(step.at, "transition")
  if (!machine.states.has(step.to)) {
    const mend = (): JsonPatch | undefined => {
      const meant = intended(step.to, machine.states)
      const open = meant !== undefined && (state === undefined || targetsOf(machine, state).includes(meant))
      return open ? [{ op: "replace", path: at, value: meant }] : undefined
    }
    const params = { state: step.to, nearest: suggest(step.to, machine.states, "states") }
    report.add(diagnose("SEQ303", at, params, { mend }))
    return undefined
  }
  if (state === undefined) return undefined
  const rule = machine.transitions.get(state)?.get(step.to)
  if (rule === undefined) {
    const way = wayTo(machine, state, new Set([step.to]))
    const hint =
      way === undefined
        ? `No way leads there from \`${state}\`.`
        : `Go by ${transitions(way)}${guarded(machine, state, way)}.`
    const params = {
      from: state,
      to: step.to,
      way: state === step.to ? `The plan is in \`${state}\` already: remove the step.` : hint,
    }
    report.add(diagnose("SEQ302", at, params, { mend: () => mendTransition(step, state, visit) }))
    return undefined
  }
  if (rule.guard === undefined) return undefined
  report.add(diagnose("SEQ501", at, { from: state, to: step.to, step: step.id }))
  return { kind: "transition", stepId: step.id, index: step.index, from: state, to: step.to }
}

/** It leads nowhere new, comes before the one that it needs, or the only state between was forgotten. */
function mendTransition(step: Transition, state: string, visit: Visit): JsonPatch | undefined {
  const { plan, catalog, machine } = visit
  const { index, to } = step
  const fault = { index, what: wrongState }
  if (state === to) return removeStep(plan, catalog, index)
  const later = nextTransition(index, plan)
  const moved = later === undefined ? undefined : moveStep(plan, catalog, later.index, index, fault)
  if (moved !== undefined) return moved
  const [between, ...others] = targetsOf(machine, state).filter((one) => targetsOf(machine, one).includes(to))
  return between === undefined || others.length > 0 ? undefined : insertTransition(plan, catalog, index, between, fault)
}

const transitions = (way: readonly string[]): string =>
  `${way.length === 1 ? "a transition" : "transitions"} to ${way.map((state) => `\`${state}\``).join(", then ")}`

/** Whoever puts a transition in should know that a person will be asked. */
const guarded = ({ transitions }: Machine, from: string, way: readonly string[]): string =>
  way.some((to, index) => transitions.get(way[index - 1] ?? from)?.get(to)?.guard !== undefined)
    ? "; a person will be asked to approve"
    : ""

/** The fewest transitions from a state to one of those wanted, breadth first. */
function wayTo(machine: Machine, from: string, wanted: ReadonlySet<string>): readonly string[] | undefined {
  const ways = new Map<string, readonly string[]>([[from, []]])
  for (const [state, way] of ways) {
    if (wanted.has(state) && way.length > 0) return way
    for (const to of machine.transitions.get(state)?.keys() ?? []) if (!ways.has(to)) ways.set(to, [...way, to])
  }
  return undefined
}
