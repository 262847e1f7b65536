/** `npm run prove:schemas -- --pairs 1000000 --seed 7`: the proof in `proof.ts`, for as long as one likes. */
import { parseArgs } from "node:util"
import { languages, prove, told } from "./proof.ts"

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "300000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
})
const [pairs, seed] = [Number(values.pairs), Number(values.seed)]
if (!Number.isSafeInteger(pairs) || pairs < 1 || !Number.isSafeInteger(seed)) {
  console.error("--pairs takes a count, and --seed an integer")
  process.exit(2)
}
console.log(`seed ${seed}`)
for (const language of Object.keys(languages))
  console.log(told(language, prove(language, { pairs: Math.ceil(pairs / 3), seed })))
