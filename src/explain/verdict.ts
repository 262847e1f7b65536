/** What compiling came to: each diagnostic, then the verdict in a line; and the same for programs. */
import type { Compiled } from "../compile.ts"
import type { Diagnostic } from "../diagnostic/diagnostic.ts"
import { explainDiagnostic, type Spoken, sayDiagnostic } from "./diagnostic.ts"
import { type Look, paint } from "./look.ts"

export interface VerdictView {
  readonly file: string
  readonly accepted: boolean
  /** Null for a plan that was refused. */
  readonly planHash: string | null
  readonly catalogHash: string | null
  readonly diagnostics: readonly Diagnostic[]
  /** How many diagnostics there are beyond those that are shown. */
  readonly more: number
}

export function viewVerdict(file: string, compiled: Compiled): VerdictView {
  const { planHash, catalogHash } = compiled.ok ? compiled.plan : { planHash: null, catalogHash: null }
  return { file, accepted: compiled.ok, planHash, catalogHash, diagnostics: compiled.diagnostics, more: compiled.more }
}

/** Errors in full, with the planner's text; what does not stand in the plan's way in a line each, just before the verdict. */
export function explainVerdict(compiled: Compiled, spoken: Spoken & { readonly name: string }, look: Look): string {
  const { diagnostics, more } = compiled
  const errors = diagnostics.filter(({ severity }) => severity === "error")
  const said = errors.map((diagnostic) => explainDiagnostic(diagnostic, spoken, look))
  if (more > 0) said.push(`and ${more} more`)
  const mild = diagnostics.filter(({ severity }) => severity !== "error")
  const verdict = [...mild.map((one) => sayDiagnostic(one, spoken.name, look)), sayVerdict(compiled, spoken.name, look)]
  return [...said, verdict.join("\n")].join("\n\n")
}

export function sayVerdict(compiled: Compiled, name: string, look: Look): string {
  if (!compiled.ok) {
    const errors = compiled.diagnostics.filter(({ severity }) => severity === "error").length + compiled.more
    return `${paint(look, ["bold", "red"], "refused")}  ${name}: ${plural(errors, "error")}`
  }
  const { steps, approvals, planHash } = compiled.plan
  const waits = approvals.length === 0 ? "" : `, waits for ${plural(approvals.length, "approval")}`
  return `${paint(look, ["bold", "green"], "accepted")} ${name}: ${plural(steps.length, "step")}${waits}, plan ${planHash.slice(0, 12)}`
}

/** "3 plans", "1 plan". */
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`
