/** The same tools with results as narrow as the recorded conversations show. The shop answers a fault with a text. */
import { defineCatalog, type ToolSpec } from "sequitur"
import type { Json } from "../../src/text/json.ts"
import { inferSchema } from "../conformance/infer-schema.ts"
import { answerOf, readReplay } from "./recorded.ts"
import { recordedTools } from "./schemas.ts"

/** By tool, everything that it was seen to answer. */
export function recordedAnswers(): ReadonlyMap<string, readonly Json[]> {
  const answers = new Map<string, Json[]>()
  for (const call of readReplay().flatMap(({ actions }) => actions)) {
    const all = answers.get(call.name) ?? []
    answers.set(call.name, all)
    all.push(answerOf(call) as Json)
  }
  return answers
}

/** A tool that no conversation calls has no result: only the whole of it could be referred to. */
export function toolsWithResults(): { readonly [name: string]: ToolSpec } {
  const answers = recordedAnswers()
  return Object.fromEntries(
    Object.entries(recordedTools()).map(([name, recorded]) => {
      const seen = answers.get(name)
      return [name, seen === undefined ? recorded : { ...recorded, result: inferSchema(seen) }]
    }),
  )
}

export const resultsCatalog = () => defineCatalog({ name: "retail-results", version: "1", tools: toolsWithResults() })
