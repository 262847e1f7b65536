/** What the process of a handler says. A handler can reach whatever we have over there, so it may be anything: here it is looked at
 *  part by part, and held to its bounds once more. */
import type { Bounds } from "../../../text/bounds.ts"
import type { Copied } from "../../../text/copy-json.ts"
import { isObject, type Json, type JsonObject } from "../../../text/json.ts"
import type { Pointer } from "../../../text/pointer.ts"
import { excerpt } from "../describe.ts"
import type { Answer } from "../ending.ts"
import { readTime } from "../not-applied.ts"
import { type Taken, take } from "../take.ts"
import type { Report } from "./message.ts"

/** What was asked for. */
export interface Asking {
  readonly for: keyof Taken
  readonly bounds: Bounds
}

/** Undefined where it is none. */
export function readReport(text: string, asked: Asking | undefined): Report | undefined {
  const said = parse(text)
  if (said === undefined) return undefined
  const { kind, call } = said
  if (kind === "stray") return { kind }
  // Nothing else is said but of a call.
  if (asked === undefined || typeof call !== "number") return undefined
  if (kind === "began") return { kind, call }
  const answer = kind === "answered" ? readAnswer(said.answer, asked) : undefined
  return answer && { kind: "answered", call, answer }
}

/** An answer is not longer by far. */
export const reportBytesMax = (bounds: Bounds | undefined): number =>
  bounds === undefined ? smallBytes : 8 * bounds.resultBytes + smallBytes

const smallBytes = 65_536

function parse(text: string): JsonObject | undefined {
  try {
    const said: Json = JSON.parse(text)
    return isObject(said) ? said : undefined
  } catch {
    return undefined
  }
}

function readAnswer(answer: Json | undefined, { for: asked, bounds }: Asking): Answer<Taken[keyof Taken]> | undefined {
  if (!isObject(answer)) return undefined
  const { kind, said, notApplied, retryAfterMs: after, value } = answer
  switch (kind) {
    case "too-late":
      return { kind }
    case "threw": {
      if (typeof said !== "string" || typeof notApplied !== "boolean") return undefined
      const retryAfterMs = notApplied ? readTime(after) : undefined
      return { kind, said: excerpt(said), notApplied, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
    }
    case "returned": {
      const taken = asked in readers ? readers[asked as keyof typeof readers](value, bounds) : undefined
      return taken && { kind, value: taken }
    }
    default:
      return undefined
  }
}

/** By what is asked of a handler in a process of its own. */
const readers = { result: readCopied, reconciliation: readReconciliation, validation: readValidation }

function readValidation(taken: Json | undefined): Taken["validation"] | undefined {
  if (!isObject(taken)) return undefined
  const { ok, said } = taken
  if (ok === true) return { ok }
  return ok === false && typeof said === "string" ? { ok, said: excerpt(said) } : undefined
}

function readCopied(copied: Json | undefined, bounds: Bounds): Copied | undefined {
  if (!isObject(copied)) return undefined
  const { ok, value, at, problem } = copied
  if (ok === true && value !== undefined) return take.result(value, bounds)
  if (ok !== false || typeof at !== "string" || typeof problem !== "string") return undefined
  return { ok, at: excerpt(at) as Pointer, problem: excerpt(problem) }
}

function readReconciliation(taken: Json | undefined, bounds: Bounds): Taken["reconciliation"] | undefined {
  if (!isObject(taken)) return undefined
  const { kind, said } = taken
  switch (kind) {
    case "applied": {
      const result = readCopied(taken.result, bounds)
      return result && { kind, result }
    }
    case "not-applied":
    case "barred":
      return { kind }
    case "unknown":
      return typeof said === "string" ? { kind, said: excerpt(said) } : undefined
    default:
      return undefined
  }
}
