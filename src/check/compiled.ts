/** A plan that passed every gate: immutable, hashed, the only thing `run` takes. */
import type { Carried, Earlier } from "../plan/earlier.ts"
import type { Plan, Step } from "../plan/plan.ts"
import type { JsonObject } from "../text/json.ts"
import type { Pointer } from "../text/pointer.ts"
import type { Hanging, Provenance } from "./flow.ts"
import type { Literals } from "./marks.ts"

declare const compiled: unique symbol

/**
 * `Results` maps step ids to result types; `Written` is what types know of a plan that was written in code. Both are
 * unknown for plans made from text.
 */
export interface CompiledPlan<out Results = unknown, out Written = unknown> {
  readonly [compiled]: Results
  /** SHA-256 of the RFC 8785 form of the document, lower-case hex. */
  readonly planHash: string
  /** SHA-256 over the slice of the catalog that this plan uses. */
  readonly catalogHash: string
  /** The slice by part (`tool list_workspaces`, `machine`, …), to name what changed. */
  readonly slice: { readonly [part: string]: string }
  readonly compiler: string
  readonly plan: Plan
  /** Results of earlier runs that it reads, by `run/step`. Part of its hash. */
  readonly earlier: Earlier
  readonly goal: string | undefined
  readonly steps: (Written & Learnt)["steps"]
  /** Undefined where the catalog has no machine. */
  readonly states: (Written & Learnt)["states"]
  /** For every limit of the catalog, by name. */
  readonly blast: (Written & Learnt)["blast"]
  /** By step, in order. */
  readonly approvals: readonly ApprovalNeed[]
  /** What its literals were taken for when it was compiled. No part of what is kept of it: it is said anew at each compiling. */
  readonly literals: Literals
  /** All of it with its document, as plain data. `JSON.stringify` asks for it. */
  readonly toJSON: () => JsonObject
}

/** What the passes learnt of any plan. Of one that was written in code, types know it more precisely. */
interface Learnt {
  readonly steps: readonly CheckedStep[]
  readonly states: { readonly initial: string; readonly final: string } | undefined
  readonly blast: readonly Total[]
}

/** One step with what the checks learnt of it. */
export interface CheckedStep {
  readonly step: Step
  /** The machine's state before and after; equal for calls, undefined where there is no machine. */
  readonly before: string | undefined
  readonly after: string | undefined
  /** Indices of the earlier steps it waits on, by reference or `after`, ascending. */
  readonly waitsOn: readonly number[]
  readonly blast: readonly Total[]
  readonly checks: readonly RuntimeCheck[]
  /** Where each argument comes from that a rule of the catalog is about. */
  readonly provenance: readonly Provenance[]
  /** The untrusted data that has a say in whether it succeeds. */
  readonly hangsOn: Hanging | undefined
  /** The labels that its result has of what the step is given, beside those that its tool declares. */
  readonly carries: readonly Carried[]
  /** Of a call that does something outside: its class, and the parameters by whose number a limit counts. */
  readonly effect: { readonly class: "write" | "destructive"; readonly counted: readonly string[] } | undefined
}

/** How much of a dimension: no less than `min`, no more than `max`. */
export interface Total {
  readonly dimension: string
  readonly min: number
  readonly max: number
}

/** What compiling could not decide: checked as soon as the value is known, before any later effect. */
export interface RuntimeCheck {
  readonly at: Pointer
  /** In words, for people: "`find` has `/workspaces/0`". */
  readonly says: string
  readonly kind: "present" | "fits" | "selects-one" | "judged" | "same"
}

/** What a run will, or may, wait for a person for. */
export type ApprovalNeed = TransitionNeed | CallNeed | AmountNeed

/** A guarded transition. */
export interface TransitionNeed {
  readonly kind: "transition"
  readonly stepId: string
  readonly index: number
  readonly from: string
  readonly to: string
  /** How many different people; left out where one. */
  readonly approvers?: number
  /** The call behind it that is not asked about by itself; left out where there is none. */
  readonly covers?: string
}

/** A tool that is never called unasked. */
export interface CallNeed {
  readonly kind: "always"
  readonly stepId: string
  readonly index: number
  readonly tool: string
  /** How many different people. */
  readonly approvers: number
}

/** A call that takes a sum above what is done unasked: for certain, or perhaps. */
export interface AmountNeed {
  readonly kind: "above"
  readonly stepId: string
  readonly index: number
  readonly tool: string
  readonly dimension: string
  readonly above: number
  readonly certain: boolean
  readonly approvers: number
}
