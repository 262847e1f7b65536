/** The recorded plans of tau-bench retail and of BFCL, each run, killed and gone on with; what comes out is what was recorded. */
import { type Catalog, type CompiledPlan, compile, defineCatalog } from "sequitur"
import { asWritten, callsOf, catalogOf, isBroken, meant, readFunctions, readPlans } from "../../conformance/bfcl.ts"
import { type Case, hasFile, type Row, rowOf } from "../../conformance/suite.ts"
import { write } from "../../conformance/written.ts"
import { isAuthentication, isChange, policyCatalog } from "../../tau-bench/policy.ts"
import {
  answerOf,
  isRefused,
  type RecordedCall,
  type RecordedPlan,
  readReferred,
  readReplay,
  withPeople,
  withReferences,
} from "../../tau-bench/recorded.ts"
import { resultsCatalog } from "../../tau-bench/results.ts"
import { Draw } from "../simulate/draw.ts"
import { type Answer, type RecordedRun, type Survived, survive } from "./survive.ts"

/** What was recorded, and how it was to end. */
export interface Recorded extends RecordedRun {
  readonly status: "succeeded" | "failed"
  readonly steps: { readonly [stepId: string]: unknown }
}

export interface Told {
  readonly rows: readonly Row[]
  readonly lives: number
  readonly resolved: number
}

/** For `npm run conformance`; none where the data is absent. */
export const recordedRows = (seed: number): readonly Row[] => (hasRecorded() ? proveRecorded(2, seed).rows : [])

const hasRecorded = (): boolean =>
  ["tau-bench/retail_test_replay.json", "bfcl/multi_turn_base_replay.json"].every(hasFile)

/** `kills` of each plan, at points drawn by the seed. */
export function proveRecorded(kills: number, seed: number): Told {
  let [lives, resolved] = [0, 0]
  const rows = Object.entries(recordedRuns()).map(([suite, runs]) => {
    const cases = runs.flatMap((recorded, index): readonly Case[] => {
      const draw = new Draw(seed, index)
      const whole = survive(recorded, Number.POSITIVE_INFINITY)
      const killed = Array.from({ length: kills }, () => survive(recorded, draw.between(1, whole.tasks)))
      return [whole, ...killed].map((survived) => {
        lives += survived.killed ? 2 : 1
        resolved += survived.resolved
        return caseOf(recorded, survived)
      })
    })
    return rowOf(suite, cases)
  })
  return { rows, lives, resolved }
}

function caseOf({ id, catalog, plan, status, steps }: Recorded, survived: Survived): Case {
  const problems: string[] = []
  if (survived.status !== status) problems.push(`it ended as ${survived.status}, not ${status}`)
  if (textOf(survived.steps) !== textOf(steps)) problems.push("its results are not those that were recorded")
  for (const { step } of plan.steps) {
    const tool = step.kind === "call" ? catalog.tools.get(step.tool) : undefined
    // To set something again changes nothing.
    if (!tool?.mutates || tool.idempotency.kind === "natural" || !Object.hasOwn(steps, step.id)) continue
    const times = survived.calls.get(step.id) ?? 0
    if (times !== 1) problems.push(`${step.id} was called ${times} times`)
  }
  const ok = problems.length === 0
  return { ok, verdict: ok ? "as-expected" : { unexplained: `${id}: ${problems.join("; ")}` } }
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )

const recordedRuns = (): { readonly [suite: string]: readonly Recorded[] } => ({
  "tau-bench retail, killed and resumed": retailRuns(),
  "the same with references": referredRuns(),
  "BFCL, killed and resumed": bfclRuns(),
})

function retailRuns(): readonly Recorded[] {
  const catalog = policyCatalog()
  return readReplay()
    .filter(({ actions }) => isAuthentication(actions[0]?.name ?? ""))
    .map((recorded) => ofRetail(recorded, catalog, withPeople(recorded)))
}

function referredRuns(): readonly Recorded[] {
  const catalog = resultsCatalog()
  const replay = readReplay()
  return readReferred()
    .filter(({ steps }) => steps.length > 0)
    .map((written) =>
      ofRetail(replay.find(({ id }) => id === written.id) as RecordedPlan, catalog, withReferences(written)),
    )
}

const isEffect = ({ name }: RecordedCall): boolean => isChange(name) || name === "transfer_to_human_agents"

function ofRetail({ id, actions }: RecordedPlan, catalog: Catalog, text: string): Recorded {
  const refusal = actions.findIndex((call) => isRefused(call) && isEffect(call))
  const answered = refusal === -1 ? actions : actions.slice(0, refusal)
  return {
    id: `retail-${id}`,
    catalog,
    plan: accepted(catalog, text),
    answerOf: (stepId): Answer => {
      const call = actions[Number(stepId.slice(1))] as RecordedCall
      return isRefused(call) && isEffect(call) ? { refused: call.result ?? "" } : { result: answerOf(call) }
    },
    status: refusal === -1 ? "succeeded" : "failed",
    steps: Object.fromEntries(answered.map((call, index) => [`s${index}`, answerOf(call)])),
  }
}

function bfclRuns(): readonly Recorded[] {
  const plans = readPlans()
  const { spec } = catalogOf(readFunctions(), plans)
  // Some results are not what is documented (see `npm run conformance`); here they are what they are.
  const tools = Object.entries(spec.tools).map(([name, { result: _, ...tool }]) => [name, tool])
  const catalog = defineCatalog({ ...spec, tools: Object.fromEntries(tools) }) as Catalog
  return plans
    .filter((plan) => !callsOf(plan).some(isBroken))
    .map((plan): Recorded => {
      const results = callsOf(plan).map(({ result }) => result ?? null)
      return {
        id: plan.id,
        catalog,
        plan: accepted(catalog, write(meant(asWritten(plan)))),
        answerOf: (stepId) => ({ result: results[Number(stepId.slice(1))] }),
        status: "succeeded",
        steps: Object.fromEntries(results.map((result, index) => [`s${index}`, result])),
      }
    })
}

function accepted(catalog: Catalog, text: string): CompiledPlan {
  const compiled = compile(catalog, text)
  if (compiled.ok) return compiled.plan
  throw new Error(compiled.diagnostics.map(({ code, at, message }) => `${code} ${at} ${message}`).join("\n"))
}
