/** What plans cost tsc: counted, so that it is the same on every machine. The whole table: `npm run bench:types`. */
import { expect, test } from "vitest"
import { bounds, perStep } from "../../bench/types/bounds.ts"
import { measure } from "../../bench/types/measure.ts"

const bare = measure(50, 0)

test("a step costs what it may, and of two thousand no more than of one", () => {
  const [some, many] = [measure(50, 1_000), measure(50, 2_000)]
  expect([bare, some, many].flatMap(({ errors }) => errors)).toEqual([])
  expect(perStep(some, bare, 1_000)).toBeLessThanOrEqual(bounds.perStep)
  expect(perStep(many, bare, 2_000)).toBeLessThanOrEqual(perStep(some, bare, 1_000))
})

test("a catalog costs what it may, for nothing of it is worked out that no plan asks for", () => {
  const [none, full] = [measure(0, 0), measure(200, 0)]
  expect([none, full].flatMap(({ errors }) => errors)).toEqual([])
  expect(full.instantiations - none.instantiations).toBeLessThanOrEqual(bounds.catalog)
})

test("and it is the plan that was counted: a fault in it is told", () => {
  const { errors } = measure(5, 12, { fault: 5 })
  expect(errors.length).toBe(2)
  for (const error of errors) expect(error).toContain('PlanError<"SEQ205: ')
})
