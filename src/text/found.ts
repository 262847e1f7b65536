/** Names what stands at a place in a text, so that a message can show it: safe to print, short, with its own backticks. */
import { escapeHidden } from "./escape.ts"
import type { Span } from "./source.ts"

export interface Found {
  readonly found: string
  readonly span: Span
}

/** How much of what the author wrote a message shows. */
const shownLength = 40

const named: ReadonlyMap<string, string> = new Map([
  ["'", "a single quote"],
  ["`", "a backtick"],
  ["\n", "a line break"],
  ["\r", "a line break"],
  ["\t", "a tab"],
  [" ", "a space"],
])

/** The word that begins at `start`, or the comment, or else the character. */
export function foundAt(text: string, start: number): Found {
  let end = start
  while (isWordUnit(text.charCodeAt(end))) end++
  if (end > start) return { found: `\`${clip(text.slice(start, end))}\``, span: { start, end } }
  const comment = text.startsWith("//", start) || text.startsWith("/*", start)
  return comment ? { found: "a comment", span: { start, end: start + 2 } } : characterAt(text, start)
}

export function characterAt(text: string, start: number): Found {
  const point = text.codePointAt(start)
  if (point === undefined) return { found: "the end of the text", span: { start, end: start } }
  const character = String.fromCodePoint(point)
  const shows = character !== " " && escapeHidden(character) === character
  const found = named.get(character) ?? (shows ? `\`${character}\`` : codePoint(point))
  return { found, span: { start, end: start + character.length } }
}

export const clip = (written: string): string =>
  written.length <= shownLength ? written : `${written.slice(0, shownLength)}…`

/** U+FEFF and the like: four hex digits or more, as Unicode writes them. */
export const codePoint = (point: number): string => `U+${point.toString(16).toUpperCase().padStart(4, "0")}`

const isWordUnit = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
