/** What the host allows: built once from the host's declaration, with every fault of its own already found. */
import type { Diagnostic } from "../diagnostic/diagnostic.ts"
import type { Bounds } from "../text/bounds.ts"
import type { Json } from "../text/json.ts"
import type { Authority } from "./authority.ts"
import type { FormatSpec } from "./format.ts"
import type { Policy } from "./policy.ts"
import type { GuardRule } from "./predicate.ts"
import type { Flowing, Labels } from "./rule.ts"
import type { AnySchema, Schema } from "./schema/schema.ts"
import type { EffectClass, LabelSpec, Requirement, ToolSpec } from "./tool.ts"

/** The declaration, as the host writes it. */
export interface CatalogSpec {
  readonly name: string
  readonly version: string
  /** What the host hands to a run. */
  readonly inputs?: AnySchema
  /** What of the inputs is not to be trusted, or not for everybody. */
  readonly inputLabels?: LabelSpec
  /** `deny`: a tool that names neither roles, tenants nor `when` may be used by nobody. Default `allow`. */
  readonly authority?: { readonly default?: "allow" | "deny" }
  /** How a person's decision is proved. Default `signed`. */
  readonly approvals?: "signed" | "unsigned"
  /**
   * `true`: what people have signed for a whole plan stands, in the run that it was signed for, for another plan too that has the same
   * effects and no larger radius (`diffPlans`: `same` or `smaller`). Default: for that very plan alone.
   */
  readonly carryOver?: boolean
  /** String formats of its own, for JSON Schema and TypeBox, beside the standard's. zod's formats are zod's. */
  readonly formats?: { readonly [name: string]: FormatSpec }
  readonly machine?: MachineSpec
  readonly blastRadius?: { readonly [dimension: string]: LimitSpec }
  readonly budgets?: BudgetSpec
  readonly bounds?: Partial<Bounds>
  readonly tools: { readonly [name: string]: ToolSpec }
}

export interface MachineSpec {
  readonly initial: string
  readonly transitions: { readonly [from: string]: { readonly [to: string]: TransitionSpec } }
}

export interface TransitionSpec {
  /** `approval`: a person lets the run through. Or a rule of the host's own does: `predicate("name", "version", fn)`. */
  readonly guard?: "approval" | GuardRule
  /** Where the call right behind it would be asked about too: one decision does for both. */
  readonly covers?: "next"
  /** How many different people must agree. Default 1. */
  readonly approvers?: number
  /** Any of these roles lets a person agree. Default: whoever is in the host's key set for the tenant. */
  readonly approverRoles?: readonly string[]
}

export interface LimitSpec {
  readonly max: number
  /** A call that takes the sum in its scope above this waits for a person. */
  readonly approveAbove?: number
  /** What shares the limit. Default: each run has its own. */
  readonly per?: Scope
}

export type Scope = "run" | "task" | "session" | "tenant"

export interface BudgetSpec {
  /** Steps of a plan. */
  readonly steps?: number
  /** Time of calls, in milliseconds; waiting for a person does not count. A read is cut off at its end, an effect is waited for. */
  readonly wallMs?: number
  /** Time from the start of a run to its end, in milliseconds; everything counts. */
  readonly deadlineMs?: number
  /** Calls made again after a failure, over a whole run. */
  readonly retries?: number
  /** Tokens of the planner, as the host reports them. */
  readonly tokens?: number
  /** What a run's calls may cost, in millionths of a US dollar. */
  readonly microUsd?: number
  /** Calls of tools that are no reads. */
  readonly sideEffects?: number
}

/** A catalog as the compiler and the executor use it. `Spec` keeps the host's types. */
export interface Catalog<Spec extends CatalogSpec = CatalogSpec> {
  readonly name: string
  readonly version: string
  readonly tools: ReadonlyMap<string, Tool>
  readonly inputs: Schema | undefined
  readonly inputLabels: Labels
  readonly approvals: "signed" | "unsigned"
  readonly carryOver: boolean
  readonly machine: Machine | undefined
  readonly limits: ReadonlyMap<string, Limit>
  readonly budgets: BudgetSpec
  readonly bounds: Bounds
  /** The catalog's own faults (SEQ8xx). With an error among them nothing compiles. */
  readonly diagnostics: readonly Diagnostic[]
  readonly spec: Spec
}

/** A catalog before its own faults are known. */
export type Built = Omit<Catalog, "diagnostics" | "spec">

export interface Tool extends Policy, Flowing {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly effect: EffectClass
  /** Has an effect outside: `write` or `destructive`. */
  readonly mutates: boolean
  readonly params: Schema
  /** Undefined where the tool declares none: then only the whole value can be referenced, as unknown. */
  readonly result: Schema | undefined
  readonly timeoutMs: number
  /** Undefined: in every state. */
  readonly states: ReadonlySet<string> | undefined
  readonly requires: readonly Requirement[]
  readonly blast: readonly Blast[]
  readonly costMicroUsd: number
  readonly authority: Authority
  /** Everything of it that a plan depends on, as data to be hashed: not its description. */
  readonly slice: Json
}

/** What one call counts in one dimension, in non-negative safe integers. */
export type Blast =
  | { readonly kind: "constant"; readonly dimension: string; readonly value: number }
  | {
      readonly kind: "argument" | "count"
      readonly dimension: string
      readonly parameter: string
      readonly min: number
      readonly max: number
    }

export interface Limit {
  readonly dimension: string
  readonly max: number
  readonly approveAbove: number | undefined
  readonly per: Scope
}

export interface Machine {
  readonly initial: string
  readonly states: ReadonlySet<string>
  readonly transitions: ReadonlyMap<string, ReadonlyMap<string, TransitionRule>>
}

export interface TransitionRule {
  readonly guard: "approval" | GuardRule | undefined
  readonly covers: "next" | undefined
  readonly approvers: number
  readonly approverRoles: readonly string[] | undefined
}
