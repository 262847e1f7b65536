/** `npm run bench`: every number that the README states, measured here and now. */
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"
import type { Pace } from "./harness.ts"
import { type Figures, isMet, printFigures, printTable, type Table } from "./report.ts"

/** Each part is loaded when it is raced, so that one can be looked at without the others. */
const races: Readonly<Record<string, (pace: Pace) => Promise<readonly Table[]>>> = {
  compile: async (pace) => (await import("./compile.ts")).benchCompile(pace),
  run: async (pace) => (await import("./run.ts")).benchRun(pace),
  gate: async (pace) => (await import("./gate.ts")).benchGate(pace),
  journal: async (pace) => (await import("./journal.ts")).benchJournal(pace),
}

const countCost = "cost"
const parts = [...Object.keys(races), countCost]

const usage = `Usage: npm run bench -- [${parts.join("] [")}] [--json] [--quick]

  --json   the tables as JSON
  --quick  a few short rounds: to see that it works, not to measure`

const steady: Pace = { rounds: 30, sampleMs: 15, warmMs: 1000 }
const quick: Pace = { rounds: 2, sampleMs: 1, warmMs: 1 }

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: "boolean" }, quick: { type: "boolean" }, help: { type: "boolean" } },
    })
    const unknown = positionals.find((name) => !parts.includes(name))
    if (unknown !== undefined) throw new Error(`there is no part \`${unknown}\``)
    return { ...values, names: positionals.length === 0 ? parts : positionals }
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    return process.exit(2)
  }
}

const { names, json, quick: isQuick, help } = readArguments()
if (help) {
  console.log(usage)
  process.exit(0)
}

const machine = {
  node: process.version,
  processor: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  load: loadavg()[0] ?? 0,
}
const tables: Table[] = []
const figures: Figures[] = []
if (!json) {
  const { node, processor, cores, load } = machine
  console.log(
    `Node ${node}, ${cores} × ${processor}, load ${load.toFixed(1)}. Times are the median of the rounds; trust the ratios.\n`,
  )
}
try {
  for (const name of names) {
    const measured = (await races[name]?.(isQuick ? quick : steady)) ?? []
    tables.push(...measured)
    if (!json) for (const table of measured) console.log(printTable(table))
  }
  if (names.includes(countCost)) figures.push(...(await (await import("./cost.ts")).countCosts(isQuick ? 50 : 5_000)))
  if (!json) for (const counted of figures) console.log(printFigures(counted))
} catch (error) {
  console.error(`The bench is wrong, not slow: ${(error as Error).message}`)
  process.exit(1)
}
if (json) {
  const told = tables.map(({ rows, ...table }) => ({
    ...table,
    rows: rows.map((row) => (row.aim === undefined ? row : { ...row, met: isMet(row, row.aim) })),
  }))
  console.log(JSON.stringify({ machine, tables: told, figures }, undefined, 2))
}
