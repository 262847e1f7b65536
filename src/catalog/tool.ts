/** What a catalog says of one tool. No handler here: the work itself is in the toolbox. */
import type { Json, JsonObject } from "../text/json.ts"
import type { Predicate } from "./predicate.ts"
import type { AnySchema, Infer } from "./schema/schema.ts"

/** `read` has no effect outside; `write` has one; `destructive` removes, or cannot be fully undone. */
export type EffectClass = "read" | "write" | "destructive"

/** An argument that counts as itself in a blast radius: a non-negative safe integer. */
export interface Argument<Parameter extends string = string> {
  readonly kind: "argument"
  readonly parameter: Parameter
  /** The most it can be, where the schema does not say. */
  readonly max?: number
}

/** An array argument that counts as its number of items. */
export interface Count<Parameter extends string = string> {
  readonly kind: "count"
  readonly parameter: Parameter
  readonly max?: number
}

/** A value out of the tool's own result (RFC 6901), for `compensate`. */
export interface FromResult<Path extends string = string> {
  readonly kind: "from-result"
  readonly path: Path
}

/** A value out of the arguments of the call that is undone (RFC 6901), for `compensate`. */
export interface FromArgs<Path extends string = string> {
  readonly kind: "from-args"
  readonly path: Path
}

export const arg = <const Parameter extends string>(
  parameter: Parameter,
  options: { readonly max?: number } = {},
): Argument<Parameter> => ({
  kind: "argument",
  parameter,
  ...options,
})

export const count = <const Parameter extends string>(
  parameter: Parameter,
  options: { readonly max?: number } = {},
): Count<Parameter> => ({
  kind: "count",
  parameter,
  ...options,
})

export const fromResult = <const Path extends string>(path: Path): FromResult<Path> => ({ kind: "from-result", path })

export const fromArgs = <const Path extends string>(path: Path): FromArgs<Path> => ({ kind: "from-args", path })

export interface Requirement {
  /** A tool that an earlier step must have called. */
  readonly tool: string
  /** Parameters that must be equal in both calls. */
  readonly same?: readonly string[]
}

export interface Rule {
  /** The only places this argument may come from, as `tool#/pointer` or `input#/pointer`, with `*` for any item or key. */
  readonly from?: readonly string[]
  /** No untrusted data may reach it. */
  readonly trusted?: boolean
  /** Others see it: no private data may reach it. */
  readonly public?: boolean
  /** An optional parameter that must be stated, because leaving it out is ambiguous. */
  readonly mustState?: boolean
}

/** Of a result or of the inputs: all of it, or the places named, with `*` for any item or key. */
export interface LabelSpec {
  /** Written by who knows whom: it must not decide what matters. */
  readonly untrusted?: true | readonly string[]
  /** Not for everybody: it must not reach what others see. */
  readonly private?: true | readonly string[]
}

/** Who may use a tool, and when a person is asked. */
export interface AuthoritySpec {
  /** Any of them. */
  readonly roles?: readonly string[]
  readonly tenants?: readonly string[]
  /** On a call's arguments and its principal: `predicate("name", "version", fn)`. */
  readonly when?: Predicate
  /** Every call waits until a person has agreed. */
  readonly approval?: "always"
  /** How many different people must agree. Default 1. */
  readonly approvers?: number
  /** Any of these roles lets a person agree. Default: whoever is in the host's key set for the tenant. */
  readonly approverRoles?: readonly string[]
  /**
   * Where what these arguments were taken from was read longer ago than that, it is read again right before the call, however
   * people have decided meanwhile: if it says otherwise, nothing is called.
   */
  readonly freshness?: FreshnessSpec
}

export interface FreshnessSpec {
  /** Into the arguments (RFC 6901). */
  readonly pointers: readonly string[]
  /** In milliseconds. */
  readonly maxAgeMs: number
}

export interface OnceSpec {
  /** Parameters, or pointers into them: required scalars. */
  readonly by: readonly string[]
  readonly scope: "task" | "session" | "tenant"
}

/** As they were given: what was left out is no claim. */
export interface ClaimSpec {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** How often a call is made in all while it fails or its answer is lost, and the pauses between. */
export interface RetrySpec {
  /** Calls in all, or questions of `reconcile`. Default 3; 1 is never again. */
  readonly times?: number
  /** The first pause, in milliseconds. Default 100 for a read, and then twice as long each time; 1,000 for an effect, and then four times. */
  readonly backoffMs?: number
  /** The longest. Default 5,000 for a read, 60,000 for an effect. */
  readonly maxBackoffMs?: number
}

/** The call that undoes a committed effect. It needs no state and no predecessor, and is never undone itself. */
export interface CompensationSpec {
  readonly tool: string
  /** By parameter: `fromResult(…)`, `fromArgs(…)` or a literal. */
  readonly args: { readonly [name: string]: FromResult | FromArgs | Json }
}

export interface ToolSpec extends LabelSpec {
  /** What it does, in words for the planner and for the people who approve. */
  readonly description: string
  /** Part of the idempotency key: raise it when the same arguments come to mean something else. Default "1". */
  readonly version?: string
  readonly effect: EffectClass
  readonly params: AnySchema
  /** Without one, only the whole value can be referenced. */
  readonly result?: AnySchema
  /** How long one call may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  /** The machine's states in which it may be called. Only reads may leave it out where there is a machine. */
  readonly states?: readonly string[]
  readonly requires?: readonly Requirement[]
  /** By parameter, or by a pointer into one with `*` for any item or key. */
  readonly rules?: { readonly [parameter: string]: Rule }
  /** It checks its arguments itself: however untrusted, or private, they were, its result is not. */
  readonly endorse?: readonly ("trusted" | "public")[]
  /** What one call may do at worst, by dimension: a constant, `arg(…)` or `count(…)`. */
  readonly blast?: { readonly [dimension: string]: number | Argument | Count }
  /** The business identity of the effect: the same values in the same scope are the same effect, whatever the call. */
  readonly once?: OnceSpec
  readonly idempotency?: { readonly key: { readonly retentionMs: number } } | "natural" | "none"
  /** The toolbox can ask by key whether the effect happened; after `finalAfterMs` "not applied" is final. */
  readonly reconcile?: { readonly finalAfterMs: number }
  /** The toolbox looks at each call right before it is made, and may refuse it: nothing has happened then. */
  readonly validate?: true
  readonly retry?: RetrySpec
  readonly compensate?: CompensationSpec | "none"
  /** What one call costs, in millionths of a US dollar. */
  readonly cost?: { readonly microUsd: number }
  readonly authority?: AuthoritySpec
  /** What whoever serves the tool says of it, in the words of MCP's annotations: shown by `explain`, held against the rest, never believed. */
  readonly claims?: ClaimSpec
  /** Run the handler in a process of its own, which can be killed when it blocks or eats memory. */
  readonly isolate?: boolean
}

/** The arguments of a tool, as its handler gets them. */
export type ArgsOf<T extends ToolSpec> = Infer<T["params"]>

/** The result of a tool; unknown where it declares none. */
export type ResultOf<T extends ToolSpec> = T extends { readonly result: infer R extends AnySchema } ? Infer<R> : unknown

/** A JSON object of arguments, resolved. */
export type Args = JsonObject
