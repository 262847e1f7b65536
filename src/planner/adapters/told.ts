/** What a model is told of a verdict, where the host has no words of its own for it. */
import { feedback } from "../feedback.ts"
import type { Verdict } from "../gate/verdict.ts"

export type Tell = (verdict: Verdict) => string

export const tell: Tell = (verdict) => {
  switch (verdict.kind) {
    case "accepted":
      return JSON.stringify(verdict.result)
    case "refused":
      return feedback(verdict.diagnostics)
    case "failed":
    case "in-doubt":
      return `${verdict.kind}: ${JSON.stringify(verdict.failure.message)}`
    default:
      return verdict.kind
  }
}
