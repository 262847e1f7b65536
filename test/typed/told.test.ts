/** What tsc prints where it cannot go to the property: what is wrong, and never the whole catalog. */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tsc, withProject } from "../../bench/types/project.ts"

const catalog = `import { defineCatalog, definePlan, tool } from "sequitur"
import { z } from "zod"
const catalog = defineCatalog({
  name: "told",
  version: "1",
  blastRadius: { cents: { max: 5 } },
  tools: { get: tool({ description: "Gets.", effect: "read", params: z.strictObject({ id: z.string() }), blast: { cents: 1 } }) },
})
`

function say(text: string, options: object = {}): string {
  return withProject((folder) => {
    const path = join(folder, "tsconfig.json")
    const config = JSON.parse(readFileSync(path, "utf8")) as { readonly compilerOptions: object }
    writeFileSync(path, JSON.stringify({ ...config, compilerOptions: { ...config.compilerOptions, ...options } }))
    writeFileSync(join(folder, "plan.ts"), `${catalog}${text}\n`)
    return spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" }).stdout
  })
}

test("arguments, steps and plans that are variables", () => {
  const said = say(`const args = { id: 5 } as const
const step = { id: "a", tool: "get", args } as const
const plan = { version: 1, steps: [step] } as const
export const all = [
  definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "get", args }] }),
  definePlan(catalog, { version: 1, steps: [step] }),
  definePlan(catalog, plan),
]`)
  expect(said.split("\n").filter((line) => line.includes("error TS"))).toHaveLength(3)
  expect(said).not.toMatch(/description|ZodObject|Asked</)
})

test("without `strictNullChecks` one message says what is needed, and nothing else is claimed", () => {
  const said = say(
    `export const right = definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "get", args: { id: "x" } }] })`,
    { strictNullChecks: false, exactOptionalPropertyTypes: false },
  )
  const faults = said
    .split("\n")
    .filter((line) => /error TS/.test(line) && line.includes("/plan.ts(") && !line.startsWith("src/"))
  expect(faults).toHaveLength(1)
  expect(faults[0]).toContain("types of plans need `strictNullChecks`")
})
