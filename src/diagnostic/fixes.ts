/** Several fixes at once: those that do not touch the same place, in an order in which none of them moves another's. */
import { demand } from "../text/demand.ts"
import { isObject, type Json } from "../text/json.ts"
import type { Diagnostic } from "./diagnostic.ts"
import { applyPatch, isPatch, type JsonPatch, type Operation, valueAt } from "./patch.ts"

export interface Fixed {
  /** A new value where anything was applied; the document itself is never changed. */
  readonly document: Json
  /** What was applied, in the order of the diagnostics. The rest waits: compile again. */
  readonly applied: readonly Diagnostic[]
  /** All of it as one patch, in the order in which it was done. */
  readonly patch: JsonPatch
}

/**
 * Applies the fixes that diagnostics of this document carry. Of two that touch one place the first counts; what is no
 * patch is passed over, like one that leads nowhere. Throws a `TypeError` where it is given no list of diagnostics.
 */
export function applyFixes(document: Json, diagnostics: readonly Diagnostic[]): Fixed {
  demand(Array.isArray(diagnostics), "`diagnostics` must be those that `compile` gives")
  const taken: Taken[] = []
  for (const diagnostic of diagnostics) {
    const fix = isObject(diagnostic) ? diagnostic.fix : undefined
    if (!isPatch(fix)) continue
    const one = { diagnostic, fix, shift: fix.find((operation) => shifts(operation, document)) }
    if (!taken.some((other) => collide(one, other))) taken.push(one)
  }
  const inPlace = taken.filter(({ shift }) => shift === undefined)
  // From the end: what is put in or taken out moves only what stands after it.
  const shifting = taken.filter(({ shift }) => shift !== undefined).sort((a, b) => positionOf(b) - positionOf(a))
  const applied = new Set<Diagnostic>()
  const patch: Operation[] = []
  let fixed = document
  for (const { diagnostic, fix } of [...inPlace, ...shifting]) {
    const next = applyPatch(fixed, fix)
    if (next === undefined) continue
    fixed = next
    applied.add(diagnostic)
    patch.push(...fix)
  }
  return { document: fixed, applied: diagnostics.filter((one) => applied.has(one)), patch }
}

interface Taken {
  readonly diagnostic: Diagnostic
  readonly fix: JsonPatch
  /** The operation that puts an item into an array, takes one out, or moves one. */
  readonly shift: Operation | undefined
}

function shifts({ op, path }: Operation, document: Json): boolean {
  return op !== "replace" && Array.isArray(valueAt(document, path.slice(0, path.lastIndexOf("/"))))
}

/** Every array that fixes shift is a list of steps. */
const positionOf = ({ shift }: Taken): number => Number(shift?.path.slice(shift.path.lastIndexOf("/") + 1) ?? 0)

function collide(one: Taken, other: Taken): boolean {
  if (one.shift !== undefined && other.shift !== undefined) {
    // A move renumbers what lies between; and two steps of one name put in are the same need told twice.
    if (one.shift.op === "move" || other.shift.op === "move") return true
    return one.shift.path === other.shift.path || (idIn(one.shift) ?? 1) === (idIn(other.shift) ?? 2)
  }
  return touchedBy(one).some((place) => touchedBy(other).some((there) => within(place, there) || within(there, place)))
}

/** What is put into an array touches nothing that was there, and what is moved in it stays as it is. */
const touchedBy = ({ fix, shift }: Taken): readonly string[] =>
  fix.flatMap((operation) => {
    if (operation === shift && operation.op !== "remove") return []
    return operation.op === "move" ? [operation.from, operation.path] : [operation.path]
  })

const within = (place: string, other: string): boolean => place === other || place.startsWith(`${other}/`)

const idIn = (operation: Operation): Json | undefined =>
  operation.op === "add" && isObject(operation.value) ? operation.value.id : undefined
