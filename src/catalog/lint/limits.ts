/**
 * Limits and budgets that say something: none that nothing counts, and none that puts a tool out of every plan's reach.
 * Codes: SEQ818, SEQ820.
 */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { orList } from "../../diagnostic/nearest.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"
import type { Built, CatalogSpec, Machine, Tool } from "../catalog.ts"
import { requiredBy } from "./requires.ts"

export function lintLimits(catalog: Built, { blastRadius = {} }: CatalogSpec): Unplaced[] {
  const { tools, limits, budgets } = catalog
  const said: Unplaced[] = []
  const counted = new Set([...tools.values()].flatMap(({ blast }) => blast.map(({ dimension }) => dimension)))
  for (const { dimension, max } of limits.values()) {
    const at = child(child(root, "blastRadius"), dimension)
    const approveAbove = blastRadius[dimension]?.approveAbove
    if (!counted.has(dimension)) {
      said.push(idle(at, `limit \`${dimension}\``, "no tool counts it", "Count it in the `blast` of a tool"))
    } else if (approveAbove !== undefined && approveAbove >= max) {
      const problem = `above the \`max\` of ${max} nothing is allowed at all`
      const what = `\`approveAbove\` of limit \`${dimension}\``
      said.push(idle(child(at, "approveAbove"), what, problem, `Lower it below ${max}`))
    }
  }
  const { wallMs, deadlineMs } = budgets
  if (wallMs !== undefined && deadlineMs !== undefined && wallMs > deadlineMs) {
    const problem = `\`budgets.deadlineMs\` ends a run after ${deadlineMs} ms already`
    said.push(idle(child(child(root, "budgets"), "wallMs"), "`budgets.wallMs`", problem, `Lower it to ${deadlineMs}`))
  }
  if (budgets.steps === 0) {
    const params = { what: "every tool", problem: "`budgets.steps` is 0", remedy: "Raise `budgets.steps`." }
    return [...said, diagnose("SEQ818", child(child(root, "budgets"), "steps"), params)]
  }
  return [...said, ...[...tools.values()].flatMap((tool) => [...lintReach(tool, catalog), ...lintWay(tool, catalog)])]
}

const idle = (at: Pointer, what: string, problem: string, deed: string): Unplaced =>
  diagnose("SEQ820", at, { what, problem, remedy: `${deed}, or remove it.` })

/** The least that a plan with this tool comes to: the tool and all that it requires, each once and as small as it can be. */
function lintReach(tool: Tool, { tools, limits, budgets, bounds, machine }: Built): Unplaced[] {
  const calls = [...requiredBy(tool, tools)]
  const sum = (least: (call: Tool) => number): number => calls.reduce((all, call) => all + least(call), 0)
  const steps = Math.min(budgets.steps ?? Infinity, bounds.steps)
  const needs: readonly Need[] = [
    { least: calls.length + transitionsTo(calls, machine), max: steps, of: "steps", name: "the limit of steps" },
    {
      least: sum(({ mutates }) => Number(mutates)),
      max: budgets.sideEffects,
      of: "effects",
      name: "`budgets.sideEffects`",
    },
    {
      least: sum(({ costMicroUsd }) => costMicroUsd),
      max: budgets.microUsd,
      of: "microUsd",
      name: "`budgets.microUsd`",
    },
    ...[...limits.values()].map(({ dimension, max }) => ({
      least: sum((call) => leastOf(call, dimension)),
      max,
      of: dimension,
      name: `the limit of \`${dimension}\``,
    })),
  ]
  const at = child(child(root, "tools"), tool.name)
  return needs.flatMap(({ least, max, of, name }) => {
    if (max === undefined || least <= max) return []
    const together = calls.length === 1 ? "it comes" : "with what it requires it comes"
    const problem = `${together} to at least ${least} ${of}, and ${name} is ${max}`
    return [diagnose("SEQ818", at, { what: `\`${tool.name}\``, problem, remedy: `Raise ${name}, or remove the tool.` })]
  })
}

/** What must come first can be called only where no way leads from to the states of the tool. */
function lintWay(tool: Tool, { tools, machine }: Built): Unplaced[] {
  const { states } = tool
  if (machine === undefined || states === undefined) return []
  const reachable = statesFrom([machine.initial], machine)
  for (const required of requiredBy(tool, tools)) {
    const starts = [...(required.states ?? [])].filter((state) => reachable.has(state))
    // One that is out of reach itself was told of itself.
    if (required === tool || starts.length === 0) continue
    const ends = statesFrom(starts, machine)
    if ([...states].some((state) => ends.has(state))) continue
    const problem = `it requires \`${required.name}\`, and no way leads from ${orList(starts)} to ${orList([...states])}`
    const remedy = "Add a transition, or give one of the tools a state of the other's."
    const at = child(child(root, "tools"), tool.name)
    return [diagnose("SEQ818", at, { what: `\`${tool.name}\``, problem, remedy })]
  }
  return []
}

function statesFrom(states: readonly string[], { transitions }: Machine): ReadonlySet<string> {
  const reached = new Set(states)
  for (const state of reached) for (const to of transitions.get(state)?.keys() ?? []) reached.add(to)
  return reached
}

/** How many transitions it takes at least until the one that is furthest away can be called. */
function transitionsTo(calls: readonly Tool[], machine: Built["machine"]): number {
  if (machine === undefined) return 0
  const distances = new Map([[machine.initial, 0]])
  for (const [state, distance] of distances) {
    for (const to of machine.transitions.get(state)?.keys() ?? []) {
      if (!distances.has(to)) distances.set(to, distance + 1)
    }
  }
  // A state that is unknown or out of reach is told of itself.
  const toTool = ({ states }: Tool): number =>
    Math.min(...[...(states ?? [machine.initial])].map((state) => distances.get(state) ?? 0))
  return Math.max(...calls.map(toTool))
}

interface Need {
  readonly least: number
  readonly max: number | undefined
  readonly of: string
  readonly name: string
}

function leastOf({ blast }: Tool, dimension: string): number {
  const own = blast.find((one) => one.dimension === dimension)
  if (own === undefined) return 0
  return own.kind === "constant" ? own.value : own.min
}
