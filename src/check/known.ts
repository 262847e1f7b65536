/**
 * What a run knows already of its plan, where the plan grows as it runs: the plan of an open run. A step that came to nothing
 * went before no other, has counted nothing and gives nothing; what was returned may be named by its value.
 */
import { input, type Origin, type Path } from "../catalog/place.ts"
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

/** A place at which a value stood. */
export interface Stood {
  /** The step that returned it, or `input`. */
  readonly giver: number | typeof input
  readonly path: Path
}

/** Of those places: where the value stood for whoever wrote the step, each once. */
export function stoodAt(
  value: Json,
  from: readonly Origin[],
  index: number,
  { tools }: Tooled,
  known: Known,
): readonly Stood[] {
  const count = known.seen[index] ?? 0
  return from.flatMap(({ source, path }): readonly Stood[] =>
    source === input
      ? placesOf(value, known.inputs, path).map((place) => ({ giver: input, path: place }))
      : (returnedAt(source, path, tools, known.steps)
          .get(canonical(value, true))
          ?.filter(({ giver }) => giver < count) ?? []),
  )
}

interface Returned extends Stood {
  readonly giver: number
}

/** By place and value, as far as it has come: of thousands of answers each is looked through once, and not for each call behind. */
interface Index {
  count: number
  readonly byValue: Map<string, Returned[]>
}

const indices = new WeakMap<Known["steps"], Map<string, Index>>()

function returnedAt(
  source: string,
  path: Path,
  tools: Tooled["tools"],
  steps: Known["steps"],
): ReadonlyMap<string, readonly Returned[]> {
  const places = indices.get(steps) ?? new Map<string, Index>()
  indices.set(steps, places)
  const place = canonical([source, ...path])
  const index = places.get(place) ?? { count: 0, byValue: new Map<string, Returned[]>() }
  places.set(place, index)
  for (; index.count < steps.length; index.count++) {
    const giver = index.count
    const { came, result } = steps[giver] as KnownStep
    if (came !== "done" || result === undefined || tools[giver]?.name !== source) continue
    for (const [at, value] of valuesAt(result, path)) {
      const key = canonical(value, true)
      const before = index.byValue.get(key)
      if (before === undefined) index.byValue.set(key, [{ giver, path: at }])
      else before.push({ giver, path: at })
    }
  }
  return index.byValue
}

/** All that stands there. */
function valuesAt(whole: Json, [token, ...rest]: Path): readonly (readonly [Path, Json])[] {
  if (token === undefined) return [[[], whole]]
  return membersOf(whole)
    .filter(([key]) => token === "*" || key === token)
    .flatMap(([key, inner]) => valuesAt(inner, rest).map(([place, value]) => [[key, ...place], value] as const))
}

export const holds = (whole: Json, path: Path, value: Json): boolean => placesOf(value, whole, path).length > 0

/** Where in the whole, by a pattern of places, that value stands. */
const placesOf = (value: Json, whole: Json, path: Path): readonly Path[] =>
  valuesAt(whole, path)
    .filter(([, there]) => isSame(there, value))
    .map(([place]) => place)

const membersOf = (value: Json): readonly (readonly [string, Json])[] =>
  Array.isArray(value)
    ? value.map((item: Json, index) => [`${index}`, item] as const)
    : isObject(value)
      ? Object.entries(value)
      : []

const isSame = (one: Json, other: Json): boolean =>
  one === other ||
  (typeof one === "object" && typeof other === "object" && canonical(one, true) === canonical(other, true))
