/** A code fence, or prose, round JSON. One fence that encloses the whole text can be told apart surely, and taken off where the
 *  host asks for it. All else here chooses the words of a refusal; nothing is ever taken out of a text on a guess. */
import { isSpace } from "./token.ts"

/** The text between the opening line and the closing line of a fence, as offsets. */
export type Fence =
  | { readonly kind: "whole"; readonly start: number; readonly end: number }
  /** Opened, and no other fence after it: the text was cut short. */
  | { readonly kind: "open" }

/** An opening line as CommonMark has it: three or more of the same mark, and at most one word. */
const opening = /^(`{3,}|~{3,})(?:[ \t]*[A-Za-z0-9_+.-]+)?[ \t]*(?:\r\n|\n|\r)/
/** A longer line is no fence: so the pattern has little to go over. */
const openingLength = 200

export function findFence(text: string): Fence | undefined {
  let first = 0
  while (isSpace(text.charCodeAt(first))) first++
  const [line, marks] = opening.exec(text.slice(first, first + openingLength)) ?? []
  if (line === undefined || marks === undefined) return undefined
  const start = first + line.length
  const end = closingLine(text, start, marks)
  if (end !== undefined) return { kind: "whole", start, end }
  return text.includes(marks, start) ? undefined : { kind: "open" }
}

/** Where the text's last line begins, if it is nothing but marks that close the fence. */
function closingLine(text: string, start: number, marks: string): number | undefined {
  let end = text.length
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  let at = end
  while (at > start && text.charAt(at - 1) === marks.charAt(0)) at--
  if (end - at < marks.length) return undefined
  while (at > start && /[ \t]/.test(text.charAt(at - 1))) at--
  return at === start || /[\r\n]/.test(text.charAt(at - 1)) ? at : undefined
}

/** What stands round the JSON, where a text does not begin as JSON does. */
export function wrappingOf(text: string, start: number): "fence" | "prose" | undefined {
  if (text.startsWith("```", start) || text.startsWith("~~~", start)) return "fence"
  // A sentence or a heading, and an object further on.
  return /^[#>*_~-]*\s*\p{L}/u.test(text.slice(start, start + 16)) && text.includes("{", start) ? "prose" : undefined
}
