/** Reads back what `canonical` wrote, from a store of our own, or from a file that says so. */
import { parseFast } from "./fast-path.ts"
import type { Json } from "./json.ts"
import { type Parsed, parse } from "./parse.ts"

const unbounded = { textBytes: Infinity, depth: Infinity, nodes: Infinity, stringBytes: Infinity }

/** Throws where the text is no JSON: then it is not what was written. */
export function restoreJson(text: string): Json {
  // JSON.parse of Node 24 and 26 may take a key with an escape for another one (nodejs/node#63785).
  if (!text.includes("\\")) return JSON.parse(text)
  const parsed = parse(text, unbounded, true)
  if (parsed.ok) return parsed.value
  throw new SyntaxError(`a stored entry is no JSON: ${parsed.what.kind} at ${parsed.at}`)
}

/** The same of what somebody may have altered: a key that is given twice means one thing to one reader, another to the next. */
export function readWritten(text: string): Parsed {
  const value = parseFast(text, unbounded)
  return value === undefined ? parse(text, unbounded, true) : { ok: true, value }
}
