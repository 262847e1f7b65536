import { distance } from "fastest-levenshtein"

/** Names within a third of the length (and at least one edit), nearest first, three at most. */
export function nearestTo(wanted: string, names: Iterable<string>): readonly string[] {
  // A planner's name may be as long as a plan: beyond this nothing can be near, and the distance would cost its square.
  if (wanted.length > 200) return []
  const allowed = Math.max(1, Math.floor(wanted.length / 3))
  const near: { name: string; edits: number }[] = []
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) > allowed) continue
    const edits = distance(wanted.toLowerCase(), name.toLowerCase())
    if (edits <= allowed) near.push({ name, edits })
  }
  near.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
  return near.slice(0, 3).map(({ name }) => name)
}

/** "Did you mean `a`?", or what there is: the hint for any name that is not known. */
export function suggest(wanted: string, names: Iterable<string>, kind: string): string {
  const all = [...names]
  const near = nearestTo(wanted, all)
  if (near.length > 0) return `Did you mean ${orList(near)}?`
  if (all.length === 0) return `There are no ${kind}.`
  return `Known ${kind}: ${andMore(all)}.`
}

export const orList = (names: readonly string[]): string => join(names, "or")

export const andList = (names: readonly string[]): string => join(names, "and")

const join = (names: readonly string[], word: string): string => {
  const quoted = names.map((name) => `\`${name}\``)
  if (quoted.length < 2) return quoted.join("")
  return `${quoted.slice(0, -1).join(", ")} ${word} ${quoted.at(-1)}`
}

const shown = 12

const andMore = (names: readonly string[]): string => {
  const quoted = names.slice(0, shown).map((name) => `\`${name}\``)
  return names.length > shown ? `${quoted.join(", ")} and ${names.length - shown} more` : quoted.join(", ")
}
