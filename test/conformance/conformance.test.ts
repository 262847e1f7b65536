/** `npm run conformance` in small: fewer mutants, everything else. */
import { describe, expect, test } from "vitest"
import { hasData } from "../data.ts"
import { conform } from "./conformance.ts"
import { idRows, listedIds, namedIds } from "./ids.ts"
import { unmet } from "./judged.ts"
import { randomOf } from "./random.ts"
import { rowsAsTable } from "./suite.ts"

describe.skipIf(!hasData)("other people's plans", () => {
  const { rows, mutants } = hasData ? conform(1) : { rows: [], mutants: [] }

  test("nothing is unexplained, and no judgement is out of date", () => {
    console.log(rowsAsTable(rows))
    expect(rows.flatMap(({ unexplained }) => unexplained)).toEqual([])
    expect(unmet()).toEqual([])
  })

  test("every suite of the data is there", () => {
    const counts = Object.fromEntries(rows.map(({ suite, cases, accepted }) => [suite, [cases, accepted]]))
    expect(counts).toMatchObject({
      "tau-bench retail, test plans, schemas alone": [77, 77],
      "tau-bench retail, train plans, schemas alone": [334, 334],
      "tau-bench retail, dev plans, schemas alone": [20, 20],
      "tau-bench retail, policy, plans that authenticate first": [45, 45],
      "tau-bench retail, plans with typed references": [77, 77],
      "… of them with array indices, each left to a runtime check": [57, 57],
      "BFCL, functions with response schemas": [128, 128],
      "BFCL, plans": [100, 100],
      "NESTFUL, executable plans": [85, 39],
      "NESTFUL, glaive plans": [169, 90],
      "plans written by a small model, huggingface": [497, 124],
      "plans written by a small model, multimedia": [498, 327],
    })
  })

  test("every kind of mutant was made, and each was refused", () => {
    expect(mutants.filter(({ cases }) => cases < 20)).toEqual([])
    for (const { suite, cases, refused } of mutants)
      expect([suite, refused]).toEqual([suite, suite.endsWith("(control)") ? 0 : cases])
  })

  test("each attack on parsing, names, schemas and the flow of data has a test of its name", () => {
    const named = namedIds()
    expect(listedIds().filter((id) => !named.has(id))).toEqual([])
    expect(listedIds().length).toBeGreaterThan(40)
    expect(named.has("A999")).toBe(false)
    expect(idRows()).toHaveLength(1)
  })
})

test("the same seed gives the same numbers", () => {
  const draw = (seed: number): readonly number[] =>
    Array.from(
      { length: 20 },
      (
        (random) => () =>
          random.below(1_000)
      )(randomOf(seed)),
    )
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
})
