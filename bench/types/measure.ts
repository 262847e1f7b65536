/** Counts what tsc does: instantiations are exact, times are not. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { generateCatalog, generatePlan } from "./generate.ts"
import { tsc, withProject } from "./project.ts"

export interface Cost {
  readonly instantiations: number
  readonly seconds: number
  readonly megabytes: number
  readonly errors: readonly string[]
}

/** A catalog and plans of these sizes; the catalog alone where there are none. */
export function measure(
  tools: number,
  steps: number,
  { front = "zod", fault = 0 }: Partial<{ front: "zod" | "typebox"; fault: number }> = {},
): Cost {
  return withProject((folder) => {
    writeFileSync(join(folder, "catalog.ts"), generateCatalog(tools, front))
    writeFileSync(join(folder, "plan.ts"), steps > 0 ? generatePlan(steps, tools, fault) : bare)
    return check(folder)
  })
}

const bare = `import { definePlan } from "sequitur"
import catalog from "./catalog.ts"
export const both = [catalog, definePlan] as const
`

export function check(place: string): Cost {
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
