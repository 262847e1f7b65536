/**
 * Fixes that put a step in, take one out or move one. Each is tried on the bare order of the plan first, and offered
 * only where the fault it is for goes and no other comes: who names whom, what must precede, and the states.
 */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import type { JsonPatch } from "../diagnostic/patch.ts"
import { isId } from "../document/admit.ts"
import type { Call, Plan, Step } from "../plan/plan.ts"
import { argumentOf, canonicalExpression } from "../plan/same.ts"
import type { Json, JsonObject } from "../text/json.ts"
import { child, root } from "../text/pointer.ts"

/** What a rearrangement is to mend of a step: it names a step that is not there yet, lacks a call, or is in another state. */
export interface Misplaced {
  readonly index: number
  /** The id that it names; the others have a space in them, and ids have none. */
  readonly what: string
}

export const lacks = (tool: string): string => `lacks ${tool}`
export const wrongState = "wrong state"

/** The step at `from` put before the step at `to`. */
export function moveStep(
  plan: Plan,
  catalog: Catalog,
  from: number,
  to: number,
  fault: Misplaced,
): JsonPatch | undefined {
  const before = arranged(plan, catalog)
  const moved = before[from]
  if (moved === undefined) return undefined
  const after = before.toSpliced(from, 1).toSpliced(to, 0, moved)
  return mends(before, after, catalog, fault)
    ? [{ op: "move", from: `${steps}/${from}`, path: `${steps}/${to}` }]
    : undefined
}

/** The step at an index taken out, where nothing names it. */
export function removeStep(plan: Plan, catalog: Catalog, index: number, fault?: Misplaced): JsonPatch | undefined {
  const before = arranged(plan, catalog)
  const gone = before[index]
  if (gone === undefined || before.some(({ names }) => names.has(gone.id))) return undefined
  return mends(before, before.toSpliced(index, 1), catalog, fault)
    ? [{ op: "remove", path: `${steps}/${index}` }]
    : undefined
}

/** A transition put before the step at an index. */
export function insertTransition(plan: Plan, catalog: Catalog, index: number, state: string, fault: Misplaced) {
  const id = freshId(`to_${state.toLowerCase()}`, plan)
  const step = {
    id,
    kind: "transition",
    tool: undefined,
    to: state,
    names: none,
    aboutOf: () => 0,
  } as const
  return insertStep(plan, catalog, index, step, { id, transition: state }, fault)
}

/** A call put before the step at an index, with some of that step's own arguments. */
export function insertCall(
  plan: Plan,
  catalog: Catalog,
  index: number,
  tool: Tool,
  args: JsonObject,
  fault: Misplaced,
) {
  const like = arranged(plan, catalog)[index]
  if (like === undefined || tool.costMicroUsd > 0) return undefined
  const id = freshId(tool.name, plan)
  const { names, aboutOf } = like
  const step = { id, kind: "call", tool, to: undefined, names, aboutOf } as const
  return insertStep(plan, catalog, index, step, { id, tool: tool.name, args }, fault)
}

function insertStep(
  plan: Plan,
  catalog: Catalog,
  index: number,
  step: Placed,
  value: Json,
  fault: Misplaced,
): JsonPatch | undefined {
  const most = Math.min(catalog.bounds.steps, catalog.budgets.steps ?? Infinity)
  if (plan.steps.length >= most) return undefined
  const before = arranged(plan, catalog)
  return mends(before, before.toSpliced(index, 0, step), catalog, fault)
    ? [{ op: "add", path: `${steps}/${index}`, value }]
    : undefined
}

const steps = child(root, "steps")
const none: ReadonlySet<string> = new Set()

/** What of a step depends on where it stands. */
interface Placed {
  readonly id: string
  readonly kind: Step["kind"]
  readonly tool: Tool | undefined
  readonly to: string | undefined
  /** The steps it names, by reference or `after`. */
  readonly names: ReadonlySet<string>
  /** A number for the arguments of some parameters: the same one where they are the same expressions. */
  readonly aboutOf: (parameters: readonly string[]) => number
}

/** Worked out once for a plan: a hundred fixes ask for it, and its texts may be as long as the plan. */
function arranged({ steps }: Plan, catalog: Catalog): readonly Placed[] {
  const numbers = new Map<string, number>()
  const list = known.get(steps) ?? steps.map((step) => place(step, catalog, numbers))
  known.set(steps, list)
  return list
}

const known = new WeakMap<readonly Step[], readonly Placed[]>()

function place(step: Step, { tools }: Catalog, numbers: Map<string, number>): Placed {
  const { id, kind } = step
  const names = new Set(step.after.map((name) => name.id))
  const own = { id, kind, names }
  if (step.kind === "transition") return { ...own, tool: undefined, to: step.to, aboutOf: () => 0 }
  for (const { source } of step.reads) if (source !== "input") names.add(source)
  const abouts = new Map<string, number>()
  const aboutOf = (parameters: readonly string[]): number => {
    const asked = parameters.join("\n")
    const about = abouts.get(asked) ?? numberOf(parameters.map((one) => textOf(step, one)).join("\n"), numbers)
    abouts.set(asked, about)
    return about
  }
  return { ...own, tool: tools.get(step.tool), to: undefined, aboutOf }
}

function textOf({ args }: Call, parameter: string): string {
  const argument = argumentOf(args, parameter)
  return argument === undefined ? "" : canonicalExpression(argument)
}

function numberOf(text: string, numbers: Map<string, number>): number {
  const number = numbers.get(text) ?? numbers.size + 1
  numbers.set(text, number)
  return number
}

/** Every fault that is left was there before, and the one in question was and is not. */
function mends(before: readonly Placed[], after: readonly Placed[], catalog: Catalog, fault?: Misplaced): boolean {
  const old = faults.get(before) ?? faultsOf(before, catalog)
  faults.set(before, old)
  const step = fault && before[fault.index]
  let right = fault === undefined || (step !== undefined && old.get(step)?.has(fault.what) === true)
  walk(after, catalog, (one, what) => {
    if (!old.get(one)?.has(what) || (one === step && what === fault?.what)) right = false
  })
  return right
}

type Faults = ReadonlyMap<Placed, ReadonlySet<string>>

const faults = new WeakMap<readonly Placed[], Faults>()

function faultsOf(list: readonly Placed[], catalog: Catalog): Faults {
  const found = new Map(list.map((step) => [step, new Set<string>()]))
  walk(list, catalog, (step, what) => found.get(step)?.add(what))
  return found
}

function walk(list: readonly Placed[], { machine }: Catalog, found: (step: Placed, what: string) => void): void {
  const calls = new Set<string>()
  const called = new Map<string, Placed[]>()
  let state = machine?.initial
  for (const step of list) {
    const { id, kind, tool, to, names } = step
    for (const name of names) if (!calls.has(name)) found(step, name)
    for (const { tool: required, same = [] } of tool?.requires ?? []) {
      const earlier = called.get(required)
      const about = step.aboutOf(same)
      if (earlier === undefined) found(step, lacks(required))
      // Whether two different expressions are equal only the run can tell: not equal is as good as another.
      else if (!earlier.some((other) => other.aboutOf(same) === about)) found(step, `another ${required}`)
    }
    if (to !== undefined) {
      const exists = machine?.states.has(to) === true
      if (!exists || (state !== undefined && !machine?.transitions.get(state)?.has(to))) found(step, wrongState)
      state = exists ? to : undefined
    } else if (state !== undefined && tool?.states?.has(state) === false) {
      found(step, wrongState)
    }
    if (kind === "transition") continue
    calls.add(id)
    if (tool === undefined) continue
    const earlier = called.get(tool.name)
    if (earlier === undefined) called.set(tool.name, [step])
    else earlier.push(step)
  }
}

/** An id that no step has and none names: a name that leads nowhere must not come to mean the new step. */
function freshId(wanted: string, plan: Plan): string {
  const taken = new Set<string>()
  for (const step of plan.steps) {
    taken.add(step.id)
    for (const { id } of step.after) taken.add(id)
    if (step.kind === "call") for (const { source } of step.reads) taken.add(source)
  }
  const plain = wanted
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^(?![A-Za-z_])/, "_")
    .slice(0, 56)
  const isFree = (id: string): boolean => isId(id) && !taken.has(id)
  if (isFree(plain)) return plain
  for (let count = 2; ; count++) if (isFree(`${plain}_${count}`)) return `${plain}_${count}`
}
