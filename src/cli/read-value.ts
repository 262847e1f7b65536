/** Reads JSON that is given as an option: itself, or the name of a file of it; as strictly as a plan. */
import { diagnoseText } from "../diagnostic/text.ts"
import type { Bounds } from "../text/bounds.ts"
import type { Json } from "../text/json.ts"
import { readJson } from "../text/read-json.ts"
import { nameOf } from "./modules.ts"
import { lookFor, readBytes } from "./read-file.ts"
import { UsageError } from "./terminal.ts"

/** `what` in a message: "the inputs". */
export async function readValue(what: string, given: string, bounds: Bounds): Promise<Json> {
  const written = /^\s*[{[]/.test(given)
  const read = readJson(written ? given : await readWithin(given, bounds.textBytes), bounds)
  if (read.ok) return read.value
  const { message, range } = diagnoseText(read.fault)
  const place = range === undefined ? "" : ` at ${range.start.line}:${range.start.column}`
  throw new UsageError(`${what}${written ? "" : ` in ${nameOf(given)}`}${place}: ${message}`)
}

async function readWithin(file: string, max: number): Promise<Uint8Array> {
  await lookFor(file)
  return readBytes(file, () => max)
}
