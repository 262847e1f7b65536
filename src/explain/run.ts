/** What came of a run: how it stands, why, and what was done and what was not. */
import type { ApprovalRequested, Entry, Failure } from "../journal/entry.ts"
import type { RunState } from "../journal/state.ts"
import type { Status } from "../journal/status.ts"
import { awaitedBy, type EffectReport, effectsOf } from "../run/report.ts"
import type { Json } from "../text/json.ts"
import { type Look, paint } from "./look.ts"
import { clip, printable } from "./printable.ts"

export interface RunView {
  readonly runId: string
  readonly status: Status
  readonly failure: Failure | null
  /** What a person must decide, while the run waits for that. */
  readonly awaiting: ApprovalRequested | null
  /** What a person must find out, while the run is in doubt. */
  readonly doubt: DoubtView | null
  readonly steps: readonly RunStepView[]
  /** What was done outside, undone, and remains. */
  readonly effects: readonly EffectReport[]
  /** Late answers that contradict what was settled: somebody must look. */
  readonly contradictions: readonly { readonly seq: number; readonly stepId: string }[]
  /** By step id, of the calls that answered with what could be written down. */
  readonly results: { readonly [stepId: string]: Json }
}

export interface DoubtView {
  readonly stepId: string
  readonly tool: string
  /** Whether it is the undoing of the step. */
  readonly undoes: boolean
  /** What the system behind the tool knows the call by. */
  readonly idempotencyKey: string
}

export interface RunStepView {
  readonly id: string
  readonly tool: string | null
  readonly transition: string | null
  /** Whether the call had an effect outside: known once it was begun. */
  readonly effect: boolean
  readonly came: "done" | "begun" | "in-doubt" | "failed" | "not-begun"
}

export function viewRun(state: RunState, entries: readonly Entry[]): RunView {
  const effects = new Set(
    entries.flatMap(({ event }) =>
      event.kind === "intent" && event.idempotencyKey !== undefined ? [event.stepId] : [],
    ),
  )
  const { runId, status } = state
  return {
    runId,
    status,
    failure: state.failure ?? null,
    awaiting: status === "awaiting_approval" ? (awaitedBy(state) ?? null) : null,
    doubt: status === "in_doubt" ? doubtIn(state) : null,
    steps: state.started.document.steps.map(({ id, tool, transition }, index) => ({
      id,
      tool: tool ?? null,
      transition: transition ?? null,
      effect: effects.has(id),
      came: index < state.done ? "done" : index > state.done ? "not-begun" : cameOf(state),
    })),
    effects: effectsOf(state),
    contradictions: state.observations.flatMap(({ seq, event, contradicts }) =>
      contradicts ? [{ seq, stepId: event.stepId }] : [],
    ),
    results: Object.fromEntries(
      [...state.calls].flatMap(([id, { result }]) => (result === undefined ? [] : [[id, result]])),
    ),
  }
}

function doubtIn({ step: { open } }: RunState): DoubtView | null {
  if (open?.idempotencyKey === undefined) return null
  const { stepId, tool, undoes = false, idempotencyKey } = open
  return { stepId, tool, undoes, idempotencyKey }
}

/** Of the one step that the run stands at. */
function cameOf({ status, step }: RunState): RunStepView["came"] {
  if (step.open !== undefined) return status === "in_doubt" ? "in-doubt" : "begun"
  return step.failed === undefined ? "not-begun" : "failed"
}

const reasonRoom = 1_000
const nameRoom = 40

const statusFormat: Readonly<Record<Status | "damaged", Parameters<typeof paint>[1]>> = {
  running: "bold",
  awaiting_approval: ["bold", "magenta"],
  in_doubt: ["bold", "red"],
  succeeded: ["bold", "green"],
  failed: ["bold", "red"],
  cancelled: ["bold", "yellow"],
  exhausted: ["bold", "red"],
  damaged: ["bold", "red"],
}

export const explainStatus = (status: Status | "damaged", look: Look): string =>
  paint(look, statusFormat[status], status.replace("_", " "))

export function explainRun(
  { runId, status, failure, doubt, steps, effects, contradictions }: RunView,
  look: Look,
): string {
  const lines = [`run ${printable(runId)} ${explainStatus(status, look)}`]
  if (failure !== null) lines.push(`  because   ${failure.code}: ${clip(failure.message, reasonRoom)}`)
  const tell = (title: string, told: (step: RunStepView) => boolean): void => {
    const found = steps
      .filter(told)
      .map(({ id, tool }) => clip(tool === null || tool === id ? id : `${id} (${tool})`, nameRoom * 2))
    if (found.length > 0) lines.push(`  ${title.padEnd(9)} ${found.join(", ")}`)
  }
  const stood = (id: string): EffectReport["state"] | undefined => effects.find(({ stepId }) => stepId === id)?.state
  tell("did", ({ id }) => stood(id) === "done" || stood(id) === "undo-failed")
  tell("undid", ({ id }) => stood(id) === "undone")
  tell("replayed", ({ id }) => stood(id) === "replayed")
  for (const { stepId, tool, failure } of effects)
    if (failure !== undefined)
      lines.push(
        `  not undone ${clip(`${stepId} (${tool})`, nameRoom * 2)}: ${failure.code}: ${clip(failure.message, reasonRoom)}`,
      )
  tell("read", ({ effect, tool, came }) => !effect && tool !== null && came === "done")
  tell("in doubt", ({ id }) => doubt?.stepId === id && !doubt.undoes)
  tell("undo in doubt", ({ id }) => doubt?.stepId === id && doubt.undoes)
  if (doubt !== null) lines.push(`  its key   ${clip(doubt.idempotencyKey, nameRoom * 2)}`)
  tell("begun", ({ came }) => came === "begun")
  tell("failed", ({ came }) => came === "failed")
  tell("not begun", ({ tool, came }) => tool !== null && came === "not-begun")
  for (const { seq, stepId } of contradictions)
    lines.push(
      paint(
        look,
        ["bold", "red"],
        `  alert     entry ${seq} contradicts what was settled of ${clip(stepId, nameRoom)}`,
      ),
    )
  return lines.join("\n")
}
