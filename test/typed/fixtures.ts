/** The refused plans of `plans/invalid` that are asked of types too, by the catalog that they are refused by. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Module } from "./judge.ts"

const folder = resolve("plans/invalid")

/** The plans of one catalog, and the module in which they are shown to tsc, in the same order. */
export interface Fixtures {
  readonly catalog: string
  readonly files: readonly string[]
  readonly texts: readonly string[]
  readonly module: Module
}

/** What is refused before it is a plan is no question of types, nor is the same effect twice. */
const codes = readdirSync(folder).filter((code) => /^SEQ[1-6]/.test(code))

/** Some folders have a catalog of their own; that of most of these is the office. */
function catalogOf(code: string): string {
  const own = `${folder}/${code}/catalog.ts`
  if (!existsSync(own)) return `${folder}/catalog.ts`
  return readFileSync(own, "utf8").startsWith('export { default } from "../office.ts"') ? `${folder}/office.ts` : own
}

function fixturesOf(catalog: string): Fixtures {
  const files = codes
    .filter((code) => catalogOf(code) === catalog)
    .flatMap((code) => readdirSync(`${folder}/${code}`).map((file) => `${code}/${file}`))
    .filter((file) => file.endsWith(".json") && !/\.(?:expected|options)\.json$/.test(file))
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, "utf8"))
  const module = {
    head: `import { definePlan } from "sequitur"\nimport catalog from "${catalog}"`,
    plans: texts.map((text) => JSON.parse(text) as unknown),
  }
  return { catalog, files, texts, module }
}

export const fixtures: readonly Fixtures[] = [...new Set(codes.map(catalogOf))].map(fixturesOf)
