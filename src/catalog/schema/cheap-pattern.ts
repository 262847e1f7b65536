/**
 * A quick proof that a regular expression takes linear time: it counts in how many ways the pattern can be walked. Most
 * patterns of schemas are this simple, and the real checker is big and slow. What is not proved here is not refused.
 */
import type { PatternRule } from "./shape.ts"

/** Steps that matching may take at most, by a count that is far above the truth, on the longest string of a plan. */
const stepsMax = 100_000_000
const longest = 65_536

/** A part of a pattern. */
interface Part {
  /** In how many ways it can match, a repetition without end counted as one. */
  readonly ways: number
  /** The most characters it takes, a repetition without end counted as one. */
  readonly size: number
  /** What follows the repetition without end, in characters; undefined where there is none. */
  readonly tail: number | undefined
  /** It matches at the start of a text only. */
  readonly anchored: boolean
  /** One character, neither more nor less. */
  readonly single: boolean
  /** What it can begin with: a bit for each character of ASCII. Undefined where that cannot be told. */
  readonly first: bigint | undefined
}

export function isCheap({ source, flags }: PatternRule): boolean {
  if (/[^dius]/.test(flags)) return false
  const reader: Reader = { source, ignoresCase: flags.includes("i"), at: 0, depth: 0 }
  const whole = readAlternatives(reader)
  if (whole === undefined || reader.at < source.length) return false
  const { ways, size, tail, anchored } = whole
  if (tail !== undefined) return anchored && ways * longest * (tail + 1) <= stepsMax
  return ways * (size + 1) * (anchored ? 1 : longest) <= stepsMax
}

interface Reader {
  readonly source: string
  readonly ignoresCase: boolean
  at: number
  depth: number
}

const nothing: Part = { ways: 1, size: 0, tail: undefined, anchored: false, single: false, first: undefined }
const character = (first?: bigint): Part => ({ ...nothing, size: 1, single: true, first })

/** Undefined, here and below: not simple enough. */
function readAlternatives(reader: Reader): Part | undefined {
  let all: Part | undefined
  for (;;) {
    const one = readSequence(reader)
    if (one === undefined) return undefined
    all = all === undefined ? one : either(all, one)
    if (reader.source[reader.at] !== "|") return all
    reader.at++
  }
}

/** Of two that begin with different characters only one can match. */
const either = (one: Part, other: Part): Part => ({
  ways: isApart(one, other) ? Math.max(one.ways, other.ways) : one.ways + other.ways,
  size: Math.max(one.size, other.size),
  tail: most(one.tail, other.tail),
  anchored: one.anchored && other.anchored,
  single: false,
  first: one.first === undefined || other.first === undefined ? undefined : one.first | other.first,
})

const isApart = ({ first: one }: Part, { first: other }: Part): boolean =>
  one !== undefined && other !== undefined && (one & other) === 0n

const most = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : other === undefined ? one : Math.max(one, other)

function readSequence(reader: Reader): Part | undefined {
  let whole = nothing
  for (let first = true; !"|)".includes(reader.source[reader.at] ?? "|"); first = false) {
    const atom = readAtom(reader)
    // Which characters are apart where case is ignored is not worth telling.
    const part = atom && readQuantifier(reader, reader.ignoresCase ? { ...atom, first: undefined } : atom)
    const joined = part && then(whole, part)
    if (joined === undefined) return undefined
    whole = first ? { ...joined, anchored: part?.anchored === true } : joined
  }
  return whole
}

/** One after the other; at most one of them may repeat without end. */
function then(one: Part, other: Part): Part | undefined {
  if (one.tail !== undefined && other.tail !== undefined) return undefined
  const tail = one.tail === undefined ? other.tail : one.tail + other.size
  const first = one.size === 0 ? other.first : one.first
  return {
    ways: one.ways * other.ways,
    size: one.size + other.size,
    tail,
    anchored: one.anchored,
    single: false,
    first,
  }
}

function readAtom(reader: Reader): Part | undefined {
  const { source } = reader
  const first = source[reader.at]
  reader.at++
  switch (first) {
    case "^":
      return { ...nothing, anchored: true }
    case "$":
      return nothing
    case "(":
      return readGroup(reader)
    case "[":
      return readClass(reader)
    case "\\":
      return readEscape(reader)
    case "*":
    case "+":
    case "?":
    case "{":
      return undefined
    case ".":
    case undefined:
      return character()
    default:
      return character(bitOf(first))
  }
}

/** Looking around and back is left to the real checker. */
function readGroup(reader: Reader): Part | undefined {
  const opening = /^\?(?::|<[A-Za-z]\w*>)/.exec(reader.source.slice(reader.at, reader.at + 70))?.[0] ?? ""
  if (opening === "" && reader.source[reader.at] === "?") return undefined
  reader.at += opening.length
  reader.depth++
  const inside = reader.depth > 50 ? undefined : readAlternatives(reader)
  reader.depth--
  if (reader.source[reader.at] !== ")") return undefined
  reader.at++
  return inside && { ...inside, single: false }
}

function readClass(reader: Reader): Part | undefined {
  const { source } = reader
  const start = reader.at
  while (reader.at < source.length) {
    const next = source[reader.at]
    reader.at += next === "\\" ? 2 : 1
    if (next === "]") return character(bitsOfClass(source.slice(start, reader.at - 1)))
  }
  return undefined
}

/** Of classes of plain characters and ranges only. */
function bitsOfClass(inside: string): bigint | undefined {
  if (!/^-?(?:\w-\w|[\w .,:;+])+-?$/.test(inside)) return undefined
  let bits = 0n
  for (const [range] of inside.matchAll(/\w-\w|./g)) {
    for (let code = range.charCodeAt(0); code <= range.charCodeAt(range.length - 1); code++) bits |= 1n << BigInt(code)
  }
  return bits
}

const bitOf = (one: string): bigint | undefined => (one < "\x80" ? 1n << BigInt(one.charCodeAt(0)) : undefined)
const digits = bitsOfClass("0-9")

/** After the backslash. Of `\p{…}`, `\u{…}` and `\x41` the whole must be read; references back are not simple. */
function readEscape(reader: Reader): Part | undefined {
  const rest = reader.source.slice(reader.at, reader.at + 70)
  if (/^[1-9k]/.test(rest)) return undefined
  const length = /^(?:[pPu]\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|.)/s.exec(rest)?.[0].length ?? 0
  reader.at += length
  if (/^[bB]/.test(rest)) return nothing
  return character(rest[0] === "d" ? digits : /^[^\w]/.test(rest) ? bitOf(rest[0] ?? "") : undefined)
}

function readQuantifier(reader: Reader, atom: Part): Part | undefined {
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.source.slice(reader.at, reader.at + 30))
  if (found === null) return atom
  reader.at += found[0].length
  const [sign, from, comma, to] = found
  if (sign.startsWith("?")) return repeat(atom, 0, 1)
  if (sign.startsWith("*") || sign.startsWith("+")) return endless(atom, sign.startsWith("+") ? 1 : 0)
  if (comma === "," && to === "") return endless(atom, Number(from))
  return repeat(atom, Number(from), comma === "" ? Number(from) : Number(to))
}

/** Of one character only: what it leaves to the rest then has as many ways as the text has characters. */
const endless = (atom: Part, min: number): Part | undefined =>
  atom.single && min <= 1_000
    ? { ...nothing, size: min + 1, tail: 0, first: min > 0 ? atom.first : undefined }
    : undefined

function repeat(atom: Part, min: number, max: number): Part | undefined {
  if (max > 1_000 || (atom.tail !== undefined && max > 1)) return undefined
  let ways = 0
  for (let times = min; times <= max; times++) ways += atom.ways ** times
  return { ...nothing, ways, size: atom.size * max, tail: atom.tail, first: min > 0 ? atom.first : undefined }
}
