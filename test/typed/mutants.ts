/**
 * `npm run prove:mutants`: the types with one rule dropped or bent at a time. Each must be noticed: as a difference between
 * tsc and the compiler, or by the tests as tsc reads them; exits 1 where one is not. `--only blast` is those whose rule or
 * file says so.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { tsc } from "../../bench/types/project.ts"
import { differ } from "./differential.ts"
import { fixtures } from "./fixtures.ts"
import { judgeByTypes } from "./judge.ts"
import { type Mutant, otherRules, planRules } from "./rules.ts"

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } })
const chosen = ({ rule, file }: Mutant): boolean => `${file} ${rule}`.includes(values.only)

const refused = fixtures.map(({ module }) => module)
const right = JSON.stringify(judgeByTypes(refused))
const atOnce = 300
let unnoticed = 0
const report = (mutant: Mutant, notice: (folder: string) => string | undefined): void => {
  const how = withMutant(mutant, notice)
  console.log(`${how ?? "NOT NOTICED"}: ${mutant.file}, ${mutant.rule}`)
  if (how === undefined) unnoticed++
}

// Where nothing is dropped nothing may be noticed.
if (withCopy(byTests) !== undefined || differ(atOnce, 1).differences.length > 0)
  throw new Error("there is a fault already")
for (const mutant of planRules.filter(chosen)) report(mutant, byPlans)
for (const mutant of otherRules.filter(chosen)) report(mutant, byTests)
process.exitCode = unnoticed === 0 ? 0 : 1

function withMutant<A>({ file, from, to }: Mutant, use: (folder: string) => A): A {
  return withCopy((folder) => {
    const path = join(folder, "src", "typed", file)
    const text = readFileSync(path, "utf8")
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
    writeFileSync(path, text.replaceAll(from, to))
    return use(folder)
  })
}

function withCopy<A>(use: (folder: string) => A): A {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-mutant-"))
  try {
    for (const part of ["src", "test", "bench", "plans", "package.json", "tsconfig.json"]) {
      cpSync(part, join(folder, part), { recursive: true })
    }
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** By generated plans, else by those of `plans/invalid`, else by those of the tests, else by more that are generated. */
function byPlans(folder: string): string | undefined {
  const source = join(folder, "src")
  const differs = (seed: number): boolean => {
    try {
      return differ(atOnce, seed, source).differences.length > 0
    } catch {
      // The catalogs themselves are refused.
      return true
    }
  }
  if (differs(1)) return `in ${atOnce} plans`
  if (JSON.stringify(judgeByTypes(refused, { source })) !== right) return "in plans/invalid"
  const tested = byTests(folder)
  if (tested !== undefined) return tested
  const seed = [2, 3, 4, 5, 6, 7, 8].find(differs)
  return seed === undefined ? undefined : `in ${seed * atOnce} plans`
}

/** By the tests of types: each says what tsc must refuse, and what it must know. */
function byTests(folder: string): string | undefined {
  const project = join(folder, "mutant.json")
  // What nothing uses any more is no notice.
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false }
  const include = ["test/typed/*.test.ts"]
  writeFileSync(project, JSON.stringify({ extends: "./tsconfig.json", compilerOptions, include }))
  const { status } = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" })
  return status === 0 ? undefined : "by the tests of types"
}
