/** A value in a few words that are safe to print: short, quoted, nothing that moves or hides text. */
import { escapeHidden } from "../../text/escape.ts"
import type { Json } from "../../text/json.ts"

/** How much of a string is shown, in characters. */
const shownLength = 40

export function show(value: Json): string {
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object" && value !== null) return "an object"
  return typeof value === "string" ? quote(value) : String(value)
}

export function quote(text: string): string {
  return escapeHidden(JSON.stringify(cut(text)))
}

/** The beginning of a text, as it stands. */
export const clip = (text: string): string => escapeHidden(cut(text))

function cut(text: string): string {
  // A character is at most two units: no need to take a long text apart.
  const characters = [...text.slice(0, 2 * shownLength + 2)]
  return characters.length > shownLength ? `${characters.slice(0, shownLength).join("")}…` : text
}
