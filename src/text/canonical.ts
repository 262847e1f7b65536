/** Canonical JSON (RFC 8785): one text for all equal values, which is what hashes and signatures are taken over. Keys are sorted by
 *  UTF-16 units, numbers are written as ECMAScript writes them, and nothing stands between the tokens. */
import type { Json, JsonObject } from "./json.ts"

/** An array or object being written. */
interface Open {
  readonly value: readonly Json[] | JsonObject
  readonly keys: readonly string[] | undefined
  readonly size: number
  readonly outer: Open | undefined
  next: number
}

/**
 * Does not recurse. Throws on what no reader of ours lets through: ill-formed strings, numbers that are not finite.
 * `lossless` is for what a journal must keep whatever it is: half a surrogate pair is written as its escape.
 */
export function canonical(value: Json, lossless = false): string {
  if (typeof value !== "object" || value === null) return writeScalar(value, lossless)
  let open: Open | undefined = enter(value, undefined)
  let text = open.keys === undefined ? "[" : "{"
  writing: while (open !== undefined) {
    while (open.next < open.size) {
      if (open.next > 0) text += ","
      let inner: Json | undefined
      if (open.keys === undefined) inner = (open.value as readonly Json[])[open.next]
      else {
        const key = open.keys[open.next] as string
        text += `${writeString(key, lossless)}:`
        inner = (open.value as JsonObject)[key]
      }
      open.next++
      if (typeof inner === "object" && inner !== null) {
        open = enter(inner, open)
        text += open.keys === undefined ? "[" : "{"
        continue writing
      }
      text += writeScalar(inner, lossless)
    }
    text += open.keys === undefined ? "]" : "}"
    open = open.outer
  }
  return text
}

function enter(value: readonly Json[] | JsonObject, outer: Open | undefined): Open {
  if (Array.isArray(value)) return { value, keys: undefined, size: value.length, outer, next: 0 }
  const keys = sort(Object.keys(value))
  return { value, keys, size: keys.length, outer, next: 0 }
}

function writeScalar(value: null | boolean | number | string | undefined, lossless: boolean): string {
  if (typeof value === "string") return writeString(value, lossless)
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) {
    throw new Error(`canonical JSON has no word for ${value}`)
  }
  return String(value)
}

/** Most strings need no escape, and then quotes are all they need. */
function writeString(value: string, lossless: boolean): string {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code >= 0x20 && code !== 0x22 && code !== 0x5c && (code < 0xd800 || code > 0xdfff)) continue
    if (!lossless && !value.isWellFormed()) throw new Error("canonical JSON has no word for a lone surrogate")
    return JSON.stringify(value)
  }
  return `"${value}"`
}

/** Array.prototype.sort takes longer to begin than a few keys take to insert. */
function sort(keys: string[]): string[] {
  if (keys.length > 16) return keys.sort()
  for (let from = 1; from < keys.length; from++) {
    const key = keys[from] as string
    let to = from
    for (; to > 0; to--) {
      const before = keys[to - 1] as string
      if (before < key) break
      keys[to] = before
    }
    keys[to] = key
  }
  return keys
}
