/** What was said between us and a planner, and the messages of the next attempt. */
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import { quoted } from "../feedback.ts"
import type { Cost } from "./limits.ts"
import type { Message } from "./planner.ts"

export interface Exchange {
  /** What each attempt begins with: the catalog, the language, the goal. */
  readonly opening: readonly Message[]
  readonly attempts: readonly Attempt[]
}

export interface Attempt {
  /** As the planner wrote it; of a very long text its beginning. */
  readonly text: string
  /** UTF-16 units of all of it. */
  readonly length: number
  readonly diagnostics: readonly Diagnostic[]
  /** Diagnostics beyond those. */
  readonly more: number
  /** What it was told of that; empty where its plan compiled. */
  readonly feedback: string
  readonly cost: Cost
  /** How many earlier attempts it was told of by their diagnostics only. */
  readonly summarised: number
  readonly tookMs: number
}

/** UTF-16 units of an answer that are kept and shown to the planner again. */
const keptMax = 262_144

/** A copy, so that a text of fifty megabytes is not held for its beginning. */
export const kept = (text: string): string =>
  text.length <= keptMax
    ? text
    : new TextDecoder().decode(new TextEncoder().encode(text.slice(0, keptMax).toWellFormed()))

/** With every attempt whole, but for the first `summarised` of them, of which only the diagnostics are told; all that is said of the last one is told in any case. */
export function messagesOf({ opening, attempts }: Exchange, summarised: number): readonly Message[] {
  const [first, later] = [attempts.slice(0, summarised), attempts.slice(summarised)]
  const said = later.flatMap(({ text, length, feedback }): readonly Message[] => [
    { role: "assistant", content: sayAgain(text, length) },
    { role: "user", content: feedback },
  ])
  if (first.length === 0) return [...opening, ...said]
  const short = ["# Earlier attempts, in short", "", ...first.map(inShort)]
  const before = (later.length === 0 ? [...short, "", attempts.at(-1)?.feedback ?? ""] : short).join("\n")
  const last = opening.at(-1)
  const rest = opening.slice(0, -1)
  return last === undefined ? said : [...rest, { ...last, content: `${last.content}\n\n${before}` }, ...said]
}

/** Some providers refuse a message without content. */
const sayAgain = (text: string, length: number): string => {
  if (text.trim() === "") return "(an empty answer)"
  return length > keptMax ? `(an answer of ${length} characters, too long to be repeated)` : text
}

/** Codes and places, and none of the plan's own words: places are pointers, and are quoted. */
function inShort({ diagnostics, more }: Attempt, index: number): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error")
  const shown = errors.slice(0, 8).map(({ code, at }) => `${code} at ${quoted(at)}`)
  const rest = errors.length - shown.length + more
  return `- ${index + 1}: ${shown.join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`
}
