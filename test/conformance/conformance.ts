/** Every suite of other people's plans, as rows of one table. */
import { bfclRows } from "./bfcl.ts"
import { idRows } from "./ids.ts"
import { nestfulRows } from "./nestful.ts"
import { retailRows } from "./retail.ts"
import { isControl, mutantRows } from "./retail-mutants.ts"
import { type Row, rowOf } from "./suite.ts"
import { writtenRows } from "./written-plans.ts"

export interface Conformance {
  readonly rows: readonly Row[]
  /** By kind; summed up in `rows`. */
  readonly mutants: readonly Row[]
}

/** `share`: mutants of each kind made of each plan. */
export function conform(share: number): Conformance {
  const mutants = safely("tau-bench retail, mutants", () => mutantRows(share))
  const sums = [
    sumOf(
      "tau-bench retail, mutants",
      mutants.filter((row) => !isControl(row)),
    ),
    sumOf("tau-bench retail, changes that do no harm", mutants.filter(isControl)),
  ].filter(({ cases, unexplained }) => cases + unexplained.length > 0)
  const retail = safely("tau-bench retail", retailRows)
  const others = [
    ...safely("BFCL", bfclRows),
    ...safely("NESTFUL", nestfulRows),
    ...safely("plans written by a small model", writtenRows),
    ...safely("attacks and reports", idRows),
  ]
  return { rows: [...retail, ...sums, ...others], mutants }
}

/** Data that cannot be read is a finding like any other. */
function safely(suite: string, rows: () => readonly Row[]): readonly Row[] {
  try {
    return rows()
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    return [{ ...rowOf(suite, []), unexplained: [`could not be read: ${why}`] }]
  }
}

const sumOf = (suite: string, rows: readonly Row[]): Row => {
  const sum = (count: (row: Row) => number): number => rows.reduce((all, row) => all + count(row), 0)
  return {
    suite,
    cases: sum(({ cases }) => cases),
    accepted: sum(({ accepted }) => accepted),
    refused: sum(({ refused }) => refused),
    explained: sum(({ explained }) => explained),
    unexplained: rows.flatMap(({ unexplained }) => unexplained),
  }
}
