/** One thing that differs between two declarations, in words; and how plain data is compared. */
import { canonical } from "../text/canonical.ts"
import { isObject, type Json } from "../text/json.ts"
import { clip } from "./schema/show.ts"

/** What it was and what it is, in a few words. Null on one side: it was added, or removed. */
export interface Change {
  /** Where in the part: "params /amountInCents maximum", "timeoutMs". */
  readonly what: string
  readonly before: string | null
  readonly after: string | null
}

/** Member by member; lists as sets, or by their order where only that differs. */
export function compareValues(what: string, before: Json | undefined, after: Json | undefined): readonly Change[] {
  if (before === undefined || after === undefined)
    return before === after ? [] : [{ what, before: sayMaybe(before), after: sayMaybe(after) }]
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) =>
      compareValues(`${what} ${key}`.trim(), memberOf(before, key), memberOf(after, key)),
    )
  }
  if (canonical(before) === canonical(after)) return []
  if (!Array.isArray(before) || !Array.isArray(after)) return [{ what, before: say(before), after: say(after) }]
  const changes = compareSets(what, before, after)
  return changes.length > 0 ? changes : [{ what: `${what} order`, before: say(before), after: say(after) }]
}

export function compareSets(what: string, before: readonly Json[], after: readonly Json[]): readonly Change[] {
  const [one, other] = [
    new Set(before.map((value) => canonical(value))),
    new Set(after.map((value) => canonical(value))),
  ]
  return [
    ...before.filter((item) => !other.has(canonical(item))).map((item) => ({ what, before: say(item), after: null })),
    ...after.filter((item) => !one.has(canonical(item))).map((item) => ({ what, before: null, after: say(item) })),
  ]
}

const memberOf = (value: { readonly [key: string]: Json }, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined

const sayMaybe = (value: Json | undefined): string | null => (value === undefined ? null : say(value))

function say(value: Json): string {
  if (typeof value === "string") return clip(value)
  if (value === null) return "none"
  if (Array.isArray(value)) return clip(value.map(say).join(", "))
  return typeof value === "object" ? clip(canonical(value)) : String(value)
}
