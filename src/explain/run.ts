/** What came of a run: how it stands, why, and what was done and what was not. */

import { awaitedBy } from "../journal/asked.ts"
import type { ApprovalRequested, CancelRequested, Entry, Failure, WindingDown } from "../journal/entry.ts"
import { RunSecrets } from "../journal/secrets.ts"
import type { RunState } from "../journal/state.ts"
import { isTerminal, type Status } from "../journal/status.ts"
import { type EffectReport, effectsOf } from "../run/report.ts"
import type { Json } from "../text/json.ts"
import { type Look, paint } from "./look.ts"
import { clip, printable } from "./printable.ts"

export interface RunView {
  readonly runId: string
  readonly status: Status
  readonly failure: Failure | null
  /** How the run will end, and why, once what it has done is undone. */
  readonly ending: Pick<WindingDown, "status" | "failure"> | null
  /** Who has asked for it to be stopped, where it has not ended yet. */
  readonly cancel: Pick<CancelRequested, "by" | "reason"> | null
  /** What a person must decide, while the run waits for that. */
  readonly awaiting: ApprovalRequested | null
  /** What a person must find out, while the run is in doubt. */
  readonly doubt: DoubtView | null
  /** The step whose effect is being undone. */
  readonly undoing: string | null
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
  /** Which call of it: a word about this one settles no later one. */
  readonly attempt: number
  /** What the system behind the tool knows the call by. */
  readonly idempotencyKey: string
  /** Whether its tool takes the same key again, or can be asked after it. */
  readonly again: boolean
}

export interface RunStepView {
  readonly id: string
  readonly tool: string | null
  readonly transition: string | null
  /** Whether the call had an effect outside: known once it was begun. */
  readonly effect: boolean
  readonly came: "done" | "begun" | "in-doubt" | "failed" | "not-begun"
}

/** Without the secrets of the run, as all that is shown. */
export function viewRun(state: RunState, entries: readonly Entry[], secrets = RunSecrets.of(entries)): RunView {
  const called = entries.flatMap(({ event }) => (event.kind === "intent" && event.undoes === undefined ? [event] : []))
  const begun = new Set(called.map(({ stepId }) => stepId))
  const effects = new Set([
    ...called.flatMap(({ stepId, idempotencyKey }) => (idempotencyKey === undefined ? [] : [stepId])),
    ...entries.flatMap(({ event }) => (event.kind === "replayed" ? [event.stepId] : [])),
  ])
  const { runId, status, ending, cancel, step } = state
  const over = isTerminal(status)
  const awaiting = status === "awaiting_approval" ? awaitedBy(state) : undefined
  return {
    runId,
    status,
    failure: state.failure === undefined ? null : secrets.scrubFailure(state.failure),
    ending:
      over || ending === undefined ? null : { status: ending.status, failure: secrets.scrubFailure(ending.failure) },
    cancel:
      over || cancel === undefined ? null : { by: secrets.scrub(cancel.by), reason: secrets.scrub(cancel.reason) },
    awaiting: awaiting === undefined ? null : secrets.redactEvent(awaiting),
    doubt: status === "in_doubt" ? doubtIn(state) : null,
    undoing: step.open?.undoes === true ? step.open.stepId : null,
    steps: state.started.document.steps.map(({ id, tool, transition }, index) => ({
      id,
      tool: tool ?? null,
      transition: transition ?? null,
      effect: effects.has(id),
      came: state.open?.nothing.has(id)
        ? "failed"
        : index < state.done
          ? "done"
          : index > state.done || !begun.has(id)
            ? "not-begun"
            : cameOf(state),
    })),
    effects: effectsOf(state).map(({ failure, ...effect }) =>
      failure === undefined ? effect : { ...effect, failure: secrets.scrubFailure(failure) },
    ),
    contradictions: state.observations.flatMap(({ seq, event, contradicts }) =>
      contradicts ? [{ seq, stepId: event.stepId }] : [],
    ),
    results: secrets.redactResults(
      Object.fromEntries([...state.calls].flatMap(([id, { result }]) => (result === undefined ? [] : [[id, result]]))),
    ),
  }
}

function doubtIn({ step: { open }, started: { tools } }: RunState): DoubtView | null {
  if (open?.idempotencyKey === undefined) return null
  const { stepId, tool, undoes = false, attempt, idempotencyKey } = open
  const { reconcile, idempotency } = tools[tool] ?? {}
  const again = reconcile !== undefined || (idempotency !== undefined && idempotency.kind !== "none")
  return { stepId, tool, undoes, attempt, idempotencyKey, again }
}

/** Of the one step that the run stands at, once it was called; while the run winds down, what is open is an undo. */
function cameOf({ status, step: { open } }: RunState): RunStepView["came"] {
  if (open === undefined || open.undoes === true) return "failed"
  return status === "in_doubt" ? "in-doubt" : "begun"
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
  { runId, status, failure, ending, cancel, doubt, undoing, steps, effects, contradictions }: RunView,
  look: Look,
): string {
  const lines = [`run ${printable(runId)} ${explainStatus(status, look)}`]
  const say = ({ code, message }: Failure): string => `${code}: ${clip(message, reasonRoom)}`
  if (ending !== null) lines.push(`  to end    ${ending.status}, ${say(ending.failure)}`)
  else if (cancel !== null) lines.push(`  to end    cancelled: ${clip(cancel.by, nameRoom)} asked for it`)
  if (failure !== null && (ending === null || status === "in_doubt")) lines.push(`  because   ${say(failure)}`)
  const tell = (title: string, told: (step: RunStepView) => boolean): void => {
    const found = steps
      .filter(told)
      .map(({ id, tool }) => clip(tool === null || tool === id ? id : `${id} (${tool})`, nameRoom * 2))
    if (found.length > 0) lines.push(`  ${title.padEnd(9)} ${found.join(", ")}`)
  }
  const stood = (id: string): EffectReport["state"] | undefined => effects.find(({ stepId }) => stepId === id)?.state
  tell("did", ({ id }) => stood(id) === "done" || stood(id) === "undo-failed" || id === undoing)
  tell("undid", ({ id }) => stood(id) === "undone")
  tell("replayed", ({ id }) => stood(id) === "replayed")
  for (const { stepId, tool, failure } of effects)
    if (failure !== undefined) lines.push(`  not undone ${clip(`${stepId} (${tool})`, nameRoom * 2)}: ${say(failure)}`)
  tell("read", ({ effect, tool, came }) => !effect && tool !== null && came === "done")
  tell("in doubt", ({ id }) => doubt?.stepId === id && !doubt.undoes)
  tell(doubt === null ? "undoing" : "undo in doubt", ({ id }) => id === undoing)
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
