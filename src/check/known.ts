/**
 * What a run knows already of its plan, where the plan grows as it runs: the plan of an open run. A step that came to nothing
 * went before no other, has counted nothing and gives nothing; what was returned may be named by its value.
 */
import type { Origin, Path } from "../catalog/place.ts"
import type { Carried } from "../plan/earlier.ts"
import { canonical } from "../text/canonical.ts"
import { isObject, type Json } from "../text/json.ts"
import type { Tooled } from "./tools.ts"

export interface Known {
  /** By step index, of the steps that are behind. */
  readonly steps: readonly KnownStep[]
  /** By step index: of how many steps whoever wrote it can have seen what came of them. */
  readonly seen: readonly number[]
  readonly inputs: Json
  /** What was shown that is no step of the plan. */
  readonly aside?: Aside
}

/** Tools whose answers were shown past the plan, each once, as they came; and by step index how many of them had been by then. */
export interface Aside {
  readonly tools: readonly string[]
  readonly by: readonly number[]
  /** By step index: labels of what whoever wrote it had been shown elsewhere; undefined where it was nothing. */
  readonly shown?: readonly (readonly Carried[] | undefined)[]
  /** The same of steps that are to be added. */
  readonly now?: readonly Carried[]
}

export interface KnownStep {
  /** `nothing`: it is known that it has not happened. */
  readonly came: "done" | "nothing"
  /** Undefined where there is none that can be used. */
  readonly result: Json | undefined
}

export const cameToNothing = (known: Known | undefined, index: number): boolean =>
  known?.steps[index]?.came === "nothing"

/** Whether a value is one that stood, for whoever wrote the step, at one of those places. */
export function isReturned(
  value: Json,
  from: readonly Origin[],
  index: number,
  { tools }: Tooled,
  known: Known,
): boolean {
  const seen = known.steps.slice(0, known.seen[index] ?? 0)
  return from.some(({ source, path }) =>
    source === "input"
      ? holds(known.inputs, path, value)
      : seen.some(
          ({ came, result }, giver) =>
            came === "done" && result !== undefined && tools[giver]?.name === source && holds(result, path, value),
        ),
  )
}

export function holds(whole: Json, [token, ...rest]: Path, value: Json): boolean {
  if (token === undefined) return isSame(whole, value)
  if (token === "*") return membersOf(whole).some((inner) => holds(inner, rest, value))
  if (Array.isArray(whole)) {
    const item = /^(?:0|[1-9]\d*)$/.test(token) ? (whole[Number(token)] as Json | undefined) : undefined
    return item !== undefined && holds(item, rest, value)
  }
  return isObject(whole) && Object.hasOwn(whole, token) && holds(whole[token] as Json, rest, value)
}

const membersOf = (value: Json): readonly Json[] =>
  Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []

const isSame = (one: Json, other: Json): boolean =>
  one === other ||
  (typeof one === "object" && typeof other === "object" && canonical(one, true) === canonical(other, true))
