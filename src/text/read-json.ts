/** The door of the text room: reads a plan's text, or its bytes, into a value, or says why it may not be read. What is read is
 *  exactly RFC 8259, less what could mean two things to two readers or harm a careless one. Nothing is ever repaired. */
import { byteLength, fitsBytes } from "./byte-length.ts"
import { parseFast } from "./fast-path.ts"
import type { TextFault } from "./fault.ts"
import { findFence, wrappingOf } from "./fence.ts"
import type { Json } from "./json.ts"
import { countLines, findPlaces } from "./locate.ts"
import { type Parsed, parse, type TextBounds } from "./parse.ts"
import { type Pointer, root } from "./pointer.ts"
import type { Range, Span } from "./source.ts"
import type { Misread } from "./token.ts"

export type ReadJson =
  | {
      readonly ok: true
      readonly value: Json
      readonly text: string
      /** Where a value stands in the text, or its key. For what is not there, the nearest value round it. */
      readonly rangeOf: (at: Pointer, part?: "key" | "value") => Range | undefined
    }
  /** `text` is missing where there was too much of it, or it was not UTF-8. */
  | { readonly ok: false; readonly text: string | undefined; readonly fault: TextFault }

export interface ReadOptions {
  /** Take off one code fence, if it encloses the whole text. */
  readonly unwrap?: "fence"
}

export function readJson(source: string | Uint8Array, bounds: TextBounds, options: ReadOptions = {}): ReadJson {
  const bytes = measure(source, bounds.textBytes)
  if (bytes > bounds.textBytes) return refuse({ kind: "too-large", bytes, max: bounds.textBytes })
  if (typeof source === "string") return readText(source, bounds, options)
  const text = decode(source)
  if (text !== undefined) return readText(text, bounds, options)
  // Bytes that end inside a character were cut short, unless what comes before that was whole already.
  const start = decode(source, { stream: true })
  const read = start === undefined ? undefined : readText(start, bounds, options)
  return read?.ok === false ? read : refuse({ kind: "not-utf8" })
}

/** The bytes of a source. Where there are more units than bytes allowed, the units will do: nothing is counted or decoded. */
function measure(source: string | Uint8Array, max: number): number {
  if (typeof source !== "string") return source.byteLength
  return source.length > max || fitsBytes(source, max) ? source.length : byteLength(source)
}

function decode(bytes: Uint8Array, options?: { readonly stream: boolean }): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, options)
  } catch {
    return undefined
  }
}

function readText(text: string, bounds: TextBounds, options: ReadOptions): ReadJson {
  if (text.startsWith("\ufeff")) return refuse({ kind: "byte-order-mark" }, text, { start: 0, end: 1 })
  const fence = options.unwrap === "fence" ? findFence(text) : undefined
  if (fence === undefined) return readBody(text, text, 0, bounds)
  if (fence.kind === "whole") return readBody(text, text.slice(fence.start, fence.end), fence.start, bounds)
  return refuse({ kind: "cut-short", expected: "the closing fence" }, text, { start: text.length, end: text.length })
}

/** Reads the JSON in a text, all of it or what a fence encloses. Places are told in the text. */
function readBody(text: string, body: string, offset: number, bounds: TextBounds): ReadJson {
  const value = parseFast(body, bounds)
  const parsed: Parsed = value === undefined ? parse(body, bounds) : { ok: true, value }
  const inText = ({ start, end }: Span): Span => ({ start: start + offset, end: end + offset })
  if (!parsed.ok) {
    const { what, span, at } = parsed
    const moved = what.kind === "key-twice" ? { ...what, first: inText(what.first) } : sayWrapped(what, span, body)
    return refuse(moved, text, inText(span), at)
  }
  let places: ReturnType<typeof findPlaces> | undefined
  let rangeIn: ReturnType<typeof countLines> | undefined
  const rangeOf = (at: Pointer, part: "key" | "value" = "value"): Range | undefined => {
    places ??= findPlaces(body)
    rangeIn ??= countLines(text)
    const span = places(at, part)
    return span && rangeIn(inText(span))
  }
  return { ok: true, value: parsed.value, text, rangeOf }
}

/** A text that does not even begin as JSON does is told what it is wrapped in, where that can be seen. */
function sayWrapped(what: Misread, span: Span, body: string): Misread {
  if (what.kind !== "syntax" || body.slice(0, span.start).trim() !== "") return what
  const how = wrappingOf(body, span.start)
  return how === undefined ? what : { kind: "wrapped", how }
}

function refuse(what: Misread, text?: string, span: Span = { start: 0, end: 0 }, at: Pointer = root): ReadJson {
  const rangeIn = countLines(text ?? "")
  const place = { at, range: rangeIn(span) }
  const fault: TextFault =
    what.kind === "key-twice" ? { ...what, ...place, first: rangeIn(what.first) } : { ...what, ...place }
  return { ok: false, text, fault }
}
