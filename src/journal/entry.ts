/** What can happen in a run. The journal is append-only, and everything a run knows is a fold over it. */
import type { Document } from "../document/document.ts"
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
  /** SHA-256 over the hash before it and this entry (RFC 8785), lower-case hex. The first is over 64 zeros. */
  readonly hash: string
}

export type Event =
  | RunStarted
  | StateEntered
  | Intent
  | Outcome
  | AttemptFailed
  | ApprovalRequested
  | ApprovalDecided
  | InDoubt
  | RunEnded

export interface RunStarted {
  readonly kind: "run-started"
  /** The version of these entries and of what `next` makes of them: a run is taken up only by the one it began with. */
  readonly journal: 1
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
  /** What the host knows of where the plan came from: model, prompt digest, trace id, module paths. */
  readonly origin: JsonObject
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
  /** Of an effect. Recovery uses this one, never a recomputed one. */
  readonly idempotencyKey?: string
}

/**
 * The call answered. Where `failure` stands, it did happen, but its answer cannot be used (too large, no plain JSON, the
 * wrong shape): an effect is committed all the same, and the run fails.
 */
export interface Outcome {
  readonly kind: "outcome"
  readonly stepId: string
  readonly attempt: number
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
  readonly tookMs: number
  readonly failure: Failure
  /** The step will be tried again after this long, and not before that time. */
  readonly again?: { readonly afterMs: number; readonly atMs: number }
}

export interface ApprovalRequested {
  readonly kind: "approval-requested"
  readonly requestId: string
  readonly stepId: string
  readonly from: string
  readonly to: string
  /** What would follow: each step behind the guard until the next one, with its inputs as far as they are known. */
  readonly follows: readonly Following[]
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
}

export interface ApprovalDecided {
  readonly kind: "approval-decided"
  readonly requestId: string
  readonly stepId: string
  readonly decision: "approved" | "denied"
  readonly by: string
  readonly reason: string
}

/** An effect whose outcome is unknown. Never repeated blindly: a person must find out. */
export interface InDoubt {
  readonly kind: "in-doubt"
  readonly stepId: string
  readonly attempt: number
  /** Left out where the process ended during the call. */
  readonly tookMs?: number
  readonly failure: Failure
}

export interface RunEnded {
  readonly kind: "run-ended"
  readonly status: "succeeded" | "failed" | "cancelled" | "exhausted"
  /** Why, for all but `succeeded`. */
  readonly failure?: Failure
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
