/**
 * `npm run conformance`: other people's plans against the compiler, as one table. Exits 1 where anything is unexplained.
 * `SEQUITUR_DATA` names another folder of the same layout; what it lacks is left out.
 */
import { dataFolder, hasData } from "../data.ts"
import { conform } from "./conformance.ts"
import { judgementsAsTable } from "./judged.ts"
import { count, markdown, rowsAsTable } from "./suite.ts"

/** Of each kind and plan: more than 20,000 in all. */
const share = 4
const shownMax = 50

const { rows, mutants } = hasData ? conform(share) : { rows: [], mutants: [] }
if (rows.length === 0) {
  console.error(`nothing to compile in ${dataFolder}: set SEQUITUR_DATA to a folder that holds plans`)
  process.exit(1)
}
console.log(rowsAsTable(rows))
const lines = mutants.map(({ suite, cases, refused, unexplained }) => [
  suite,
  ...[cases, refused, Math.max(0, cases - unexplained.length)].map(count),
])
if (lines.length > 0)
  console.log(`\n${markdown(["kind of mutant", "mutants", "refused", "at the right place"], lines)}`)
const judged = judgementsAsTable()
if (judged !== "") console.log(`\n${judged}`)
const unexplained = rows.flatMap((row) => row.unexplained.map((one) => `- ${row.suite}: ${one.slice(0, 1_000)}`))
if (unexplained.length > 0) {
  console.log(`\nUnexplained: ${unexplained.length}\n${unexplained.slice(0, shownMax).join("\n")}`)
  process.exitCode = 1
}
