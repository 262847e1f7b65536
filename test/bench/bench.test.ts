/** The bench works, and measures what it says: its contenders take the same plans. How fast they are is not a test's business. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { compile } from "sequitur"
import { expect, test } from "vitest"
import { catalog } from "../../bench/catalog.ts"
import { disagreements, judges } from "../../bench/compile.ts"
import { median, race } from "../../bench/harness.ts"
import { makePlan } from "../../bench/plans.ts"

const bench = async (...args: readonly string[]) => {
  const flags = ["--conditions=@sequitur/source", "--expose-gc", "bench/main.ts"]
  return (await promisify(execFile)(process.execPath, [...flags, ...args])).stdout
}

test("every part is measured, and the ratios are numbers", async () => {
  const { tables, figures } = JSON.parse(await bench("--quick", "--json"))
  expect(tables.map(({ title }: { title: string }) => title)).toEqual([
    "Compile, 5 steps",
    "Compile, 30 steps",
    "Compile, 1000 steps",
    "Run, 30 steps",
    "One gated call",
    "One gated call of a handler that reads a file",
    "Durable run, 30 steps",
    "Durable runs side by side",
    "Recovery",
  ])
  for (const { rows } of tables) {
    for (const row of rows) {
      expect(row.microseconds).toBeGreaterThan(0)
      expect(row.ratio).toBeGreaterThan(0)
      expect(Number.isFinite(row.ratio)).toBe(true)
    }
    expect(rows[0].ratio).toBe(1)
  }
  const aims = tables.flatMap(({ rows }: { rows: { aim?: object; met?: boolean }[] }) => rows.filter(({ aim }) => aim))
  expect(aims.map(({ aim }: { aim: { ratioMax: number } }) => aim.ratioMax)).toEqual([4, 7, 3, 1.3, 0.125])
  for (const { met } of aims) expect(typeof met).toBe("boolean")
  // Commits are counted: nobody else's work changes how many there are.
  expect(figures[0].figures).toMatchObject([
    { name: "commits a step", value: 31 / 30, max: 1.2 },
    { name: "heap of a waiting run, in bytes", max: 4_096 },
  ])
})

test("one part is printed as a table", async () => {
  const printed = await bench("compile", "--quick")
  expect(printed).toContain("## Compile, 30 steps")
  expect(printed).toMatch(/\| `compile` \| [\d.,]+ \| [\d,]+ \| [\d.]+ \| [\d.]+ \| ≤ 4 ×: (met|not met) \|/)
  expect(printed).not.toContain("## Run")
})

test("an unknown part is refused with the usage", async () => {
  await expect(bench("compiler")).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("`compiler`") })
})

test("all contenders take the valid plans and refuse those with a fault", () => {
  expect(disagreements(judges())).toEqual([])
})

test("a contender that refuses a valid plan, or takes a broken one, is found", () => {
  const never = disagreements([{ name: "never", accepts: () => false }])
  const always = disagreements([{ name: "always", accepts: () => true }])
  expect(never[0]).toBe("never refuses plan 1 of 5 steps")
  expect(always[0]).toBe('always takes plan 1 with the fault "unknown tool"')
})

test("plans are drawn by their seed, have the steps asked for, and some text that is not ASCII", () => {
  expect(makePlan(30, 7)).toEqual(makePlan(30, 7))
  expect(makePlan(30, 7)).not.toEqual(makePlan(30, 8))
  for (const steps of [5, 30]) {
    const text = JSON.stringify(makePlan(steps, 1))
    expect(JSON.parse(text).steps).toHaveLength(steps)
    expect(text).toMatch(/[^ -~]/)
    expect(compile(catalog, text).diagnostics).toEqual([])
  }
})

test("the race holds each contender against the first, round by round", async () => {
  let ms = 0
  const works = (name: string, each: number) => ({
    name,
    run: (times: number) => {
      ms += times * each
    },
  })
  const pace = { rounds: 3, sampleMs: 10, warmMs: 10 }
  const standings = await race([works("one", 1), works("three", 3)], pace, () => ms)
  expect(standings).toEqual([
    { name: "one", microseconds: 1000, ratio: 1, bestRatio: 1 },
    { name: "three", microseconds: 3000, ratio: 3, bestRatio: 3 },
  ])
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
})
