/** How a planner lays out JSON, read off what it wrote, so that what we put beside it looks like it. */
import { isObject, type Json } from "../text/json.ts"
import type { Span } from "../text/source.ts"

/** On one line, or with each item on a line of its own. All but `lines` is white space round the signs. */
export interface Layout {
  readonly colon: string
  readonly comma: string
  /** Within braces. */
  readonly pad: string
  /** The space that begins a new line at the level of the thing itself, and what each level adds. */
  readonly lines: { readonly begin: string; readonly unit: string } | undefined
}

/** The layout of an array or object that stands in a text; of any other value, that of the text. */
export function layoutOf(text: string, { start, end }: Span): Layout {
  const itself = text.slice(start, end)
  const model = /^[[{]/.test(itself) ? itself : text
  const [, lead = ""] = /^[[{]([ \t\r\n]*)/.exec(model) ?? []
  const spaced = /":[ \t]*[^ \t]/.exec(model) ?? /":[ \t]*[^ \t]/.exec(text)
  const colon = spaced === null ? ": " : spaced[0].slice(1, -1)
  const comma = /\s$/.test(colon) ? ", " : ","
  if (model !== itself || !lead.includes("\n")) {
    return {
      colon,
      comma,
      pad: model === itself && !lead.includes("\n") && model.startsWith("{") ? lead : "",
      lines: undefined,
    }
  }
  const indent = lineStart(text, start)
  const inner = lead.slice(lead.lastIndexOf("\n") + 1)
  const unit = inner.startsWith(indent) && inner.length > indent.length ? inner.slice(indent.length) : "  "
  return { colon, comma, pad: "", lines: { begin: `${lead.includes("\r\n") ? "\r\n" : "\n"}${indent}`, unit } }
}

/** The space that the line of an offset begins with. */
function lineStart(text: string, offset: number): string {
  const [indent = ""] = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset)) ?? []
  return indent
}

export function write(value: Json, { colon, comma, pad, lines }: Layout, level = 0): string {
  const items = Array.isArray(value)
    ? value.map((item: Json) => write(item, { colon, comma, pad, lines }, level + 1))
    : isObject(value)
      ? Object.entries(value).map(
          ([key, item]) => `${JSON.stringify(key)}${colon}${write(item, { colon, comma, pad, lines }, level + 1)}`,
        )
      : undefined
  if (items === undefined) return JSON.stringify(value)
  const [opening, closing] = Array.isArray(value) ? "[]" : "{}"
  if (items.length === 0) return `${opening}${closing}`
  if (lines !== undefined) {
    const at = (depth: number): string => lines.begin + lines.unit.repeat(depth)
    return `${opening}${at(level + 1)}${items.join(`,${at(level + 1)}`)}${at(level)}${closing}`
  }
  const space = Array.isArray(value) ? "" : pad
  return `${opening}${space}${items.join(comma)}${space}${closing}`
}

/** The space between two items of an array or object, after the comma. */
export function separatorIn(text: string, container: Span, [first, second]: readonly Span[]): string {
  if (first === undefined) return ""
  if (second !== undefined) return text.slice(first.end, second.start).replace(/^[^,]*,/, "")
  const lead = text.slice(container.start + 1, first.start)
  return lead.includes("\n") ? lead : layoutOf(text, container).comma.slice(1)
}
