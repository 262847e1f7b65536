/** `npm run prove:types -- --cases 20000 --seed 1`: tsc and the compiler asked about the same plans; exits 1 where they differ. */
import { parseArgs } from "node:util"
import { differ } from "./differential.ts"

const { values } = parseArgs({
  options: { cases: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } },
})
const [cases, seed] = [Number(values.cases), Number(values.seed)]
/** So many in one program: tsc holds all of it in memory. */
const atOnce = 2_000

let [asked, accepted, told, exact, differences] = [0, 0, 0, 0, 0]
const codes = new Map<string, number>()
for (let batch = 0; asked < cases; batch++) {
  const found = differ(Math.min(atOnce, cases - asked), seed * 1_000 + batch)
  asked += found.cases
  accepted += found.accepted
  exact += found.exact
  differences += found.differences.length
  for (const [code, times] of found.codes) {
    told += times
    codes.set(code, (codes.get(code) ?? 0) + times)
  }
  for (const difference of found.differences.slice(0, 3)) console.log(JSON.stringify(difference, null, 2))
}
console.log(
  `${asked} plans, ${accepted} accepted; types told ${told} faults with a code, ${exact} of them as the compiler does`,
)
console.log(
  [...codes]
    .sort()
    .map(([code, times]) => `${code} ${times}`)
    .join(", "),
)
console.log(`${differences} differences`)
process.exitCode = differences === 0 && asked > 0 ? 0 : 1
