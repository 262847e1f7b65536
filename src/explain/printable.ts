/** Text from a planner, a tool or a catalog, made safe to show: what a terminal would obey or hide is written out instead. */
import stringWidth from "string-width"
import { hidden, writeOut } from "../text/escape.ts"

/** All that is hidden; and accents that would pile up over the lines around them, or onto whatever we print before them. */
const unsafe = new RegExp(`[${hidden}]|^\\p{M}|(?<=\\p{M}{4})\\p{M}`, "gv")

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" }

/** The same text with everything unsafe as a visible escape (`\u001b`). Plain text comes back as it is, on one line. */
export const printable = (text: string): string => text.replace(unsafe, writeShort)

const writeShort = (character: string): string => short[character] ?? writeOut(character)

/** One character as a reader counts them, ready to show, and the columns it takes. */
export interface Cell {
  readonly shown: string
  readonly width: number
}

const segmenter = new Intl.Segmenter()

export function cells(text: string): readonly Cell[] {
  return Array.from(segmenter.segment(text), ({ segment }) => {
    const shown = printable(segment)
    return { shown, width: stringWidth(shown) }
  })
}

/** What fits of a row of cells, from its start or its end, with `…` where it was cut. */
export function cut(row: readonly Cell[], room: number, keep: "start" | "end" = "start"): readonly Cell[] {
  if (widthOf(row) <= room) return row
  const kept: Cell[] = []
  let left = room - 1
  for (const cell of keep === "start" ? row : row.toReversed()) {
    if (cell.width > left) break
    left -= cell.width
    kept.push(cell)
  }
  if (room > 0) kept.push({ shown: "…", width: 1 })
  return keep === "start" ? kept : kept.reverse()
}

export const widthOf = (row: readonly Cell[]): number => row.reduce((sum, { width }) => sum + width, 0)

/** Safe to show, and no wider than `room` columns. */
export function clip(text: string, room: number): string {
  // Each character takes a column or more, and none that is shown as itself is longer than this: the rest cannot fit.
  const reach = text.slice(0, (room + 1) * longest)
  return cut(cells(reach), room)
    .map(({ shown }) => shown)
    .join("")
}

/** UTF-16 units of the longest character kept together: a letter with its accents, an emoji of several. */
export const longest = 16

/** Fills up with spaces to `room` columns. The text must be safe already; colours in it take no room. */
export const pad = (text: string, room: number, side: "left" | "right" = "right"): string => {
  const spaces = " ".repeat(Math.max(0, room - stringWidth(text)))
  return side === "right" ? text + spaces : spaces + text
}
