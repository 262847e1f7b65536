/** What a run is, as a fold over its journal. It believes nothing that the plan in the first entry does not bear out. */
import type { Json, JsonObject } from "../text/json.ts"
import { type AskedBySteps, ask, decideAsked, deliver, isSettling, lapse } from "./asked.ts"
import type {
  AnswerLost,
  AttemptFailed,
  CancelRequested,
  Event,
  Failure,
  Intent,
  Observed,
  Pause,
  Reconciled,
  Recorded,
  Resolved,
  RuleEvaluated,
  RunStarted,
  WindingDown,
} from "./entry.ts"
import { isForeign, journalVersion } from "./entry.ts"
import { JournalDiverged, JournalNewer, JournalOlder } from "./failure.ts"
import { Growing } from "./growing.ts"
import { addStep, giveUp, noteCall, type OpenRun, observedCall, openedBy } from "./open.ts"
import { refuse } from "./refuse.ts"
import { isTerminal, type Status } from "./status.ts"

export interface RunState {
  readonly runId: string
  readonly status: Status
  /** Of the last entry. */
  readonly seq: number
  readonly startedAtMs: number
  readonly updatedAtMs: number
  /** Its first entry; of an open run with the steps that were added since. */
  readonly started: RunStarted
  /** Of an open run alone. */
  readonly open: OpenRun | undefined
  /** How many steps are behind us: calls that answered, transitions taken. */
  readonly done: number
  readonly calls: Growing<string, Called>
  /** Which step an idempotency key belongs to: of every effect that was ever begun, or replayed. */
  readonly effects: Growing<string, string>
  /** Of the step at `done`; while the run winds down, of the effect that is being undone. */
  readonly step: Progress
  /** Calls made again, over the whole run. */
  readonly retries: number
  readonly workedMs: number
  /** Effects begun, not counting those proved not to have happened; undoing does not count. */
  readonly sideEffects: number
  /** What its calls have cost, in millionths of a US dollar; undoing does not count. */
  readonly microUsd: number
  /** What people were asked, by step, in the order in which they were asked. */
  readonly asked: AskedBySteps
  /** What rules of the host's have answered, by step. */
  readonly ruled: ReadonlyMap<string, RuleEvaluated>
  /** What was read once more before the step at `done`, by the step that had read it. */
  readonly reread: ReadonlyMap<string, { readonly atMs: number; readonly result: Json | undefined }>
  readonly cancel: CancelRequested | undefined
  readonly ending: WindingDown | undefined
  /** What became of undoing, by the step whose effect it was. */
  readonly undone: Growing<string, Undone>
  /** Late truths, in order. */
  readonly observations: readonly Observation[]
  /** Of the lease the last entries were written under. */
  readonly epoch: number
  /** Why the run is in doubt or has ended; while it runs, why it cannot go on. */
  readonly failure: Failure | undefined
  /** The call that was begun last: what is said of its failure may repeat what it was called with. */
  readonly last: Intent | undefined
}

/** A call that answered. */
export interface Called {
  readonly args: JsonObject
  /** Undefined where the answer cannot be used. */
  readonly result: Json | undefined
  readonly failure: Failure | undefined
  /** Of an effect, as is the number of the call that it is known of. */
  readonly idempotencyKey: string | undefined
  readonly attempt: number
  /** When its answer was written down. */
  readonly atMs: number
  /** Another run has made the effect: it is not this one's to undo. */
  readonly replayed: boolean
}

export type Undone =
  | {
      readonly kind: "undone"
      readonly result: Json | undefined
      readonly failure: Failure | undefined
      readonly attempt: number
    }
  | { readonly kind: "failed"; readonly failure: Failure }

export interface Observation {
  readonly seq: number
  readonly event: Observed
  /** It says that something happened (or did not) of which the opposite was settled. */
  readonly contradicts: boolean
}

/** How far the next call has come. */
export interface Progress {
  /** An intent without an outcome. */
  readonly open: Intent | undefined
  /** When it was dispatched: first by this key, before all time where that is not known; and last, or a time that was after that. */
  readonly firstAtMs: number
  readonly lastAtMs: number
  /** The intent was found in the journal of another store, which knows what people were asked about there. */
  readonly adopted: boolean
  /** Why nobody waits for its answer any more; undefined while somebody does. */
  readonly lost: AnswerLost | "process-ended" | "taken-over" | undefined
  /** What the outside said of it last, and how often in a row, since it was last called, that it could not tell. */
  readonly reconciled: (Reconciled & { readonly askedAtMs: number }) | undefined
  readonly asked: number
  /** How often it was begun, and how often it failed: the rest was lost. */
  readonly attempts: number
  readonly failures: number
  /** How many attempts there were when a person last asked for another. */
  readonly excused: number
  /** The last attempt, where it failed. */
  readonly failed: AttemptFailed | undefined
  /** Of an effect that was proved not to have happened: it may be begun anew, under another key, after this pause. */
  readonly released: boolean
  readonly pause: Pause | undefined
}

export const untouched: Progress = {
  open: undefined,
  firstAtMs: 0,
  lastAtMs: 0,
  adopted: false,
  lost: undefined,
  reconciled: undefined,
  asked: 0,
  attempts: 0,
  failures: 0,
  excused: 0,
  failed: undefined,
  released: false,
  pause: undefined,
}

const none: ReadonlyMap<string, never> = new Map<string, never>()

/** The first entry. */
export function begin(
  runId: string,
  { seq, atMs, event }: Recorded,
): RunState | JournalDiverged | JournalNewer | JournalOlder {
  if (event.kind !== "run-started")
    return new JournalDiverged({ runId, seq, problem: "a run begins with `run-started`" })
  const where = `run ${runId}`
  if (event.journal < journalVersion) return new JournalOlder({ where, found: event.journal, known: journalVersion })
  if (event.journal !== journalVersion) return new JournalNewer({ where, found: event.journal, known: journalVersion })
  if (seq !== 0) return new JournalDiverged({ runId, seq, problem: "a run begins with entry 0" })
  return {
    runId,
    status: "running",
    seq,
    startedAtMs: atMs,
    updatedAtMs: atMs,
    started: event,
    open: openedBy(event),
    done: 0,
    calls: Growing.empty(),
    effects: Growing.empty(),
    step: untouched,
    retries: 0,
    workedMs: 0,
    sideEffects: 0,
    microUsd: 0,
    last: undefined,
    asked: new Map(),
    ruled: new Map(),
    reread: new Map(),
    cancel: undefined,
    ending: undefined,
    undone: Growing.empty(),
    observations: [],
    epoch: 1,
    failure: undefined,
  }
}

/** One entry more. An entry that cannot follow is an error, and the state it was folded over stays as it was. */
export function fold(state: RunState, { seq, atMs, event }: Recorded): RunState | JournalDiverged {
  const problem = seq === state.seq + 1 ? refuse(state, event) : `entry ${state.seq + 1} is missing`
  if (problem !== undefined) return new JournalDiverged({ runId: state.runId, seq, problem })
  const before = isForeign(event) ? state : redate(state, atMs)
  return { ...before, ...change(before, event, seq, atMs), seq, updatedAtMs: atMs }
}

/**
 * What comes after something has an earlier time: a clock was set back. Nobody knows any more how long ago that was, but it was before
 * this: whatever must have passed since passes from here on, and no pause is longer than was meant.
 */
function redate(state: RunState, atMs: number): RunState {
  const { step } = state
  if (step === untouched || !isAhead(step, atMs)) return state
  const { firstAtMs, lastAtMs, reconciled, failed, lost, pause } = step
  const dated: Progress = {
    ...step,
    firstAtMs: atMs < firstAtMs ? Number.NEGATIVE_INFINITY : firstAtMs,
    lastAtMs: Math.min(atMs, lastAtMs),
    reconciled: reconciled && { ...repaused(reconciled, atMs), askedAtMs: askedBy(reconciled.askedAtMs, atMs) },
    failed: failed && repaused(failed, atMs),
    lost: typeof lost === "object" ? repaused(lost, atMs) : lost,
    pause: pause && pauseFrom(pause, atMs),
  }
  return { ...state, step: dated }
}

const isAhead = ({ firstAtMs, lastAtMs, reconciled, failed, lost, pause }: Progress, atMs: number): boolean =>
  atMs < Math.max(firstAtMs, lastAtMs, reconciled?.askedAtMs ?? 0) ||
  [pause, failed?.again, reconciled?.again, typeof lost === "object" ? lost.again : undefined].some(
    (one) => one !== undefined && pauseFrom(one, atMs) !== one,
  )

/** An answer of a time that is still to come says nothing of what was true by any other. */
const askedBy = (askedAtMs: number, atMs: number): number => (atMs < askedAtMs ? Number.NEGATIVE_INFINITY : askedAtMs)

const repaused = <Paused extends { readonly again?: Pause }>(paused: Paused, atMs: number): Paused =>
  paused.again === undefined ? paused : { ...paused, again: pauseFrom(paused.again, atMs) }

const pauseFrom = (pause: Pause, atMs: number): Pause =>
  atMs < pause.atMs - pause.afterMs ? { afterMs: pause.afterMs, atMs: atMs + pause.afterMs } : pause

/** A whole journal, from its first entry. `problemOf` may say what is wrong with an entry where it stands. */
export function replay(
  runId: string,
  entries: readonly Recorded[],
  problemOf?: (before: RunState, entry: Recorded) => string | undefined,
): RunState | JournalDiverged | JournalNewer | JournalOlder {
  let state: ReturnType<typeof replay> | undefined
  for (const entry of entries) {
    if (state instanceof Error) return state
    const problem = state && problemOf?.(state, entry)
    if (problem !== undefined) return new JournalDiverged({ runId, seq: entry.seq, problem })
    state = state === undefined ? begin(runId, entry) : fold(state, entry)
  }
  return state ?? new JournalDiverged({ runId, seq: 0, problem: "the journal is empty" })
}

/** What an event that may happen changes. */
function change(state: RunState, event: Event, seq: number, atMs: number): Partial<RunState> {
  const { step } = state
  switch (event.kind) {
    case "run-started":
      return {}
    case "taken-up":
      return {
        epoch: event.epoch,
        step:
          step.open === undefined
            ? step
            : {
                ...step,
                // Whoever has had it called again there is nobody here.
                ...(event.adopted === true ? { adopted: true, excused: 0 } : {}),
                lost: step.lost ?? (event.takeOver ? "taken-over" : "process-ended"),
              },
      }
    case "intent":
      return begun(state, event, atMs)
    case "outcome":
      return { ...answered(state, event.result, event.failure, atMs), workedMs: state.workedMs + event.tookMs }
    case "attempt-failed":
      return { ...failed(state, event), workedMs: state.workedMs + event.tookMs + (event.again?.afterMs ?? 0) }
    case "answer-lost":
      return {
        step: { ...step, lost: event, failures: step.failures + 1 },
        workedMs: state.workedMs + event.tookMs + (event.again?.afterMs ?? 0),
      }
    case "reconciled":
      return { ...reconciled(state, event, atMs), workedMs: state.workedMs + event.tookMs }
    case "replayed":
      return {
        step: untouched,
        done: state.done + 1,
        reread: none,
        calls: state.calls.with(event.stepId, {
          args: event.args,
          result: event.failure === undefined ? event.result : undefined,
          failure: event.failure,
          idempotencyKey: event.idempotencyKey,
          attempt: 0,
          atMs,
          replayed: true,
        }),
        effects: state.effects.with(event.idempotencyKey, event.stepId),
        failure: state.open === undefined ? event.failure : undefined,
      }
    case "step-refused":
      if (event.undoes === undefined) return { failure: event.failure }
      return { step: untouched, undone: state.undone.with(event.stepId, { kind: "failed", failure: event.failure }) }
    case "state-entered":
      return { step: untouched, done: state.done + 1 }
    case "approval-requested":
      return { status: "awaiting_approval", asked: ask(state.asked, event, atMs) }
    case "approval-decided":
      return { status: isSettling(event) ? "running" : state.status, asked: decideAsked(state.asked, event) }
    case "request-delivered":
      return { asked: deliver(state.asked, event) }
    case "approval-lapsed":
      return { asked: lapse(state.asked, event) }
    case "rule-evaluated":
      return { ruled: new Map(state.ruled).set(event.stepId, event), failure: event.failure }
    case "reread": {
      const { stepId, result, failure } = event
      const reread = new Map(state.reread).set(stepId, { atMs, result })
      return { reread, failure, workedMs: state.workedMs + event.tookMs }
    }
    case "in-doubt":
      return { status: "in_doubt", failure: event.failure }
    case "resolved":
      return { ...settled(state, event, atMs), status: "running" }
    case "cancel-requested":
      return { cancel: event, status: state.status === "in_doubt" ? "in_doubt" : "running" }
    case "observed":
      return observed(state, event, seq, atMs)
    case "winding-down":
      return { ending: event, failure: event.failure, step: untouched, status: "running" }
    case "run-ended":
      return { status: event.status, failure: event.failure }
    case "step-added":
      return state.open === undefined ? {} : addStep(state.open, state.started, event)
    case "step-given-up":
      return {
        step: untouched,
        done: state.done + 1,
        failure: undefined,
        status: "running",
        open: state.open && giveUp(state.open, event),
      }
    case "call-refused":
      return { open: state.open && noteCall(state.open, event) }
    case "call-observed": {
      const { open, started } = state
      if (open === undefined) return {}
      const noted = noteCall(open, event)
      if (event.made === undefined) return { open: noted }
      const { step: made } = event.made
      const calls = state.calls.with(made.id, { ...observedCall(event, made), atMs })
      return { ...addStep(noted, started, event.made), calls, done: state.done + 1 }
    }
    case "circuit-reset":
      return {}
    case "run-closed":
      return { open: state.open && { ...state.open, closed: true }, status: "running" }
  }
}

function begun(state: RunState, intent: Intent, atMs: number): Partial<RunState> {
  const { step, effects } = state
  const { attempt, idempotencyKey, undoes, again, microUsd = 0 } = intent
  const effect = idempotencyKey !== undefined && undoes === undefined
  return {
    last: intent,
    step: {
      ...untouched,
      open: intent,
      firstAtMs: again === undefined ? atMs : step.firstAtMs,
      lastAtMs: atMs,
      attempts: attempt,
      failures: step.failures,
      excused: step.excused,
    },
    retries: attempt > 1 && undoes === undefined ? state.retries + 1 : state.retries,
    sideEffects: effect && again === undefined ? state.sideEffects + 1 : state.sideEffects,
    microUsd: undoes === undefined ? state.microUsd + microUsd : state.microUsd,
    effects: idempotencyKey === undefined ? effects : effects.with(idempotencyKey, intent.stepId),
  }
}

/** The call that is open has an answer. */
function answered(
  state: RunState,
  result: Json | undefined,
  failure: Failure | undefined,
  atMs: number,
): Partial<RunState> {
  const { open } = state.step
  if (open === undefined) return {}
  if (open.undoes === true)
    return {
      step: untouched,
      undone: state.undone.with(open.stepId, { kind: "undone", result, failure, attempt: open.attempt }),
    }
  return {
    step: untouched,
    done: state.done + 1,
    reread: none,
    calls: state.calls.with(open.stepId, {
      args: open.args,
      result: failure === undefined ? result : undefined,
      failure,
      idempotencyKey: open.idempotencyKey,
      attempt: open.attempt,
      atMs,
      replayed: false,
    }),
    // Whoever has proposed the call is told, and an open run goes on.
    failure: state.open === undefined ? failure : undefined,
  }
}

/** It is known that nothing happened. */
function failed(state: RunState, event: AttemptFailed): Partial<RunState> {
  const { step } = state
  const { open, attempts, failures, excused } = step
  if (open?.undoes === true && event.again === undefined)
    return { step: untouched, undone: state.undone.with(open.stepId, { kind: "failed", failure: event.failure }) }
  const released = open?.idempotencyKey !== undefined
  return {
    step: { ...untouched, attempts, failures: failures + 1, excused, failed: event, released },
    sideEffects: released && open?.undoes === undefined ? state.sideEffects - 1 : state.sideEffects,
  }
}

function reconciled(state: RunState, event: Reconciled, atMs: number): Partial<RunState> {
  const { step } = state
  if (event.answer === "applied") return answered(state, event.result, event.failure, atMs)
  if (event.answer === "barred") return released(state, event.again)
  const asked = event.answer === "unknown" ? step.asked + 1 : 0
  const { askedAtMs = atMs - event.tookMs } = event
  return { step: { ...step, reconciled: { ...event, askedAtMs: askedBy(askedAtMs, atMs) }, asked } }
}

/** It did not happen, and never will under this key: the step may be begun anew. */
function released(state: RunState, pause?: Pause): Partial<RunState> {
  const { open, attempts, failures, excused } = state.step
  return {
    step: { ...untouched, attempts, failures, excused, released: true, pause },
    sideEffects: open?.undoes === undefined ? state.sideEffects - 1 : state.sideEffects,
    failure: state.ending?.failure,
  }
}

/** Somebody has looked: what failed before that counts no more. */
function settled(state: RunState, { answer, result, failure }: Resolved, atMs: number): Partial<RunState> {
  const { step, undone, ending } = state
  const cleared = { ...state, failure: ending?.failure }
  switch (answer) {
    case "applied":
      return { failure: cleared.failure, ...answered(cleared, result, undefined, atMs) }
    case "not-applied":
      return released({ ...state, step: { ...step, failures: 0 } })
    case "again":
      return {
        failure: cleared.failure,
        step: {
          ...step,
          lost: atOnce(step.lost),
          reconciled: undefined,
          asked: 0,
          failures: 0,
          excused: step.attempts,
        },
      }
    case "given-up":
      if (step.open === undefined || failure === undefined) return {}
      return {
        failure: cleared.failure,
        step: untouched,
        undone: undone.with(step.open.stepId, { kind: "failed", failure }),
      }
  }
}

/** Without its pause. */
function atOnce(lost: Progress["lost"]): Progress["lost"] {
  if (typeof lost !== "object") return lost
  const { again: _, ...rest } = lost
  return rest
}

/**
 * A late answer to the call that is open settles it. Any other truth is kept, and held against what was settled: that one call
 * did not happen proves nothing of an effect that was called more than once.
 */
function observed(state: RunState, event: Observed, seq: number, atMs: number): Partial<RunState> {
  const { open, lost } = state.step
  const about =
    lost !== undefined &&
    open?.stepId === event.stepId &&
    open.undoes === event.undoes &&
    open.idempotencyKey === event.idempotencyKey
  // Another call by its key is under way: nothing is settled yet that it could contradict.
  const pending = open !== undefined && open.stepId === event.stepId && open.idempotencyKey === event.idempotencyKey
  const note = (contradicts: boolean): readonly Observation[] => [...state.observations, { seq, event, contradicts }]
  if (!about || event.answer !== "answered" || state.status === "awaiting_approval" || isTerminal(state.status))
    return { observations: note(!pending && contradicts(state, event)) }
  const cleared = { ...state, failure: state.ending?.failure }
  return {
    observations: note(false),
    failure: cleared.failure,
    ...answered(cleared, event.result, event.failure, atMs),
    status: "running",
  }
}

/** Whether an answer says that something happened of which nothing is kept, or the other way round. */
function contradicts(
  { calls, undone }: RunState,
  { stepId, undoes, answer, idempotencyKey, attempt }: Observed,
): boolean {
  if (answer === "threw" || idempotencyKey === undefined) return false
  const undo = undone.get(stepId)
  const call = calls.get(stepId)
  const made = undoes !== true ? call : undo?.kind === "undone" ? undo : undefined
  const kept = made !== undefined && (undoes === true || call?.idempotencyKey === idempotencyKey)
  // What comes after it was undone was perhaps done after it was undone.
  if (answer === "answered") return !kept || (undoes === undefined && undo?.kind === "undone")
  // Of a call that was made after it by the same key it says nothing.
  return kept && made.attempt === attempt
}
