/**
 * The recorded plans, and a thousand of them with a fault put in, through `sequitur types`: one call of the command, and one
 * program to each of the two catalogs. What tsc says of them is held against what the compiler says.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { type Catalog, type Compiled, compile, type Diagnostic, type JsonSchema } from "sequitur"
import { afterAll, describe, expect, test } from "vitest"
import { loadCatalog } from "../../src/cli/modules.ts"
import { sequitur } from "../cli/sequitur.ts"
import { kinds, type Material, type Mutant } from "../conformance/mutants.ts"
import { policyKinds } from "../conformance/policy-mutants.ts"
import { randomOf } from "../conformance/random.ts"
import { toolNotes } from "../conformance/retail-mutants.ts"
import { read } from "../conformance/written.ts"
import { hasData } from "../data.ts"
import { seen } from "../typed/differential.ts"
import { catalogInZod } from "./in-zod.ts"
import { isAuthentication, policyCatalog } from "./policy.ts"
import { asRecorded, readPlans, readReferred, withPeople, withReferences } from "./recorded.ts"
import { resultsCatalog } from "./results.ts"

interface Suite {
  readonly name: string
  readonly catalog: Catalog
  /** What was recorded. */
  readonly plans: readonly string[]
  readonly mutants: readonly string[]
}

interface Said {
  readonly file: string
  readonly accepted: boolean
  readonly diagnostics: readonly Diagnostic[]
}

/** The shop has no lengths and no ranges: here these are about words of an enum, fields that are not there, and kinds. */
const claimed: readonly string[] = [...seen, "SEQ123", "SEQ205", "SEQ207", "SEQ401", "SEQ402"]

const folder = mkdtempSync(join(tmpdir(), "sequitur-retail-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As many mutants as asked for, of each kind as many as of any other. */
function mutantsOf(
  catalog: Catalog,
  plans: readonly string[],
  kinds: { readonly [kind: string]: (material: Material) => Mutant | undefined },
  count: number,
): readonly string[] {
  const tools = toolNotes(catalog)
  const results = new Map(
    Object.entries(catalog.spec.tools).map(([name, { result }]) => [name, (result ?? {}) as JsonSchema]),
  )
  const right = plans.filter((text) => compile(catalog, text).ok).map(read)
  const made = new Set<string>()
  for (let seed = 0; made.size < count; seed++) {
    for (const mutate of Object.values(kinds)) {
      const random = randomOf(seed)
      const plan = random.one(right.filter(({ steps }) => steps.length > 0))
      const mutant = plan && mutate({ plan, tools, results, random: randomOf(seed + 1) })
      if (mutant !== undefined && made.size < count) made.add(mutant.text)
    }
  }
  return [...made]
}

function suites(): readonly Suite[] {
  const recorded = (["test", "train", "dev"] as const).flatMap(readPlans)
  const plans = [...recorded.map(asRecorded), ...readReferred().map(withReferences)]
  const kept = recorded.filter(({ actions }) => isAuthentication(actions[0]?.name ?? "")).map(withPeople)
  const [results, policy] = [resultsCatalog(), policyCatalog()]
  return [
    { name: "results", catalog: results, plans, mutants: mutantsOf(results, plans, kinds, 800) },
    { name: "policy", catalog: policy, plans: kept, mutants: mutantsOf(policy, kept, policyKinds, 200) },
  ]
}

/** A catalog, and its plans beside it. */
function write({ name, catalog, plans, mutants }: Suite): readonly string[] {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, "catalog.ts"), catalogInZod(catalog, resolve("src/index.ts")))
  return [...plans, ...mutants].map((text, index) => {
    const file = join(name, `${index}.json`)
    writeFileSync(join(folder, file), text)
    return file
  })
}

type Verdict = "both accept" | "both refuse" | "unseen" | "differ"

/** Where both refuse a plan, they speak of the same place. */
function compare({ accepted, diagnostics }: Said, { ok }: Compiled, errors: readonly Diagnostic[]): Verdict {
  if (accepted && ok) return "both accept"
  if (accepted) return errors.some(({ code }) => claimed.includes(code)) ? "differ" : "unseen"
  return errors.some((error) => diagnostics.some(({ at }) => isAbout(at, error.at))) ? "both refuse" : "differ"
}

/** tsc tells a parameter that is missing at `args`, as the compiler does, and what is wrong with an expression inside of it. */
const isAbout = (told: string, at: string): boolean =>
  told === at || told.startsWith(`${at}/`) || at.startsWith(`${told}/`)

describe.skipIf(!hasData)("tau-bench retail, by its types", () => {
  test("tsc and the compiler come to the same verdict", async () => {
    const all = suites()
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: resolve("tsconfig.json"), include: ["*/*.ts"] }),
    )
    const files = all.flatMap(write)
    const { out, err } = await sequitur(["types", ...files, "--format", "json"], { cwd: folder })
    expect(err).toBe("")
    const said = (JSON.parse(out) as { readonly plans: readonly Said[] }).plans
    expect(said.map(({ file }) => file)).toEqual(files)

    const rows: string[] = []
    const differences: object[] = []
    let [next, unseen] = [0, 0]
    for (const suite of all) {
      const catalog = await loadCatalog(join(folder, suite.name, "catalog.ts"))
      for (const part of ["plans", "mutants"] as const) {
        const counts: Record<Verdict, number> = { "both accept": 0, "both refuse": 0, unseen: 0, differ: 0 }
        const codes = new Set<string>()
        for (const text of suite[part]) {
          const types = said[next++] as Said
          const compiled = compile(catalog, text)
          const errors = compiled.diagnostics.filter(({ severity }) => severity === "error")
          const verdict = compare(types, compiled, errors)
          counts[verdict]++
          if (verdict === "differ") differences.push({ text, errors, types: types.diagnostics })
          if (verdict === "unseen") for (const { code } of errors) codes.add(code)
        }
        unseen += counts.unseen
        const told = codes.size === 0 ? "" : ` (${[...codes].sort().join(", ")})`
        const { "both accept": accepted, "both refuse": refused, differ } = counts
        rows.push(
          `| ${suite.name}, ${part} | ${suite[part].length} | ${accepted} | ${refused} | ${counts.unseen}${told} | ${differ} |`,
        )
      }
    }
    console.log(
      [
        "| tau-bench retail | plans | both accept | both refuse | what no type sees | differ |",
        "|---|---|---|---|---|---|",
        ...rows,
      ].join("\n"),
    )
    expect(differences.slice(0, 3)).toEqual([])
    expect([next, unseen]).toEqual([553 + 1_000, 117])
    expect(readFileSync("README.md", "utf8").replace(/\s+/g, " ")).toContain(
      "Of 553 plans of tau-bench retail and 1,000 of them with a fault put in, tsc and the compiler accept the same and refuse the same, but for 117 in which",
    )
  }, 600_000)
})
