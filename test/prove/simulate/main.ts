/**
 * Deterministic simulation: one seed is one story, and the same story each time.
 *   npm run prove:simulate -- --seeds 10000 --seed 1
 */
import { parseArgs } from "node:util"
import { simulate, tellFailure } from "./simulate.ts"

const number = (text: string | undefined, name: string, least: number): number => {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= least) return value
  console.error(`--${name} takes a whole number from ${least}`)
  return process.exit(2)
}

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "10000" }, seed: { type: "string", default: "1" } },
})
const seeds = number(values.seeds, "seeds", 1)
const seed = number(values.seed, "seed", 0)
const beganMs = performance.now()
const told = await simulate(seed, seeds, (done) => {
  if (done % 10_000 === 0 && done < seeds) console.log(`${done} of ${seeds}`)
})
for (const failure of told.failures) console.log(tellFailure(failure))
const counted = [...told.counts].sort(([one], [other]) => (one < other ? -1 : 1))
console.log(counted.map(([what, times]) => `${what}: ${times}`).join(", "))
const seconds = (performance.now() - beganMs) / 1_000
console.log(
  `seeds ${seed} to ${seed + seeds - 1}: ${told.runs} runs, ${told.entries} entries, ${told.struck} faults, ${told.onDisk} stories on SQLite, in ${seconds.toFixed(1)} s`,
)
console.log(`${seeds} points, ${told.failed} violations`)
if (told.failed > 0) process.exitCode = 1
