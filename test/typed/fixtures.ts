/** The refused plans of `plans/invalid` that the desk's catalog is asked about. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Module } from "./judge.ts"

const folder = resolve("plans/invalid")

export const files = readdirSync(folder)
  .filter((code) => /^SEQ[1-4]/.test(code) && !existsSync(`${folder}/${code}/catalog.ts`))
  .flatMap((code) => readdirSync(`${folder}/${code}`).map((file) => `${code}/${file}`))
  .filter((file) => file.endsWith(".json") && !file.endsWith(".expected.json"))

export const texts = files.map((file) => readFileSync(`${folder}/${file}`, "utf8"))

/** All of them, in this order. */
export const fixtures: Module = {
  head: `import { definePlan } from "sequitur"\nimport catalog from "${folder}/catalog.ts"`,
  plans: texts.map((text) => JSON.parse(text) as unknown),
}
