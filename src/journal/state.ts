/** What a run is, as a fold over its journal. It believes nothing that the plan in the first entry does not bear out. */
import type { Json, JsonObject } from "../text/json.ts"
import type {
  ApprovalDecided,
  ApprovalRequested,
  AttemptFailed,
  Event,
  Failure,
  Intent,
  Recorded,
  RunEnded,
  RunStarted,
} from "./entry.ts"
import { JournalDiverged, JournalNewer } from "./failure.ts"
import { Growing } from "./growing.ts"

export type Status = "running" | "awaiting_approval" | "in_doubt" | RunEnded["status"]

export const isTerminal = (status: Status): status is RunEnded["status"] =>
  status !== "running" && status !== "awaiting_approval" && status !== "in_doubt"

export interface RunState {
  readonly runId: string
  readonly status: Status
  /** Of the last entry. */
  readonly seq: number
  readonly startedAtMs: number
  readonly updatedAtMs: number
  readonly started: RunStarted
  /** How many steps are behind us: calls that answered, transitions taken. */
  readonly done: number
  readonly calls: Growing<string, Called>
  /** Which step an idempotency key belongs to: of every effect that was ever begun. */
  readonly effects: Growing<string, string>
  /** Of the step at `done`: */
  readonly step: Progress
  /** Calls made again, over the whole run. */
  readonly retries: number
  readonly workedMs: number
  /** By step id; decisions by request id. */
  readonly requests: Growing<string, ApprovalRequested>
  readonly decisions: Growing<string, ApprovalDecided>
  /** Why the run is in doubt or has ended; while it runs, why it cannot go on. */
  readonly failure: Failure | undefined
}

/** A call that answered. */
export interface Called {
  readonly args: JsonObject
  /** Undefined where the answer cannot be used. */
  readonly result: Json | undefined
}

/** How far the next step has come. */
export interface Progress {
  /** An intent without an outcome: the call is under way, or its process has ended. */
  readonly open: Intent | undefined
  /** How often it was begun, and how often it failed: the rest was cut off with its process. */
  readonly attempts: number
  readonly failures: number
  /** The last attempt, where it failed. */
  readonly failed: AttemptFailed | undefined
}

const untouched: Progress = { open: undefined, attempts: 0, failures: 0, failed: undefined }

/** The first entry. */
export function begin(runId: string, { seq, atMs, event }: Recorded): RunState | JournalDiverged | JournalNewer {
  if (event.kind !== "run-started")
    return new JournalDiverged({ runId, seq, problem: "a run begins with `run-started`" })
  if (event.journal !== 1) return new JournalNewer({ where: `run ${runId}`, found: event.journal, known: 1 })
  if (seq !== 0) return new JournalDiverged({ runId, seq, problem: "a run begins with entry 0" })
  return {
    runId,
    status: "running",
    seq,
    startedAtMs: atMs,
    updatedAtMs: atMs,
    started: event,
    done: 0,
    calls: Growing.empty(),
    effects: Growing.empty(),
    step: untouched,
    retries: 0,
    workedMs: 0,
    requests: Growing.empty(),
    decisions: Growing.empty(),
    failure: undefined,
  }
}

/** One entry more. An entry that cannot follow is an error, and the state it was folded over stays as it was. */
export function fold(state: RunState, { seq, atMs, event }: Recorded): RunState | JournalDiverged {
  const problem = seq === state.seq + 1 ? refuse(state, event) : `entry ${state.seq + 1} is missing`
  if (problem !== undefined) return new JournalDiverged({ runId: state.runId, seq, problem })
  return { ...state, ...change(state, event), seq, updatedAtMs: atMs }
}

/** A whole journal, from its first entry. */
export function replay(runId: string, entries: readonly Recorded[]): RunState | JournalDiverged | JournalNewer {
  const [first, ...rest] = entries
  if (first === undefined) return new JournalDiverged({ runId, seq: 0, problem: "the journal is empty" })
  let state = begin(runId, first)
  for (const entry of rest) {
    if (state instanceof Error) return state
    state = fold(state, entry)
  }
  return state
}

/** Why an event cannot happen now; undefined where it can. */
function refuse(state: RunState, event: Event): string | undefined {
  const { status, step } = state
  if (isTerminal(status)) return `the run has ended as \`${status}\``
  if (status === "in_doubt") return "the run is in doubt"
  if (status === "awaiting_approval" && event.kind !== "approval-decided" && event.kind !== "run-ended")
    return "the run waits for a decision"
  switch (event.kind) {
    case "run-started":
      return "a run starts once"
    case "intent":
      return refuseStep(state, event.stepId, event.tool) ?? refuseIntent(state, event)
    case "outcome":
    case "attempt-failed":
    case "in-doubt":
      if (step.open === undefined) return `\`${event.kind}\` without an intent`
      if (step.open.stepId !== event.stepId || step.open.attempt !== event.attempt) return "it answers another call"
      return undefined
    case "state-entered":
      return step.open ? "a call is under way" : (refuseStep(state, event.stepId) ?? refuseEntry(state, event.stepId))
    case "approval-requested":
      if (state.requests.has(event.stepId)) return `approval of \`${event.stepId}\` was requested before`
      return step.open ? "a call is under way" : refuseStep(state, event.stepId)
    case "approval-decided":
      return refuseDecision(state, event)
    case "run-ended":
      return refuseEnd(state, event)
  }
}

/** Steps happen in the plan's order, each as the plan says it. */
function refuseStep({ started, done }: RunState, stepId: string, tool?: string): string | undefined {
  const planned = started.document.steps[done]
  if (planned === undefined) return "the plan has no step left"
  if (planned.id !== stepId) return `the plan's next step is \`${planned.id}\`, not \`${stepId}\``
  if (planned.tool !== tool)
    return tool === undefined ? `\`${stepId}\` is a call` : `\`${stepId}\` does not call \`${tool}\``
  return undefined
}

function refuseIntent({ step, effects, failure }: RunState, intent: Intent): string | undefined {
  if (failure !== undefined) return "the run cannot go on"
  if (intent.attempt !== step.attempts + 1) return `attempt ${step.attempts + 1} comes next`
  if (step.open?.idempotencyKey !== undefined) return "an effect whose outcome is unknown is never begun again"
  if (intent.idempotencyKey === undefined) return undefined
  const owner = effects.get(intent.idempotencyKey)
  return owner === undefined || owner === intent.stepId ? undefined : `\`${owner}\` has made the same call`
}

function refuseEntry({ requests, decisions, failure }: RunState, stepId: string): string | undefined {
  if (failure !== undefined) return "the run cannot go on"
  const request = requests.get(stepId)
  if (request === undefined) return undefined
  return decisions.get(request.requestId)?.decision === "approved" ? undefined : "the transition was not approved"
}

function refuseDecision({ status, requests }: RunState, { requestId, stepId }: ApprovalDecided): string | undefined {
  if (status !== "awaiting_approval") return "nothing waits for a decision"
  return requests.get(stepId)?.requestId === requestId ? undefined : "it decides another request"
}

function refuseEnd({ step, started, done, failure }: RunState, end: RunEnded): string | undefined {
  if (step.open?.idempotencyKey !== undefined) return "an effect is under way"
  if (end.status !== "succeeded") return end.failure === undefined ? "it does not say why" : undefined
  if (failure !== undefined || end.failure !== undefined) return "a failed run does not succeed"
  return done === started.document.steps.length ? undefined : "steps are left"
}

/** What an event that may happen changes. */
function change(state: RunState, event: Event): Partial<RunState> {
  const { step } = state
  switch (event.kind) {
    case "run-started":
      return {}
    case "intent":
      return {
        step: { open: event, attempts: event.attempt, failures: step.failures, failed: undefined },
        retries: event.attempt > 1 ? state.retries + 1 : state.retries,
        effects:
          event.idempotencyKey === undefined ? state.effects : state.effects.with(event.idempotencyKey, event.stepId),
      }
    case "outcome":
      return {
        step: untouched,
        done: state.done + 1,
        calls: state.calls.with(event.stepId, {
          args: step.open?.args ?? {},
          result: event.failure === undefined ? event.result : undefined,
        }),
        workedMs: state.workedMs + event.tookMs,
        failure: event.failure,
      }
    case "attempt-failed":
      return {
        step: { open: undefined, attempts: step.attempts, failures: step.failures + 1, failed: event },
        workedMs: state.workedMs + event.tookMs + (event.again?.afterMs ?? 0),
      }
    case "state-entered":
      return { step: untouched, done: state.done + 1 }
    case "approval-requested":
      return { status: "awaiting_approval", requests: state.requests.with(event.stepId, event) }
    case "approval-decided":
      return { status: "running", decisions: state.decisions.with(event.requestId, event) }
    case "in-doubt":
      return { status: "in_doubt", failure: event.failure, workedMs: state.workedMs + (event.tookMs ?? 0) }
    case "run-ended":
      return { status: event.status, failure: event.failure }
  }
}
