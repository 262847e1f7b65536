/** What came of a run, typed by the catalog and the plan. */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { ResultOf } from "../catalog/tool.ts"
import type { CompiledPlan } from "../check/compiled.ts"
import { isCompiledPlan } from "../check/seal.ts"
import { awaitedBy } from "../journal/asked.ts"
import type { ApprovalRequested, Failure } from "../journal/entry.ts"
import { RunSecrets } from "../journal/secrets.ts"
import type { RunState } from "../journal/state.ts"

/** Of plans made in code by step id; of plan text nobody knows what it holds: ask `of`. */
type StepsOf<Results> = unknown extends Results ? { readonly [stepId: string]: unknown } : Results

/** What became of an effect that the run has begun. */
export interface EffectReport {
  readonly stepId: string
  readonly tool: string
  /**
   * `done`: it happened, and remains. `undone`: it happened, and was undone. `undo-failed`: it happened, and could not be undone:
   * `failure` says why. `replayed`: another run made it, and its result was used. `in-doubt`: whether it happened is not known.
   */
  readonly state: "done" | "undone" | "undo-failed" | "replayed" | "in-doubt"
  readonly failure?: Failure
}

export interface Contradiction {
  readonly stepId: string
  readonly attempt: number
  /** Of the entry that says so. */
  readonly seq: number
}

interface Report<Spec extends CatalogSpec> {
  readonly runId: string
  /** Late answers that say otherwise than what was settled: somebody must look. */
  readonly contradictions: readonly Contradiction[]
  /** Every effect of the run, in the plan's order: what was done, undone, and remains. */
  readonly effects: readonly EffectReport[]
  /**
   * The result of a step, typed by its tool; undefined where the step has not been done. Throws a RangeError where the plan has
   * no such step, or it calls another tool.
   */
  readonly of: <Name extends keyof Spec["tools"] & string>(
    stepId: string,
    tool: Name,
  ) => ResultOf<Spec["tools"][Name]> | undefined
  /**
   * The same report, with `steps` typed by the plan that the run is of: for a run that was found again by its id. Throws a
   * RangeError where it is the run of another plan.
   */
  readonly as: <Results>(plan: CompiledPlan<Results>) => RunReport<Spec, Results>
}

interface Succeeded<Results> {
  readonly status: "succeeded"
  readonly failure?: undefined
  readonly awaiting?: undefined
  /** Every result by step id. */
  readonly steps: StepsOf<Results>
}

interface AwaitingApproval<Results> {
  readonly status: "awaiting_approval"
  readonly failure?: undefined
  /** What a person must decide. */
  readonly awaiting: ApprovalRequested
  readonly steps: Partial<StepsOf<Results>>
}

interface Stopped<Results> {
  readonly status: "failed" | "cancelled" | "exhausted" | "in_doubt"
  readonly failure: Failure
  readonly awaiting?: undefined
  /** The results of what was done before. */
  readonly steps: Partial<StepsOf<Results>>
}

/** Another process works on it, or did when it ended. */
interface Running<Results> {
  readonly status: "running"
  readonly failure?: undefined
  readonly awaiting?: undefined
  readonly steps: Partial<StepsOf<Results>>
}

export type RunReport<Spec extends CatalogSpec = CatalogSpec, Results = unknown> = Report<Spec> &
  (Succeeded<Results> | AwaitingApproval<Results> | Stopped<Results> | Running<Results>)

const states = new WeakMap<object, RunState>()

/** The run that a report tells of, for its secrets; undefined of a copy, or of what is none. */
export const runBehind = (told: object): RunState | undefined => states.get(told)

export function report<Spec extends CatalogSpec, Results>(state: RunState): RunReport<Spec, Results> {
  const { runId, status, failure, calls, started } = state
  const awaiting = status === "awaiting_approval" ? awaitedBy(state) : undefined
  let steps: Readonly<Record<string, unknown>> | undefined
  const told = {
    runId,
    status,
    // Copies: what is done to a report does not reach the journal. Those of results are made when they are asked for.
    ...(failure === undefined ? {} : { failure: structuredClone(RunSecrets.in(state).scrubFailure(failure)) }),
    ...(awaiting === undefined ? {} : { awaiting: structuredClone(RunSecrets.in(state).redactEvent(awaiting)) }),
    contradictions: state.observations.flatMap(({ seq, event: { stepId, attempt }, contradicts }) =>
      contradicts ? [{ stepId, attempt, seq }] : [],
    ),
    get effects() {
      return structuredClone(effectsOf(state).map((effect) => withoutSecrets(effect, state)))
    },
    get steps() {
      steps ??= structuredClone(
        Object.fromEntries([...calls].flatMap(([id, { result }]) => (result === undefined ? [] : [[id, result]]))),
      )
      return steps
    },
    of(stepId: string, tool: string): unknown {
      const step = started.document.steps.find(({ id }) => id === stepId)
      if (step === undefined) throw new RangeError(`the plan has no step \`${stepId}\``)
      if (step.tool === tool) return structuredClone(calls.get(stepId)?.result)
      throw new RangeError(
        `step \`${stepId}\` ${step.tool === undefined ? "is a transition" : `calls \`${step.tool}\``}, not \`${tool}\``,
      )
    },
    as(plan: CompiledPlan): unknown {
      if (!isCompiledPlan(plan))
        throw new RangeError("`as` takes a compiled plan: what `compile` or `definePlan` gave back")
      if (plan.planHash === started.planHash) return told
      throw new RangeError(
        `run \`${runId}\` is not of this plan: its plan hash is ${started.planHash}, this plan's is ${plan.planHash}`,
      )
    },
  }
  states.set(told, state)
  return told as unknown as RunReport<Spec, Results>
}

/** Results are given as they are; what is said of a failure is for people. */
const withoutSecrets = (effect: EffectReport, state: RunState): EffectReport =>
  effect.failure === undefined ? effect : { ...effect, failure: RunSecrets.in(state).scrubFailure(effect.failure) }

/** Every effect that was begun, but for those proved not to have happened. */
export function effectsOf({ started, calls, undone, step, ending, observations }: RunState): readonly EffectReport[] {
  return started.document.steps.flatMap(({ id: stepId, tool = "" }): EffectReport[] => {
    const open = step.open?.stepId === stepId && step.open.idempotencyKey !== undefined
    if (open && ending === undefined) return [{ stepId, tool, state: "in-doubt" }]
    const call = calls.get(stepId)
    // Settled otherwise, and it happened all the same.
    const late = observations.some(({ event, contradicts }) => contradicts && event.stepId === stepId && !event.undoes)
    if (call === undefined && late) return [{ stepId, tool, state: "done" }]
    if (call?.idempotencyKey === undefined) return []
    if (call.replayed) return [{ stepId, tool, state: "replayed" }]
    const undo = undone.get(stepId)
    if (undo === undefined) return [{ stepId, tool, state: open ? "in-doubt" : "done" }]
    return [
      undo.kind === "undone"
        ? { stepId, tool, state: "undone" }
        : { stepId, tool, state: "undo-failed", failure: undo.failure },
    ]
  })
}
