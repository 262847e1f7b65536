/** Reads the three kinds of token that have an inside: strings, numbers, and the words `true`, `false`, `null`. Each function
 *  starts at the cursor and moves it past the token; or it gives `undefined`, and the cursor holds the fault. */
import { isHighSurrogate, isLowSurrogate } from "./byte-length.ts"
import type { TextFaultKind } from "./fault.ts"
import { characterAt, clip, codePoint, foundAt } from "./found.ts"
import type { Span } from "./source.ts"

/** A text fault whose places are still offsets: lines and columns are counted only for the one fault that is told. */
export type Misread =
  | Exclude<TextFaultKind, { readonly kind: "key-twice" }>
  | { readonly kind: "key-twice"; readonly key: string; readonly first: Span }

export interface Cursor {
  readonly text: string
  /** The text is of our own making: any finite number and any key is right. */
  readonly stored?: boolean
  at: number
  fault: { readonly what: Misread; readonly span: Span } | undefined
}

const quote = 0x22
const backslash = 0x5c

export function stop(cursor: Cursor, what: Misread, start: number, end: number): undefined {
  cursor.fault = { what, span: { start, end } }
  return undefined
}

/** Something else than `expected` stands at `start`; or nothing, and then the text is cut short. */
export function stopAt(cursor: Cursor, expected: string, start: number): undefined {
  if (start >= cursor.text.length) {
    return stop(cursor, { kind: "cut-short", expected }, cursor.text.length, cursor.text.length)
  }
  const { found, span } = foundAt(cursor.text, start)
  return stop(cursor, { kind: "syntax", expected, found }, span.start, span.end)
}

/** Moves past space, as RFC 8259 knows it, and says where that is. */
export function skipSpace(cursor: Cursor): number {
  const { text } = cursor
  let { at } = cursor
  for (let code = text.charCodeAt(at); isSpace(code); code = text.charCodeAt(at)) at++
  cursor.at = at
  return at
}

export function readString(cursor: Cursor): string | undefined {
  const { text } = cursor
  let value = ""
  let at = cursor.at + 1
  let run = at
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      cursor.at = at + 1
      return value + text.slice(run, at)
    }
    if (code === backslash) {
      cursor.at = at
      const escaped = readEscape(cursor)
      if (escaped === undefined) return undefined
      value += text.slice(run, at) + escaped
      at = cursor.at
      run = at
    } else if (isHighSurrogate(code) && at + 1 < text.length && isLowSurrogate(text.charCodeAt(at + 1))) {
      at += 2
    } else if (code >= 0x20 && !isSurrogate(code)) {
      at++
    } else {
      return stopInString(cursor, at, code)
    }
  }
}

/** Where the string that begins at `start` has its closing quote; -1 if nowhere. */
export function skipString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (text.charCodeAt(end - 1) === backslash) {
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before--
    // An even number of backslashes escape one another, not the quote.
    if ((end - before) % 2 === 1) return end
    end = text.indexOf('"', end + 1)
  }
  return end
}

function stopInString(cursor: Cursor, at: number, code: number): undefined {
  const { text } = cursor
  // A first half at the very end has lost its second half with the rest of the text.
  if (at >= text.length || (isHighSurrogate(code) && at + 1 === text.length)) {
    return stopAt(cursor, 'the closing `"`', text.length)
  }
  if (isSurrogate(code)) return stop(cursor, { kind: "ill-formed-unicode", written: escapeOf(code) }, at, at + 1)
  const escaped = JSON.stringify(text.charAt(at)).slice(1, -1)
  const found = code === 0x0a || code === 0x0d ? "a line break" : `the control character ${codePoint(code)}`
  return stop(cursor, { kind: "syntax", expected: `the escape \`${escaped}\``, found }, at, at + 1)
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
])

function readEscape(cursor: Cursor): string | undefined {
  const start = cursor.at
  const letter = cursor.text.charAt(start + 1)
  if (letter === "u") return readUnicodeEscape(cursor)
  const value = escapes.get(letter)
  if (value !== undefined) {
    cursor.at = start + 2
    return value
  }
  if (letter === "") return stopAt(cursor, "the rest of an escape", start + 1)
  const expected = 'one of the escapes `\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t`, `\\uXXXX`'
  const { found, span } = characterAt(cursor.text, start + 1)
  return stop(cursor, { kind: "syntax", expected, found: `a backslash before ${found}` }, start, span.end)
}

function readUnicodeEscape(cursor: Cursor): string | undefined {
  const { text } = cursor
  const start = cursor.at
  const first = readHex(cursor)
  if (first === undefined) return undefined
  // A store of ours writes no escape for a whole pair: what stands there alone was alone.
  if (cursor.stored || !isSurrogate(first)) return String.fromCharCode(first)
  if (isHighSurrogate(first)) {
    // What is left may be too short to hold the second half: then it is the end that is at fault.
    if (/^(\\(u[0-9a-f]{0,3})?)?$/i.test(text.slice(cursor.at, cursor.at + 6))) {
      return stopAt(cursor, "the second half of a surrogate pair", text.length)
    }
    if (text.startsWith("\\u", cursor.at)) {
      const second = readHex(cursor)
      if (second === undefined) return undefined
      if (isLowSurrogate(second)) return String.fromCharCode(first, second)
    }
  }
  return stop(cursor, { kind: "ill-formed-unicode", written: text.slice(start, start + 6) }, start, start + 6)
}

/** The four hex digits after a backslash and a `u`. */
function readHex(cursor: Cursor): number | undefined {
  const start = cursor.at + 2
  const digits = cursor.text.slice(start, start + 4)
  const good = /^[0-9a-f]*/i.exec(digits)?.[0].length ?? 0
  if (good < 4) return stopAt(cursor, "four hex digits after `\\u`", start + good)
  cursor.at = start + 4
  return Number.parseInt(digits, 16)
}

/** RFC 8259's number, as the nearest double, with -0 read as 0.
 *
 *  Refused is what a double would not keep, by three rules. (1) An integer beyond ±(2^53-1), where doubles skip integers, however
 *  it is written: 9007199254740993, 9007199254740993.0, 1e20. From 10^21 on canonical JSON itself writes an exponent; a number
 *  so written is meant as a magnitude, and 1e300 is taken. (2) What overflows to infinity. (3) What is not zero and would become
 *  zero. More digits after the point than a double keeps are taken, and mean the nearest double. So what is taken stays what
 *  it is when its canonical form is read again. */
export function readNumber(cursor: Cursor): number | undefined {
  const { text } = cursor
  const start = cursor.at
  let at = start
  if (text.charCodeAt(at) === 0x2d) at++
  const integer = at
  at = skipDigits(text, at)
  if (at === integer) return stopAt(cursor, "a digit", at)
  if (text.charCodeAt(integer) === 0x30 && at > integer + 1) {
    const found = `\`${clip(text.slice(start, at))}\``
    return stop(cursor, { kind: "syntax", expected: "a number without a leading zero", found }, start, at)
  }
  if (text.charCodeAt(at) === 0x2e) {
    const fraction = at + 1
    at = skipDigits(text, fraction)
    if (at === fraction) return stopAt(cursor, "a digit after the point", at)
  }
  const mantissa = at
  if ((text.charCodeAt(at) | 0x20) === 0x65) {
    at++
    const sign = text.charCodeAt(at)
    if (sign === 0x2b || sign === 0x2d) at++
    const exponent = at
    at = skipDigits(text, exponent)
    if (at === exponent) return stopAt(cursor, "a digit of the exponent", at)
  }
  cursor.at = at
  const value = Number(text.slice(start, at))
  if (value === 0) {
    if (!/[1-9]/.test(text.slice(start, mantissa))) return 0
    return stop(cursor, { kind: "number-underflow", written: clip(text.slice(start, at)) }, start, at)
  }
  if (cursor.stored === true && Number.isFinite(value)) return value
  const tooLarge = isLossyInteger(value) || (mantissa === at && Math.abs(value) > Number.MAX_SAFE_INTEGER)
  if (tooLarge || (Math.abs(value) >= 1e21 && Number.isFinite(value) && !keepsDigits(text.slice(start, at), value))) {
    return stop(cursor, { kind: "integer-too-large", written: clip(text.slice(start, at)) }, start, at)
  }
  if (Number.isFinite(value)) return value
  return stop(cursor, { kind: "number-overflow", written: clip(text.slice(start, at)) }, start, at)
}

/** Whether canonical JSON writes the digits that were written here, zeros at the ends aside. */
const keepsDigits = (written: string, value: number): boolean => digitsOf(written) === digitsOf(String(value))

const digitsOf = (written: string): string =>
  written
    .replace(/e.*$/i, "")
    .replace(/[-.]/g, "")
    .replace(/^0+|0+$/g, "")

function skipDigits(text: string, start: number): number {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  return at
}

export function readWord(cursor: Cursor, word: "true" | "false" | "null"): true | undefined {
  if (cursor.text.startsWith(word, cursor.at)) {
    cursor.at += word.length
    return true
  }
  const cutShort = word.startsWith(cursor.text.slice(cursor.at))
  return stopAt(cursor, cutShort ? `\`${word}\`` : "a JSON value", cutShort ? cursor.text.length : cursor.at)
}

/** Keys that lead to an object's prototype where a program is careless: refused everywhere, however they are written. */
export const isHostileKey = (key: string): boolean =>
  key === "__proto__" || key === "constructor" || key === "prototype"

/** Whether canonical JSON writes this number as an integer whose last digits it may not have. */
export const isLossyInteger = (value: number): boolean =>
  Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < 1e21

export const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff
const escapeOf = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`
