/** Every count of the compiler against what no one here wrote, as sections of one table. */
import { attackColumns, attackLines, taskColumns, taskLines } from "../agentdojo/rows.ts"
import { recordedRows } from "../prove/recorded/recorded.ts"
import { bfclRows } from "./bfcl.ts"
import { formColumns, formLines, mendedColumns, mendedLines, secondCompilerLines } from "./compilers.ts"
import { idRows } from "./ids.ts"
import { nestfulRows } from "./nestful.ts"
import { retailRows } from "./retail.ts"
import { isControl, mutantRows } from "./retail-mutants.ts"
import { proofLines, redosRows, suiteRows, textRows } from "./schemas.ts"
import type { Sizes } from "./sizes.ts"
import type { Row } from "./suite.ts"
import { lineOf, type Section, sectionFrom, sectionOf } from "./table.ts"
import { writtenRows } from "./written-plans.ts"

export const conform = ({ seed, mutants, pairs, plans }: Sizes): readonly Section[] => [
  section("Text and schemas", () => [...textRows(), ...suiteRows(), ...redosRows()]),
  sectionFrom("Random schemas: shape beside validator", () => ({
    ...sectionOf("Random schemas: shape beside validator", [], inPairs),
    lines: proofLines(pairs, seed),
  })),
  ...plansOfOthers(mutants, seed),
  sectionFrom("The compiler and a second, naive one", () => ({
    ...sectionOf("The compiler and a second, naive one", [], ["plans", "accepted", "refused", "agreed", ""]),
    lines: secondCompilerLines(plans, seed),
  })),
  sectionFrom("Recorded runs, killed and resumed", () =>
    sectionOf("Recorded runs, killed and resumed", recordedRows(seed), ["runs", "as before", "otherwise", "right", ""]),
  ),
  sectionFrom("Faults mended by fixes alone", () => ({
    title: "Faults mended by fixes alone",
    columns: mendedColumns,
    lines: mendedLines(seed),
  })),
  sectionFrom("Arguments in the schema for planners", () => ({
    title: "Arguments in the schema for planners",
    columns: formColumns,
    lines: formLines(),
  })),
]

const inPairs = ["pairs", "accepted", "refused", "right", ""]

const userTasks = "AgentDojo, what users ask"
const injections = "AgentDojo, what injections ask"

const section = (title: string, rows: () => readonly Row[]): Section =>
  sectionFrom(title, () => sectionOf(title, rows()))

/** What the tests look at too. */
export const plansOfOthers = (mutants: number, seed: number): readonly Section[] => [
  section("tau-bench retail", retailRows),
  sectionFrom("Mutants of tau-bench plans", () => mutantSection(mutantRows(mutants, seed))),
  section("BFCL", bfclRows),
  section("NESTFUL", nestfulRows),
  section("Plans written by small models", writtenRows),
  sectionFrom(userTasks, () => ({ title: userTasks, columns: taskColumns, lines: taskLines() })),
  sectionFrom(injections, () => ({ title: injections, columns: attackColumns, lines: attackLines() })),
  sectionFrom("Attacks and reports", () =>
    sectionOf("Attacks and reports", idRows(), ["listed", "with test", "without", "right", ""]),
  ),
]

function mutantSection(rows: readonly Row[]): Section {
  const { lines, ...rest } = sectionOf("Mutants of tau-bench plans", rows, [
    "mutants",
    "accepted",
    "refused",
    "at place",
    "",
  ])
  const faulty = rows.filter((row) => !isControl(row))
  const sum = (countOf: (row: Row) => number): number => faulty.reduce((all, row) => all + countOf(row), 0)
  const all: Row = {
    suite: "all kinds that do harm",
    cases: sum(({ cases }) => cases),
    accepted: sum(({ accepted }) => accepted),
    refused: sum(({ refused }) => refused),
    explained: 0,
    unexplained: [],
  }
  const placed = faulty.reduce((left, { unexplained }) => left - unexplained.length, all.cases)
  const line = { ...lineOf(all), cells: [all.cases, all.accepted, all.refused, placed] }
  return { ...rest, lines: rows.length === 0 ? [] : [...lines, line] }
}
