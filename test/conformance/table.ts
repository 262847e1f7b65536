/** All that is counted, as one table of sections that reads in 100 columns. */
import type { Row } from "./suite.ts"

export interface Section {
  readonly title: string
  /** Five of them, the last but `unexplained`; an empty name is an empty column. */
  readonly columns: readonly string[]
  readonly lines: readonly Line[]
}

export interface Line {
  readonly what: string
  readonly cells: readonly (number | string)[]
  /** By name, each that nothing explains. */
  readonly unexplained: readonly string[]
}

const verdicts = ["cases", "accepted", "refused", "right", "judged"]

/** Of cases that are accepted or refused. What is neither judged nor unexplained is as it should be. */
export const lineOf = ({ suite, cases, accepted, refused, explained, unexplained }: Row): Line => ({
  what: suite,
  cells: [cases, accepted, refused, Math.max(0, cases - explained - unexplained.length), explained],
  unexplained,
})

export const sectionOf = (title: string, rows: readonly Row[], columns = verdicts): Section => ({
  title,
  columns,
  lines: rows.map(lineOf),
})

/** Data that cannot be read is a finding like any other. */
export function sectionFrom(title: string, read: () => Section): Section {
  try {
    return read()
  } catch (thrown) {
    const [why = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n")
    return { title, columns: verdicts, lines: [{ what: "could not be read", cells: [], unexplained: [why] }] }
  }
}

const whatWidth = 42
const widths = [8, 10, 10, 10, 8, 12]

const count = (cell: number | string): string => (typeof cell === "number" ? cell.toLocaleString("en-GB") : cell)

const row = (what: string, cells: readonly (number | string)[]): string =>
  (what.padEnd(whatWidth) + widths.map((width, index) => count(cells[index] ?? "").padStart(width)).join("")).trimEnd()

export const unexplainedIn = (sections: readonly Section[]): readonly string[] =>
  sections.flatMap(({ title, lines }) =>
    lines.flatMap(({ what, unexplained }) => unexplained.map((one) => `${title}, ${what}: ${one}`)),
  )

export const tableOf = (sections: readonly Section[]): string =>
  sections
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, columns, lines }) =>
      [
        row(title, [...columns, "unexplained"]),
        "─".repeat(whatWidth + widths.reduce((sum, width) => sum + width)),
        ...lines.map(({ what, cells, unexplained }) =>
          row(what, [
            ...columns.map((column, index) => (column === "" ? "" : (cells[index] ?? ""))),
            unexplained.length,
          ]),
        ),
      ].join("\n"),
    )
    .join("\n\n")
