/**
 * How much a validator has to do with a value, counted before it is asked. Where a schema holds itself in alternatives
 * that overlap, validators try them one after the other, at each level again: the work doubles with every level. The
 * count does not, for it remembers.
 */
import type { Json } from "../../text/json.ts"
import { root } from "../../text/pointer.ts"
import type { Answer } from "./judge.ts"
import { stepsMax } from "./pattern-cost.ts"

/** What a schema asks of a value through the schemas in it: of the value itself, or of its members. Rather too much. */
export type Ask<S> = (schema: S, value: Json) => Iterable<readonly [schema: S, value: Json]>

/** Times that some schema is asked of some value, in one judgement. */
export const workMax = 500_000

type Validate = (copy: Json) => Answer

interface Whole<S> {
  readonly schema: S
  readonly ask: Ask<S>
  readonly recursive: boolean
  /** How many schemas there are in it. */
  readonly parts: number
  /** Steps that its patterns may take for each character, as far as the shape has not counted them. */
  readonly perCharacter: number
}

/** A value that is too much work is refused. */
export function withinWork<S>(validate: Validate, { schema, ask, recursive, parts, perCharacter }: Whole<S>): Validate {
  return (copy) => {
    // Without recursion each schema is asked of each value once at most.
    if (!recursive && perCharacter > 0 && perCharacter * charactersIn(copy) > stepsMax) {
      const problem = `holds more text than can be held against its patterns in ${stepsMax} steps`
      return { ok: false, issues: [{ at: root, message: problem }] }
    }
    const mayBeMuch = recursive || parts * nodesIn(copy) > workMax
    if (!mayBeMuch || workOf(schema, copy, ask, perCharacter) <= workMax) return validate(copy)
    const message = `is too much work to judge: its schema would be asked more than ${workMax} times, as alternatives overlap`
    return { ok: false, issues: [{ at: root, message }] }
  }
}

function nodesIn(value: Json): number {
  if (typeof value !== "object" || value === null) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + nodesIn(inner), 1)
}

function charactersIn(value: Json): number {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 0
  return Object.entries(value).reduce<number>((sum, [key, inner]) => sum + key.length + charactersIn(inner), 0)
}

/** Steps of a pattern that count as much as asking a schema once. */
const stepsOfOne = stepsMax / workMax

/** Exact up to the most that is allowed; beyond it Infinity. */
export function workOf<S>(schema: S, value: Json, ask: Ask<S>, perCharacter = 0): number {
  const known = new Map<S, Map<Json, number>>()
  let looked = 0
  const count = (one: S, inner: Json): number => {
    const ofSchema = known.get(one) ?? new Map<Json, number>()
    known.set(one, ofSchema)
    const before = ofSchema.get(inner)
    if (before !== undefined) return before
    // Whoever asks the same of itself again would never end.
    ofSchema.set(inner, Infinity)
    let work = 1 + (typeof inner === "string" ? (inner.length * perCharacter) / stepsOfOne : 0)
    for (const [next, part] of ask(one, inner)) {
      looked++
      if (looked > workMax) return Infinity
      work += count(next, part)
      if (work > workMax) return Infinity
    }
    ofSchema.set(inner, work)
    return work
  }
  return count(schema, value)
}
