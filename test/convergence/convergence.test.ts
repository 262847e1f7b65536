/** What our fixes mend of the faults that planners make: floors where they should, nothing where a fix would be a guess. */
import { describe, expect, test } from "vitest"
import { converge, mustRestore, tableOf } from "./converge.ts"
import { faults } from "./faults.ts"
import { goodPlans } from "./good-plans.ts"

const rows = new Map(converge(goodPlans(), { seed: 11, each: 80 }).map((row) => [row.kind, row]))
console.log(tableOf([...rows.values()]))

/** In percent of the refused, by fixes of the first compile. */
const floors: { readonly [kind: string]: number } = {
  "misspelt argument": 90,
  // Destructive tools are called by their own name only.
  "misspelt tool": 65,
  "misspelt field": 95,
  "version as text": 100,
  "misspelt reference": 95,
  "misspelt path": 95,
  "path written otherwise": 95,
  "swapped steps": 90,
  "repeated call": 85,
  "misspelt state": 95,
  "enum value otherwise": 80,
  "missing transition": 60,
  "wrong assignment": 25,
  "self reference": 25,
}

describe("by fixes alone", () => {
  test.each(Object.keys(faults))("%s: refused often enough to count", (kind) => {
    expect(rows.get(kind)?.mutants).toBeGreaterThanOrEqual(10)
  })

  test.each(Object.entries(floors))("%s: at least %d of 100 are mended in one round", (kind, floor) => {
    const { inOne = 0, mutants = 0 } = rows.get(kind) ?? {}
    expect((100 * inOne) / mutants).toBeGreaterThanOrEqual(floor)
  })

  test.each(["made-up field", "made-up argument"])("%s: taken out of plans that only read, and of no other", (kind) => {
    const { inOne = 0, mutants = 0 } = rows.get(kind) ?? {}
    expect(inOne).toBeGreaterThan(0)
    expect((100 * inOne) / mutants).toBeLessThan(25)
  })

  test("a missing transition is always found in the end", () => {
    const { inAll, mutants } = rows.get("missing transition") ?? {}
    expect(inAll).toBe(mutants)
  })

  test.each([
    "missing argument",
    "made-up tool",
    "unknown reference",
    "wrong type",
    "wrong unit",
    "made-up enum value",
  ])("%s: only its author can mend it", (kind) => {
    expect(rows.get(kind)?.inAll).toBe(0)
  })

  test("what was misspelt comes back as it was, not as something else that is accepted", () => {
    for (const { kind, inAll, restored } of [...rows.values()].filter(mustRestore))
      expect([kind, restored]).toEqual([kind, inAll])
  })

  test("several faults at once are mended more often by several rounds than by one", () => {
    for (const kind of ["2 faults", "3 faults"]) {
      const { inOne = 0, inAll = 0, mutants = 0 } = rows.get(kind) ?? {}
      expect(inAll, kind).toBeGreaterThan(inOne)
      expect(mutants, kind).toBeGreaterThanOrEqual(300)
    }
  })
})
