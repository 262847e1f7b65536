/** What a handler gave back, taken into plain JSON of our own and counted meanwhile: nothing is kept beyond its bounds, and nothing
 *  of it is run. The process of an isolated handler does this on its own side, before anything comes over. */
import type { Bounds } from "../../text/bounds.ts"
import { type Copied, copyJson } from "../../text/copy-json.ts"
import { root } from "../../text/pointer.ts"
import { excerpt } from "./describe.ts"

/** By what the handler was asked for. */
export interface Taken {
  readonly result: Copied
  readonly reconciliation: TakenReconciliation
  readonly validation: TakenValidation
  readonly verdict: "yes" | "no" | "neither"
  readonly credentials: TakenCredentials
}

/** Why a call must not be made. */
export type TakenValidation = { readonly ok: true } | { readonly ok: false; readonly said: string }

/** What is no reconciliation tells nothing of the effect. */
export type TakenReconciliation =
  | { readonly kind: "applied"; readonly result: Copied }
  | { readonly kind: "not-applied" | "barred" }
  | { readonly kind: "unknown"; readonly said: string }

/** Some tools need none. */
export type TakenCredentials = Copied | { readonly ok: "none" }

export const take: { readonly [For in keyof Taken]: (value: unknown, bounds: Bounds) => Taken[For] } = {
  result: takeResult,
  reconciliation: takeReconciliation,
  validation: takeValidation,
  verdict: (value) => (value === true ? "yes" : value === false ? "no" : "neither"),
  credentials: takeCredentials,
}

/**
 * A handler that returns nothing has returned null. Its strings are the outside's, whatever they hold: an effect that happened
 * is not to be lost over half a character.
 */
function takeResult(value: unknown, { depth, nodes, resultBytes: bytes }: Bounds): Copied {
  return copyJson(value === undefined ? null : value, { depth, nodes, bytes }, { numbers: "finite", strings: "any" })
}

function takeReconciliation(value: unknown, bounds: Bounds): TakenReconciliation {
  const kind = memberOf(value, "kind")?.value
  switch (kind) {
    case "applied": {
      const result = memberOf(value, "result") ?? { value: null }
      if (!("value" in result)) return { kind, result: { ok: false, at: root, problem: "a getter or a setter" } }
      return { kind, result: takeResult(result.value, bounds) }
    }
    case "not-applied":
    case "barred":
      return { kind }
    case "unknown": {
      const why: unknown = memberOf(value, "why")?.value
      return { kind, said: typeof why === "string" && why !== "" ? excerpt(why) : "it cannot tell" }
    }
    default:
      return { kind: "unknown", said: "what it gave back is none of what `reconciled` makes" }
  }
}

function takeValidation(value: unknown): TakenValidation {
  if (value === true) return { ok: true }
  if (value === false) return { ok: false, said: "it says no" }
  if (typeof value === "string" && value.trim() !== "") return { ok: false, said: excerpt(value) }
  return { ok: false, said: "it answered with neither `true` nor a reason" }
}

function takeCredentials(value: unknown, { depth, nodes, resultBytes: bytes }: Bounds): TakenCredentials {
  return value === undefined ? { ok: "none" } : copyJson(value, { depth, nodes, bytes }, { strings: "any" })
}

/** A proxy may answer with anything, or throw. */
function memberOf(value: unknown, key: string): PropertyDescriptor | undefined {
  if (typeof value !== "object" || value === null) return undefined
  try {
    return Reflect.getOwnPropertyDescriptor(value, key)
  } catch {
    return undefined
  }
}
