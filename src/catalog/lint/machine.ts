/** The states: each can be reached, each is known, and every effect names its own. Codes: SEQ808, SEQ809, SEQ810. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"
import type { Built, Tool } from "../catalog.ts"
import { unknownName } from "./refuse.ts"

export function lintMachine({ machine }: Built): Unplaced[] {
  if (machine === undefined) return []
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
