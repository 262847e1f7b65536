/**
 * Tools' names as every provider takes them (letters, digits, `_` and `-`, 64 at most, not beginning with a digit), and the way back.
 * Within a catalog no two names come to the same: what would is told apart by a digest.
 */
import { sha256 } from "#sha256"
import type { Catalog } from "../../catalog/catalog.ts"

const taken = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

export const isName = (name: unknown): name is string => typeof name === "string" && taken.test(name)

export interface Names {
  readonly toProvider: (tool: string) => string
  /** A name that is none of them stays as it is: the gate refuses it, and names the nearest. */
  readonly toCatalog: (name: string) => string
}

const known = new WeakMap<Catalog, Names>()

export function namesOf(catalog: Catalog): Names {
  const made = known.get(catalog) ?? makeNames([...catalog.tools.keys()])
  known.set(catalog, made)
  return made
}

function makeNames(tools: readonly string[]): Names {
  const back = new Map(tools.filter(isName).map((tool) => [tool, tool]))
  for (const tool of tools.filter((tool) => !isName(tool)).sort()) {
    const plain = nameFrom(tool)
    const name = plain.length <= 64 && !back.has(plain) ? plain : apart(tool, plain, back)
    back.set(name, tool)
  }
  const there = new Map([...back].map(([name, tool]) => [tool, name]))
  return { toProvider: (tool) => there.get(tool) ?? tool, toCatalog: (name) => back.get(name) ?? name }
}

function apart(tool: string, plain: string, back: ReadonlyMap<string, string>): string {
  for (let salt = 0; ; salt++) {
    const name = `${plain.slice(0, 51)}_${sha256(`${salt}/${tool}`).slice(0, 12)}`
    if (!back.has(name)) return name
  }
}

/** Of any text, however long. */
export function nameFrom(text: string): string {
  const plain = text.slice(0, 300).replaceAll(/[^A-Za-z0-9_-]/g, "_")
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`
}
