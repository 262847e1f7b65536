/** Arithmetic with digits, asked of tsc and held to numbers. */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { tsc, withProject } from "../../bench/types/project.ts"

const reversed = (n: number): string => [...String(n)].toReversed().join("")

/** Numbers of every length, and those at which digits carry. */
const natural = fc.oneof(
  fc.nat(20),
  fc.nat(2 ** 31 - 1),
  fc.integer({ min: 0, max: 2 ** 52 }),
  fc.integer({ min: 0, max: 15 }).map((digits) => 10 ** digits - 1),
)

test("sums, comparisons and successors are those of numbers", () => {
  const pairs = fc.sample(fc.tuple(natural, natural), { numRuns: 400, seed: 1 })
  const lines = pairs.flatMap(([a, b]) => [
    `  Equal<Add<"${reversed(a)}", "${reversed(b)}">, "${reversed(a + b)}">,`,
    `  Equal<IsMore<"${reversed(a)}", "${reversed(b)}">, ${a > b}>,`,
    `  Equal<Increment<"${a}">, "${a + 1}">,`,
  ])
  expect(refuted("Add, Increment, IsMore", lines)).toEqual([])
})

test("of two steps, the one that has the lesser index is the earlier one", () => {
  const index = fc.oneof(
    fc.nat(20),
    fc.nat(2_000),
    fc.nat(99_998),
    fc.constantFrom(9, 10, 99, 100, 999, 1_000, 9_999, 10_000),
  )
  const pairs = fc.sample(fc.tuple(index, index), { numRuns: 400, seed: 1 })
  const before = (a: number, b: number): string => `Place<"${a}"> extends Earlier<Place<"${b}">> ? true : false`
  const lines = pairs.flatMap(([a, b]) => [
    `  Equal<${before(a, b)}, ${a < b}>,`,
    `  Equal<${before(a, a)}, false>,`,
    `  Equal<${before(a, a + 1)}, true>,`,
  ])
  expect(refuted("Earlier, Place", lines)).toEqual([])
})

/** The lines that tsc does not find equal. */
function refuted(names: string, lines: readonly string[]): readonly (string | undefined)[] {
  const head = `import { type Equal, expectTypes } from "${resolve("test/typed/equal.ts")}"
import type { ${names} } from "${resolve("src/typed/sum.ts")}"
expectTypes<[`
  const stdout = withProject((folder) => {
    writeFileSync(join(folder, "sums.ts"), `${head}\n${lines.join("\n")}\n]>()\n`)
    return spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" }).stdout
  })
  const wrong = [...stdout.matchAll(/sums\.ts\((\d+),/g)].map(([, line]) => lines[Number(line) - 4])
  return wrong.length === 0 && stdout !== "" ? [stdout] : wrong
}

test("the tables of digits are what they are called", () => {
  const text = readFileSync("src/typed/sum.ts", "utf8")
  const digits = [..."0123456789"]
  for (const a of digits) {
    const row = digits.map((b) => `"${String(Number(a) + Number(b)).padStart(2, "0")}"`).join(", ")
    expect(text).toContain(`readonly "${a}": Row<${row}>`)
    expect(text).toContain(`readonly "${a}": "${(Number(a) + 1) % 10}"`)
    const below = digits.slice(0, Number(a)).map((b) => `"${b}"`)
    expect(text).toContain(`readonly "${a}": ${below.join(" | ") || "never"}`)
  }
})
