/** Edits of a document: the operations of RFC 6902 that a fix needs, applied to a copy. */
import { canonical } from "../text/canonical.ts"
import { isObject, type Json, type JsonObject } from "../text/json.ts"
import { child, type Pointer, parsePointer } from "../text/pointer.ts"

/** An RFC 6902 JSON Patch: its operations are done one after the other, or none of them is. */
export type JsonPatch = readonly Operation[]

export type Operation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move"; readonly from: string; readonly path: string }

/** Gives a member the name that was meant; nothing where there is none, or where the object has that too. */
export const rename = (
  at: Pointer,
  key: string,
  meant: string | undefined,
  object: JsonObject,
): JsonPatch | undefined =>
  meant === undefined || Object.hasOwn(object, meant)
    ? undefined
    : [{ op: "move", from: child(at, key), path: child(at, meant) }]

/** Whether it is one, whoever made it: a patch may have been sent to and fro. */
export const isPatch = (patch: unknown): patch is JsonPatch => Array.isArray(patch) && patch.every(isOperation)

function isOperation(value: unknown): value is Operation {
  if (!isObject(value) || typeof value.path !== "string") return false
  const { op } = value
  if (op === "move") return typeof value.from === "string"
  return op === "remove" || ((op === "add" || op === "replace") && value.value !== undefined)
}

/**
 * The document with all of a patch done to it; undefined where an operation leads nowhere, or is none. The document stays
 * as it is.
 */
export function applyPatch(document: Json, patch: JsonPatch): Json | undefined {
  if (!isPatch(patch)) return undefined
  let value: Json | undefined = document
  for (const operation of patch) value = value === undefined ? undefined : apply(value, operation)
  return value
}

/** Whether every operation of a patch finds its place in the document as it is, and changes what stands there. */
export const isApplicable = (document: Json, patch: JsonPatch): boolean =>
  patch.every((operation) => {
    const { op, path } = operation
    if (op === "move") return operation.from !== path && valueAt(document, operation.from) !== undefined
    const there = valueAt(document, op === "add" ? path.slice(0, path.lastIndexOf("/")) : path)
    return there !== undefined && (op !== "replace" || canonical(there) !== canonical(operation.value))
  })

/** The value at a pointer; undefined where there is none. */
export function valueAt(document: Json, path: string): Json | undefined {
  let value: Json | undefined = document
  for (const token of parsePointer(path) ?? [""]) value = memberOf(value, token)
  return value
}

function apply(document: Json, operation: Operation): Json | undefined {
  const { op, path } = operation
  if (op !== "move") return edit(document, tokensOf(path), op, op === "remove" ? undefined : operation.value)
  const moved = valueAt(document, operation.from)
  const without = moved === undefined ? undefined : edit(document, tokensOf(operation.from), "remove", undefined)
  return without === undefined ? undefined : edit(without, tokensOf(path), "add", moved)
}

/** The whole document is never edited: a fix that replaces everything mends nothing. */
const tokensOf = (path: string): readonly string[] => parsePointer(path) ?? []

/** Copies the containers on the way, and shares all the rest. */
function edit(
  value: Json | undefined,
  [token, ...rest]: readonly string[],
  op: "add" | "replace" | "remove",
  given: Json | undefined,
): Json | undefined {
  if (token === undefined || value === undefined) return undefined
  const there = memberOf(value, token)
  if (rest.length > 0) {
    const inner = edit(there, rest, op, given)
    return inner === undefined ? undefined : put(value, token, inner)
  }
  if (op !== "add" && there === undefined) return undefined
  if (Array.isArray(value)) return editItems(value, token, op, given)
  if (!isObject(value)) return undefined
  return op === "remove" || given === undefined ? without(value, token) : put(value, token, given)
}

function editItems(
  items: readonly Json[],
  token: string,
  op: "add" | "replace" | "remove",
  given: Json | undefined,
): Json | undefined {
  const index = token === "-" ? items.length : indexOf(token)
  if (index === undefined || index > items.length) return undefined
  return items.toSpliced(index, op === "add" ? 0 : 1, ...(given === undefined ? [] : [given]))
}

function put(value: Json, token: string, given: Json): Json {
  return Array.isArray(value) ? value.with(Number(token), given) : { ...(value as JsonObject), [token]: given }
}

function without(value: JsonObject, token: string): Json {
  const { [token]: _gone, ...rest } = value
  return rest
}

function memberOf(value: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(value)) {
    const index = indexOf(token)
    return index === undefined ? undefined : (value as readonly Json[])[index]
  }
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined
}

/** RFC 6901, section 4: digits without a leading zero. */
const indexOf = (token: string): number | undefined => (/^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : undefined)
