/**
 * `npm run prove:crash -- --seed 7 --steps 2`: every crash point of every plan of up to so many steps over the zoo.
 *   --least 2          no plans of fewer steps
 *   --crashes 1        no second crash, in recovery
 *   --killed 1         in the first crash a process is killed at each point, in the second at one of `--one-of` points that the
 *                      seed chooses; the others are copied from a life that goes on (see `explore`)
 *   --plans N, --seconds N   a sample by seed
 *   --part 2/3, --from N     the second of three parts; without the first N plans of it: to go on with what was ended
 *   --plan do_told,refuse    this one
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { choose, countPlans, partOf } from "./choose.ts"
import { prove, tellViolation } from "./proof.ts"
import { callable } from "./zoo.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    steps: { type: "string", default: "2" },
    least: { type: "string", default: "1" },
    crashes: { type: "string", default: "2" },
    killed: { type: "string" },
    "one-of": { type: "string", default: "50" },
    plans: { type: "string" },
    seconds: { type: "string" },
    part: { type: "string", default: "1/1" },
    from: { type: "string", default: "0" },
    jobs: { type: "string", default: String(availableParallelism()) },
    plan: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
})

const refuse = (problem: string): never => {
  console.error(problem)
  process.exit(2)
}

const count = (name: Exclude<keyof typeof values, "verbose">, least: number): number => {
  const value = values[name]
  const number = value === undefined ? Number.POSITIVE_INFINITY : Number(value)
  if (value === undefined || (Number.isSafeInteger(number) && number >= least)) return number
  return refuse(`--${name} takes a whole number, ${least} or more`)
}

const [seed, least, crashes, jobs] = [count("seed", 0), count("least", 1), count("crashes", 1), count("jobs", 1)]
const [steps, from, killOneOf] = [count("steps", least), count("from", 0), count("one-of", 1)]
const [plans, seconds] = [count("plans", 1), count("seconds", 1)]
const killedIn = Math.min(count("killed", 0), crashes)
const [part = 0, parts = 0] = (/^(\d+)\/(\d+)$/.exec(values.part) ?? []).slice(1).map(Number)
if (!(part >= 1 && part <= parts)) refuse("--part takes which one of how many, as 2/3")
const one = values.plan?.split(",")
const strange = one?.find((tool) => !callable.includes(tool))
if (strange !== undefined) refuse(`--plan takes tools of the zoo, with commas between them; ${strange} is none`)

console.log(`seed ${seed}`)
const possible = one === undefined ? countPlans(least, steps) : 1
const proof = await prove(one === undefined ? partOf(choose(seed, least, steps), part, parts, from) : [one], {
  bounds: { crashes, gaps: ["late", "soon"], killedIn, killOneOf, seed },
  jobs,
  plansMax: Math.min(plans, possible),
  untilMs: performance.now() + seconds * 1_000,
  onPlan: (shape, { points, killed, copied, states, violations }, done) => {
    for (const violation of violations) console.log(tellViolation(violation))
    if (one !== undefined || values.verbose || done % 100 === 0)
      console.log(
        `${from + done} plans; last ${shape.join(",")}: ${points} points, ${killed} killed, ${copied} copied, ${states} states`,
      )
  },
})
const { counts, tookMs } = proof
console.log(
  `${proof.plans} of ${possible} plans of ${least === steps ? "" : least === 1 ? "up to " : `${least} to `}${steps} steps, ` +
    `up to ${crashes} crashes each: ${counts.killed} processes killed, ${counts.copied} crashes copied, ` +
    `${counts.states} states gone on from`,
)
console.log(
  `${proof.lives} lives in ${Math.round(tookMs / 1_000)} s, ${Math.round((tookMs * jobs) / proof.lives)} ms each`,
)
console.log(`${counts.points} points, ${proof.violations.length} violations`)
process.exitCode = proof.violations.length === 0 ? 0 : 1
