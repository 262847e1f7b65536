/** Where references within one JSON Schema lead: local ones only, so that nothing is ever fetched or read from a disk. */
import { isObject, type Json, type JsonObject } from "../../../text/json.ts"
import { parsePointer } from "../../../text/pointer.ts"
import { quote } from "../show.ts"
import { type Draft, holdsOf } from "./keywords.ts"

/** A schema as a document, with the names of places in it. */
export interface Document {
  readonly root: Json
  readonly draft: Draft
  /** The root's own address. */
  readonly id: string | undefined
  /** Places by what `$anchor` calls them. */
  readonly anchors: ReadonlyMap<string, Json>
}

/** `onAddress` is told of schemas inside that have an address of their own, and so move what references mean. */
export function readDocument(root: Json, draft: Draft, onAddress: (what: string) => void): Document {
  const anchors = new Map<string, Json>()
  const look = (schema: Json): void => {
    if (!isObject(schema)) return
    const { $id: id, $anchor: anchor } = schema
    const isName = draft === "7" && typeof id === "string" && id.startsWith("#")
    if (typeof id === "string" && schema !== root && !isName) onAddress(`\`$id\` ${quote(id)} inside the schema`)
    if (isName) anchors.set(id.slice(1), schema)
    if (draft === "2020-12" && typeof anchor === "string") anchors.set(anchor, schema)
    for (const part of partsOf(schema, draft)) look(part)
  }
  look(root)
  const id = isObject(root) && typeof root.$id === "string" ? root.$id.replace(/#$/, "") : undefined
  return { root, draft, id, anchors }
}

export type Resolved =
  | { readonly ok: true; readonly target: JsonObject | boolean }
  | { readonly ok: false; readonly kind: "unsupported" | "not-a-schema"; readonly problem: string }

export function resolve(ref: string, { root, id, anchors }: Document): Resolved {
  const hash = ref.indexOf("#")
  const document = hash === -1 ? ref : ref.slice(0, hash)
  if (document !== "" && document !== id) {
    return { ok: false, kind: "unsupported", problem: "leads out of the schema, and nothing is fetched" }
  }
  const fragment = decode(hash === -1 ? "" : ref.slice(hash + 1))
  const target =
    fragment === undefined ? undefined : /^(?:\/|$)/.test(fragment) ? follow(root, fragment) : anchors.get(fragment)
  return typeof target === "boolean" || isObject(target)
    ? { ok: true, target }
    : { ok: false, kind: "not-a-schema", problem: "leads to no schema" }
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}

function follow(root: Json, pointer: string): Json | undefined {
  let at: Json | undefined = root
  for (const token of parsePointer(pointer) ?? ["no pointer"]) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, token)) return undefined
    at = (at as JsonObject)[token]
  }
  return at
}

/** All schemas in it, used or not. */
function partsOf(schema: JsonObject, draft: Draft): readonly Json[] {
  return Object.entries(schema).flatMap(([keyword, value]): readonly Json[] => {
    switch (holdsOf(keyword, draft)) {
      case "schema":
      case "schemas":
      case "items":
        return [value].flat() as readonly Json[]
      case "schema-by-name":
      case "schema-by-pattern":
      case "definitions":
      case "dependencies":
        return isObject(value) ? Object.values(value) : []
      default:
        return []
    }
  })
}
