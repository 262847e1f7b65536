/**
 * `npm run bench:types`: what tsc does for a plan, by its size and its catalog's, on TypeScript 7, 6 and 5.9, and how long an
 * editor waits. Fails where it does more than it may. `--versions 7,6` asks those alone.
 */
import { parseArgs } from "node:util"
import { bounds, perStep } from "./bounds.ts"
import { measureLatency } from "./latency.ts"
import { type Cost, measure } from "./measure.ts"
import { type Version, versions } from "./project.ts"

const { values } = parseArgs({ options: { versions: { type: "string", default: versions.join() } } })
const isVersion = (name: string): name is Version => versions.some((version) => version === name)
const asked = values.versions.split(",")
const chosen = asked.filter(isVersion)
if (chosen.length < asked.length) {
  console.error(`there is no version ${asked.find((name) => !isVersion(name))}: choose of ${versions.join()}`)
  process.exit(2)
}
const catalogs = [5, 50, 200]
const plans = [5, 20, 100, 300, 1_000, 2_000]

const failures: string[] = []
const demand = (what: string, found: number, most: number): void => {
  const verdict = `${what}: ${found.toLocaleString("en")}, at most ${most.toLocaleString("en")}`
  console.log(verdict)
  if (!(found <= most)) failures.push(verdict)
}

for (const version of chosen) bench(version)
if (chosen.includes("7")) {
  const { first, completion, hover } = await measureLatency(50, 100)
  console.log(
    `An editor in a plan of 100 steps, 50 tools: ${ms(first)} until its first answer; after a keystroke ${ms(completion)} to complete, ${ms(hover)} to tell what is pointed at`,
  )
}
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1

/** The seconds are those above the bare catalog's. */
function bench(version: Version): void {
  console.log(`TypeScript ${version}`)
  console.log("tools  steps  instantiations  per step  seconds  MB")
  for (const tools of catalogs) {
    const bare = measured(version, tools, 0)
    print(tools, 0, bare.instantiations, "", bare.seconds, bare.megabytes)
    // tsc gives up at five million instantiations for one expression.
    for (const steps of tools === 50 ? [...plans, 4_000] : plans) {
      const cost = measured(version, tools, steps)
      const each = perStep(cost, bare, steps)
      print(tools, steps, cost.instantiations, String(each), cost.seconds - bare.seconds, cost.megabytes)
      if (tools === 50 && steps === 1_000) demand("instantiations for a step", each, bounds.perStep)
    }
  }
  const none = measured(version, 0, 0).instantiations
  const byTypeBox = measured(version, 200, 0, "typebox").instantiations - none
  console.log(`200 tools by TypeBox, instantiations: ${byTypeBox.toLocaleString("en")}`)
  const byZod = measured(version, 200, 0).instantiations - none
  demand("200 tools by zod, instantiations", byZod, bounds.catalog)
  const bare = fastest(version, 0)
  const [some, many] = [fastest(version, 1_000) - bare, fastest(version, 2_000) - bare]
  demand("seconds for 2,000 steps to those for 1,000", Number((many / some).toFixed(2)), bounds.growth)
}

function measured(version: Version, tools: number, steps: number, front: "zod" | "typebox" = "zod"): Cost {
  const cost = measure(tools, steps, { front, version })
  if (cost.errors.length > 0) throw new Error(cost.errors[0])
  return cost
}

/** Of three times, for the machine may have had something else to do. */
function fastest(version: Version, steps: number): number {
  return Math.min(...[1, 2, 3].map(() => measured(version, 50, steps).seconds))
}

function ms(time: number): string {
  return `${Math.round(time)} ms`
}

function print(tools: number, steps: number, count: number, each: string, seconds: number, megabytes: number): void {
  const cells = [String(tools).padStart(5), String(steps).padStart(6), String(count).padStart(15), each.padStart(9)]
  console.log([...cells, seconds.toFixed(2).padStart(8), String(megabytes).padStart(4)].join(" "))
}
