/** What a catalog marks as secret, by tool; and values in which what stands at such places is gathered, or hidden. */
import { isObject, type Json } from "../text/json.ts"
import { type Pointer, parsePointer } from "../text/pointer.ts"
import { redacted, Secrets } from "../text/secrets.ts"
import type { Catalog } from "./catalog.ts"
import type { Path } from "./place.ts"
import type { Misfit } from "./schema/pattern.ts"
import type { Issue, Schema } from "./schema/schema.ts"

/** Of one catalog, or of what a run has kept of it. */
export interface Marks {
  readonly inputs: readonly Path[]
  readonly of: (tool: string) => ToolMarks
}

export interface ToolMarks {
  readonly args: readonly Path[]
  readonly result: readonly Path[]
}

export const pathsOf = (pointers: readonly Pointer[] = []): readonly Path[] =>
  pointers.flatMap((pointer) => [parsePointer(pointer) ?? []])

export const marksOf = ({ inputs, tools }: Catalog): Marks => ({
  inputs: pathsOf(inputs?.sensitive),
  of: (name) => {
    const tool = tools.get(name)
    return { args: pathsOf(tool?.params.sensitive), result: pathsOf(tool?.result?.sensitive) }
  },
})

/** Most catalogs mark nothing. */
export const hasMarks = ({ inputs, tools }: Catalog): boolean =>
  isMarked(inputs) || [...tools.values()].some(({ params, result }) => isMarked(params) || isMarked(result))

const isMarked = (schema: Schema | undefined): boolean => schema !== undefined && schema.sensitive.length > 0

const isToken = (pattern: string, token: string): boolean => pattern === "*" || pattern === token

/** What is left of those ways that lead through a token. */
export const inside = (paths: readonly Path[], token: string): readonly Path[] =>
  paths.filter(([first]) => first !== undefined && isToken(first, token)).map((path) => path.slice(1))

/** Whether all that stands at a place is secret. */
export const covers = (paths: readonly Path[], place: Path): boolean =>
  paths.some((path) => path.length <= place.length && path.every((token, index) => isToken(token, place[index] ?? "")))

/** The ways that lead from a place further in. */
export const within = (paths: readonly Path[], place: Path): readonly Path[] =>
  place.reduce<readonly Path[]>((left, token) => inside(left, token), paths)

const isHere = (paths: readonly Path[]): boolean => paths.some((path) => path.length === 0)

export function gather(value: Json, paths: readonly Path[], secrets: Secrets): void {
  if (paths.length === 0) return
  if (isHere(paths)) secrets.add(value)
  else for (const [token, inner] of membersOf(value)) gather(inner, inside(paths, token), secrets)
}

/** The same value without what stands there. `shown` says of what all the same may be shown. */
export function hide(value: Json, paths: readonly Path[], shown: (value: Json) => boolean = () => false): Json {
  if (paths.length === 0 || shown(value)) return value
  if (isHere(paths)) return redacted
  if (Array.isArray(value)) return value.map((item: Json, index) => hide(item, inside(paths, `${index}`), shown))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hide(inner, inside(paths, key), shown)] as const),
  )
}

export const membersOf = (value: Json): readonly (readonly [string, Json])[] =>
  Array.isArray(value)
    ? value.map((item: Json, index) => [`${index}`, item] as const)
    : isObject(value)
      ? Object.entries(value)
      : []

/** What is wrong with a secret is told without it. `from` is how many tokens lead to the value that is marked. */
export function hushMisfits(misfits: readonly Misfit[], { sensitive }: Schema, from = 0): readonly Misfit[] {
  if (sensitive.length === 0) return misfits
  const paths = pathsOf(sensitive)
  return misfits.map((misfit) => (covers(paths, placeOf(misfit.at, from)) ? { ...misfit, found: redacted } : misfit))
}

/** A validator's words may quote what it was asked of. */
export function hushIssues(issues: readonly Issue[], { sensitive }: Schema, value: Json): readonly Issue[] {
  if (sensitive.length === 0) return issues
  const paths = pathsOf(sensitive)
  const secrets = new Secrets()
  gather(value, paths, secrets)
  return issues.map(({ at, message }) => ({
    at,
    message: covers(paths, placeOf(at, 0)) ? "it is refused, and is not shown" : secrets.scrub(message),
  }))
}

const placeOf = (at: Pointer, from: number): Path => (parsePointer(at) ?? []).slice(from)
