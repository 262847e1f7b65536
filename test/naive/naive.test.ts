/** The real compiler against the naive one, which was written from DESIGN.md and the table of codes alone. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { type Catalog, codes } from "sequitur"
import { describe, expect, test } from "vitest"
import { build } from "./build.ts"
import { ask } from "./compare.ts"
import { deskFor } from "./desk.ts"
import type { Occasion } from "./policies.ts"
import { prove, report } from "./prove.ts"

describe("the plans that earn a code", () => {
  const folder = resolve("plans/invalid")
  const own = (code: string) => `${folder}/${code}/catalog.ts`
  const plans = readdirSync(folder)
    .filter((code) => code >= "SEQ1" && code < "SEQ8")
    .flatMap((code) => readdirSync(`${folder}/${code}`).map((file) => ({ code, file })))
    .filter(({ file }) => /^[^.]+\.json$/.test(file))

  test.each(plans)("$code/$file", async ({ code, file }) => {
    const module: { default: Catalog } = await import(existsSync(own(code)) ? own(code) : `${folder}/catalog.ts`)
    const text = readFileSync(`${folder}/${code}/${file}`, "utf8")
    const options = `${folder}/${code}/${file.replace(/\.json$/, ".options.json")}`
    const occasion = existsSync(options) ? (JSON.parse(readFileSync(options, "utf8")) as Occasion) : {}
    const { real, naive } = ask(module.default, deskFor(code), { spent: {}, ...occasion, text })
    expect(naive).toEqual(real)
    expect(naive.told.some((one) => one.startsWith(code))).toBe(true)
  })

  test("the catalogs declared by hand are built as they are declared", () => {
    for (const code of ["SEQ201", "SEQ304", "SEQ601", "SEQ109", "SEQ110"])
      expect(() => build(deskFor(code))).not.toThrow()
  })
})

/** What a file stands on, whatever way it gets there, as paths from the root and names of packages. */
function importsOf(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  if (!file.startsWith("test/naive/")) return seen
  for (const [, from = ""] of readFileSync(file, "utf8").matchAll(/\b(?:from|import\(?)\s*"([\w./@-]+)"/g))
    if (from.startsWith(".")) importsOf(relative(".", join(file, "..", from)), seen)
    else seen.add(from)
  return seen
}

test("the naive compiler stands on the names of JSON, pointers and codes, and on nothing that reads, lowers or checks", () => {
  const imports = [...importsOf("test/naive/compile.ts")]
  expect(imports.length).toBeGreaterThan(10)
  expect(imports.filter((file) => !file.startsWith("test/naive/")).sort()).toEqual([
    "src/diagnostic/codes.ts",
    "src/text/json.ts",
    "src/text/pointer.ts",
  ])
  expect(importsOf("test/naive/compare.ts").has("sequitur")).toBe(true)
})

describe("generated plans", () => {
  test("20,000 have the same verdict, codes, places and worst case in both", () => {
    const proof = prove(20_000, 20_260)
    console.log(report(proof))
    expect(proof.disagreed).toBe(0)
    expect(proof.accepted / proof.plans).toBeGreaterThanOrEqual(0.4)
    for (const count of proof.features.values()) expect(count).toBeGreaterThan(100)
    expect(proof.features.size).toBe(10)
    // SEQ140 and SEQ141 are of stored plans.
    const ofPlans = Object.keys(codes).filter((code) => code >= "SEQ101" && code < "SEQ8" && !/SEQ14[01]/.test(code))
    expect([...proof.codes.keys()].sort()).toEqual(ofPlans.sort())
  }, 180_000)

  test("a limit that is one off in one of the two is found, and shown in a small plan", () => {
    const proof = prove(1_000, 1, (declaration) => ({
      ...declaration,
      limits: Object.fromEntries(Object.entries(declaration.limits).map(([name, max]) => [name, max + 1])),
    }))
    expect(proof.disagreed).toBeGreaterThan(0)
    const sizes = proof.disagreements.map(({ plan }) => (plan as { readonly steps: readonly unknown[] }).steps.length)
    expect(Math.min(...sizes)).toBeLessThanOrEqual(2)
  })
})
