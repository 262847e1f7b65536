/** What a provider sent, read without trust: whatever is not there, or throws when it is looked at, is undefined. */

export function field(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined
  try {
    return Reflect.get(value, key)
  } catch {
    return undefined
  }
}

export const textIn = (value: unknown, key: string): string | undefined => {
  const found = field(value, key)
  return typeof found === "string" ? found : undefined
}

export const countIn = (value: unknown, key: string): number | undefined => {
  const found = field(value, key)
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : undefined
}

/** No answer of a model has as many parts: an array with holes may claim to be of any length. */
const partsMax = 100_000

/** The parts of a list, each looked at once; none where it is no list. */
export function partsOf(value: unknown): readonly unknown[] {
  if (!isList(value)) return []
  const length = countIn(value, "length") ?? 0
  return Array.from({ length: Math.min(length, partsMax) }, (_, index) => field(value, String(index)))
}

/** Asking a revoked proxy throws. */
export function isList(value: unknown): boolean {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}

/** What a provider says went wrong, where its answer is an error's body: `{ error: { message } }`, or Bedrock's `{ message }`. */
export function problemIn(response: unknown): string | undefined {
  const error = field(response, "error")
  const said = typeof error === "string" ? error : (textIn(error, "message") ?? textIn(response, "message"))
  return said === undefined || said === "" ? undefined : said.slice(0, problemLength).toWellFormed()
}

const problemLength = 1_000

export const isSomething = (value: unknown): value is object => typeof value === "object" && value !== null

/** An object with members, and no list. */
export const isMembers = (value: unknown): value is object => isSomething(value) && !isList(value)

/** With some fields in place of its own; of what cannot be copied only those. */
export function withFields<Fields extends object>(value: unknown, fields: Fields): Fields {
  try {
    return { ...(isSomething(value) ? value : {}), ...fields }
  } catch {
    return fields
  }
}

export const joined = (texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== "").join("\n")

/** Arguments that came as a value. A string among them is no JSON text, and is not to be read as one. */
export const asValue = (args: unknown): unknown => (typeof args === "string" ? JSON.stringify(args) : args)
