/** What an effect is based on, where the catalog says how long that may stand: the reads that gave its arguments, and whether they say the same once more. */
import { holds } from "../../check/known.ts"
import { leavesAt } from "../../check/leaves.ts"
import type { RunState } from "../../journal/state.ts"
import type { Hole, Read } from "../../plan/plan.ts"
import { canonical } from "../../text/canonical.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import { WorldChanged } from "../failure.ts"
import { workMax } from "./measure.ts"
import type { ReadyCall } from "./prepare.ts"
import { resolve, Unresolved } from "./resolve.ts"
import { knownIn } from "./workings.ts"

export interface Basis {
  readonly maxAgeMs: number
  readonly reads: readonly BasedOn[]
}

/** A read, and when it was made last. */
export interface BasedOn {
  readonly stepId: string
  readonly tool: string
  readonly args: JsonObject
  readonly sinceMs: number
}

/** Undefined members are left out. Effects are no reads: what they gave is what was made of them, and they are not made again. */
export function basisOf(call: ReadyCall, state: RunState): { readonly basis?: Basis } {
  const { freshness } = call.tool.authority
  if (freshness === undefined) return {}
  const sources = [...basedOn(call).flatMap(sourcesOf), ...namedIn(call, state).flatMap(({ givers }) => givers)]
  const reads = [...new Set(sources)].flatMap((stepId): readonly BasedOn[] => {
    const made = state.calls.get(stepId)
    const tool = state.started.document.steps.find(({ id }) => id === stepId)?.tool
    if (made === undefined || tool === undefined || state.started.tools[tool]?.effect !== "read") return []
    const sinceMs = Math.max(made.atMs, state.reread.get(stepId)?.atMs ?? 0)
    return [{ stepId, tool, args: made.args, sinceMs }]
  })
  return reads.length === 0 ? {} : { basis: { maxAgeMs: freshness.maxAgeMs, reads } }
}

/** What was read once more says something else at a place that the call goes by. */
export function checkFresh(call: ReadyCall, state: RunState): WorldChanged | undefined {
  if (call.tool.authority.freshness === undefined) return undefined
  const stepId = call.step.id
  const elsewhere = basedOn(call)
    .flatMap(sourcesOf)
    .find((source) => isReadElsewhere(source, state))
  if (elsewhere !== undefined) {
    const problem = `it rests on what another run has read, \`${elsewhere}\`, and that cannot be read once more here: read it in this plan`
    return new WorldChanged({ stepId, problem })
  }
  if (state.reread.size === 0) return undefined
  for (const { at, value, givers, stillHolds } of namedIn(call, state)) {
    const changed = givers.find((giver) => state.reread.has(giver) && !stillHolds(giver, value))
    if (changed === undefined) continue
    const problem = `read once more, \`${changed}\` does not say any more what stands at \`${at}\``
    return new WorldChanged({ stepId, problem })
  }
  const resultOf = knownIn(state)
  const again = (source: string): Json | undefined => {
    const read = state.reread.get(source)
    return read === undefined ? resultOf(source) : read.result
  }
  for (const hole of basedOn(call)) {
    const before = resolve(hole, resultOf, { left: workMax })
    const now = resolve(hole, again, { left: workMax })
    if (
      !(now instanceof Unresolved) &&
      !(before instanceof Unresolved) &&
      canonical(before, true) === canonical(now, true)
    )
      continue
    const read = sourcesOf(hole).filter((source) => state.reread.has(source))
    if (read.length === 0) continue
    const said = now instanceof Unresolved ? now.problem : "it is another value now"
    const problem = `read once more, ${read.map((one) => `\`${one}\``).join(" and ")} says otherwise of \`${hole.at}\`: ${said}`
    return new WorldChanged({ stepId, problem })
  }
  return undefined
}

/** Whether a value of an earlier run was read there: when, and by what arguments, is not known here. */
const isReadElsewhere = (source: string, { started }: RunState): boolean => {
  const { tool } = started.earlier?.[source] ?? {}
  return tool !== undefined && started.tools[tool]?.effect === "read"
}

/** A literal of a single call that the rules hold to what was returned: the calls that have returned it. */
interface Named {
  readonly at: Pointer
  readonly value: Json
  readonly givers: readonly string[]
  /** Whether what a giver says now has the value at one of the places named. */
  readonly stillHolds: (giver: string, value: Json) => boolean
}

function namedIn({ step, tool }: ReadyCall, state: RunState): readonly Named[] {
  const { open, calls, reread, started } = state
  if (open === undefined) return []
  const tools = new Map(started.document.steps.map(({ id, tool }) => [id, tool]))
  return tool.rules.flatMap(({ path, from = [] }) => {
    const has = (giver: string, result: Json | undefined, value: Json): boolean =>
      result !== undefined && from.some((one) => one.source === tools.get(giver) && holds(result, one.path, value))
    return leavesAt(step.args, path).flatMap(({ at, expression, rest }): readonly Named[] => {
      if (rest.length > 0 || expression.kind !== "literal" || !isAtPlace({ step, tool }, at)) return []
      const { value } = expression
      const givers = [...calls].flatMap(([id, { result }]) => (has(id, result, value) ? [id] : []))
      return [{ at, value, givers, stillHolds: (giver) => has(giver, reread.get(giver)?.result, value) }]
    })
  })
}

/** The expressions in its arguments that stand at the places named. */
const basedOn = (call: Pick<ReadyCall, "step" | "tool">): readonly Hole[] =>
  holesOf(call.step.args).filter(({ at }) => isAtPlace(call, at))

/** At a place that the catalog names, in it or round it. */
function isAtPlace({ step, tool }: Pick<ReadyCall, "step" | "tool">, at: Pointer): boolean {
  const places = (tool.authority.freshness?.pointers ?? []).map((pointer) => `${child(step.at, "args")}${pointer}`)
  return places.some((place) => at === place || at.startsWith(`${place}/`) || place.startsWith(`${at}/`))
}

function holesOf(expression: ReadyCall["step"]["args"]): readonly Hole[] {
  switch (expression.kind) {
    case "literal":
      return []
    case "object":
      return expression.entries.flatMap(([, inner]) => holesOf(inner))
    case "array":
      return expression.items.flatMap(holesOf)
    default:
      return [expression]
  }
}

function sourcesOf(hole: Hole): readonly string[] {
  if (hole.kind === "broken") return []
  const reads = hole.kind === "concat" ? hole.parts.filter((part) => part.kind !== "literal") : [hole]
  return reads.flatMap((read: Read) => [
    read.source,
    ...(read.kind === "selection"
      ? read.where.flatMap(({ value }) => (value.kind === "literal" ? [] : [value.source]))
      : []),
  ])
}
