/**
 * What a host hears of calls: names, numbers and reasons, and no value. It hears them in their order and after the fact, and so can
 * neither fail nor delay a call.
 */
import type { Failure } from "../../journal/entry.ts"
import type { Hook } from "../monitor/later.ts"
import type { Verdict } from "./verdict.ts"

/**
 * Why a call has given no result. `validation`: the gates, or the tool's own `validate`, have refused it. `at-the-deed`: it was let in
 * and then refused before the tool was called (a limit, a right, a key, the world). `handler-failure`: the tool was called. `person`:
 * somebody said no, or nobody said anything in time. `drift`: the monitor holds effects.
 */
export type Reason =
  | "validation"
  | "at-the-deed"
  | "handler-failure"
  | "person"
  | "circuit-open"
  | "drift"
  | "approval-waiting"
  | "in-doubt"
  | "call-id-reused"
  | "run-over"

export interface Proposed {
  readonly runId: string
  readonly tenant: string
  readonly session: string
  /** The host's word, from `origin.model`; empty where it has none. */
  readonly model: string
  readonly callId: string
  /** As it was asked for: of a tool that the catalog does not have, a model's word. */
  readonly tool: string
  /** The catalog has it. */
  readonly known: boolean
  readonly effect: boolean
  /** The call was put before, and waits or is answered. */
  readonly again: boolean
}

export interface Told extends Proposed {
  readonly kind: Verdict["kind"]
  /** Undefined of what was accepted. */
  readonly reason: Reason | undefined
  /** Of diagnostics, or of the failure. */
  readonly codes: readonly string[]
  /** While only observing: by which codes it would have been refused; undefined where it was not observed. */
  readonly foreseen: readonly string[] | undefined
  /** It was settled before, and nothing was done now. */
  readonly replayed: boolean
  readonly tookMs: number
}

export interface GateHooks {
  /** A call whose store then fails has no verdict: its promise rejects. */
  readonly onProposed?: Hook<Proposed> | undefined
  /** Every verdict; and then the one of its kind. */
  readonly onVerdict?: Hook<Told> | undefined
  readonly onAccepted?: Hook<Told> | undefined
  /** Nothing was called: `refused`, `circuit-open`, `held`, `call-id-reused`, `run-over`. */
  readonly onRefused?: Hook<Told> | undefined
  readonly onFailed?: Hook<Told> | undefined
  readonly onWaiting?: Hook<Told> | undefined
  readonly onInDoubt?: Hook<Told> | undefined
}

export const hookNames = [
  "onProposed",
  "onVerdict",
  "onAccepted",
  "onRefused",
  "onFailed",
  "onWaiting",
  "onInDoubt",
] as const satisfies readonly (keyof GateHooks)[]

export function hookFor(kind: Verdict["kind"]): keyof Omit<GateHooks, "onProposed" | "onVerdict"> {
  switch (kind) {
    case "accepted":
      return "onAccepted"
    case "failed":
      return "onFailed"
    case "waiting":
      return "onWaiting"
    case "in-doubt":
      return "onInDoubt"
    default:
      return "onRefused"
  }
}

/** Why a call has given no result; undefined where it has. */
export function reasonFor(verdict: Verdict): Reason | undefined {
  switch (verdict.kind) {
    case "accepted":
      return undefined
    case "refused":
      return "validation"
    case "held":
      return "drift"
    case "waiting":
      return "approval-waiting"
    case "failed":
      return reasonOf(verdict.failure)
    default:
      return verdict.kind
  }
}

function reasonOf({ code }: Pick<Failure, "code">): Reason {
  if (code === "RUN116") return "validation"
  if (ofPeople.has(code)) return "person"
  return ofHandlers.has(code) ? "handler-failure" : "at-the-deed"
}

/** Failed, timed out, gave what cannot be taken, was interrupted, or came to be known only later. */
const ofHandlers = new Set(["RUN101", "RUN102", "RUN103", "RUN104", "RUN105", "RUN109", "RUN110"])
/** Denied, cancelled, not in time. */
const ofPeople = new Set(["RUN301", "RUN304", "RUN310"])

export const codesOf = (verdict: Verdict): readonly string[] => {
  switch (verdict.kind) {
    case "refused":
      return [...new Set(verdict.diagnostics.map(({ code }) => code))]
    case "failed":
    case "in-doubt":
      return [verdict.failure.code]
    default:
      return []
  }
}
