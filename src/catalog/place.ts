/** Places in what tools take and give, as catalogs name them: pointers in which `*` is any item or key. */
import { formatPointer, parsePointer } from "../text/pointer.ts"

/** A pointer's tokens; `*` is any. */
export type Path = readonly string[]

/** Where a value comes from: a place in a tool's result, or in the inputs of the run. */
export interface Origin {
  /** A tool's name, or `input`. */
  readonly source: string
  readonly path: Path
}

export const input = "input"

/** `tool#/pointer` or `input#/pointer`; undefined where the text is neither. */
export function readOrigin(text: string): Origin | undefined {
  const [, source = "", pointer = ""] = /^([^#]+)#(.*)$/s.exec(text) ?? []
  const path = parsePointer(pointer)
  return source === "" || path === undefined ? undefined : { source, path }
}

export const sayOrigin = ({ source, path }: Origin): string => `${source}#${formatPointer(path)}`

/** A parameter by its name, or a place in one by its pointer. */
export const pathTo = (nameOrPointer: string): Path | undefined =>
  nameOrPointer.startsWith("/") ? parsePointer(nameOrPointer) : [nameOrPointer]

/** A parameter by its name, what is further in by its pointer. */
export const sayPath = (path: Path): string => (path.length === 1 ? (path[0] ?? "") : formatPointer(path))

/** Whether whatever stands at a place is what the pattern names: not something in it, nor round it. */
export const names = (pattern: Path, place: Path): boolean =>
  pattern.length === place.length && pattern.every((token, index) => token === "*" || token === place[index])

/** Whether the one may be the other, or hold it, or be held by it. */
export function overlaps(one: Path, other: Path): boolean {
  const shared = Math.min(one.length, other.length)
  for (let index = 0; index < shared; index++) {
    const [a, b] = [one[index], other[index]]
    if (a !== b && a !== "*" && b !== "*") return false
  }
  return true
}
