/** Finds places in a text: the line and column of an offset, and the value that a JSON Pointer names. Only done when something
 *  has to be told, so that a good plan does not pay for it. */
import { type Pointer, parsePointer } from "./pointer.ts"
import type { Position, Range, Span } from "./source.ts"
import { isSpace, skipString } from "./token.ts"

/** Counts the lines of a text once, for as many ranges as are asked for. Lines end in \n, \r\n or a lone \r. */
export function countLines(text: string): (span: Span) => Range {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1)
  }
  const position = (offset: number): Position => {
    let line = 0
    let after = starts.length
    while (after - line > 1) {
      const middle = (line + after) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else after = middle
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1, offset }
  }
  return ({ start, end }) => ({ start: position(start), end: position(end) })
}

/** Where a value stands, and its key if it has one. */
interface Place extends Span {
  readonly key: Span | undefined
  /** The values in this one, by the tokens that pointers have for them; found when somebody first asks. */
  inner: ReadonlyMap<string, Place> | undefined
}

/** Finds values in a text that is known to be good JSON. The answer says where one stands, or its key; for a value that is
 *  not there, the nearest one round it; `undefined` for what is no pointer. */
export function findPlaces(text: string): (at: Pointer, part: "key" | "value") => Span | undefined {
  const start = skipGaps(text, 0)
  const whole: Place = { start, end: endOfValue(text, start), key: undefined, inner: undefined }
  return (at, part) => {
    const tokens = parsePointer(at)
    if (tokens === undefined) return undefined
    let place = whole
    for (const token of tokens) {
      place.inner ??= placesIn(text, place)
      const inner = place.inner.get(token)
      if (inner === undefined) return place
      place = inner
    }
    return part === "key" ? (place.key ?? place) : place
  }
}

/** One level of an array or object; of any other value nothing. */
function placesIn(text: string, { start, end }: Place): ReadonlyMap<string, Place> {
  const inner = new Map<string, Place>()
  const opening = text.charCodeAt(start)
  if (!isBracket(opening)) return inner
  let at = skipGaps(text, start + 1)
  while (at < end - 1) {
    const key = opening === 0x7b ? { start: at, end: endOfValue(text, at) } : undefined
    const from = key === undefined ? at : skipGaps(text, key.end)
    const place: Place = { start: from, end: endOfValue(text, from), key, inner: undefined }
    inner.set(key === undefined ? String(inner.size) : JSON.parse(text.slice(key.start, key.end)), place)
    at = skipGaps(text, place.end)
  }
  return inner
}

/** Past space, commas and colons. */
function skipGaps(text: string, start: number): number {
  let at = start
  for (let code = text.charCodeAt(at); isSpace(code) || code === 0x2c || code === 0x3a; code = text.charCodeAt(at)) at++
  return at
}

function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = skipString(text, at)
    else if (code === 0x7b || code === 0x5b) depth++
    else if (code === 0x7d || code === 0x5d) depth--
    else if (depth === 0 && !endsScalar(text.charCodeAt(at + 1))) continue
    if (depth === 0) return at + 1
  }
  throw new Error("asked for the places of a text that is not JSON")
}

const isBracket = (code: number): boolean => code === 0x7b || code === 0x5b
/** Also past the end of the text, where the code is NaN. */
const endsScalar = (code: number): boolean =>
  Number.isNaN(code) || isSpace(code) || code === 0x2c || code === 0x3a || code === 0x7d || code === 0x5d
