/** What became of one call that a model proposed: the words between a gate and whoever speaks with the model. */
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import type { Failure } from "../../journal/entry.ts"
import type { Carried } from "../../plan/earlier.ts"
import type { Json } from "../../text/json.ts"

export interface ProposedCall {
  /** The provider's id of the call, or one of the host's: one word of the model, one id. */
  readonly callId: string
  readonly tool: string
  /** A string is the JSON text that the provider hands on, and is read strictly; anything else is taken as a plain value. */
  readonly args: unknown
  /** The host knows that the same effect is meant once more: 2 is the second time. */
  readonly occurrence?: number | undefined
}

interface Named {
  readonly callId: string
  readonly tool: string
}

/** The call was made, and this is what it gave; by `replayed`, it was made before and is not made again. */
export interface Accepted extends Named {
  readonly kind: "accepted"
  readonly stepId: string
  readonly result: Json
  /** The same as a model may see it, without what the run knows to be secret; left out where that is all of it. */
  readonly shown?: Json
  readonly replayed: boolean
  /** Of a call that was only watched: what the tool gave, where that is no plain JSON; `result` is what JSON says of it. */
  readonly raw?: unknown
}

/** A gate refused it; nothing was called. */
export interface Refused extends Named {
  readonly kind: "refused"
  readonly diagnostics: readonly Diagnostic[]
}

/** It was let through, and failed; `applied` where the effect has happened all the same. */
export interface Failed extends Named {
  readonly kind: "failed"
  readonly stepId: string
  readonly failure: Failure
  readonly applied: boolean
  /** It was made past the gates, which only watched: whether anything has happened is not known. */
  readonly observed?: true
  /** It was made and answered, and what it did was taken back when the run ended. */
  readonly undone?: true
}

/** The breaker holds calls of this tool, or of the whole session, back until then. */
export interface CircuitOpen extends Named {
  readonly kind: "circuit-open"
  readonly of: "tool" | "session"
  readonly failures: number
  readonly untilMs: number
}

/** The monitor holds effects since their share of acceptance fell, until a person releases them. */
export interface Held extends Named {
  readonly kind: "held"
  readonly sinceMs: number
}

/** A person must decide first; the same call asked again later, by the same id, goes on. */
export interface Waiting extends Named {
  readonly kind: "waiting"
  readonly stepId: string
  readonly requestId: string
  /** What waits, where this call only stands behind it and was not looked at: a tool, or a state to be entered. */
  readonly behind?: string
}

/** Nobody knows whether the effect has happened, and until that is settled the run takes no further call. */
export interface InDoubt extends Named {
  readonly kind: "in-doubt"
  readonly stepId: string
  readonly failure: Failure
  /** What is in doubt, where this call only stands behind it and was not made. */
  readonly behind?: string
}

/** The id was used for another call before. */
export interface CallIdReused extends Named {
  readonly kind: "call-id-reused"
}

/** The open run has ended (closed, exhausted, cancelled), and takes no further call. */
export interface RunOver extends Named {
  readonly kind: "run-over"
  readonly failure: Failure | undefined
}

export type Verdict = Accepted | Refused | Failed | CircuitOpen | Held | Waiting | InDoubt | CallIdReused | RunOver

export interface TurnOptions {
  /** Labels of data that whoever wrote the calls has been shown past this gate, by a plan's run say: what they write carries them. */
  readonly shown?: readonly Carried[] | undefined
}

/** What an adapter needs of a gate. */
export interface Turns {
  /** All calls of one turn of the model, checked together and made in their order: a verdict for each, in that order. */
  readonly turn: (calls: readonly ProposedCall[], options?: TurnOptions) => Promise<readonly Verdict[]>
}
