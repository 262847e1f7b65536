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

/**
 * The one name that was surely meant: written in another case or with other separators, or with one letter more, less,
 * other, or two neighbours swapped. Nothing where two names are as near. Names that differ in their digits or in a word of
 * one or two letters are told apart by them, not misspelt; and a fix may not take `lock` for `unlock`, so this is much stricter than a hint.
 */
export function intended(wanted: string, names: Iterable<string>): string | undefined {
  if (wanted.length > 200) return undefined
  let best = 2
  let meant: readonly string[] = []
  for (const name of new Set(names)) {
    const steps = slips(wanted, name)
    if (steps > best || steps > 1) continue
    meant = steps < best ? [name] : [...meant, name]
    best = steps
  }
  return meant.length === 1 ? meant[0] : undefined
}

/** Whether two names, or two paths, differ by case and separators only: then they are one, whatever hangs on it. */
export const isSpelling = (written: string, name: string): boolean =>
  foldPath(written) === foldPath(name) && numbersIn(written) === numbersIn(name)

const fold = (name: string): string => name.toLowerCase().replaceAll(/[\s_.-]/g, "")

const foldPath = (path: string): string => fold(path).replaceAll(/[/[\]$]/g, "")

/** `1.5` is no spelling of `15`, nor `-5` of `5`. */
const numbersIn = (name: string): string => (name.match(/(?<!\w)-?\d+(?:\.\d+)*|\d+(?:\.\d+)*/g) ?? []).join(" ")

/** `user_a` is no slip of `user_b`, nor `fromEu` of `fromUs`: words as short as these tell things apart. */
function areLabels(one: string, other: string): boolean {
  const [words, others] = [wordsOf(one), wordsOf(other)]
  return (
    words.length === others.length &&
    words.some((word, index) => word !== others[index] && word.length < 3 && (others[index] ?? "").length < 3)
  )
}

const wordsOf = (name: string): readonly string[] =>
  name.split(/[\s_.-]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase())

/** 0 where they are the same, 1 for a single slip of the hand, 2 for anything more. */
function slips(wanted: string, meant: string): 0 | 1 | 2 {
  const [written, name] = [fold(wanted), fold(meant)]
  if (numbersIn(wanted) !== numbersIn(meant)) return 2
  if (written === name) return 0
  if (Math.max(written.length, name.length) < 4 || Math.abs(written.length - name.length) > 1) return 2
  if (areLabels(wanted, meant)) return 2
  if (distance(written, name) === 1) return 1
  const at = [...written].findIndex((letter, index) => letter !== name[index])
  return written.length === name.length &&
    written.slice(0, at) + written.charAt(at + 1) + written.charAt(at) + written.slice(at + 2) === name
    ? 1
    : 2
}

/** "Did you mean `a`?", or what there is: the hint for any name that is not known. */
export function suggest(wanted: string, names: Iterable<string>, kind: string): string {
  const all = [...names]
  const near = nearestTo(wanted, all)
  if (near.length > 0) return `Did you mean ${orList(near)}?`
  if (all.length === 0) return `There are no ${kind}.`
  return `Known ${kind}: ${andMore(all)}.`
}

export function orList(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

const shown = 12

const andMore = (names: readonly string[]): string => {
  const quoted = names.slice(0, shown).map((name) => `\`${name}\``)
  return names.length > shown ? `${quoted.join(", ")} and ${names.length - shown} more` : quoted.join(", ")
}
