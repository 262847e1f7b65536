/** The exact reader: RFC 8259 less what section 3 of the design refuses. It is the definition of what a plan's text may be;
 *  the fast path is held equal to it by test. It never recurses, and stops at the first fault. */
import type { Bounds } from "./bounds.ts"
import { fitsBytes } from "./byte-length.ts"
import { foundAt } from "./found.ts"
import { type Json, setMember } from "./json.ts"
import { formatPointer, type Pointer } from "./pointer.ts"
import type { Span } from "./source.ts"
import {
  type Cursor,
  isDigit,
  isHostileKey,
  type Misread,
  readNumber,
  readString,
  readWord,
  skipSpace,
  stop,
  stopAt,
} from "./token.ts"

export type TextBounds = Pick<Bounds, "textBytes" | "depth" | "nodes" | "stringBytes">

export type Parsed =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly what: Misread; readonly span: Span; readonly at: Pointer }

interface OpenArray {
  readonly kind: "array"
  readonly value: Json[]
  key: number | undefined
}
interface OpenObject {
  readonly kind: "object"
  readonly value: Record<string, Json>
  readonly keys: Map<string, Span>
  key: string | undefined
}
/** An array or object whose end has not come yet. `key` is that of the item or member being read, if one is. */
type Open = OpenArray | OpenObject

interface Reader extends Cursor {
  readonly bounds: TextBounds
  readonly open: Open[]
  nodes: number
}

export function parse(text: string, bounds: TextBounds, stored = false): Parsed {
  const reader: Reader = { text, bounds, stored, at: 0, open: [], nodes: 0, fault: undefined }
  while (reader.fault === undefined) {
    let value = beginValue(reader)
    // A whole value goes into what is open round it, and may make that whole.
    while (value !== undefined) {
      const inside = reader.open.at(-1)
      if (inside === undefined) {
        if (endText(reader)) return { ok: true, value }
        break
      }
      put(inside, value)
      value = endValue(reader, inside)
    }
  }
  const path = reader.open.flatMap(({ key }) => (key === undefined ? [] : [key]))
  return { ok: false, ...reader.fault, at: formatPointer(path) }
}

/** The value that begins here, if it also ends here. `undefined` where an array or object was opened, and at a fault. */
function beginValue(reader: Reader): Json | undefined {
  const start = skipSpace(reader)
  const code = reader.text.charCodeAt(start)
  reader.nodes++
  if (reader.nodes > reader.bounds.nodes) {
    return stop(reader, { kind: "too-many-nodes", max: reader.bounds.nodes }, start, start + 1)
  }
  switch (code) {
    case 0x22:
      return readBoundedString(reader)
    case 0x7b:
      return openObject(reader)
    case 0x5b:
      return openArray(reader)
    case 0x74:
      return readWord(reader, "true") && true
    case 0x66:
      return readWord(reader, "false") && false
    case 0x6e:
      return readWord(reader, "null") && null
    default:
      return isDigit(code) || code === 0x2d ? readWholeNumber(reader) : stopAt(reader, expectedValue(reader), start)
  }
}

/** A number that the text ends with, inside something, may have lost digits or an exponent: it is cut short, and not judged. */
function readWholeNumber(reader: Reader): number | undefined {
  const value = readNumber(reader)
  const inside = reader.open.at(-1)
  if (value !== undefined || inside === undefined || reader.at < reader.text.length) return value
  return stopAt(reader, expectedAfter(inside), reader.at)
}

const expectedAfter = ({ kind }: Open): string => (kind === "array" ? "`,` or `]`" : "`,` or `}`")

function expectedValue({ open }: Reader): string {
  const inside = open.at(-1)
  if (inside?.kind !== "array") return "a JSON value"
  return inside.value.length === 0 ? "a JSON value or `]`" : "a JSON value after the comma"
}

function openObject(reader: Reader): Json | undefined {
  if (!enter(reader)) return undefined
  const object: OpenObject = { kind: "object", value: {}, keys: new Map(), key: undefined }
  if (reader.text.charCodeAt(skipSpace(reader)) === 0x7d) {
    reader.at++
    return object.value
  }
  reader.open.push(object)
  return readKey(reader, object, "a key in double quotes or `}`")
}

function openArray(reader: Reader): Json | undefined {
  if (!enter(reader)) return undefined
  if (reader.text.charCodeAt(skipSpace(reader)) === 0x5d) {
    reader.at++
    return []
  }
  reader.open.push({ kind: "array", value: [], key: 0 })
  return undefined
}

function enter(reader: Reader): boolean {
  const { at, bounds } = reader
  if (reader.open.length >= bounds.depth) stop(reader, { kind: "too-deep", max: bounds.depth }, at, at + 1)
  reader.at++
  return reader.fault === undefined
}

/** A key and its colon. */
function readKey(reader: Reader, inside: OpenObject, expected: string): undefined {
  const start = skipSpace(reader)
  if (reader.text.charCodeAt(start) !== 0x22) return stopAt(reader, expected, start)
  const key = readBoundedString(reader)
  if (key === undefined) return undefined
  inside.key = key
  const span: Span = { start, end: reader.at }
  const first = inside.keys.get(key)
  if (key.includes("\0") && !reader.stored) return stop(reader, { kind: "nul-in-key", key }, span.start, span.end)
  if (isHostileKey(key) && !reader.stored) return stop(reader, { kind: "hostile-key", key }, span.start, span.end)
  if (first !== undefined) return stop(reader, { kind: "key-twice", key, first }, span.start, span.end)
  inside.keys.set(key, span)
  if (reader.text.charCodeAt(skipSpace(reader)) !== 0x3a) return stopAt(reader, "`:`", reader.at)
  reader.at++
  return undefined
}

function readBoundedString(reader: Reader): string | undefined {
  const start = reader.at
  const value = readString(reader)
  const max = reader.bounds.stringBytes
  if (value === undefined || fitsBytes(value, max)) return value
  return stop(reader, { kind: "string-too-long", max }, start, reader.at)
}

function put(inside: Open, value: Json): void {
  if (inside.kind === "array") inside.value.push(value)
  else if (inside.key !== undefined) setMember(inside.value, inside.key, value)
  inside.key = undefined
}

/** After an item or member: on to the next one, or the whole of what was open. */
function endValue(reader: Reader, inside: Open): Json | undefined {
  const start = skipSpace(reader)
  const code = reader.text.charCodeAt(start)
  if (code === 0x2c) {
    reader.at++
    if (inside.kind === "object") return readKey(reader, inside, "a key in double quotes after the comma")
    inside.key = inside.value.length
    return undefined
  }
  if (code !== (inside.kind === "array" ? 0x5d : 0x7d)) return stopAt(reader, expectedAfter(inside), start)
  reader.at++
  reader.open.pop()
  return inside.value
}

/** Nothing but space may follow the one value. */
function endText(reader: Reader): boolean {
  const start = skipSpace(reader)
  if (start === reader.text.length) return true
  const { found, span } = foundAt(reader.text, start)
  stop(reader, { kind: "trailing", found }, span.start, span.end)
  return false
}
