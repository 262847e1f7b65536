/** From the host's own object to a JSON Schema in its normal form: copied once, and never looked at again. */
import { copyJson } from "../../../text/copy-json.ts"
import type { Pointer } from "../../../text/pointer.ts"
import { mayCheck } from "../effort.ts"
import { faultOf, uncheckedOf } from "../guard.ts"
import { costOf, stepsFor, stepsMax } from "../pattern-cost.ts"
import type { JsonSchema } from "../schema.ts"
import type { Findings } from "./findings.ts"
import { type Normal, normalise } from "./normal-schema.ts"

export const isJsonSchema = (schema: unknown): schema is JsonSchema =>
  typeof schema === "boolean" || (typeof schema === "object" && schema !== null && !Array.isArray(schema))

/** Schemas inside one another, and values in all. */
const bounds = { depth: 200, nodes: 100_000 } as const

/** Undefined after noting a fault. */
export function readJsonSchema(schema: JsonSchema, findings: Findings, at: Pointer): Normal | undefined {
  const copied = copyJson(schema, bounds, { numbers: "finite" })
  if (!copied.ok) {
    const what = `something else than a zod 4, TypeBox or JSON Schema (it holds ${copied.problem} at \`${copied.at || "/"}\`)`
    findings.faults.push({ kind: "not-a-schema", at, what })
    return undefined
  }
  const normal = normalise(copied.value, findings, at)
  refuseSlow(normal, findings)
  return findings.faults.length > 0 ? undefined : normal
}

/** Lowering asks patterns of the schema's own keys and constants: it must not be held up by them either. */
function refuseSlow({ schema, definitions, patterns }: Normal, { faults, effort }: Findings): void {
  const longest = longestText([schema, ...definitions.values()])
  for (const pattern of patterns) {
    if (!mayCheck(effort, pattern.rule)) {
      faults.push(uncheckedOf(pattern))
      continue
    }
    if (stepsFor(costOf(pattern.rule), longest) > stepsMax) faults.push(faultOf(pattern))
  }
}

function longestText(part: unknown): number {
  if (typeof part === "string") return part.length
  if (typeof part !== "object" || part === null) return 0
  return Object.entries(part).reduce((most, [key, inner]) => Math.max(most, key.length, longestText(inner)), 0)
}
