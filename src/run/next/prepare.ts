/** A compiled plan together with its catalog, with everything looked up that each step of a run would look up again. */
import type { Catalog, Tool, TransitionRule } from "../../catalog/catalog.ts"
import { changedParts, sliceFor } from "../../catalog/slice.ts"
import type { CheckedStep, CompiledPlan, Total } from "../../check/compiled.ts"
import type { RunStarted, ToolPolicy } from "../../journal/entry.ts"
import type { Call, Expression, Literal, Read, Transition } from "../../plan/plan.ts"
import { argumentOf } from "../../plan/same.ts"
import type { Pointer } from "../../text/pointer.ts"
import { StalePlan } from "../failure.ts"

export interface ReadyPlan {
  readonly plan: CompiledPlan
  readonly catalog: Catalog
  readonly steps: readonly ReadyStep[]
  /** Calls with something to check once a source is known: first those of the inputs, then those of each step by its index. */
  readonly affected: readonly (readonly ReadyCall[])[]
  /** What the first entry of each of its runs says of the catalog. */
  readonly catalogHash: string
  readonly policies: RunStarted["tools"]
  /** Of one run: what its idempotency keys are made with, where its tenant has such a secret. */
  readonly keySecret?: Uint8Array | undefined
}

export type ReadyStep = ReadyCall | ReadyTransition

export interface ReadyCall {
  readonly kind: "call"
  readonly step: Call
  readonly tool: Tool
  /** What it was compiled for, by dimension. */
  readonly blast: readonly Total[]
  /** The last of its sources: the index of a step, or -1 where it has none but the inputs. */
  readonly last: number
  /** Each read, and the last of the sources that it needs itself. */
  readonly reads: readonly { readonly read: Read; readonly last: number }[]
  /** The same for whatever stands in its arguments; none of what stands there literally. */
  readonly lasts: ReadonlyMap<Expression, number>
  /** Effects that come to the same call if their arguments are equal: this one, and all like it. None of a read. */
  readonly twins: readonly ReadyCall[]
  /** Predecessors that only the run can compare. */
  readonly required: readonly Required[]
}

export interface Required {
  readonly tool: string
  readonly same: readonly string[]
  readonly earlier: readonly ReadyCall[]
}

export interface ReadyTransition {
  readonly kind: "transition"
  readonly step: Transition
  readonly from: string
  readonly to: string
  /** Guarded by people. */
  readonly guarded: boolean
  readonly rule: TransitionRule
}

/** Plans are run more than once. */
const prepared = new WeakMap<CompiledPlan, ReadyPlan>()

/** Refuses a plan that was compiled against another catalog. A step that `counts` not has come to nothing: see `check/known.ts`. */
export function prepare(
  plan: CompiledPlan,
  catalog: Catalog,
  counts: (index: number) => boolean = () => true,
): ReadyPlan | StalePlan {
  const known = prepared.get(plan)
  if (known?.catalog === catalog) return known
  const names = [...plan.steps.flatMap(({ step }) => (step.kind === "call" ? [step.tool] : [])), ...givers(plan)]
  const changed = changedParts(plan.slice, sliceFor(catalog, names))
  if (changed.length > 0) {
    return new StalePlan({
      changed: changed.join(", "),
      remedy: "Compile the document again, look at what it says now, and run that.",
    })
  }
  const indices = new Map(plan.steps.map(({ step }, index) => [step.id, index]))
  const indexOf = (source: string): number => indices.get(source) ?? -1
  const groups = new Groups()
  const steps = plan.steps.map((checked): ReadyStep => {
    const { step, before, after } = checked
    if (step.kind === "call")
      return readyCall(checked, step, catalog, counts(step.index) ? groups : new Groups(), indexOf)
    // One that came to nothing (it was denied, say) has left the run where it was.
    const [from, to] = [before ?? "", (counts(step.index) ? after : step.to) ?? ""]
    const rule = catalog.machine?.transitions.get(from)?.get(to)
    if (rule === undefined)
      throw new Error(`a compiled plan goes from \`${from}\` to \`${to}\`, which its catalog does not`)
    return { kind: "transition", step, from, to, guarded: rule.guard === "approval", rule }
  })
  const { catalogHash } = plan
  const ready = { plan, catalog, steps, affected: affectedIn(steps), catalogHash, policies: policiesOf(names, catalog) }
  prepared.set(plan, ready)
  return ready
}

const givers = ({ earlier }: CompiledPlan): readonly string[] => Object.values(earlier).map(({ tool }) => tool)

/** Of these tools, and of those that undo them. */
export function policiesOf(names: Iterable<string>, { tools }: Catalog): RunStarted["tools"] {
  const policies: Record<string, ToolPolicy> = {}
  const note = (tool: Tool | undefined): void => {
    if (tool === undefined || Object.hasOwn(policies, tool.name)) return
    const { version, effect, timeoutMs, idempotency, reconcile, retry, compensation, params, result } = tool
    const sensitive = { ...listed("args", params.sensitive), ...listed("result", result?.sensitive) }
    policies[tool.name] = {
      version,
      effect,
      timeoutMs,
      idempotency,
      ...(reconcile === undefined ? {} : { reconcile }),
      ...(retry === undefined ? {} : { retry }),
      ...(compensation.kind === "call" ? { undo: compensation } : {}),
      ...(Object.keys(sensitive).length === 0 ? {} : { sensitive }),
    }
    if (compensation.kind === "call") note(tools.get(compensation.tool))
  }
  for (const name of names) note(tools.get(name))
  return policies
}

/** What is not there is not said. */
export const listed = <Key extends string>(key: Key, places: readonly Pointer[] = []) =>
  (places.length === 0 ? {} : { [key]: places }) as { readonly [K in Key]?: readonly Pointer[] }

/** Lists by name, made when they are first asked for. */
class Groups extends Map<string, ReadyCall[]> {
  of(name: string): ReadyCall[] {
    const group = this.get(name) ?? []
    this.set(name, group)
    return group
  }
}

type IndexOf = (source: string) => number

/** The order of keys is not kept in the journal, and the first of several faults must be the same one for whoever comes later. */
function inOrder(expression: Expression): Expression {
  if (expression.kind === "array") return { ...expression, items: expression.items.map(inOrder) }
  if (expression.kind !== "object") return expression
  const entries = expression.entries.map(([key, inner]) => [key, inOrder(inner)] as const)
  return { ...expression, entries: entries.sort(([one], [other]) => (one < other ? -1 : 1)) }
}

const callInOrder = (call: Call): Call => ({
  ...call,
  args: inOrder(call.args),
  reads: call.reads.toSorted((one, other) => (one.at < other.at ? -1 : 1)),
})

function readyCall(
  { blast, checks }: CheckedStep,
  given: Call,
  catalog: Catalog,
  groups: Groups,
  indexOf: IndexOf,
): ReadyCall {
  const step = callInOrder(given)
  const tool = catalog.tools.get(step.tool)
  if (tool === undefined) throw new Error(`a compiled plan calls \`${step.tool}\`, which its catalog does not have`)
  const reads = step.reads.map((read) => ({ read, last: lastOfRead(read, indexOf) }))
  const lasts = new Map<Expression, number>()
  const last = noteLasts(step.args, indexOf, lasts)
  const twins = tool.mutates ? groups.of(`${step.occurrence} ${tool.name}`) : []
  const compared = checks.some(({ kind }) => kind === "same")
  const required = (compared ? tool.requires : []).flatMap(({ tool: name, same }) =>
    same === undefined || same.length === 0 ? [] : [{ tool: name, same, earlier: [...groups.of(name)] }],
  )
  const ready: ReadyCall = { kind: "call", step, tool, blast, last, reads, lasts, twins, required }
  groups.of(tool.name).push(ready)
  if (tool.mutates) groups.of(`${step.occurrence} ${tool.name}`).push(ready)
  return ready
}

function lastOfRead(read: Read, indexOf: IndexOf): number {
  const own = indexOf(read.source)
  if (read.kind === "reference") return own
  return read.where.reduce(
    (max, { value }) => (value.kind === "reference" ? Math.max(max, indexOf(value.source)) : max),
    own,
  )
}

function affectedIn(steps: readonly ReadyStep[]): readonly (readonly ReadyCall[])[] {
  const affected: ReadyCall[][] = Array.from({ length: steps.length + 1 }, () => [])
  const note = (last: number, call: ReadyCall): void => {
    const calls = affected[last + 1]
    if (calls !== undefined && calls.at(-1) !== call) calls.push(call)
  }
  for (const call of steps) {
    if (call.kind !== "call") continue
    for (const { last } of call.reads) note(last, call)
    for (const { same, earlier } of call.required) {
      for (const other of earlier) {
        for (const parameter of same)
          note(Math.max(lastOfArgument(call, parameter), lastOfArgument(other, parameter)), call)
      }
    }
  }
  return affected
}

/** The last source of a call's argument; -1 where it has none, as one that was not given. */
export function lastOfArgument({ step, lasts }: ReadyCall, parameter: string): number {
  const argument = argumentOf(step.args, parameter)
  return argument === undefined ? -1 : (lasts.get(argument) ?? -1)
}

function noteLasts(expression: Expression, indexOf: IndexOf, lasts: Map<Expression, number>): number {
  if (expression.kind === "literal") return -1
  const last =
    expression.kind === "reference" || expression.kind === "selection"
      ? lastOfRead(expression, indexOf)
      : partsOf(expression).reduce((max, part) => Math.max(max, noteLasts(part, indexOf, lasts)), -1)
  lasts.set(expression, last)
  return last
}

function partsOf(expression: Exclude<Expression, Literal | Read>): readonly Expression[] {
  switch (expression.kind) {
    case "object":
      return expression.entries.map(([, inner]) => inner)
    case "array":
      return expression.items
    case "concat":
      return expression.parts
    case "broken":
      return []
  }
}
