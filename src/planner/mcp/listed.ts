/** A server's list of tools, read: each taken exactly as it stands there, or refused by name. Nothing in it is believed. */
import { copyJson } from "../../text/copy-json.ts"
import { escapeNonAscii } from "../../text/escape.ts"
import { isObject, type Json, type JsonObject } from "../../text/json.ts"
import { findNameFaults, type NameFault } from "./name.ts"
import { type Pin, parts, pinOf } from "./pin.ts"

export interface ListedTool {
  readonly name: string
  readonly title: string | undefined
  readonly description: string | undefined
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | undefined
  /** Claims: shown, never believed. */
  readonly annotations: JsonObject | undefined
  readonly pin: Pin
}

export interface RefusedTool {
  /** Printable. Empty where there is none. */
  readonly name: string
  readonly at: number
  readonly kind: "name" | "shape" | "schema"
  readonly why: string
}

export interface Listed {
  readonly tools: readonly ListedTool[]
  readonly refused: readonly RefusedTool[]
}

const bounds = { depth: 64, nodes: 20_000, bytes: 262_144 }

export function readListed(raw: readonly unknown[]): Listed {
  const names = raw.map((one) => (isObject(one) && typeof one.name === "string" ? one.name : ""))
  const faults = findNameFaults(names)
  const tools: ListedTool[] = []
  const refused: RefusedTool[] = []
  raw.forEach((one, at) => {
    const [given = "", fault] = [names[at], faults.get(at)]
    const name = escapeNonAscii(given.slice(0, 200))
    if (given === "") refused.push({ name, at, kind: "name", why: "it has no name" })
    else if (fault !== undefined) refused.push({ name, at, kind: "name", why: sayFault(fault) })
    else {
      const read = readTool(one, given)
      if (typeof read === "string") refused.push({ name, at, kind: "shape", why: read })
      else tools.push(read)
    }
  })
  return { tools, refused }
}

function sayFault(fault: NameFault): string {
  switch (fault.kind) {
    case "outside-the-alphabet":
      return "names are 1 to 128 of A-Z, a-z, 0-9, `_`, `.`, `-`"
    case "twice":
      return "it is listed more than once"
    case "look-alike":
      return `it looks like ${fault.others.map((other) => `\`${escapeNonAscii(other)}\``).join(", ")}`
  }
}

/** What cannot be kept exactly is not kept: numbers that JavaScript rounds, `__proto__`, half a character, too much of it. */
function readTool(raw: unknown, name: string): ListedTool | string {
  const copied = copyJson(withoutRest(raw), bounds)
  if (!copied.ok) return `it cannot be kept exactly: ${copied.problem} at ${copied.at === "" ? "its top" : copied.at}`
  const tool = copied.value as JsonObject
  const { title, description, inputSchema, outputSchema, annotations } = tool
  if (title !== undefined && typeof title !== "string") return "its `title` is no text"
  if (description !== undefined && typeof description !== "string") return "its `description` is no text"
  if (!isObject(inputSchema)) return "its `inputSchema` is no object"
  if (outputSchema !== undefined && !isObject(outputSchema)) return "its `outputSchema` is no object"
  if (annotations !== undefined && !isObject(annotations)) return "its `annotations` are no object"
  return { name, title, description, inputSchema, outputSchema, annotations, pin: pinOf(name, tool) }
}

/** Icons, `_meta` and what later revisions add say nothing of what a call means. */
const withoutRest = (raw: unknown): Json =>
  Object.fromEntries(
    parts.flatMap((key) => {
      const value = isObject(raw) ? raw[key] : undefined
      return value === undefined ? [] : [[key, value]]
    }),
  ) as Json
