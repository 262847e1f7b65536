/**
 * The circuit breaker of a tool, and of a session: so many failures in a row hold further calls back for a while. It is a fold
 * over the journals of the session's open runs, and so is what every process sees.
 */
import type { Recorded } from "../../journal/entry.ts"

export interface Breaker {
  /** Failures in a row that open the circuit of a tool, and of the session; 0 never does. */
  readonly tool: number
  readonly session: number
  /** How long it stays open. Then one call is let through: what comes of it closes the circuit, or opens it again. */
  readonly coolDownMs: number
}

/** What came of one call. */
interface Mark {
  readonly atMs: number
  readonly came: "answered" | "failed" | "reset"
  readonly tool: string | undefined
}

/** Takes down what came of the calls of one run, told its entries in their order. */
export class Marker {
  readonly marks: Mark[] = []
  readonly #tools = new Map<string, string>()

  note({ atMs, event }: Pick<Recorded, "atMs" | "event">): void {
    const mark = (came: Mark["came"], tool: string | undefined): void => {
      this.marks.push({ atMs, came, tool })
    }
    switch (event.kind) {
      case "step-added":
        if (event.step.tool !== undefined) this.#tools.set(event.step.id, event.step.tool)
        return
      case "outcome":
      case "replayed":
        if (!("undoes" in event))
          mark(event.failure === undefined ? "answered" : "failed", this.#tools.get(event.stepId))
        return
      case "reconciled":
        if (event.answer === "applied" && event.undoes === undefined)
          mark(event.failure === undefined ? "answered" : "failed", this.#tools.get(event.stepId))
        return
      case "in-doubt":
        if (event.undoes === undefined) mark("failed", this.#tools.get(event.stepId))
        return
      case "step-given-up": {
        const tool = this.#tools.get(event.stepId)
        // What a person has said is no failure of the tool.
        if (tool !== undefined && event.failure.tag !== "ApprovalDenied" && event.failure.tag !== "RunCancelled")
          mark("failed", tool)
        return
      }
      case "call-observed":
        mark(event.failure === undefined ? "answered" : "failed", event.tool)
        return
      case "call-refused":
        mark("failed", event.tool)
        return
      case "circuit-reset":
        mark("reset", event.tool)
        return
    }
  }
}

export interface Circuit {
  readonly of: "tool" | "session"
  readonly failures: number
  readonly untilMs: number
}

/** The circuit that holds a call of this tool back now; undefined where none does. */
export function openCircuit(
  marks: readonly Mark[],
  tool: string,
  { tool: ofTool, session, coolDownMs }: Breaker,
  nowMs: number,
): Circuit | undefined {
  for (const [of, max, only] of [
    ["tool", ofTool, tool],
    ["session", session, undefined],
  ] as const) {
    if (max === 0) continue
    const { failures, lastAtMs } = failuresIn(marks, only)
    const untilMs = lastAtMs + coolDownMs
    // A failure of a time that is still to come was of a clock that was wrong.
    if (failures >= max && nowMs < untilMs && nowMs >= lastAtMs) return { of, failures, untilMs }
  }
  return undefined
}

/** Since it answered last: of one tool, or of all. */
function failuresIn(marks: readonly Mark[], only: string | undefined): { failures: number; lastAtMs: number } {
  let failures = 0
  let lastAtMs = Number.NEGATIVE_INFINITY
  for (let index = marks.length - 1; index >= 0; index--) {
    const mark = marks[index]
    if (mark === undefined) break
    const { came, tool, atMs } = mark
    if (came === "reset" && (tool === undefined || tool === only)) break
    if (came === "reset" || (only !== undefined && tool !== only)) continue
    if (came === "answered") break
    failures++
    lastAtMs = Math.max(lastAtMs, atMs)
  }
  return { failures, lastAtMs }
}

/** Those of several runs, as they happened. */
export const merged = (runs: readonly Marker[]): readonly Mark[] => {
  const [only, ...others] = runs.filter(({ marks }) => marks.length > 0)
  if (only === undefined) return []
  if (others.length === 0) return only.marks
  return [only, ...others].flatMap(({ marks }) => marks).sort((one, other) => one.atMs - other.atMs)
}
