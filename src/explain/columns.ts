/** Rows under a head, in columns that line up whatever characters stand in them. */
import stringWidth from "string-width"
import { type Look, paint } from "./look.ts"
import { pad } from "./printable.ts"

/** Each cell is one line or several. */
export type Row = readonly (readonly string[])[]

const gap = "  "

export function drawColumns(head: Row, rows: readonly Row[], look: Look): readonly string[] {
  const widths = head.map((_, column) =>
    [head, ...rows]
      .flatMap((row) => row[column] ?? [])
      .reduce((widest, text) => Math.max(widest, stringWidth(text)), 0),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, column) => pad(text, widths[column] ?? 0))
      .join(gap)
      .trimEnd()
  const lines = (row: Row): readonly string[] =>
    Array.from({ length: Math.max(1, ...row.map((cell) => cell.length)) }, (_, index) =>
      line(row.map((cell) => cell[index] ?? "")),
    )
  const rule = widths.map((width) => "─".repeat(width)).join(gap)
  return [...lines(head).map((text) => paint(look, "bold", text)), paint(look, "dim", rule), ...rows.flatMap(lines)]
}
