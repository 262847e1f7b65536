/** The proof in `proof.ts`, on as many pairs as there is time for here; `npm run prove:schemas` takes more. */
import { expect, it } from "vitest"
import { languages, prove, told } from "./proof.ts"

const pairs = 34_000

it.each(Object.keys(languages))("a lowered schema accepts what its validator accepts: %s", (language) => {
  const count = prove(language, { pairs })
  console.log(told(language, count))
  expect(count.pairs).toBeGreaterThanOrEqual(pairs)
  expect(count.right / count.pairs).toBeGreaterThanOrEqual(0.4)
  expect(count.exact / count.pairs).toBeGreaterThanOrEqual(language === "JSON Schema" ? 0.35 : 0.6)
})
