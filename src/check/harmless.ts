/**
 * What no fix may do, whichever pass offers it. Fixes are applied by machines, and what a plan lost by one nobody misses.
 * 1. A plan that does anything keeps all that it says. What has no place in it may be what held an effect back (`when`,
 *    `dryRun`, `requiresApproval`, a filter of the read before), so it is taken out only of a plan that does nothing but read.
 * 2. No fix adds an effect. A call comes to be that of a destructive tool only by spelling: case and separators.
 * 3. What a destructive call is given is never guessed: a value changes by spelling only, a name (of an argument, of the
 *    step or the field that a value comes from) by one slip of the hand, and not to whatever else would fit. The same holds
 *    for what any call is given where the catalog has a rule about it: what may not be had from anywhere is not guessed.
 */
import type { Catalog } from "../catalog/catalog.ts"
import { overlaps } from "../catalog/place.ts"
import { intended, isSpelling } from "../diagnostic/nearest.ts"
import { type JsonPatch, type Operation, valueAt } from "../diagnostic/patch.ts"
import { isObject, type Json } from "../text/json.ts"
import { child, type Pointer, parsePointer, root } from "../text/pointer.ts"

export const isHarmless = (fix: JsonPatch, document: Json, catalog: Catalog): boolean =>
  fix.every((operation) => {
    const [list, index, ...inside] = parsePointer(operation.path) ?? []
    if (list !== "steps" || index === undefined) return operation.op !== "remove" || onlyReads(document, catalog)
    const step = child(child(root, "steps"), index)
    return inside.length === 0
      ? mayRearrange(operation, valueAt(document, step), document, catalog)
      : mayEdit(operation, step, inside, document, catalog)
  })

/** Whole steps: taken out where they are there twice or lead nowhere, put in where they have no effect, or moved. */
function mayRearrange(operation: Operation, step: Json | undefined, document: Json, catalog: Catalog): boolean {
  // Without states a transition may have been meant to stop the plan until somebody has looked.
  if (operation.op === "remove")
    return !isTransition(step) || catalog.machine !== undefined || onlyReads(document, catalog)
  if (operation.op === "move") return true
  return isTransition(operation.value) || effectOf(operation.value, catalog) === "read"
}

function mayEdit(
  operation: Operation,
  at: Pointer,
  inside: readonly string[],
  document: Json,
  catalog: Catalog,
): boolean {
  const step = valueAt(document, at) ?? null
  const [field] = inside
  if (operation.op === "remove") {
    const saysNothing = field === "args" && isTransition(step) && isEmpty(valueAt(document, operation.path))
    return saysNothing || onlyReads(document, catalog)
  }
  // Order is list order: `after` changes nothing that is done.
  if (field === "after" || isTransition(step)) return true
  // What is added is what had to be stated, and could be in one way only.
  if (operation.op !== "add" && isRuled(step, inside, catalog) && !isSpelt(operation, inside, document)) return false
  const renamed = operation.op === "replace" && inside.length === 1 && field === "tool"
  const effect = effectOf(renamed ? { tool: operation.value } : step, catalog)
  return (effect !== undefined && effect !== "destructive") || isSpelt(operation, inside, document)
}

/** Whether a rule of the catalog is about the argument, about something in it, or round it. */
function isRuled(step: Json, [field, ...path]: readonly string[], { tools }: Catalog): boolean {
  const tool = isObject(step) && typeof step.tool === "string" ? tools.get(step.tool) : undefined
  if (field !== "args" || tool === undefined) return false
  const end = path.findIndex((token) => token.startsWith("$"))
  const place = end < 0 ? path : path.slice(0, end)
  return tool.rules.some((rule) => overlaps(rule.path, place))
}

const above = (path: string): string => path.slice(0, path.lastIndexOf("/"))

/** Names by one slip at most, values by spelling; the words of the plan language have none beside them. */
function isSpelt(operation: Operation, inside: readonly string[], document: Json): boolean {
  if (operation.op === "move") {
    const from = parsePointer(operation.from) ?? []
    const [key = "", meant = ""] = [from.at(-1), inside.at(-1)]
    return inside.length === 1 || isNear(key, meant)
  }
  const written = valueAt(document, operation.path)
  if (operation.op !== "replace" || typeof written !== "string" || typeof operation.value !== "string") return false
  return isSpelling(written, operation.value) || (isName(operation.path, document) && isNear(written, operation.value))
}

const isNear = (written: string, meant: string): boolean => intended(written, [meant]) === meant

/** The step that a reference names, and the names on its way into the result. */
function isName(path: string, document: Json): boolean {
  const holder = valueAt(document, above(path))
  return isObject(holder) && Object.hasOwn(holder, "$from")
}

/** Whether nothing outside can come of the plan: every call is one of a read. */
function onlyReads(document: Json, catalog: Catalog): boolean {
  const steps = valueAt(document, "/steps")
  return Array.isArray(steps) && steps.every((step) => isTransition(step) || effectOf(step, catalog) === "read")
}

const isTransition = (step: Json | undefined): boolean =>
  isObject(step) && typeof step.transition === "string" && step.tool === undefined

/** Undefined where the tool is not known: then it may be any. */
const effectOf = (step: Json | undefined, { tools }: Catalog) =>
  isObject(step) && typeof step.tool === "string" ? tools.get(step.tool)?.effect : undefined

const isEmpty = (value: Json | undefined): boolean => isObject(value) && Object.keys(value).length === 0
