/**
 * `npm run prove:crash -- --seed 7 --steps 2`: every crash point of every plan of up to so many steps over the zoo.
 * `--plans N` and `--seconds N` try a sample by seed, `--crashes 1` leaves out the second crash, and `--plan do_told,refuse` tries one.
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { choose, countPlans } from "./choose.ts"
import { prove, tellViolation } from "./proof.ts"
import { callable } from "./zoo.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    steps: { type: "string", default: "2" },
    crashes: { type: "string", default: "2" },
    plans: { type: "string" },
    seconds: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism()) },
    plan: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
})

const count = (name: Exclude<keyof typeof values, "verbose">, least: number): number => {
  const value = values[name]
  const number = value === undefined ? Number.POSITIVE_INFINITY : Number(value)
  if (value === undefined || (Number.isSafeInteger(number) && number >= least)) return number
  console.error(`--${name} takes a whole number, ${least} or more`)
  process.exit(2)
}

const [seed, steps, crashes, jobs] = [count("seed", 0), count("steps", 1), count("crashes", 1), count("jobs", 1)]
const [plans, seconds] = [count("plans", 1), count("seconds", 1)]
const one = values.plan?.split(",")
const strange = one?.find((tool) => !callable.includes(tool))
if (strange !== undefined) {
  console.error(`--plan takes tools of the zoo, with commas between them; ${strange} is none`)
  process.exit(2)
}

console.log(`seed ${seed}`)
const possible = one === undefined ? countPlans(steps) : 1
const proof = await prove(one === undefined ? choose(seed, steps) : [one], {
  crashes,
  jobs,
  plansMax: Math.min(plans, possible),
  untilMs: performance.now() + seconds * 1_000,
  onPlan: (shape, { points, killed, states, violations }, done) => {
    for (const violation of violations) console.log(tellViolation(violation))
    if (one !== undefined || values.verbose || done % 100 === 0)
      console.log(`${done} plans; last ${shape.join(",")}: ${points} points, ${killed} killed, ${states} states`)
  },
})
console.log(
  `${proof.plans} of ${possible} plans of up to ${steps} steps, up to ${crashes} crashes each; ` +
    `${proof.killed} processes killed, ${proof.lives} lives in ${Math.round(proof.tookMs / 1_000)} s ` +
    `(${Math.round((proof.tookMs * jobs) / proof.lives)} ms each)`,
)
console.log(`${proof.points} points, ${proof.violations.length} violations`)
process.exitCode = proof.violations.length === 0 ? 0 : 1
