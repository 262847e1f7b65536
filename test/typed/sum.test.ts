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

test("sums, comparisons, successors and the order of indices are those of numbers", () => {
  const pairs = fc.sample(fc.tuple(natural, natural), { numRuns: 400, seed: 1 })
  const lines = pairs.flatMap(([a, b]) => [
    `  Equal<Add<"${reversed(a)}", "${reversed(b)}">, "${reversed(a + b)}">,`,
    `  Equal<IsMore<"${reversed(a)}", "${reversed(b)}">, ${a > b}>,`,
    `  Equal<IsBefore<"${a}", "${b}">, ${a < b}>,`,
    `  Equal<IsBefore<"${a}", "${a}">, false>,`,
    `  Equal<Increment<"${a}">, "${a + 1}">,`,
  ])
  const head = `import { type Equal, expectTypes } from "${resolve("test/typed/equal.ts")}"
import type { Add, Increment, IsBefore, IsMore } from "${resolve("src/typed/sum.ts")}"
expectTypes<[`
  const stdout = withProject((folder) => {
    writeFileSync(join(folder, "sums.ts"), `${head}\n${lines.join("\n")}\n]>()\n`)
    return spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" }).stdout
  })
  const wrong = [...stdout.matchAll(/sums\.ts\((\d+),/g)].map(([, line]) => lines[Number(line) - 4])
  expect(wrong, stdout).toEqual([])
  expect(stdout).toBe("")
})

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
