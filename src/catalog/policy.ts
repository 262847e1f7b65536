/**
 * What a catalog says of a tool's effect: what may be repeated, what happens once, what can be undone. Read from the
 * declaration into one form; lint has told what cannot hold.
 */
import type { Json, JsonObject } from "../text/json.ts"
import { child, type Pointer, root } from "../text/pointer.ts"
import type { CompensationSpec, FromArgs, FromResult, OnceSpec, RetrySpec, ToolSpec } from "./tool.ts"

export type Idempotency =
  | { readonly kind: "key"; readonly retentionMs: number }
  | { readonly kind: "natural" }
  | { readonly kind: "none" }

/** The business identity of an effect: what happens once for the same values in the same scope. */
export interface Once {
  /** Into the arguments: required scalars. */
  readonly by: readonly Pointer[]
  readonly scope: OnceSpec["scope"]
}

/** The toolbox can ask the outside system whether an effect happened. */
export interface Reconcile {
  /** After this long, "not applied" is final. */
  readonly finalAfterMs: number
}

/** How often a call is made in all, and the pauses between, with nothing left unsaid. */
export interface Retry extends Required<RetrySpec> {
  /** Each pause is that many times as long as the one before it. */
  readonly factor: number
}

/** The answer of an effect is mostly lost because the outside is down, and that lasts: it is given more time than a read. */
export function retryOf(mutates: boolean, { times = 3, ...said }: RetrySpec = {}): Retry {
  const { backoffMs = mutates ? 1_000 : 100 } = said
  const { maxBackoffMs = Math.max(backoffMs, mutates ? 60_000 : 5_000) } = said
  return { times, backoffMs, maxBackoffMs, factor: mutates ? 4 : 2 }
}

/** The pause after so many failures, before any of it is left to chance. */
export const pauseOf = ({ backoffMs, maxBackoffMs, factor }: Retry, failures: number): number =>
  Math.min(maxBackoffMs, backoffMs * factor ** (failures - 1))

/** How an effect is undone. An undo is never undone itself. */
export type Compensation =
  | { readonly kind: "unsaid" }
  | { readonly kind: "none" }
  | { readonly kind: "call"; readonly tool: string; readonly args: readonly UndoArgument[] }

export interface UndoArgument {
  readonly name: string
  readonly source: UndoSource
}

export type UndoSource =
  /** Into the result, or the arguments, of the call that is undone. */
  | { readonly kind: "from-result" | "from-args"; readonly path: Pointer }
  | { readonly kind: "literal"; readonly value: Json }

export interface Policy {
  readonly idempotency: Idempotency
  readonly once: Once | undefined
  readonly reconcile: Reconcile | undefined
  /** The toolbox looks at each call right before it is made. */
  readonly validate: boolean
  /** As it was declared: see `retryOf`. */
  readonly retry: RetrySpec | undefined
  readonly compensation: Compensation
  /** Its handler runs in a process of its own, which can be killed. */
  readonly isolate: boolean
}

export const readPolicy = ({
  idempotency,
  once,
  reconcile,
  validate,
  retry,
  compensate,
  isolate,
}: ToolSpec): Policy => ({
  idempotency: readIdempotency(idempotency),
  once: once && { by: once.by.map(pointerTo), scope: once.scope },
  reconcile,
  validate: validate ?? false,
  retry,
  compensation: readCompensation(compensate),
  isolate: isolate ?? false,
})

/** The same as data to be hashed. Where a handler runs is no part of what a plan depends on. */
export const policySlice = ({ idempotency, once, reconcile, validate, retry, compensation }: Policy): JsonObject => ({
  idempotency: { ...idempotency },
  once: once === undefined ? null : { by: once.by.toSorted(), scope: once.scope },
  reconcile: reconcile === undefined ? null : { ...reconcile },
  // Not there where nothing is said: what was compiled before anything could be is still what it was.
  ...(retry === undefined ? {} : { retry: { ...retry } }),
  ...(validate ? { validate } : {}),
  compensation:
    compensation.kind === "call"
      ? { kind: "call", tool: compensation.tool, args: argsSlice(compensation.args) }
      : { kind: compensation.kind },
})

const argsSlice = (args: readonly UndoArgument[]): JsonObject =>
  Object.fromEntries(args.map(({ name, source }) => [name, { ...source }]))

/** A parameter by its name, or a place in one by its pointer. */
const pointerTo = (nameOrPointer: string): Pointer =>
  nameOrPointer.startsWith("/") ? (nameOrPointer as Pointer) : child(root, nameOrPointer)

function readIdempotency(spec: ToolSpec["idempotency"]): Idempotency {
  if (spec === undefined || spec === "none") return { kind: "none" }
  return spec === "natural" ? { kind: "natural" } : { kind: "key", retentionMs: spec.key.retentionMs }
}

function readCompensation(spec: ToolSpec["compensate"]): Compensation {
  if (spec === undefined) return { kind: "unsaid" }
  if (spec === "none") return { kind: "none" }
  const args = Object.entries(spec.args).map(([name, value]) => ({ name, source: readSource(value) }))
  return { kind: "call", tool: spec.tool, args }
}

const readSource = (value: CompensationSpec["args"][string]): UndoSource =>
  isFrom(value) ? { kind: value.kind, path: value.path as Pointer } : { kind: "literal", value }

/** What `fromResult` and `fromArgs` make, and nothing that merely has such a field. */
export const isFrom = (value: CompensationSpec["args"][string]): value is FromResult | FromArgs =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  (value.kind === "from-result" || value.kind === "from-args") &&
  "path" in value &&
  typeof value.path === "string" &&
  Object.keys(value).length === 2
