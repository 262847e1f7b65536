/** A JSON Patch done to a text: what the patch does not touch keeps its layout, its spelling of numbers and its order of keys,
 *  to the character. What is put in is laid out as its neighbours are, and what is moved is moved as it is written. */
import { isObject, type Json } from "../text/json.ts"
import { findPlaces } from "../text/locate.ts"
import { child, formatPointer, parsePointer } from "../text/pointer.ts"
import type { Span } from "../text/source.ts"
import { layoutOf, separatorIn, write } from "./layout.ts"
import { applyPatch, type JsonPatch, type Operation, valueAt } from "./patch.ts"

/** The text must be that of the document, without space round it. Undefined where `applyPatch` gives nothing. */
export function rewrite(text: string, document: Json, patch: JsonPatch): string | undefined {
  let value = document
  let written = text
  for (const operation of patch) {
    const next = applyPatch(value, [operation])
    if (next === undefined) return undefined
    written = rewriteOne(written, value, operation)
    value = next
  }
  return written
}

/** The operation is known to lead somewhere. */
function rewriteOne(text: string, document: Json, operation: Operation): string {
  const place = look(text, document, operation.path)
  if (operation.op === "move") return move(text, document, operation, place)
  if (operation.op === "remove") return remove(text, place)
  const { value } = operation
  const there = operation.op === "replace" || !place.inArray ? place.items[place.index] : undefined
  if (there === undefined) return insert(text, place, write(value, layoutOf(text, neighbourOf(place))))
  return splice(text, there.value, write(value, layoutOf(text, there.value)))
}

/** Where a pointer leads: the array or object, and the item in it. */
interface Place {
  readonly container: Span
  readonly inArray: boolean
  readonly token: string
  readonly items: readonly Item[]
  /** One past the last where nothing stands there yet. */
  readonly index: number
}

/** From the start of its key, if it has one, to the end of its value. */
interface Item extends Span {
  readonly key: Span | undefined
  readonly value: Span
}

function look(text: string, document: Json, path: string): Place {
  const places = findPlaces(text)
  const tokens = parsePointer(path) ?? []
  const token = tokens.at(-1) ?? ""
  const above = formatPointer(tokens.slice(0, -1))
  const container = places(above, "value") as Span
  const inside = valueAt(document, above)
  const inArray = Array.isArray(inside)
  const keys = inArray ? [...inside.keys()].map(String) : isObject(inside) ? Object.keys(inside) : []
  const items = keys
    .map((name): Item & { readonly name: string } => {
      const value = places(child(above, name), "value") as Span
      const key = inArray ? undefined : places(child(above, name), "key")
      return { name, key, value, start: (key ?? value).start, end: value.end }
    })
    // The text's order: keys that look like numbers come first in a value.
    .sort((a, b) => a.start - b.start)
  const index = items.findIndex(({ name }) => name === token)
  return { container, inArray, token, items, index: index < 0 ? items.length : index }
}

/** What a new item is written like. */
const neighbourOf = ({ items, index, container }: Place): Span => (items[index] ?? items.at(-1))?.value ?? container

function move(text: string, document: Json, operation: Operation & { readonly op: "move" }, to: Place): string {
  const { from, path } = operation
  const moved = look(text, document, from)
  const item = moved.items[moved.index] as Item
  const renamed = moved.container.start === to.container.start && to.items[to.index] === undefined
  if (item.key !== undefined && renamed) return splice(text, item.key, JSON.stringify(to.token))
  const removal: JsonPatch = [{ op: "remove", path: from }]
  const rest = remove(text, moved)
  const place = look(rest, applyPatch(document, removal) as Json, path)
  const raw = text.slice(item.value.start, item.value.end)
  const there = place.inArray ? undefined : place.items[place.index]
  return there === undefined ? insert(rest, place, raw) : splice(rest, there.value, raw)
}

/** Takes the item out with the comma and the space on one of its sides. */
function remove(text: string, { container, items, index }: Place): string {
  const { start, end } = items[index] as Item
  const [before, after] = [items[index - 1], items[index + 1]]
  if (after !== undefined) return splice(text, { start, end: after.start }, "")
  if (before !== undefined) return splice(text, { start: before.end, end }, "")
  return splice(text, { start: container.start + 1, end: container.end - 1 }, "")
}

function insert(text: string, { container, inArray, token, items, index }: Place, raw: string): string {
  const { colon } = layoutOf(text, container)
  const item = inArray ? raw : `${JSON.stringify(token)}${colon}${raw}`
  const [there, last] = [items[index], items.at(-1)]
  const gap = separatorIn(text, container, items)
  if (there !== undefined) return splice(text, { start: there.start, end: there.start }, `${item},${gap}`)
  if (last !== undefined) return splice(text, { start: last.end, end: last.end }, `,${gap}${item}`)
  return splice(text, { start: container.start + 1, end: container.end - 1 }, item)
}

const splice = (text: string, { start, end }: Span, put: string): string => text.slice(0, start) + put + text.slice(end)
