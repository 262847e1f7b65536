/** A JSON value as TypeScript: as an expression, of which each line is one value's, and as a type. */
import { writeOut } from "../../text/escape.ts"
import { isObject, type Json } from "../../text/json.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"

export interface Literal {
  readonly lines: readonly string[]
  /** By line, the value on it. */
  readonly places: readonly Pointer[]
}

/** tsc speaks of a property by the line that it begins on: here no two begin on the same one. */
export function writeLiteral(value: Json): Literal {
  const lines: string[] = []
  const places: Pointer[] = []
  const put = (line: string, at: Pointer): void => {
    lines.push(line)
    places.push(at)
  }
  const write = (one: Json, before: string, after: string, at: Pointer): void => {
    if (Array.isArray(one)) {
      put(`${before}[`, at)
      for (const [index, item] of one.entries()) write(item, "", ",", child(at, index))
      put(`]${after}`, at)
    } else if (isObject(one)) {
      put(`${before}{`, at)
      for (const [key, member] of Object.entries(one)) write(member, `${quote(key)}: `, ",", child(at, key))
      put(`}${after}`, at)
    } else put(`${before}${scalar(one)}${after}`, at)
  }
  write(value, "", "", root)
  return { lines, places }
}

/** The type that holds this value and no other, as a declaration has it. */
export function writeType(value: Json, indent = ""): string {
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return "readonly []"
    const items = value.map((item: Json) => `\n${inner}${writeType(item, inner)},`)
    return `readonly [${items.join("")}\n${indent}]`
  }
  if (!isObject(value)) return scalar(value)
  const members = Object.entries(value).map(
    ([key, member]) => `\n${inner}readonly ${quote(key)}: ${writeType(member, inner)}`,
  )
  return members.length === 0 ? "{}" : `{${members.join("")}\n${indent}}`
}

const scalar = (value: Json): string => (typeof value === "string" ? quote(value) : JSON.stringify(value))

/** To TypeScript these two end a line. */
const quote = (text: string): string => JSON.stringify(text).replace(/[\u2028\u2029]/g, writeOut)
