/** What a handler threw or answered, in words that are safe to keep and to print. */
import { escapeHidden } from "../../text/escape.ts"

const saidMax = 500

/** Anything can be thrown: null, a proxy, an error whose message throws. */
export function describeThrown(error: unknown): string {
  try {
    return excerpt(wordsOf(error))
  } catch {
    return "something that cannot be read"
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof Error) {
    const { name, message } = error
    return typeof message === "string" && message !== "" ? message : `${name}`
  }
  if (typeof error === "string") return error
  if (typeof error === "object" && error !== null && "message" in error && typeof error.message === "string")
    return error.message
  return `${error === null ? "null" : typeof error} was thrown`
}

/** Cut; control characters, and what would reorder, hide or break text, as escapes; lone surrogates too. */
export const excerpt = (text: string): string =>
  escapeHidden(text.slice(0, saidMax + 1)).replace(/^([\s\S]{500})[\s\S]+$/u, "$1…")
