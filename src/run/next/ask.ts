/** Whether a call, or a guarded transition, waits for a person; and what they are asked. */
import { sha256 } from "#sha256"
import { isAbove } from "../../catalog/authority.ts"
import type { Scope } from "../../catalog/catalog.ts"
import type { Because, Following } from "../../journal/entry.ts"
import type { RunState } from "../../journal/state.ts"
import { canonical } from "../../text/canonical.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { countOf } from "./check.ts"
import type { ReadyCall, ReadyPlan } from "./prepare.ts"

/** What a person would be asked about a call that the store does not answer itself. */
export interface Ask {
  /** Why, as far as the run itself knows. */
  readonly because: readonly Because[]
  /** Limits that reach beyond the run: what they come to is known by the store alone. */
  readonly wider: readonly Wider[]
}

export interface Wider {
  readonly scope: Exclude<Scope, "run">
  readonly dimension: string
  readonly above: number
  readonly own: number
}

/** Undefined where nobody is asked, whatever the store says. */
export function askAbout(ready: ReadyPlan, { tool }: ReadyCall, args: JsonObject, state: RunState): Ask | undefined {
  const because: Because[] = tool.authority.approval === undefined ? [] : [{ kind: "always" }]
  const wider: Wider[] = []
  for (const blast of tool.blast) {
    const { dimension } = blast
    const { approveAbove: above, per = "run" } = ready.catalog.limits.get(dimension) ?? {}
    if (above === undefined) continue
    const own = countOf(blast, args)
    if (per !== "run") {
      if (own > 0) wider.push({ scope: per, dimension, above, own })
      continue
    }
    const before = sumOf(ready, dimension, state)
    if (isAbove(above, before, own)) because.push({ kind: "above", dimension, above, total: before + own })
  }
  return because.length + wider.length === 0 ? undefined : { because, wider }
}

/** What the run has done itself; of what another run has made it takes only the result. */
export function sumOf({ steps }: ReadyPlan, dimension: string, { calls, done }: RunState): number {
  let sum = 0
  for (const step of steps.slice(0, done)) {
    if (step.kind !== "call") continue
    const blast = step.tool.blast.find((one) => one.dimension === dimension)
    const call = blast && calls.get(step.step.id)
    if (blast !== undefined && call !== undefined && !call.replayed) sum += countOf(blast, call.args)
  }
  return sum
}

/**
 * What a decision is bound to: SHA-256 over RFC 8785 of the run's salt, the step and what would follow it, each step with its
 * tool and its arguments. Salted, so that nobody can find out by trying what was asked.
 */
export const digestOf = (salt: string, stepId: string, follows: readonly Following[]): string =>
  sha256(
    canonical(
      [salt, stepId, follows.map(({ stepId, tool, args, open = [] }): Json => [stepId, tool, args, [...open]])],
      true,
    ),
  )
