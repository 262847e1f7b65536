/** What was measured, as Markdown for people. As JSON it is the tables as they are. */
import type { Standing } from "./harness.ts"

export interface Table {
  readonly title: string
  /** What is done one time. */
  readonly unit: string
  readonly about: string
  /** All are held against the first. */
  readonly rows: readonly Row[]
}

export interface Row extends Standing {
  readonly aim?: { readonly ratioMax: number }
}

/** What was counted. */
export interface Figures {
  readonly title: string
  readonly about: string
  readonly figures: readonly { readonly name: string; readonly value: number; readonly max: number }[]
}

/** The times of one of several units that are done in one go. */
export const perUnit = (standings: readonly Standing[], units: number): readonly Standing[] =>
  standings.map((standing) => ({ ...standing, microseconds: standing.microseconds / units }))

export const isMet = ({ ratio }: Standing, { ratioMax }: { readonly ratioMax: number }): boolean => ratio <= ratioMax

export function printTable({ title, unit, about, rows }: Table): string {
  const base = rows[0]?.name ?? ""
  return [
    `## ${title}`,
    "",
    about,
    "",
    `| | µs a ${unit} | ${unit}s a second | × ${base} | best ÷ best | aim |`,
    "|---|---:|---:|---:|---:|---|",
    ...rows.map(printRow),
    "",
  ].join("\n")
}

export function printFigures({ title, about, figures }: Figures): string {
  const rows = figures.map(
    ({ name, value, max }) =>
      `| ${name} | ${value.toLocaleString("en", { maximumFractionDigits: 2 })} | ≤ ${max.toLocaleString("en")}: ${value <= max ? "met" : "not met"} |`,
  )
  return [`## ${title}`, "", about, "", "| | counted | aim |", "|---|---:|---|", ...rows, ""].join("\n")
}

function printRow(row: Row): string {
  const { name, microseconds, ratio, bestRatio, aim } = row
  const perSecond = Math.round(1e6 / microseconds).toLocaleString("en")
  const said = aim === undefined ? "" : `≤ ${aim.ratioMax} ×: ${isMet(row, aim) ? "met" : "not met"}`
  return `| ${name} | ${round(microseconds)} | ${perSecond} | ${ratio.toFixed(2)} | ${bestRatio.toFixed(2)} | ${said} |`
}

/** Three digits that mean something. */
const round = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))
