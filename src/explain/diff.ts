/** What became of a text, as a unified diff: for eyes, and for `patch` where nothing in it had to be written out or cut. */
import { structuredPatch } from "diff"
import { type Look, paint } from "./look.ts"
import { printable } from "./printable.ts"

/** Lines that may be gone or new. The work grows with their square; whoever needs more has the two texts. */
const linesMax = 2_000
/** UTF-16 units of a line that is shown whole: many planners write a whole plan on one. */
const longest = 1_000
/** UTF-16 units shown on both sides of what changed in a longer one. */
const around = 80

/** Empty where nothing changed. */
export function explainDiff(before: string, after: string, name: string, look: Look): string {
  if (before === after) return ""
  const patch = structuredPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: linesMax,
  })
  const file = printable(name)
  const head = [paint(look, "bold", `--- ${file}`), paint(look, "bold", `+++ ${file}`)]
  if (patch === undefined) return [...head, `(more than ${linesMax} lines change)`].join("\n")
  const hunks = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    paint(look, "cyan", `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines.map((line) => explainLine(line, windowOf(line, lines), look)),
  ])
  return [...head, ...hunks].join("\n")
}

function explainLine(line: string, shown: Window, look: Look): string {
  const [sign, text] = [line.charAt(0), line.slice(1).replace(/\r$/, "")]
  const format = ({ "-": "red", "+": "green" } as const)[sign]
  const said = sign + printable(text.length > longest ? cutTo(text, shown) : text)
  return format === undefined ? said : paint(look, format, said)
}

interface Window {
  readonly from: number
  readonly to: number
}

/** The part of a line that is worth seeing: where one line became another, what is not the same in both. */
function windowOf(line: string, lines: readonly string[]): Window {
  const changed = line.length <= longest ? [] : lines.filter((one) => /^[-+]/.test(one))
  const index = changed.indexOf(line)
  const other = line.startsWith("-") ? changed[index + 1] : changed[index - 1]
  if (index < 0 || other === undefined || other.charAt(0) === line.charAt(0)) return { from: 0, to: longest }
  const [one, two] = [line.slice(1), other.slice(1)]
  let start = 0
  while (start < one.length && one[start] === two[start]) start++
  let tail = 0
  while (tail < one.length - start && tail < two.length - start && one.at(-1 - tail) === two.at(-1 - tail)) tail++
  const from = Math.max(0, start - around)
  return { from, to: Math.min(one.length - tail + around, from + longest) }
}

const cutTo = (text: string, { from, to }: Window): string =>
  `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`
