/** Counts what tsc does: instantiations are exact, times are not. */
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { generateCatalog, generatePlan } from "./generate.ts"

export interface Cost {
  readonly instantiations: number
  readonly seconds: number
  readonly megabytes: number
  readonly errors: readonly string[]
}

/** Where what is generated is put: inside the project, so that it finds what the project has. */
const folder = resolve("node_modules/.cache/sequitur-types")

/** A catalog and plans of these sizes; the catalog alone where there are none. */
export function measure(
  tools: number,
  steps: number,
  { front = "zod", fault = 0 }: Partial<{ front: "zod" | "typebox"; fault: number }> = {},
): Cost {
  const place = join(folder, `${front}-${tools}-${steps}-${fault}`)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, "catalog.ts"), generateCatalog(tools, front))
  if (steps > 0) writeFileSync(join(place, "plan.ts"), generatePlan(steps, tools, fault))
  else
    writeFileSync(
      join(place, "plan.ts"),
      'import { definePlan } from "sequitur"\nimport catalog from "./catalog.ts"\nexport const both = [catalog, definePlan] as const\n',
    )
  writeFileSync(
    join(place, "tsconfig.json"),
    JSON.stringify({
      extends: resolve("tsconfig.json"),
      include: ["*.ts"],
      exclude: [],
      compilerOptions: { paths: { sequitur: [resolve("src/index.ts")] } },
    }),
  )
  return check(place)
}

function check(place: string): Cost {
  const output = run(place)
  const number = (name: string): number => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(output)?.[1])
  return {
    instantiations: number("Instantiations"),
    seconds: number("Check time"),
    megabytes: Math.round(number("Memory used") / 1024),
    errors: output.split("\n").filter((line) => /error TS/.test(line)),
  }
}

function run(place: string): string {
  const tsc = resolve("node_modules/typescript/bin/tsc")
  try {
    return execFileSync(
      process.execPath,
      [tsc, "-p", place, "--extendedDiagnostics", "--checkers", "1", "--pretty", "false"],
      { encoding: "utf8", maxBuffer: 2 ** 28 },
    )
  } catch (failed) {
    return String((failed as { readonly stdout?: unknown }).stdout)
  }
}
