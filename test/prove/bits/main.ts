/**
 * Every bit flipped and every byte cut at, of a small journal's files: noticed, or harmless.
 *   npm run prove:bits -- --points 20000 --seed 1     (--points all: every one of them)
 */
import { parseArgs } from "node:util"
import { proveBits } from "./bits.ts"

const { values } = parseArgs({
  options: { points: { type: "string", default: "20000" }, seed: { type: "string", default: "1" } },
})
const points = values.points === "all" ? Number.POSITIVE_INFINITY : Number(values.points)
const seed = Number(values.seed)
if (!(points >= 1) || !Number.isSafeInteger(seed)) {
  console.error("--points takes a whole number from 1, or `all`; --seed takes a whole number")
  process.exit(2)
}
const beganMs = performance.now()
const proved = await proveBits(points, seed, (done) => {
  if (done % 50_000 === 0) console.log(`${done} …`)
})
for (const violation of proved.violations.slice(0, 20)) console.log(`VIOLATION ${violation}`)
for (const [what, times] of [...proved.counts].sort()) console.log(`${what}: ${times}`)
console.log(
  `${proved.points} of ${proved.of} and each commit, in ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`,
)
console.log(`${proved.points} points, ${proved.violations.length} violations`)
if (proved.violations.length > 0) process.exitCode = 1
