/**
 * What a text says to whoever undoes how it is written: its escapes, the signs between its bytes in hex, the breaks in its base64.
 * Each character of a reading knows where in the text it stands.
 */

export interface Reading {
  readonly text: string
  /** Where each character begins and ends in what was read; left out, where it is. */
  readonly places?: Places
}

interface Places {
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

export interface Range {
  readonly start: number
  readonly end: number
}

/** The same range in what was read. */
export const rangeIn = ({ places }: Reading, { start, end }: Range): Range =>
  places === undefined ? { start, end } : { start: places.starts[start] ?? start, end: places.ends[end - 1] ?? end }

/** Each of them is one way of writing: undone together they would undo what was no escape in the other. */
export function readingsOf(text: string): readonly Reading[] {
  return escapes.flatMap(({ sign, pattern, undo }) => {
    const reading = text.includes(sign) ? rewrite(text, pattern, undo) : undefined
    return reading === undefined ? [] : [reading]
  })
}

/** Without what stands between lines of base64; undefined where nothing does. */
export const withoutBreaks = (text: string): Reading | undefined =>
  text.length >= shortestRun && text.includes("\n") ? rewrite(text, lineBreak, nothing) : undefined

/** The same between bytes in hex. Not both at once: a dash is base64, and so are all digits. */
export const withoutSigns = (text: string): Reading | undefined =>
  text.length >= shortestRun ? rewrite(text, spacedHex, nothing) : undefined

/** What is encoded in a text of base64 or hex, by each place where it may begin: a byte is a character. */
export function decodingsOf(run: string): readonly string[] {
  const digits = run.replace(/=+$/, "")
  return [
    ...[0, 1, 2, 3].map((from) => fromBase64(digits.slice(from))),
    ...(hexOnly.test(digits) ? [0, 1].map((from) => fromHex(digits.slice(from))) : []),
  ]
}

/** Four characters in base64 that are encoded once more, or in hex with signs between them. */
const shortestRun = 11

/** What may have something in it that is encoded once more. */
export const encodedRun = /[A-Za-z0-9+/_-]{11,}={0,2}/g

/** After a line that is filled. */
const lineBreak = /\r?\n(?<=[A-Za-z0-9+/_-]{16}[ \t]{0,4}\r?\n)[ \t]{0,16}(?=[A-Za-z0-9+/_=-])/g

/** Between bytes, or two of them, that stand alone. Looks back last, for that takes long. */
const spacedHex =
  /[\s:;,.|-]{1,4}(?=(?:0x)?(?:[0-9a-f]{2}){1,2}(?:[^0-9a-z]|$))(?<=(?:^|[^0-9a-z]|0x)(?:[0-9a-f]{2}){1,2}[\s:;,.|-]{1,4})(?:0x)?/gi

const hexOnly = /^[0-9a-f]+$/i

interface Escape {
  /** Without it there is none of them. */
  readonly sign: string
  readonly pattern: RegExp
  readonly undo: (found: RegExpExecArray) => string
}

const hexUnit = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

const controls: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" }

const escapes: readonly Escape[] = [
  {
    sign: "\\",
    pattern: /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{0*([0-9a-f]{1,6})\}|([^ux\r\n]))/gi,
    undo: ([, byte, unit, point, other = ""]) =>
      point === undefined
        ? (byte ?? unit)
          ? hexUnit(byte ?? unit ?? "")
          : (controls[other] ?? other)
        : fromPoint(point, 16),
  },
  {
    sign: "&",
    pattern: /&(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));?/gi,
    undo: ([, decimal, hex, name = ""]) =>
      decimal ? fromPoint(decimal, 10) : hex ? fromPoint(hex, 16) : (entities[name.toLowerCase()] ?? ""),
  },
  { sign: "=", pattern: /=(?:([0-9a-f]{2})|[ \t]*\r?\n)/gi, undo: ([, byte]) => (byte ? hexUnit(byte) : "") },
  { sign: "%", pattern: /%([0-9a-f]{2})/gi, undo: ([, byte = ""]) => hexUnit(byte) },
]

const nothing = (): string => ""

function fromPoint(digits: string, base: 10 | 16): string {
  const point = Number.parseInt(digits, base)
  return point <= 0x10ffff ? String.fromCodePoint(point) : ""
}

const fromBase64 = (run: string): string =>
  atob((run.length % 4 === 1 ? run.slice(0, -1) : run).replaceAll("-", "+").replaceAll("_", "/"))

function fromHex(digits: string): string {
  let bytes = ""
  for (let at = 0; at + 2 <= digits.length; at += 2) bytes += hexUnit(digits.slice(at, at + 2))
  return bytes
}

/** Undefined where nothing of the kind is in it. What is written is never longer than what it stands for. */
function rewrite(text: string, pattern: RegExp, write: Escape["undo"]): Reading | undefined {
  const all = [...text.matchAll(pattern)]
  if (all.length === 0) return undefined
  let shown = ""
  let read = 0
  const places = { starts: new Uint32Array(text.length), ends: new Uint32Array(text.length) }
  const note = (at: number, { start, end }: Range): void => {
    places.starts[at] = start
    places.ends[at] = end
  }
  const keep = (end: number): void => {
    for (let at = read; at < end; at++) note(shown.length + at - read, { start: at, end: at + 1 })
    shown += text.slice(read, end)
  }
  for (const found of all) {
    const { index } = found
    keep(index)
    read = index + found[0].length
    const written = write(found)
    for (let unit = 0; unit < written.length; unit++) note(shown.length + unit, { start: index, end: read })
    shown += written
  }
  keep(text.length)
  return { text: shown, places }
}
