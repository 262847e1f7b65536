/** `npm run conformance` in small: what others wrote, with fewer mutants. The rest of its table has tests of its own. */
import { describe, expect, test } from "vitest"
import { hasData } from "../data.ts"
import { plansOfOthers } from "./conformance.ts"
import { listedIds, namedIds } from "./ids.ts"
import { unmet } from "./judged.ts"
import { randomOf } from "./random.ts"
import { readmeTable } from "./readme.ts"
import { sizes } from "./sizes.ts"
import { type Section, tableOf, unexplainedIn } from "./table.ts"

describe.skipIf(!hasData)("other people's plans", () => {
  const sections = hasData ? plansOfOthers(1, sizes.seed) : []
  const linesOf = (title: string): Section["lines"] => sections.find((one) => one.title === title)?.lines ?? []
  const mutants = "Mutants of tau-bench plans"

  test("nothing is unexplained, and no judgement is out of date", () => {
    console.log(tableOf(sections))
    expect(unexplainedIn(sections)).toEqual([])
    expect(unmet()).toEqual([])
  })

  test("every suite of the data is there", () => {
    const counts = Object.fromEntries(
      sections.flatMap(({ title, lines }) =>
        lines.map(({ what, cells }) => [`${title}, ${what}`, cells.slice(0, 2)] as const),
      ),
    )
    expect(counts).toMatchObject({
      "tau-bench retail, test plans, schemas alone": [77, 77],
      "tau-bench retail, train plans, schemas alone": [334, 334],
      "tau-bench retail, dev plans, schemas alone": [20, 20],
      "tau-bench retail, policy, plans that authenticate first": [45, 45],
      "tau-bench retail, plans with typed references": [77, 77],
      "tau-bench retail, … by index, each checked at run time": [57, 57],
      "BFCL, functions with response schemas": [128, 128],
      "BFCL, plans": [100, 100],
      "NESTFUL, executable plans": [85, 39],
      "NESTFUL, glaive plans": [169, 90],
      "Plans written by small models, huggingface": [497, 124],
      "Plans written by small models, multimedia": [498, 327],
      "AgentDojo, what users ask, banking, user tasks": [16, 8],
      "AgentDojo, what users ask, slack, user tasks": [21, 11],
      "AgentDojo, what injections ask, banking, written out, appended": [144, 144],
      "AgentDojo, what injections ask, slack, by reference, replacing": [105, 105],
    })
  })

  test("every kind of mutant was made, and each that does harm was refused at its place", () => {
    expect(linesOf(mutants).length).toBeGreaterThan(30)
    for (const { what, cells } of linesOf(mutants)) {
      const [made = 0, accepted, refused, placed] = cells
      expect(made, what).toBeGreaterThanOrEqual(20)
      const harmless = what.endsWith("without harm")
      expect([what, accepted, refused, placed]).toEqual([what, harmless ? made : 0, harmless ? 0 : made, made])
    }
  })

  test("each attack on parsing, names, schemas and the flow of data has a test of its name", () => {
    const named = namedIds()
    expect(listedIds().filter((id) => !named.has(id))).toEqual([])
    expect(listedIds().length).toBeGreaterThan(40)
    expect(named.has("A999")).toBe(false)
    expect(linesOf("Attacks and reports")).toHaveLength(5)
  })

  test("the page shows what is counted here, and at least 20,000 mutants", () => {
    const shown = readmeTable()
    for (const section of sections.filter(({ title }) => title !== mutants)) expect(shown).toContain(tableOf([section]))
    for (const { what } of linesOf(mutants)) expect(shown).toContain(`\n${what} `)
    const [, made = ""] = /^all kinds that do harm +([\d,]+)/m.exec(shown) ?? []
    expect(Number(made.replaceAll(",", ""))).toBeGreaterThanOrEqual(20_000)
    expect(shown).toMatch(/^generated plans +20,000 /m)
    for (const line of shown.split("\n")) expect(line.length).toBeLessThanOrEqual(100)
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
