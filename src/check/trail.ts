/** The way that a marked value took, from the argument it reaches back to where it was marked. */
import type { Place } from "../diagnostic/diagnostic.ts"
import { escapeHidden } from "../text/escape.ts"
import { formatPointer, type Pointer } from "../text/pointer.ts"

/** One place on the way, and where it came from; at the end the cause. */
export interface Trail {
  readonly says: string
  readonly at: Pointer
  readonly next: Trail | undefined
}

/** How many places are shown: the first of them and the last. */
const shown = 8

/** `recipient ← s3.$concat ← s1 /body (untrusted: read_mail)` */
export function sayTrail(trail: Trail, argument?: string): string {
  const places = placesOn(trail).map(({ says }) => says)
  const left = places.length - shown
  const told = left > 0 ? [...places.slice(0, shown - 2), `… ${left + 1} more …`, ...places.slice(-1)] : places
  return [...(argument === undefined ? [] : [argument]), ...told].join(" ← ")
}

/** The places other than where the fault itself is told. */
export function relatedTo(trail: Trail, at: Pointer): Place {
  const others = placesOn(trail).filter((place) => place.at !== at)
  return others.length === 0
    ? {}
    : { related: others.slice(0, shown).map(({ at, says }) => ({ at, message: escapeHidden(says) })) }
}

function placesOn(trail: Trail): readonly Trail[] {
  const places: Trail[] = []
  for (let place: Trail | undefined = trail; place !== undefined; place = place.next) places.push(place)
  return places
}

/** A step or `input`, and a place in what it gave; a way that a plan made long is cut. */
export function sayPlace(source: string, path: readonly string[]): string {
  const pointer = formatPointer(path)
  const told = pointer.length > 120 ? `${pointer.slice(0, 120)}…` : pointer
  return path.length === 0 ? source : `${source} ${told}`
}
