/** Counts what tsc does: instantiations are exact, times are not. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { generateCatalog, generatePlan } from "./generate.ts"
import { compilers, type Version, withProject } from "./project.ts"

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
  {
    front = "zod",
    fault = 0,
    version = "7",
  }: Partial<{ front: "zod" | "typebox"; fault: number; version: Version }> = {},
): Cost {
  return withProject((folder) => {
    writeFileSync(join(folder, "catalog.ts"), generateCatalog(tools, front))
    writeFileSync(join(folder, "plan.ts"), steps > 0 ? generatePlan(steps, tools, fault) : bare)
    return check(folder, version)
  })
}

const bare = `import { definePlan } from "sequitur"
import catalog from "./catalog.ts"
export const both = [catalog, definePlan] as const
`

export function check(place: string, version: Version = "7"): Cost {
  const output = run(place, version)
  const number = (name: string): number => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(output)?.[1])
  return {
    instantiations: number("Instantiations"),
    seconds: number("Check time"),
    megabytes: Math.round(number("Memory used") / 1024),
    errors: output.split("\n").filter((line) => /error TS/.test(line)),
  }
}

function run(place: string, version: Version): string {
  const given = ["-p", place, "--extendedDiagnostics", "--pretty", "false"]
  // What comes after 6 checks with several threads, and counts what each of them does.
  if (version === "7") given.push("--checkers", "1")
  try {
    return execFileSync(process.execPath, [compilers[version], ...given], { encoding: "utf8", maxBuffer: 2 ** 28 })
  } catch (failed) {
    return String((failed as { readonly stdout?: unknown }).stdout)
  }
}
