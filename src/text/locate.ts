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
interface Place {
  readonly start: number
  end: number
  readonly key: Span | undefined
  /** The values in this one, by the tokens that pointers have for them. */
  readonly children: Map<string, Place> | undefined
}

/** Finds every value of a text that is known to be good JSON. The answer says where one stands, or its key; for a value that is
 *  not there, the nearest one round it; `undefined` for what is no pointer. */
export function findPlaces(text: string): (at: Pointer, part: "key" | "value") => Span | undefined {
  const whole = readPlaces(text)
  return (at, part) => {
    const tokens = parsePointer(at)
    if (tokens === undefined) return undefined
    let place = whole
    for (const token of tokens) {
      const inner = place.children?.get(token)
      if (inner === undefined) return place
      place = inner
    }
    return part === "key" ? (place.key ?? place) : place
  }
}

function readPlaces(text: string): Place {
  const open: Place[] = []
  let whole: Place | undefined
  let key: Span | undefined
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (isSpace(code) || code === 0x2c || code === 0x3a) {
      at++
      continue
    }
    const start = at
    at = endOfToken(text, start, code)
    const inside = open.at(-1)
    if (code === 0x7d || code === 0x5d) {
      open.pop()
      if (inside !== undefined) inside.end = at
    } else if (code === 0x22 && key === undefined && inside !== undefined && text.charAt(inside.start) === "{") {
      key = { start, end: at }
    } else {
      const opens = code === 0x7b || code === 0x5b
      const place: Place = { start, end: at, key, children: opens ? new Map() : undefined }
      const token = key === undefined ? String(inside?.children?.size) : JSON.parse(text.slice(key.start, key.end))
      inside?.children?.set(token, place)
      whole ??= place
      key = undefined
      if (opens) open.push(place)
    }
  }
  if (whole === undefined) throw new Error("asked for the places of a text that is not JSON")
  return whole
}

function endOfToken(text: string, start: number, code: number): number {
  if (code === 0x22) return skipString(text, start) + 1
  let end = start + 1
  if (isBracket(code)) return end
  while (end < text.length && !endsScalar(text.charCodeAt(end))) end++
  return end
}

const isBracket = (code: number): boolean => code === 0x7b || code === 0x7d || code === 0x5b || code === 0x5d
const endsScalar = (code: number): boolean => isSpace(code) || code === 0x2c || code === 0x7d || code === 0x5d
