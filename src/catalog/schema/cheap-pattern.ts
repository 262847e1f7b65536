/**
 * A quick proof that a regular expression takes linear time: it counts in how many ways the pattern can be walked. Most
 * patterns of schemas are this simple, and the real checker is big and slow. What is not proved here is not refused.
 */
import type { PatternRule } from "./shape.ts"

/** Steps that matching may take at most, on the longest string of a plan: what takes more is left to the real checker. */
const stepsMax = 100_000_000
const longest = 65_536

/** What one text costs at most, in steps of a matcher that walks back. */
export interface Steps {
  readonly perText: number
  readonly perCharacter: number
}

/** A part of a pattern. */
interface Part {
  /** In how many ways it can match, a repetition without end counted as one. */
  readonly ways: number
  /** Steps to try all of them, a repetition without end counted as one. */
  readonly steps: number
  /** Steps for each character that a repetition without end takes; undefined where there is none. */
  readonly endless: number | undefined
  /** What that repetition takes, where it is what this ends with. */
  readonly loop: bigint | undefined
  /** Steps to find that none of it begins here. */
  readonly firsts: number
  /** It matches at the start of a text only. */
  readonly anchored: boolean
  /** One character, neither more nor less. */
  readonly single: boolean
  /** What its first characters can be, one by one, as far as that can be told: a bit for each of ASCII. */
  readonly lead: readonly bigint[]
  /** `lead` says all of it. */
  readonly fixed: boolean
}

/** Undefined where it is not proved to take linear time. */
export function cheapSteps({ source, flags }: PatternRule): Steps | undefined {
  if (/[^dius]/.test(flags)) return undefined
  const reader: Reader = { source, ignoresCase: flags.includes("i"), at: 0, depth: 0 }
  const whole = readAlternatives(reader)
  if (whole === undefined || reader.at < source.length) return undefined
  const { ways, steps, endless, anchored } = whole
  if (endless !== undefined && !anchored) return undefined
  // Where it has matched the text may be at its end, which takes a step as well.
  const once = steps + ways
  const cost = anchored
    ? { perText: once, perCharacter: endless === undefined ? 0 : endless + ways }
    : { perText: once, perCharacter: once }
  return cost.perText + cost.perCharacter * longest <= stepsMax ? cost : undefined
}

interface Reader {
  readonly source: string
  readonly ignoresCase: boolean
  at: number
  depth: number
}

const nothing: Part = {
  ...{ ways: 1, steps: 0, endless: undefined, loop: undefined, firsts: 0 },
  ...{ anchored: false, single: false, lead: [], fixed: true },
}
/** Which cannot be told stands for any. */
const some = -1n
const character = (one: bigint = some): Part => ({
  ...nothing,
  ...{ steps: 1, firsts: 1, single: true, lead: [one] },
})

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

/** Of two that are apart at some character only one can match. */
const either = (one: Part, other: Part): Part => ({
  ways: isApart(one, other) ? Math.max(one.ways, other.ways) : one.ways + other.ways,
  steps: one.steps + other.steps,
  endless: one.endless === undefined ? other.endless : one.endless + (other.endless ?? 0),
  loop: one.endless === undefined ? other.loop : other.endless === undefined ? one.loop : undefined,
  firsts: one.firsts + other.firsts,
  anchored: one.anchored && other.anchored,
  single: false,
  lead: one.lead.slice(0, other.lead.length).map((bits, index) => bits | (other.lead[index] ?? some)),
  fixed: one.fixed && other.fixed && one.lead.length === other.lead.length,
})

const isApart = ({ lead: one }: Part, { lead: other }: Part): boolean =>
  one.some((bits, index) => index < other.length && (bits & (other[index] ?? some)) === 0n)

function readSequence(reader: Reader): Part | undefined {
  let whole = nothing
  for (let first = true; !"|)".includes(reader.source[reader.at] ?? "|"); first = false) {
    const atom = readAtom(reader)
    // Which characters are apart where case is ignored is not worth telling.
    const part =
      atom && readQuantifier(reader, reader.ignoresCase ? { ...atom, lead: atom.lead.map(() => some) } : atom)
    const joined = part && then(whole, part)
    if (joined === undefined) return undefined
    whole = first ? { ...joined, anchored: part?.anchored === true } : joined
  }
  return whole
}

/** How many first characters are told. */
const leadMax = 50

/** One after the other; at most one of them may repeat without end. */
function then(one: Part, other: Part): Part | undefined {
  if (one.endless !== undefined && other.endless !== undefined) return undefined
  const after = other.endless === undefined ? undefined : one.ways * other.endless
  const lead = one.fixed ? [...one.lead, ...other.lead] : one.lead
  // Where the repetition gives back a character, what follows may not be able to begin with it.
  const isShut = one.loop !== undefined && other.lead[0] !== undefined && (one.loop & other.lead[0]) === 0n
  const each = isShut ? other.firsts : other.steps
  return {
    ways: one.ways * other.ways,
    steps: one.steps + one.ways * other.steps,
    // From each character that it may end at, all that follows is tried.
    endless: one.endless === undefined ? after : one.endless + one.ways * each,
    loop: other.loop,
    firsts: one.lead.length > 0 ? one.firsts : one.firsts + one.ways * other.firsts,
    anchored: one.anchored,
    single: false,
    lead: lead.slice(0, leadMax),
    fixed: one.fixed && other.fixed && lead.length <= leadMax,
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
    ? {
        ...nothing,
        ...{ steps: min + 1, endless: 1, loop: atom.lead[0], firsts: 1 },
        ...{ lead: min > 0 ? atom.lead : [], fixed: false },
      }
    : undefined

function repeat(atom: Part, min: number, max: number): Part | undefined {
  if (max > 1_000 || (atom.endless !== undefined && max > 1)) return undefined
  let ways = 0
  let steps = 0
  let lead: readonly bigint[] = []
  for (let times = 0; times <= max; times++) {
    if (times >= min) ways += atom.ways ** times
    if (times < max) steps += atom.ways ** times * atom.steps
    if (times < min && (times === 0 || atom.fixed) && lead.length < leadMax) lead = [...lead, ...atom.lead]
  }
  const fixed = atom.fixed && min === max && lead.length < leadMax
  const { endless, loop, firsts } = atom
  return { ...nothing, ways, steps, endless, loop, firsts, lead, fixed }
}
