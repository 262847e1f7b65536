/** The lines of a planner's own text round a place, with the place underlined. The text is hostile, and may be one line of a
 *  megabyte: only what is shown is looked at. */
import { codeFrameColumns } from "@babel/code-frame"
import type { Range } from "../text/source.ts"
import type { Look } from "./look.ts"
import { type Cell, cells, cut, longest, widthOf } from "./printable.ts"

const linesAbove = 2
const linesBelow = 2

export function codeFrame(text: string, range: Range, look: Look): string {
  const start = within(range.start.offset, 0, text.length)
  const marked = lineAt(text, start)
  // A fault in an object of many lines is told at its first line.
  const end = within(range.end.offset, start, Math.max(start, marked.end))
  const above = linesBefore(text, marked.start)
  const below = linesAfter(text, marked.end)

  const line = within(range.start.line, above.length + 1, Number.MAX_SAFE_INTEGER)
  const room = Math.max(20, look.width - `${line + below.length}`.length - 5)
  const middle = centre(text.slice(marked.start, marked.end), start - marked.start, end - marked.start, room)
  const rows = [...above.map((raw) => whole(raw, room)), middle.row, ...below.map((raw) => whole(raw, room))]

  return draw(rows, line, above.length, middle.from, middle.to, look)
}

/** The frame library counts UTF-16 units where a terminal counts columns. So what is no single column of ASCII goes through it
 *  as one holder and some filler, and comes back afterwards; neither can be in the text, where both would have been escaped. */
const holder = "\ue000"
const filler = "\ue001"

function draw(rows: readonly (readonly Cell[])[], line: number, above: number, from: number, to: number, look: Look) {
  const held: string[] = []
  const hold = ({ shown, width }: Cell): string => {
    if (shown.length === width) return shown
    held.push(shown)
    return holder + filler.repeat(Math.max(0, width - 1))
  }
  const drawn = codeFrameColumns(
    // A caret just past the end of a line needs a column to stand in.
    rows.map((row) => `${row.map(hold).join("")} `).join("\n"),
    { start: { line, column: from }, end: { line, column: to } },
    { startLine: line - above, linesAbove, linesBelow, forceColor: look.color },
  )
  let next = 0
  return drawn
    .replaceAll(filler, "")
    .replaceAll(holder, () => held[next++] ?? "")
    .replace(/ +$/gm, "")
}

interface Line {
  readonly start: number
  readonly end: number
}

/** Lines end in \n, \r\n or a lone \r, as the reader counts them. */
const isBreak = (text: string, at: number): boolean => text[at] === "\n" || text[at] === "\r"

function lineAt(text: string, offset: number): Line {
  // Between the two characters of one break is still the line before it.
  let start = text[offset] === "\n" && text[offset - 1] === "\r" ? offset - 1 : offset
  let end = start
  while (start > 0 && !isBreak(text, start - 1)) start--
  while (end < text.length && !isBreak(text, end)) end++
  return { start, end }
}

function linesBefore(text: string, start: number): readonly string[] {
  const lines: string[] = []
  for (let before = start - 1; before >= 0 && lines.length < linesAbove; ) {
    const line = lineAt(text, before)
    lines.unshift(text.slice(line.start, line.end))
    before = line.start - 1
  }
  return lines
}

function linesAfter(text: string, end: number): readonly string[] {
  const lines: string[] = []
  for (let next = afterBreak(text, end); next < text.length && lines.length < linesBelow; ) {
    const line = lineAt(text, next)
    lines.push(text.slice(line.start, line.end))
    next = afterBreak(text, line.end)
  }
  return lines
}

const afterBreak = (text: string, end: number): number => end + (text.startsWith("\r\n", end) ? 2 : 1)

/** A line from its start, as much as there is room for. Tabs that indent are spaces; others are shown. */
function whole(raw: string, room: number): readonly Cell[] {
  return cut(cells(indented(raw.slice(0, (room + 1) * longest))), room)
}

const indented = (raw: string): string => raw.replace(/^\t+/, (tabs) => "  ".repeat(tabs.length))

/** A line round the part from `start` to `end`: what is before it gives way first, but keeps half the room if it needs it. */
function centre(raw: string, start: number, end: number, room: number) {
  const reach = (room + 1) * longest
  const ahead = raw.slice(Math.max(0, start - reach), start)
  const before = cells(start <= reach ? indented(ahead) : ahead)
  const marked = cells(raw.slice(start, Math.min(end, start + reach)))
  const after = cells(raw.slice(end, end + reach))
  const spare = Math.min(widthOf(after), Math.floor(room / 4))
  const left = cut(before, Math.max(room - widthOf(marked) - spare, Math.floor(room / 2)), "end")
  const from = widthOf(left)
  const whole = [...marked, ...after]
  const right = cut(whole, room - from)
  // Where the part itself was cut, its last cell is the mark of that, and nothing of the text.
  const seen = right === whole ? marked.length : Math.min(marked.length, right.length - 1)
  return { row: [...left, ...right], from, to: from + widthOf(right.slice(0, seen)) }
}

const within = (value: number, least: number, most: number): number =>
  Number.isFinite(value) ? Math.min(most, Math.max(least, Math.trunc(value))) : least
