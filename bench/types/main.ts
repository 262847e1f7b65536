/** `npm run bench:types`: what tsc does for a plan, by its size and its catalog's. Fails where it does more than it may. */
import { bounds, perStep } from "./bounds.ts"
import { type Cost, measure } from "./measure.ts"

const catalogs = [5, 50, 200]
const plans = [5, 20, 100, 300, 1_000, 2_000]

const failures: string[] = []
const demand = (what: string, found: number, most: number): void => {
  const verdict = `${what}: ${found.toLocaleString("en")}, at most ${most.toLocaleString("en")}`
  console.log(verdict)
  if (!(found <= most)) failures.push(verdict)
}

console.log("tools  steps  instantiations  per step  seconds  MB")
for (const tools of catalogs) {
  const bare = measured(tools, 0)
  print(tools, 0, bare.instantiations, "", bare.seconds, bare.megabytes)
  // tsc gives up at five million instantiations for one expression.
  for (const steps of tools === 50 ? [...plans, 4_000] : plans) {
    const cost = measured(tools, steps)
    const each = perStep(cost, bare, steps)
    print(tools, steps, cost.instantiations, String(each), cost.seconds - bare.seconds, cost.megabytes)
    if (tools === 50 && steps >= 1_000 && each > bounds.perStep) failures.push(`${each} instantiations for a step`)
  }
}
const none = measured(0, 0).instantiations
const byTypeBox = measured(200, 0, "typebox").instantiations - none
console.log(`200 tools by TypeBox, instantiations: ${byTypeBox.toLocaleString("en")}`)
demand("200 tools by zod, instantiations", measured(200, 0).instantiations - none, bounds.catalog)
const bare = fastest(0)
demand("seconds for 2,000 steps to those for 1,000", (fastest(2_000) - bare) / (fastest(1_000) - bare), bounds.growth)
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1

function measured(tools: number, steps: number, front: "zod" | "typebox" = "zod"): Cost {
  const cost = measure(tools, steps, { front })
  if (cost.errors.length > 0) throw new Error(cost.errors[0])
  return cost
}

/** Of three times, for the machine may have had something else to do. */
function fastest(steps: number): number {
  return Math.min(...[1, 2, 3].map(() => measured(50, steps).seconds))
}

function print(tools: number, steps: number, count: number, each: string, seconds: number, megabytes: number): void {
  const cells = [String(tools).padStart(5), String(steps).padStart(6), String(count).padStart(15), each.padStart(9)]
  console.log([...cells, seconds.toFixed(2).padStart(8), String(megabytes).padStart(4)].join(" "))
}
