/** TypeScript 7, 6 and 5.9 say the same of the same plans: at the same places, and a `PlanError` in the same words. */
import { execFileSync } from "node:child_process"
import { beforeAll, expect, test } from "vitest"
import { compilers, type Version, versions } from "../../bench/types/project.ts"
import { generateCase } from "../naive/generate.ts"
import { canBeWritten, emitCatalog, imports } from "./emit.ts"
import { fixtures } from "./fixtures.ts"
import { judgeByTypes, type Module, type Said } from "./judge.ts"

/** The refused plans of `plans/invalid`, and catalogs by zod and by TypeBox with plans that are refused or not. */
const modules: readonly Module[] = [...fixtures.map(({ module }) => module), ...[1, 2].map(generated)]

function generated(seed: number): Module {
  const { declaration, plans } = generateCase(seed, 25)
  const written = plans.map(({ text }) => text).filter(canBeWritten)
  return { head: `${imports}\n${emitCatalog(declaration)}`, plans: written.map((text) => JSON.parse(text) as unknown) }
}

const told = new Map<Version, readonly (readonly (readonly string[])[])[]>()

/** What TypeScript says in words of its own differs from version to version: only where it says it counts. */
const tell = ({ at, code, message }: Said): string => (code === undefined ? at : `${at} ${code}: ${message}`)

beforeAll(() => {
  for (const version of versions) {
    const said = judgeByTypes(modules, { version })
    told.set(
      version,
      said.map((plans) => plans.map((one) => one.map(tell).sort())),
    )
  }
}, 300_000)

test.each(versions)("TypeScript %s is what it is called", (version) => {
  const said = execFileSync(process.execPath, [compilers[version], "-v"], { encoding: "utf8" })
  expect(said).toMatch(new RegExp(`^Version ${version.replace(".", "\\.")}\\.`))
})

test("there is much to tell", () => {
  const all = told.get("7") ?? []
  const [desk, others] = [all.slice(0, fixtures.length).flat(), all.slice(fixtures.length).flat()]
  expect(desk.filter((said) => said.length > 0).length).toBeGreaterThan(desk.length / 2)
  expect(others.filter((said) => said.length > 0).length).toBeGreaterThan(15)
})

test.each(versions.filter((version) => version !== "7"))("%s tells what 7 tells", (version) => {
  for (const index of modules.keys()) expect(told.get(version)?.[index]).toEqual(told.get("7")?.[index])
})
