/**
 * Values that must not be shown, and texts freed of them in whatever way they are written there: as they are, escaped for JSON,
 * HTML or a URL, as hex, as base64, alone or inside what was encoded with them; and in what any two such ways hold one in another.
 */
import { escapeHidden, escapeNonAscii } from "./escape.ts"
import { isObject, type Json } from "./json.ts"
import {
  decodingsOf,
  encodedRun,
  type Range,
  type Reading,
  rangeIn,
  readingsOf,
  withoutBreaks,
  withoutSigns,
} from "./readings.ts"

/** What is shown in place of what is not. */
export const redacted = "[redacted]"

/** UTF-16 units. What is shorter stands in every second text by chance: it is hidden where it was marked, and nowhere else. */
const shortest = 4
/** Of a line of a secret of several lines. */
const lineLength = 16
/** Units of a secret that a text ends with, from which on the rest is taken to have been cut off. */
const cutLength = 8
/** Shorter ones would be found in digests and ids by chance. */
const digestLength = 16
/** How often what was read is read again. */
const deepest = 2
/** A power of two. */
const beginnings = 1 << 13
const digest = /^(?:[a-z]+\d{0,3}[:_])?[0-9a-f]{32,64}$/

/** Members of what we show that hold words of ours, or digests: nothing of what was given or answered. */
export const ownWords: ReadonlySet<string> = new Set([
  ...["kind", "tag", "code", "status", "severity", "decision", "answer", "again", "effect"],
  ...["planHash", "catalogHash", "slice", "compiler", "journal", "hash"],
])

interface Needle {
  readonly text: string
  /** In base64 its neighbours share characters with it: all that was encoded with it is hidden. */
  readonly how: "plain" | "hex" | "base64"
  /** A short number, which is also part of longer ones. */
  readonly bounded: boolean
}

export class Secrets {
  /** By their first characters, in lower case: hex, URLs and headers are written either way. */
  readonly #needles = new Map<string, Needle[]>()
  /** Where a text can be passed over at once: 0 for what no needle begins with. */
  readonly #beginnings = new Uint8Array(beginnings)
  readonly #known = new Set<string>()

  get none(): boolean {
    return this.#known.size === 0
  }

  /** All texts and numbers in a value. Its keys are names, and no secrets. */
  add(value: Json): void {
    if (typeof value === "string" || typeof value === "number") this.#addText(`${value}`)
    else if (Array.isArray(value)) for (const item of value) this.add(item)
    else if (isObject(value)) for (const inner of Object.values(value)) this.add(inner)
  }

  /** The same text without them; where it has words of ours too, without those alone that are no shorter than `least`. */
  scrub(text: string, least = shortest): string {
    return this.#replace(text, least, () => redacted)
  }

  /** The same text with each character of them covered by another, so that every place in it stays where it is. */
  cover(text: string, by: string): string {
    return this.#replace(text, shortest, (found) => covered(found, by))
  }

  #replace(text: string, wanted: number, replaceWith: (found: string) => string): string {
    if (this.none) return text
    // A digest says nothing, however it is read.
    const ranges = digest.test(text) ? this.#written(text, digestLength) : this.#read(text, wanted, 0)
    let shown = ""
    let from = 0
    for (const { start, end } of apart(ranges)) {
      shown += text.slice(from, start) + replaceWith(text.slice(start, end))
      from = end
    }
    return from === 0 ? text : shown + text.slice(from)
  }

  /** Where they stand in a text, in whatever way it is read. */
  #read(text: string, least: number, depth: number): readonly Range[] {
    const [lines, hex] = [withoutBreaks(text), withoutSigns(text)]
    const closer = [lines, hex].filter((reading) => reading !== undefined)
    const ranges = [
      ...this.#written(text, least),
      ...closer.flatMap((reading) => placesIn(reading, this.#written(reading.text, least, isEncoded))),
    ]
    if (depth === deepest) return ranges
    return [
      ...ranges,
      ...(lines === undefined ? [{ text }, ...closer] : closer).flatMap((reading) =>
        placesIn(reading, this.#decoded(reading.text, least, depth)),
      ),
      ...readingsOf(text).flatMap((reading) => placesIn(reading, this.#read(reading.text, least, depth + 1))),
    ]
  }

  /** What has one in it once it is decoded: all of that is hidden. */
  #decoded(text: string, least: number, depth: number): readonly Range[] {
    return [...text.matchAll(encodedRun)]
      .filter(([run]) => decodingsOf(run).some((decoded) => this.#read(decoded, least, depth + 1).length > 0))
      .map(({ 0: run, index }) => ({ start: index, end: index + run.length }))
  }

  /** Where they stand in a text as it is. */
  #written(text: string, least: number, isWanted: (needle: Needle) => boolean = isAny): readonly Range[] {
    const lower = lowered(text)
    const ranges: Range[] = []
    let from = 0
    for (let at = 0; at + shortest <= lower.length; ) {
      const found =
        this.#beginnings[beginningAt(lower, at)] === 0 ? undefined : this.#findAt(lower, at, least, isWanted)
      if (found === undefined) {
        at++
        continue
      }
      let start = at
      let { end } = found
      if (found.how === "base64") {
        while (start > from && isBase64(lower[start - 1])) start--
        while (isBase64(lower[end]) || lower[end] === "=") end++
      }
      ranges.push({ start, end })
      from = end
      at = end
    }
    return ranges
  }

  /** The same with every text and key in a value, and with numbers that are secrets themselves. */
  scrubJson(value: Json): Json {
    if (this.none) return value
    if (typeof value === "string") return this.scrub(value)
    if (typeof value === "number") return this.#known.has(`${value}`) ? redacted : value
    if (Array.isArray(value)) return value.map((item) => this.scrubJson(item))
    if (!isObject(value)) return value
    const members = new Map<string, Json>()
    for (const [key, inner] of Object.entries(value)) members.set(free(this.scrub(key), members), this.scrubJson(inner))
    return Object.fromEntries(members)
  }

  #addText(text: string): void {
    if (text.length < shortest || this.#known.has(text) || redacted.includes(text)) return
    this.#known.add(text)
    for (const { text: form, ...how } of formsOf(text)) {
      const needle = { text: lowered(form), ...how }
      const first = needle.text.slice(0, shortest)
      const others = this.#needles.get(first)
      this.#beginnings[beginningAt(needle.text, 0)] = 1
      if (others === undefined) this.#needles.set(first, [needle])
      else if (!others.some((other) => other.text === needle.text)) others.push(needle)
    }
    if (/[\r\n]/.test(text))
      for (const line of text.split(/[\r\n]+/)) if (line.trim().length >= lineLength) this.#addText(line.trim())
  }

  /** The longest that stands there, or begins there and was cut. */
  #findAt(
    lower: string,
    at: number,
    least: number,
    isWanted: (needle: Needle) => boolean,
  ): { readonly end: number; readonly how: Needle["how"] } | undefined {
    const needles = this.#needles.get(lower.slice(at, at + shortest))
    if (needles === undefined) return undefined
    let best: { readonly end: number; readonly how: Needle["how"] } | undefined
    for (const needle of needles) {
      const { text, how, bounded } = needle
      if (text.length < least || !isWanted(needle)) continue
      const length = lower.startsWith(text, at) ? text.length : cutAt(lower, at, text)
      const end = at + length
      if (length === 0 || (bounded && (isWord(lower[at - 1]) || isWord(lower[end])))) continue
      if (best === undefined || end > best.end) best = { end, how }
    }
    return best
  }
}

const beginningAt = (text: string, at: number): number =>
  (text.charCodeAt(at) ^
    (text.charCodeAt(at + 1) << 3) ^
    (text.charCodeAt(at + 2) << 6) ^
    (text.charCodeAt(at + 3) << 8)) &
  (beginnings - 1)

const isAny = (): boolean => true

/** What was joined was apart for a reason, where it is neither hex nor base64. */
const isEncoded = ({ how }: Needle): boolean => how !== "plain"

const placesIn = (reading: Reading, ranges: readonly Range[]): readonly Range[] =>
  ranges.map((range) => rangeIn(reading, range))

/** In order, and those that overlap as one. */
function apart(ranges: readonly Range[]): readonly Range[] {
  const all: Range[] = []
  for (const range of [...ranges].sort((one, other) => one.start - other.start)) {
    const last = all.at(-1)
    if (last === undefined || range.start >= last.end) all.push(range)
    else all[all.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
  }
  return all
}

/** Lines stay lines. */
export const covered = (text: string, by: string): string => text.replace(/[^\r\n]/g, by)

/** How much of a secret stands at the end of a text, or before the mark that more was cut off there; 0 where it is too little. */
function cutAt(lower: string, at: number, secret: string): number {
  const there = lower.slice(at, at + secret.length)
  const mark = there.indexOf("…")
  if (mark === -1 && there.length === secret.length) return 0
  const length = mark === -1 ? there.length : mark
  const enough = length >= (mark === -1 ? cutLength : shortest)
  return enough && length < secret.length && secret.startsWith(there.slice(0, length)) ? length : 0
}

/** As long as it was: a few characters are longer in lower case, and stay. */
const lowered = (text: string): string =>
  /^[\0-\xff]*$/.test(text)
    ? text.toLowerCase()
    : text.replace(/\p{Lu}/gu, (letter) =>
        letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
      )

const isBase64 = (character: string | undefined): boolean => character !== undefined && /[a-z0-9+/_-]/.test(character)

const isWord = (character: string | undefined): boolean => character !== undefined && /[a-z0-9]/.test(character)

/** Two keys that are shown alike are two all the same. */
function free(key: string, members: ReadonlyMap<string, Json>): string {
  let name = key
  for (let count = 2; members.has(name); count++) name = `${key} ${count}`
  return name
}

function formsOf(text: string): readonly Needle[] {
  const bounded = text.length < cutLength && /^\d+$/.test(text)
  const json = jsonOf(text)
  const url = encodeURIComponent(text.toWellFormed())
  const plain = [
    ...[
      text,
      json,
      jsonOf(json),
      escapeNonAscii(text),
      asciiOf(json),
      jsonOf(asciiOf(json)),
      json.replaceAll("/", "\\/"),
      escapeHidden(text),
    ],
    ...[url, encodeURI(text.toWellFormed()), encodeURIComponent(url)],
    ...[new URLSearchParams([["", text]]).toString().slice(1)],
    ...[strictOf(url), strictOf(url).replaceAll("%20", "+"), strictOf(url).replaceAll("%2F", "/")],
    ...htmlOf(text),
    ...[text, json].map((one) => binaryOf(bytesOf(one))),
  ]
  const encoded = [...new Set([text, json, url])].map(bytesOf)
  const octets = bytesOf(text).map((byte) => `%${hexOf([byte])}`)
  const forms = [
    ...[...plain, octets.join("")].map((form) => ({ text: form, how: "plain" as const, bounded })),
    ...encoded.map(hexOf).map((form) => ({ text: form, how: "hex" as const, bounded })),
    ...encoded.flatMap(base64Of).map((form) => ({ text: form, how: "base64" as const, bounded: false })),
  ]
  return [...new Map(forms.map((form) => [form.text, form])).values()].filter((form) => form.text.length >= shortest)
}

const jsonOf = (text: string): string => JSON.stringify(text).slice(1, -1)

const asciiOf = (text: string): string =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** With what `encodeURIComponent` leaves as it is. */
const strictOf = (url: string): string => url.replace(/[!'()*~]/g, (sign) => `%${hexOf(bytesOf(sign))}`)

/** Some escape all that could be markup, others only what is where they write. */
const htmlOf = (text: string): readonly string[] =>
  entities.reduce<readonly string[]>(
    (texts, [sign, ...names]) =>
      text.includes(sign) ? texts.flatMap((one) => [one, ...names.map((name) => one.replaceAll(sign, name))]) : texts,
    [text.replaceAll("&", "&amp;")],
  )

const entities: readonly (readonly [sign: string, ...names: readonly string[]])[] = [
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;", "&#34;"],
  ["'", "&#39;", "&#x27;", "&apos;"],
]

const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)]

/** A character for each, as it is where bytes were undone one by one. */
const binaryOf = (bytes: readonly number[]): string => bytes.map((byte) => String.fromCharCode(byte)).join("")

const hexOf = (bytes: readonly number[]): string => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** What stands in base64 for these bytes alone, by how many others there are before them: six bits are a character. */
function base64Of(bytes: readonly number[]): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = btoa("\0".repeat(before) + binaryOf(bytes))
    const own = whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")]
  })
}
