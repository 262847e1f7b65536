/** `npm run bench:types`: what tsc does for a plan, by its size and its catalog's. Fails where a count is above its bound. */
import { bounds, perStep } from "./bounds.ts"
import { measure } from "./measure.ts"

const catalogs = [5, 50, 200]
const plans = [5, 20, 100, 300, 1_000, 2_000]

let failed = false
console.log("tools  steps  instantiations  per step  seconds  MB")
for (const tools of catalogs) {
  const bare = measure(tools, 0)
  print(tools, 0, bare.instantiations, "", bare.seconds, bare.megabytes)
  // tsc gives up at five million instantiations for one expression.
  for (const steps of tools === 50 ? [...plans, 4_000] : plans) {
    const cost = measure(tools, steps)
    if (cost.errors.length > 0) throw new Error(cost.errors[0])
    const each = perStep(cost, bare, steps)
    print(tools, steps, cost.instantiations, String(each), cost.seconds - bare.seconds, cost.megabytes)
    if (tools === 50 && steps >= 1_000 && each > bounds.perStep) failed = true
  }
}
const full = measure(200, 0, { front: "typebox" })
console.log(`200 tools by TypeBox: ${full.instantiations} instantiations`)
if (failed) console.error(`more than ${bounds.perStep} instantiations for a step`)
process.exitCode = failed ? 1 : 0

function print(tools: number, steps: number, count: number, each: string, seconds: number, megabytes: number): void {
  const cells = [String(tools).padStart(5), String(steps).padStart(6), String(count).padStart(15), each.padStart(9)]
  console.log([...cells, seconds.toFixed(2).padStart(8), String(megabytes).padStart(4)].join(" "))
}
