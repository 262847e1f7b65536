/** What plans cost tsc: counted, so that it is the same on every machine. The whole table: `npm run bench:types`. */
import { expect, test } from "vitest"
import { bounds, perStep } from "../../bench/types/bounds.ts"
import { measure } from "../../bench/types/measure.ts"

test("a step costs what it may, and a thousand no more for each than a hundred", () => {
  const bare = measure(50, 0)
  const [some, many] = [measure(50, 250), measure(50, 1_000)]
  expect([bare, some, many].flatMap(({ errors }) => errors)).toEqual([])
  expect(perStep(many, bare, 1_000)).toBeLessThanOrEqual(bounds.perStep)
  expect(perStep(many, bare, 1_000)).toBeLessThanOrEqual(perStep(some, bare, 250))
})

test("and it is the plan that was counted: a fault in it is told", () => {
  const { errors } = measure(5, 12, { fault: 5 })
  expect(errors.length).toBe(2)
  for (const error of errors) expect(error).toContain('PlanError<"SEQ205: ')
})
