/** What compiling says of a few steps, in the fewest words. `expectValid` and `expectDiagnostics`, as graphql-js has them. */
import {
  type Catalog,
  type CompiledPlan,
  type CompileOptions,
  compile,
  type Diagnostic,
  type RuntimeCheck,
} from "sequitur"
import { expect } from "vitest"

export interface WrittenStep {
  readonly id: string
  readonly [field: string]: unknown
}

export const call = (id: string, tool: string, args: object = {}, more: object = {}): WrittenStep => ({
  id,
  tool,
  args,
  ...more,
})

export const from = (source: string, path?: string): object =>
  path === undefined ? { $from: source } : { $from: source, path }

export const planOf = (steps: readonly WrittenStep[]): string => JSON.stringify({ version: 1, steps })

/** Every diagnostic as its code and pointer. */
export const inShort = ({ code, at }: Diagnostic): string => `${code} ${at}`

/** The plan that passed every gate. Approvals and warnings may ride along. */
export function expectValid(
  catalog: Catalog,
  steps: readonly WrittenStep[],
  options: CompileOptions = {},
): CompiledPlan {
  const compiled = compile(catalog, planOf(steps), options)
  if (!compiled.ok)
    throw new Error(`refused: ${compiled.diagnostics.map((one) => `${inShort(one)} ${one.message}`).join("; ")}`)
  return compiled.plan
}

/** To be compared with all that a refused plan is told: `SEQ201 /steps/0/args/orderId/$from`. */
export function expectDiagnostics(catalog: Catalog, steps: readonly WrittenStep[], options: CompileOptions = {}) {
  return expect(refusal(catalog, steps, options).map(inShort))
}

export function refusal(
  catalog: Catalog,
  steps: readonly WrittenStep[],
  options: CompileOptions = {},
): readonly Diagnostic[] {
  const compiled = compile(catalog, planOf(steps), options)
  if (compiled.ok) throw new Error("accepted")
  return compiled.diagnostics
}

/** The kinds and places of what only the run can decide. */
export const checksOf = (plan: CompiledPlan): readonly string[] =>
  plan.steps.flatMap(({ checks }) => checks.map(({ kind, at }: RuntimeCheck) => `${kind} ${at}`))
