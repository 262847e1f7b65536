/** Reads a plain good text at the speed of JSON.parse. One scan bounds it and looks for what is out of the ordinary; then
 *  JSON.parse reads it; then its keys are counted against the colons of the text, for JSON.parse keeps quiet about a key given
 *  twice. `undefined` says nothing about the text, only that the exact reader must decide. */
import type { Json } from "./json.ts"
import type { TextBounds } from "./parse.ts"
import { isDigit, isHostileKey, skipString } from "./token.ts"

export function parseFast(text: string, bounds: TextBounds): Json | undefined {
  // Escaped surrogates may lack their partner.
  if (!text.isWellFormed() || text.includes("\\ud") || text.includes("\\uD")) return undefined
  const colons = countColons(text, bounds)
  if (colons === undefined) return undefined
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return countKeys(value) === colons ? value : undefined
}

/** How many members the text's objects have in all, if it is JSON; that is for JSON.parse to say. `undefined` where the text may
 *  go past a bound, or has a number of which a double may lose something, or an escape in a key: JSON.parse
 *  of Node 24 and 26 may take such a key for another one, met in an earlier text (nodejs/node#63785). */
function countColons(text: string, bounds: TextBounds): number | undefined {
  // A string takes at most 3 bytes for each unit it is written in.
  const maxString = bounds.stringBytes / 3
  let colons = 0
  let commas = 0
  let opened = 0
  let depth = 0
  let backslash = text.indexOf("\\")
  let escaped = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      const end = skipString(text, at)
      if (end < 0 || end - at > maxString) return undefined
      if (backslash !== -1 && backslash < at) backslash = text.indexOf("\\", at)
      escaped = backslash !== -1 && backslash < end
      at = end
    } else if (code <= 0x20) {
      // Space.
    } else if (code === 0x2c) commas++
    else if (code === 0x3a) {
      if (escaped) return undefined
      colons++
    } else if (code === 0x7b || code === 0x5b) {
      opened++
      depth++
      if (depth > bounds.depth) return undefined
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x2d || isDigit(code)) {
      const end = skipPlainNumber(text, at)
      if (end < 0) return undefined
      at = end - 1
    }
  }
  // Each value but the first follows a comma or an opening bracket.
  return depth !== 0 || 1 + commas + opened > bounds.nodes ? undefined : colons
}

/** Digits that a double keeps wherever the point stands, the point and the sign counted too. */
const plainNumberLength = 15

/** Where the number that begins at `start` ends; -1 if it is long, or -0, or has an exponent. */
function skipPlainNumber(text: string, start: number): number {
  let at = start
  let code = text.charCodeAt(at)
  if (code === 0x2d && text.charCodeAt(at + 1) === 0x30) return -1
  while (isDigit(code) || code === 0x2d || code === 0x2e) code = text.charCodeAt(++at)
  return at - start > plainNumberLength || (code | 0x20) === 0x65 ? -1 : at
}

/** How many keys the value's objects have in all. `undefined` where one is hostile, or where keys cannot be counted as `for in`
 *  gives them because somebody has added to Object.prototype. */
function countKeys(value: Json): number | undefined {
  for (const _ in Object.prototype) return undefined
  let count = 0
  const rest: object[] = []
  if (typeof value === "object" && value !== null) rest.push(value)
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === "object" && item !== null) rest.push(item)
      continue
    }
    for (const key in next) {
      if (isHostileKey(key)) return undefined
      count++
      const member = next[key as keyof typeof next] as Json
      if (typeof member === "object" && member !== null) rest.push(member)
    }
  }
  return count
}
