/** Answers to MCP clients: bounded, without secrets, with nothing hidden in them. A model reads them. */
import { escapeHiddenJson, hidden, writeOut } from "../../../text/escape.ts"
import type { Json, JsonObject } from "../../../text/json.ts"
import type { Secrets } from "../../../text/secrets.ts"

export interface Answer {
  readonly [key: string]: unknown
  readonly content: { readonly type: "text"; readonly text: string }[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
}

/** UTF-16 units of the text of an answer, and of its structure as JSON. */
export const answerLength = 30_000

/** In a text of ours a short secret is also part of other words. */
const longSecret = 8

const hiddenButLines = new RegExp(`[[${hidden}]--[\\n]]`, "gv")

export function answer(text: string, secrets?: Secrets, structure?: JsonObject): Answer {
  const scrubbed = secrets === undefined ? text : secrets.scrub(text, longSecret)
  const shown = clip(scrubbed.replace(hiddenButLines, writeOut))
  const kept =
    structure === undefined
      ? undefined
      : fit(secrets === undefined ? structure : (secrets.scrubJson(structure) as JsonObject))
  return { content: [{ type: "text", text: shown }], ...(kept === undefined ? {} : { structuredContent: kept }) }
}

/** A call that was refused or has failed. */
export const refuse = (text: string, secrets?: Secrets, structure?: JsonObject): Answer => ({
  ...answer(text, secrets, structure),
  isError: true,
})

const cut = "\n(cut: there is more)"

const clip = (text: string): string =>
  text.length <= answerLength ? text : `${text.slice(0, answerLength - cut.length).toWellFormed()}${cut}`

/** What is too long is left out whole, never cut in the middle. */
const fit = (structure: JsonObject): JsonObject | undefined =>
  JSON.stringify(structure).length <= answerLength ? structure : undefined

/** A value that a tool has given, as data on one line: no tag stands in it, and nothing that ends the line. */
export const quoteValue = (value: Json): string => withoutTags(escapeHiddenJson(JSON.stringify(value)))

/** For texts of ours in which words of a tool stand. */
export const withoutTags = (text: string): string =>
  text.replace(/[<>]/g, (sign) => (sign === "<" ? "\\u003c" : "\\u003e"))
