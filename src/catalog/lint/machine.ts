/** The states: each can be reached, each is known, and every effect names its own. And what guards them is known.
 *  Codes: SEQ801, SEQ805, SEQ808, SEQ809, SEQ810, SEQ824. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import type { Json } from "../../text/json.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"
import type { Built, CatalogSpec, Machine, MachineSpec, Tool, TransitionSpec } from "../catalog.ts"
import { isRule } from "../predicate.ts"
import { show } from "../schema/show.ts"
import { unknownName } from "./refuse.ts"

export function lintMachine({ machine }: Built, { machine: spec }: CatalogSpec): Unplaced[] {
  if (machine === undefined) return []
  return [...lintReach(machine), ...lintGuards(spec?.transitions ?? {})]
}

/** A guard that is one, and nothing about people where none is asked. */
function lintGuards(transitions: MachineSpec["transitions"]): Unplaced[] {
  const place = child(child(root, "machine"), "transitions")
  return Object.entries(transitions).flatMap(([from, targets]) =>
    Object.entries(targets).flatMap(([to, rule]) => {
      const at = child(child(place, from), to)
      return [...lintGuard(rule.guard, child(at, "guard"), from, to), ...lintPeople(rule, at, `${from} → ${to}`)]
    }),
  )
}

function lintGuard(guard: unknown, at: Pointer, from: string, to: string): Unplaced[] {
  if (guard === undefined || guard === "approval" || isRule(guard)) return []
  if (typeof guard !== "object" && typeof guard !== "function") {
    const what = `\`machine/transitions/${from}/${to}/guard\` of the catalog`
    const problem = `must be \`"approval"\` or a predicate, but is ${show(guard as Json)}`
    return [diagnose("SEQ801", at, { what, problem, remedy: 'Write `"approval"`, or `predicate("name", "1", …)`.' })]
  }
  const remedy = 'Name it: `guard: predicate("in-hours", "1", ({ results }, principal) => …)`.'
  return [
    diagnose("SEQ805", at, { role: "`guard`", tool: "machine", what: "the rule", where: `/${from}/${to}`, remedy }),
  ]
}

function lintPeople({ guard, ...people }: TransitionSpec, at: Pointer, tool: string): Unplaced[] {
  if (guard === "approval") return []
  return (["covers", "approvers", "approverRoles"] as const)
    .filter((policy) => people[policy] !== undefined)
    .map((policy) => {
      const problem = "is about a decision, but no person is asked there"
      return diagnose("SEQ824", child(at, policy), {
        policy,
        tool,
        problem,
        remedy: 'Say `guard: "approval"`, or remove it.',
      })
    })
}

function lintReach(machine: Machine): Unplaced[] {
  const { initial, transitions } = machine
  const others = [...machine.states].filter((state) => state !== initial)
  const isKnown = transitions.has(initial) || [...transitions.values()].some((targets) => targets.has(initial))
  if (!isKnown && others.length > 0) {
    // From a state that is not there nothing can be reached: that is one fault, and told once.
    const at = child(child(root, "machine"), "initial")
    return [unknownName(at, "`initial` of the machine", "state", initial, others, "states")]
  }
  const reached = new Set([initial])
  for (const state of reached) for (const to of machine.transitions.get(state)?.keys() ?? []) reached.add(to)
  return [...machine.states]
    .filter((state) => !reached.has(state))
    .map((state) =>
      diagnose("SEQ809", child(child(child(root, "machine"), "transitions"), state), {
        initial: machine.initial,
        state,
      }),
    )
}

export function lintStates(tool: Tool, { machine }: Built, at: Pointer): Unplaced[] {
  if (tool.states === undefined) {
    return machine !== undefined && tool.mutates ? [diagnose("SEQ810", at, { tool: tool.name })] : []
  }
  const where = `\`states\` of \`${tool.name}\``
  return [...tool.states]
    .filter((state) => !machine?.states.has(state))
    .map((state) => unknownName(child(at, "states"), where, "state", state, machine?.states ?? [], "states"))
}
