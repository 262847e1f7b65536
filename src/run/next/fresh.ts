/** What an effect is based on, where the catalog says how long that may stand: the reads that gave its arguments, and whether they say the same once more. */
import type { RunState } from "../../journal/state.ts"
import type { Hole, Read } from "../../plan/plan.ts"
import { canonical } from "../../text/canonical.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { child } from "../../text/pointer.ts"
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
  const reads = [...new Set(basedOn(call).flatMap(sourcesOf))].flatMap((stepId): readonly BasedOn[] => {
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
  if (call.tool.authority.freshness === undefined || state.reread.size === 0) return undefined
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
    return new WorldChanged({ stepId: call.step.id, problem })
  }
  return undefined
}

/** The expressions in its arguments that stand at the places named, in them or round them. */
function basedOn({ step, tool }: ReadyCall): readonly Hole[] {
  const places = (tool.authority.freshness?.pointers ?? []).map((pointer) => `${child(step.at, "args")}${pointer}`)
  return holesOf(step.args).filter(({ at }) =>
    places.some((place) => at === place || at.startsWith(`${place}/`) || place.startsWith(`${at}/`)),
  )
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
