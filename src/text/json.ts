/** A JSON value (RFC 8259) as the reader gives it: no undefined, no NaN, no holes. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a value is, for messages: in JSON's own words, as far as it is JSON. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return `${value}`
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object") return "an object"
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a number"
  return `a ${typeof value}`
}

/** Makes a member an object's own, as JSON.parse does, also where the host has frozen Object.prototype or given it a setter. */
export function setMember(object: Record<string, Json>, key: string, value: Json): void {
  if (key in object) Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}
