/** The plan as the planner may write it: the right shape, nothing in it yet believed. */
import { type Static, Type } from "@sinclair/typebox"
import type { JsonObject } from "../text/json.ts"

const closed = { additionalProperties: false } as const

/** One step before its kind is known: which fields belong together is said by `admit`, in better words than a union's. */
export const StepShape = Type.Object(
  {
    id: Type.String(),
    tool: Type.Optional(Type.String()),
    args: Type.Optional(Type.Object({}, { additionalProperties: Type.Unknown() })),
    transition: Type.Optional(Type.String()),
    after: Type.Optional(Type.Array(Type.String())),
    occurrence: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    why: Type.Optional(Type.String()),
  },
  closed,
)

export const DocumentShape = Type.Object(
  {
    version: Type.Number(),
    goal: Type.Optional(Type.String()),
    steps: Type.Array(StepShape),
  },
  closed,
)

export type StepDocument = Omit<Static<typeof StepShape>, "args"> & {
  readonly args?: JsonObject
  /** Never in a plan without a fault. */
  readonly unread?: readonly Unread[]
}

/** What of a step could not be read, and was reported: later passes look past it. Of no `kind` it may be a call or not. */
export type Unread = "id" | "kind" | "tool" | "transition" | "args"

export const isUnread = (step: { readonly unread?: readonly Unread[] }, ...parts: readonly Unread[]): boolean =>
  step.unread?.some((part) => parts.includes(part)) === true

export interface Document {
  readonly version: 1
  readonly goal?: string
  readonly steps: readonly StepDocument[]
}

/** ASCII, so that no two ids can look alike. */
export const idPattern = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"

/** Names that every object has, or that the plan language keeps for itself: no step may be called so. */
export const keptIds: readonly string[] = [
  "input",
  "then",
  "constructor",
  "prototype",
  "__proto__",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "toJSON",
]
