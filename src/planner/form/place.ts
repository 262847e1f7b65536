/** A place in a schema, with what its author says of it in words. */
import type { Schema } from "../../catalog/schema/schema.ts"
import type { JsonObject } from "../../text/json.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"

export interface Place {
  readonly at: Pointer
  readonly words: Schema["descriptions"]
}

export const start = ({ descriptions }: Schema): Place => ({ at: root, words: descriptions })

/** Of which nobody says anything. */
export const unsaid: Place = { at: root, words: new Map() }

export const inside = ({ at, words }: Place, token: string): Place => ({ at: child(at, token), words })

/** The schema of a place, with those words. */
export function describePlace(schema: JsonObject, { at, words }: Place): JsonObject {
  const said = words.get(at)
  if (said === undefined) return schema
  const { description } = schema
  return { ...schema, description: typeof description === "string" ? `${said} (${description})` : said }
}
