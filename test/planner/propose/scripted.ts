/** Planners of our own: they say what they are told to, and remember what they were asked. */
import type { Answer, Message, Planner } from "../../../src/planner/index.ts"

export interface Scripted {
  readonly planner: Planner
  /** What each attempt was asked with. */
  readonly asked: (readonly Message[])[]
}

/** One answer after the other; the last of them for ever. */
export function scripted(
  ...answers: readonly (string | Answer | ((messages: readonly Message[]) => unknown))[]
): Scripted {
  const asked: (readonly Message[])[] = []
  const planner: Planner = async (messages) => {
    asked.push(messages)
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? ""
    const said = typeof answer === "function" ? await answer(messages) : answer
    return (typeof said === "string" ? { text: said } : said) as Answer
  }
  return { planner, asked }
}

export const planOf = (...steps: readonly object[]): string => JSON.stringify({ version: 1, steps })
