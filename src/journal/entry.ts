/** What can happen in a run. The journal is append-only, and everything a run knows is a fold over it. */
import type { Scope } from "../catalog/catalog.ts"
import type { Compensation, Idempotency, Reconcile } from "../catalog/policy.ts"
import type { GuardFacts } from "../catalog/predicate.ts"
import type { EffectClass, RetrySpec } from "../catalog/tool.ts"
import type { Diagnostic } from "../diagnostic/diagnostic.ts"
import type { Document, StepDocument } from "../document/document.ts"
import type { Carried, Earlier } from "../plan/earlier.ts"
import type { Json, JsonObject } from "../text/json.ts"
import type { Pointer } from "../text/pointer.ts"
import type { RunCode, RunTag } from "./codes.ts"

/** An event in its place. */
export interface Recorded {
  /** From 0, without gaps. */
  readonly seq: number
  /** Milliseconds since the epoch, by the clock service. For people and for deadlines: order is `seq`. */
  readonly atMs: number
  readonly event: Event
}

/** As the journal keeps it: hash-chained to the one before it. */
export interface Entry extends Recorded {
  readonly runId: string
  /** SHA-256 over the hash before it and this entry (see `chain.ts`), lower-case hex. The first is over 64 zeros. */
  readonly hash: string
}

export type Event =
  | RunStarted
  | TakenUp
  | StateEntered
  | Intent
  | Outcome
  | AttemptFailed
  | AnswerLost
  | Reconciled
  | Replayed
  | StepRefused
  | ApprovalRequested
  | RequestDelivered
  | ApprovalDecided
  | ApprovalLapsed
  | RuleEvaluated
  | Reread
  | InDoubt
  | Resolved
  | CancelRequested
  | Observed
  | WindingDown
  | RunEnded
  | StepAdded
  | StepGivenUp
  | CallRefused
  | CallObserved
  | CircuitReset
  | RunClosed

/**
 * What anybody may write at the end of a run, whoever holds it: a person's word, that somebody was told of what is asked, and what
 * a call that was given up has said.
 * Whoever holds the run finds it there when it writes next.
 */
export const isForeign = ({ kind }: Event): boolean =>
  kind === "approval-decided" || kind === "request-delivered" || kind === "cancel-requested" || kind === "observed"

/** The version of entries and of what `next` makes of them. */
export const journalVersion = 2

export interface RunStarted {
  readonly kind: "run-started"
  /** A run is taken up only by the version it began with. */
  readonly journal: typeof journalVersion
  /** What the commitments of all its entries are salted with (see `chain.ts`). Never part of a redacted export. */
  readonly salt: string
  readonly tenant: string
  readonly subject: string
  readonly roles: readonly string[]
  readonly sessionId: string
  readonly taskId: string
  readonly planHash: string
  readonly catalogHash: string
  /** The catalog slice by part, so that a later process can say what changed. */
  readonly slice: { readonly [part: string]: string }
  readonly compiler: string
  readonly document: Document
  /** Null where the catalog declares none. */
  readonly inputs: Json
  /** Results of earlier runs that the plan reads, by `run/step`; left out where it reads none. */
  readonly earlier?: Earlier
  /** What the host knows of where the plan came from: model, prompt digest, trace id, module paths. */
  readonly origin: JsonObject
  /** From its start to its end, by the catalog that it began with; left out where there is none. */
  readonly deadlineMs?: number
  /** What its calls may use up, by the same catalog: settling goes by this. Left out where there is none. */
  readonly budgets?: { readonly retries?: number; readonly microUsd?: number }
  /** What the planner has used, where the host says so: it counts in the run's budgets. */
  readonly spent: { readonly tokens?: number; readonly microUsd?: number }
  /** By which secret of the tenant its idempotency keys are made: an HMAC that knows it again. Left out where by none. */
  readonly keyed?: string
  /** Decisions of this run need no signature. */
  readonly unsigned?: true
  /** People have agreed to the whole plan before it began; left out where they have not. */
  readonly approved?: PlanApproval
  /** Its plan grows step by step, by calls that are proposed one by one; left out of a run of a whole plan. */
  readonly open?: { readonly literals?: "untrusted" }
  /** Where in the inputs secrets stand; left out where nowhere. Whoever shows a run hides them, and has no catalog to ask. */
  readonly sensitive?: readonly Pointer[]
  /** The tools of the plan, and those that undo them: settling and undoing go by this, whatever the catalog says by then. */
  readonly tools: { readonly [name: string]: ToolPolicy }
}

/** What was agreed to before a run began: by tokens that are bound to its plan, catalog, inputs and principal. */
export interface PlanApproval {
  /** By dimension, the most that the run may come to: what would pass it is asked about. A dimension that is not there is 0. */
  readonly blast: { readonly [dimension: string]: number }
  /** Who, with the roles they had then, and what they have signed. */
  readonly people: readonly {
    readonly by: string
    readonly roles: readonly string[]
    readonly reason: string
    readonly token: string
  }[]
  /** What they have signed, where it is another plan than the run's, and the catalog lets their word stand for this one too. */
  readonly plan?: { readonly planHash: string; readonly catalogHash: string; readonly document: Document }
}

/** What must be known of a tool to settle a call of it, or to undo one. */
export interface ToolPolicy {
  readonly version: string
  readonly effect: EffectClass
  readonly timeoutMs: number
  readonly idempotency: Idempotency
  readonly reconcile?: Reconcile
  /** Left out where the catalog says nothing of it: see `retryOf`. */
  readonly retry?: RetrySpec
  /** Left out where nothing undoes it. */
  readonly undo?: Extract<Compensation, { readonly kind: "call" }>
  /** Where in its arguments and its result secrets stand; left out where nowhere. */
  readonly sensitive?: { readonly args?: readonly Pointer[]; readonly result?: readonly Pointer[] }
}

/** Another process, or the same one again, goes on with the run. A call that was under way has lost its process. */
export interface TakenUp {
  readonly kind: "taken-up"
  /** Of its lease: 2 the first time, for the run began with 1. */
  readonly epoch: number
  readonly owner: string
  /** Whether it was taken from an owner whose lease had not run out. */
  readonly takeOver: boolean
  /** It comes from another store, which nobody here can ask; left out where it does not. */
  readonly adopted?: true
}

/** A transition was taken. */
export interface StateEntered {
  readonly kind: "state-entered"
  readonly stepId: string
  readonly from: string
  readonly to: string
}

/** A call is about to be made. For an effect this is durable before anything happens outside. */
export interface Intent {
  readonly kind: "intent"
  readonly stepId: string
  readonly tool: string
  /** 1 for the first call of this step. */
  readonly attempt: number
  readonly args: JsonObject
  /** The call undoes the effect of this step. Its attempts count by themselves. */
  readonly undoes?: true
  /** Of an effect. Recovery uses this one, never a recomputed one. */
  readonly idempotencyKey?: string
  /** The key of the same effect at generation 0, where it is another one. */
  readonly identity?: string
  /** How often the same effect was undone, or proved not to have happened; left out where never. */
  readonly generation?: number
  /** The business identity that it claims. */
  readonly once?: Claim
  /** What it counts in limits that reach beyond its run. */
  readonly reserves?: readonly Reserve[]
  /** What the call costs, in millionths of a US dollar; left out where nothing. */
  readonly microUsd?: number
  /** Why an effect whose outcome is not known may be called again, by the same key. */
  readonly again?: "natural" | "key" | "not-applied"
}

/** One business identity: of one tool, in one scope. */
export interface Claim {
  readonly scope: Exclude<Scope, "run">
  /** SHA-256 over the scope's id, the tool's name and the values that make it the same effect. */
  readonly digest: string
  /** SHA-256 over subject and arguments: only the very same call of the same person is answered with what was recorded. */
  readonly call: string
}

export interface Reserve {
  readonly scope: Exclude<Scope, "run">
  readonly dimension: string
  readonly amount: number
  /** Of the limit, by the catalog that the run goes by. */
  readonly max: number
  /** As far as the scope may come without a person's leave; left out where there is no such line, or one has agreed. */
  readonly above?: number
}

/**
 * The call answered. Where `failure` stands, it did happen, but its answer cannot be used (too large, no plain JSON, the
 * wrong shape): an effect is committed all the same, and the run fails.
 */
export interface Outcome {
  readonly kind: "outcome"
  readonly stepId: string
  readonly attempt: number
  readonly undoes?: true
  /** How long the call took, by the monotonic clock. */
  readonly tookMs: number
  /** Left out only where it could not be written down. */
  readonly result?: Json
  readonly failure?: Failure
}

/** The call failed, and it is known that nothing happened outside (a read, or `notApplied`). */
export interface AttemptFailed {
  readonly kind: "attempt-failed"
  readonly stepId: string
  readonly attempt: number
  readonly undoes?: true
  readonly tookMs: number
  readonly failure: Failure
  /** What its handler asked for: to be called again after that long, by its word that nothing has happened. */
  readonly retryAfterMs?: number
  /** The step will be tried again after this long, and not before that time. */
  readonly again?: Pause
}

export interface Pause {
  readonly afterMs: number
  readonly atMs: number
}

/** An effect was called and what came of it is not known: it took too long, or threw. */
export interface AnswerLost {
  readonly kind: "answer-lost"
  readonly stepId: string
  readonly attempt: number
  readonly undoes?: true
  readonly tookMs: number
  readonly failure: Failure
  /** Where its tool may be called again by the same key. */
  readonly again?: Pause
}

/** The outside was asked what became of an intent. */
export interface Reconciled {
  readonly kind: "reconciled"
  readonly stepId: string
  readonly undoes?: true
  readonly tookMs: number
  /** When it was asked: an answer may be long on its way, and says how it was then at the earliest. Older entries do not have it. */
  readonly askedAtMs?: number
  /**
   * `applied`: it happened, and `result` is its result (or `failure` says why that cannot be used). `barred`: it did not, and
   * never will by this key. `not-applied`: not so far. `unknown`: the outside cannot tell, or did not answer.
   */
  readonly answer: "applied" | "not-applied" | "barred" | "unknown"
  readonly result?: Json
  readonly failure?: Failure
  /** Why it is not known. */
  readonly said?: string
  /** It will be asked again. */
  readonly again?: Pause
}

/** The same effect was made before, by another run: its recorded result stands for the call, and nothing is called. */
export interface Replayed {
  readonly kind: "replayed"
  readonly stepId: string
  readonly tool: string
  readonly args: JsonObject
  readonly idempotencyKey: string
  /** The key of the same effect at generation 0, where it is another one. */
  readonly identity?: string
  readonly from: { readonly runId: string; readonly stepId: string }
  readonly result?: Json
  readonly failure?: Failure
}

/** A call that cannot be begun, for a reason that only the store or the clock could know; or an undo, for what it would undo. */
export interface StepRefused {
  readonly kind: "step-refused"
  readonly stepId: string
  readonly undoes?: true
  readonly failure: Failure
}

/** A person is asked, about a guarded transition or about a call. */
export interface ApprovalRequested extends Approvers {
  readonly kind: "approval-requested"
  readonly requestId: string
  readonly stepId: string
  /** The states of a transition. */
  readonly from?: string
  readonly to?: string
  /** Why a call is asked about; of a transition, why the call behind it is. */
  readonly because?: readonly Because[]
  /** Of a transition: a decision stands for the call right behind it too. */
  readonly covers?: true
  /** What would follow: the call; or each step behind the guard until the next one, with its inputs as far as they are known. */
  readonly follows: readonly Following[]
  /** Of a guard of an open run, with no call behind it yet: what may be called there once it is passed. */
  readonly opens?: Opens
  /** SHA-256 over the run's salt and what would follow: what a decision is bound to. Left out before decisions were signed. */
  readonly inputs?: string
}

/** A state that a guard opens: whoever proposes calls chooses among these afterwards, as often as the limits let them. */
export interface Opens {
  readonly tools: readonly { readonly tool: string; readonly effect: string }[]
  /** When the run ends, in milliseconds since the epoch, and the state with it. */
  readonly untilMs?: number
}

/** Who may decide. */
export interface Approvers {
  /** How many different people must agree; left out where one. */
  readonly approvers?: number
  /** Any of these roles will do; left out where no role is asked for. */
  readonly approverRoles?: readonly string[]
}

/** Why a call waits: its tool always does, or the sum in a limit's scope comes to more than is done unasked. */
export type Because =
  | { readonly kind: "always" }
  | {
      readonly kind: "above"
      readonly dimension: string
      readonly above: number
      /** What it would come to, as far as was known when it was asked. */
      readonly total: number
      /** Of a limit that reaches beyond the run: which, and what this call adds. Where others have added more since, it is asked anew. */
      readonly scope?: Exclude<Scope, "run">
      readonly own?: number
    }

export interface Following {
  readonly stepId: string
  readonly tool: string
  readonly effect: string
  readonly description: string
  /** Resolved where known; what is not known yet stands as it was written. */
  readonly args: JsonObject
  /** Where in the plan's document something is not known yet; left out where all is. */
  readonly open?: readonly Pointer[]
  /** Only as it is shown, never written down: arguments that nobody marks, and that are hidden for what a secret holds. */
  readonly hidden?: readonly Hidden[]
}

/** Whoever answers for the tool may have chosen what is hidden, so that it is not seen. */
export interface Hidden {
  readonly argument: string
  /** The step whose result holds it where its tool marks a secret, and that tool; left out where it comes from elsewhere. */
  readonly stepId?: string
  readonly tool?: string
}

export interface ApprovalDecided {
  readonly kind: "approval-decided"
  readonly requestId: string
  readonly stepId: string
  readonly decision: "approved" | "denied"
  readonly by: string
  readonly reason: string
  /** The signed decision (see `run/approval/token.ts`); left out where the catalog takes names as they are given. */
  readonly token?: string
  /** How many more people must agree; left out where none. */
  readonly left?: number
}

/** The host was told that the request waits (see `run/outbox.ts`). */
export interface RequestDelivered {
  readonly kind: "request-delivered"
  readonly requestId: string
  readonly stepId: string
}

/** A decision that does not count any more when it comes to the deed: its key was revoked, its time is over. It is asked anew. */
export interface ApprovalLapsed {
  readonly kind: "approval-lapsed"
  readonly requestId: string
  readonly stepId: string
  readonly failure: Failure
}

/** A rule of the host's was asked whether a transition may be taken. Its answer stands: it is not asked again. */
export interface RuleEvaluated {
  readonly kind: "rule-evaluated"
  readonly stepId: string
  /** `name@version`. */
  readonly rule: string
  /** What it has looked at, beside the run's principal. */
  readonly inputs: GuardFacts
  readonly holds: boolean
  readonly tookMs: number
  /** Why it does not hold. */
  readonly failure?: Failure
}

/** A read once more, right before an effect: whether what it is based on is still so. */
export interface Reread {
  readonly kind: "reread"
  /** The read's step; and the step of the effect. */
  readonly stepId: string
  readonly before: string
  readonly tool: string
  readonly tookMs: number
  /** Left out where it failed. */
  readonly result?: Json
  readonly failure?: Failure
}

/** An effect whose outcome nothing but a person can find out. Never repeated blindly. */
export interface InDoubt {
  readonly kind: "in-doubt"
  readonly stepId: string
  readonly attempt: number
  readonly undoes?: true
  readonly failure: Failure
}

/** A person has found out what became of an effect that was in doubt, or has it asked for once more. */
export interface Resolved {
  readonly kind: "resolved"
  readonly stepId: string
  readonly undoes?: true
  /**
   * `again`: it is called by its recorded key, or asked after, as before. `given-up`: of an undo: it is left, and the effect
   * stands.
   */
  readonly answer: "applied" | "not-applied" | "again" | "given-up"
  readonly by: string
  readonly reason: string
  /** Of what was applied. */
  readonly result?: Json
  /** Of an undo that was given up. */
  readonly failure?: Failure
}

export interface CancelRequested {
  readonly kind: "cancel-requested"
  readonly by: string
  readonly reason: string
}

/**
 * What a call said after it was given up: after its time, after its process had lost the run, or a second time. It settles an
 * effect whose outcome is not known yet; where it contradicts what was settled, somebody must look.
 */
export interface Observed {
  readonly kind: "observed"
  readonly stepId: string
  readonly attempt: number
  readonly undoes?: true
  readonly idempotencyKey?: string
  /** `answered` with a result, `not-applied` by the tool's own word, or `threw`. */
  readonly answer: "answered" | "not-applied" | "threw"
  readonly result?: Json
  /** Why the result cannot be used, or what was thrown. */
  readonly failure?: Failure
}

/** The run will end so; before that, what it has done is undone, last first. */
export interface WindingDown {
  readonly kind: "winding-down"
  readonly status: Exclude<RunEnded["status"], "succeeded">
  readonly failure: Failure
}

export interface RunEnded {
  readonly kind: "run-ended"
  readonly status: "succeeded" | "failed" | "cancelled" | "exhausted"
  /** Why, for all but `succeeded`. */
  readonly failure?: Failure
}

/** A step more of an open run: a call that was proposed and let through, or a transition that its host wants. */
export interface StepAdded {
  readonly kind: "step-added"
  /** By which whoever proposed it knows it; a transition of the host's may have none. */
  readonly callId?: string
  readonly step: StepDocument
  /** How many steps were behind, by what was known, when it was written. */
  readonly seen: number
  /** Labels of what whoever proposed it had been shown beside this run; left out where it was nothing. */
  readonly shown?: readonly Carried[]
  /** Of the plan with this step. */
  readonly planHash: string
}

/** A step of an open run that comes to nothing: nothing has happened of it, and the run goes on without it. */
export interface StepGivenUp {
  readonly kind: "step-given-up"
  readonly stepId: string
  readonly failure: Failure
}

/** A call that was proposed to an open run, and that a gate refused. */
export interface CallRefused {
  readonly kind: "call-refused"
  readonly callId: string
  readonly tool: string
  /** SHA-256 over the run's salt, the tool and what it was to be called with. */
  readonly digest: string
  /** The first of them. */
  readonly diagnostics: readonly Diagnostic[]
  /** Its tool's calls are only watched, but its host could not have made this one either. */
  readonly watched?: true
}

/** A call that its host has made as ever, past the gates; and what they would have said of it. */
export interface CallObserved {
  readonly kind: "call-observed"
  readonly callId: string
  readonly tool: string
  readonly digest: string
  readonly tookMs: number
  /** Why it would have been refused; none where it would not. */
  readonly diagnostics: readonly Diagnostic[]
  /** A person would have been asked. */
  readonly waits?: true
  /** Of one that would have passed, and answered: it counts as a step of the run. */
  readonly made?: { readonly step: StepDocument; readonly seen: number; readonly planHash: string }
  readonly result?: Json
  readonly failure?: Failure
  /** As what a run would have failed over what came of it: what it gave cannot be used there, or it would be in doubt. */
  readonly wouldFail?: RunCode
}

/** Somebody has looked into why calls have failed: they count no more. Without a tool, all of them. */
export interface CircuitReset {
  readonly kind: "circuit-reset"
  readonly tool?: string
}

/** An open run takes no further step, and ends. */
export interface RunClosed {
  readonly kind: "run-closed"
}

/** A typed error as it is written down. */
export interface Failure {
  readonly tag: RunTag
  readonly code: RunCode
  readonly message: string
  readonly stepId?: string
  /** What it came of, where that is another failure: why the call failed that no retry is left for. */
  readonly cause?: Failure
}
