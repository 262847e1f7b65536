/** Every mistake that a planner can make is told, and mended in one round by whoever reads that; how far our fixes alone go is counted. */
import { type Code, codes, compile } from "sequitur"
import { describe, expect, test } from "vitest"
import desk from "../../../plans/invalid/catalog.ts"
import { propose } from "../../../src/planner/index.ts"
import { deskPlans, domainPlans } from "../../convergence/good-plans.ts"
import { byFixes, codesOfPlanners, mistakes, type Rounds, rowsOfFaults, tableOf, whenTold } from "./mistakes.ts"
import { planOf, scripted } from "./scripted.ts"

const right = planOf()
const all = await mistakes()
const rounds = new Map<Code, { told: Rounds[]; fixed: Rounds[] }>()
for (const mistake of all) {
  const known = rounds.get(mistake.code) ?? { told: [], fixed: [] }
  rounds.set(mistake.code, known)
  known.told.push(await whenTold(mistake, right))
  known.fixed.push(await byFixes(mistake))
}
const span = (found: readonly Rounds[]): string => {
  const counts = found.filter(({ ended }) => ended === "plan").map(({ attempts }) => attempts)
  return counts.length === 0 ? "–" : [...new Set(counts)].sort().join(", ")
}
console.log(
  tableOf(
    ["code", "", "mistakes", "rounds when told", "by fixes alone", "rounds"],
    [...rounds].map(([code, { told, fixed }]) => [
      code,
      codes[code].title,
      told.length,
      span(told),
      fixed.filter(({ ended }) => ended === "plan").length,
      span(fixed),
    ]),
  ),
)

test("every code that a planner can earn is among them", () => {
  expect([...rounds.keys()]).toEqual(codesOfPlanners())
  expect(compile(desk, right).ok).toBe(true)
})

describe("each mistake", () => {
  test.each(all.map((mistake, index) => [`${mistake.code}/${mistake.file}`, mistake, index] as const))(
    "%s: told by its code, and mended in the second round",
    (_, { code, text, catalog, options }) => {
      const accepted = compile(catalog, text, options).ok
      const nth = all.filter((one) => one.code === code).findIndex((one) => one.text === text)
      const told = rounds.get(code)?.told[nth]
      expect(told).toMatchObject({ ended: "plan", attempts: accepted ? 1 : 2 })
      const { severity } = codes[code]
      if (!accepted)
        expect(told?.proposed.exchange.attempts[0]?.feedback).toContain(severity === "error" ? code : "SEQ")
    },
  )

  test("by fixes alone ends accepted, or without progress: never otherwise, and soon", () => {
    for (const { fixed } of rounds.values())
      for (const { ended, attempts } of fixed) {
        expect(["plan", "no-progress"]).toContain(ended)
        expect(attempts).toBeLessThanOrEqual(4)
      }
  })
})

test("one planner that makes them all, one after the other, is told of each and ends with a plan", async () => {
  const seen = new Set<string>()
  const own = all.filter(({ catalog, text, options }) => {
    const compiled = compile(desk, text)
    if (catalog !== desk || Object.keys(options).length > 0 || compiled.ok) return false
    const found = JSON.stringify(compiled.diagnostics.map(({ code, at, message }) => [code, at, message]))
    return !seen.has(found) && seen.add(found) !== undefined
  })
  const { planner } = scripted(...own.map(({ text }) => text), right)
  const proposed = await propose({ catalog: desk, planner, goal: "All of it.", limits: { attempts: 1_000 } })
  expect(proposed.kind).toBe("plan")
  expect(proposed.exchange.attempts).toHaveLength(own.length + 1)
  expect(own.length).toBeGreaterThan(50)
  for (const [index, { code }] of own.entries())
    expect(proposed.exchange.attempts[index]?.diagnostics.map((one) => one.code)).toContain(code)
})

test("seeded faults in plans that are right: what our fixes mend takes few rounds", async () => {
  const rows = await rowsOfFaults([...deskPlans(3, 40), ...domainPlans()], 11, 25)
  console.log(
    tableOf(
      ["fault", "refused", "accepted by fixes", "rounds", "at most"],
      rows.map(({ kind, refused, accepted, mean, most }) => [
        kind,
        refused,
        `${Math.round((100 * accepted) / Math.max(1, refused))} %`,
        accepted === 0 ? "–" : mean.toFixed(1),
        most === 0 ? "–" : most,
      ]),
    ),
  )
  for (const { kind, refused, mean, most } of rows) {
    expect(refused, kind).toBeGreaterThanOrEqual(10)
    expect(mean, kind).toBeLessThanOrEqual(2.5)
    expect(most, kind).toBeLessThanOrEqual(5)
  }
  const mended = (kind: string): number => {
    const { accepted = 0, refused = 1 } = rows.find((row) => row.kind === kind) ?? {}
    return accepted / refused
  }
  for (const kind of ["version as text", "misspelt state", "path written otherwise"])
    expect(mended(kind), kind).toBeGreaterThan(0.85)
  for (const kind of ["missing argument", "made-up tool", "wrong type"]) expect(mended(kind), kind).toBe(0)
})
