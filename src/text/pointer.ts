/** An RFC 6901 JSON Pointer: "" is the whole document, "/steps/0/tool" a part of it. */
export type Pointer = string & { readonly Pointer: unique symbol }

export const root = "" as Pointer

/** The pointer one token further in. */
export function child(parent: Pointer, token: string | number): Pointer {
  if (typeof token === "number") return `${parent}/${token}` as Pointer
  return `${parent}/${escapeToken(token)}` as Pointer
}

/** RFC 6901, section 4: "~1" is "/", then "~0" is "~". `undefined` where the text is no pointer. */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text === "") return []
  if (text.charCodeAt(0) !== 0x2f) return undefined
  if (!text.includes("~")) return text.includes("/", 1) ? text.slice(1).split("/") : [text.slice(1)]
  if (/~(?![01])/.test(text)) return undefined
  return text
    .slice(1)
    .split("/")
    .map((token) => (token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token))
}

export const formatPointer = (tokens: readonly (string | number)[]): Pointer => tokens.reduce<Pointer>(child, root)

function escapeToken(token: string): string {
  for (let at = 0; at < token.length; at++) {
    const code = token.charCodeAt(at)
    if (code === 0x7e || code === 0x2f) return token.replaceAll("~", "~0").replaceAll("/", "~1")
  }
  return token
}
