/**
 * `npm run conformance`: the compiler against what no one here wrote, as one table. Exits 1 where anything is
 * unexplained. `SEQUITUR_DATA` names another folder of the same layout; what it lacks is named and left out.
 */
import { parseArgs } from "node:util"
import { dataFolder } from "../data.ts"
import { absent, hasNothing } from "./layout.ts"
import { renewReadme } from "./readme.ts"
import { type Sizes, sizes } from "./sizes.ts"
import { tableOf, unexplainedIn } from "./table.ts"

const shownMax = 50
const usage = `npm run conformance -- [options]
  --seed N       of all that is made at random (${sizes.seed})
  --mutants N    of each kind, of each plan of tau-bench (${sizes.mutants})
  --pairs N      of random schemas and values (${sizes.pairs})
  --plans N      for the compiler and the naive one (${sizes.plans})
  --judgements   print each deviation that was judged, with the reason
  --readme       write the table into README.md`

const number = { type: "string" } as const
const flag = { type: "boolean", default: false } as const
const options = { seed: number, mutants: number, pairs: number, plans: number, judgements: flag, readme: flag }

function readOptions() {
  try {
    const { values } = parseArgs({ options })
    const asked = Object.entries(sizes).map(
      ([name, size]) => [name, Number(values[name as keyof Sizes] ?? size)] as const,
    )
    const wrong = asked.find(([name, size]) => !Number.isSafeInteger(size) || size < (name === "seed" ? 0 : 1))
    if (wrong === undefined) return { ...values, sizes: Object.fromEntries(asked) as unknown as Sizes }
    console.error(`--${wrong[0]} takes a whole number from ${wrong[0] === "seed" ? 0 : 1}\n\n${usage}`)
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${usage}`)
  }
  process.exit(2)
}

const asked = readOptions()
if (hasNothing()) {
  console.error(`nothing to compile in ${dataFolder}: set SEQUITUR_DATA to a folder that holds plans`)
  process.exit(1)
}
const start = performance.now()
// Only now, so that a wrong option is told at once.
const { conform } = await import("./conformance.ts")
const { judgementsMet } = await import("./judged.ts")
const { explanations } = await import("../agentdojo/rows.ts")
const sections = conform(asked.sizes)
const table = tableOf(sections)
console.log(table)
if (asked.judgements)
  console.log(`\nJudged:\n${[...judgementsMet(), ...explanations()].map((one) => `- ${one}`).join("\n")}`)
const missing = absent()
if (missing.length > 0)
  console.log(`\nAbsent in ${dataFolder}, and left out:\n${missing.map((one) => `- ${one}`).join("\n")}`)
if (missing.length > 0 && process.env.SEQUITUR_DATA_REQUIRED === "1") process.exitCode = 1
const unexplained = unexplainedIn(sections)
if (unexplained.length > 0) {
  console.log(
    `\nUnexplained:\n${unexplained
      .slice(0, shownMax)
      .map((one) => `- ${one.slice(0, 1_000)}`)
      .join("\n")}`,
  )
  process.exitCode = 1
}
if (asked.readme) renewReadme(table)
const seconds = ((performance.now() - start) / 1_000).toFixed(1)
console.log(`\n${unexplained.length} unexplained, seed ${asked.sizes.seed}, ${seconds} s in all`)
