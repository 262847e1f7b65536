import type { TSchema } from "@sinclair/typebox"
import type { Json } from "../text/json.ts"
import type { Pointer } from "../text/pointer.ts"

/**
 * A parameter or result schema, lowered once when the catalog is built.
 *
 * `shape` is what the catalog's own questions are asked of: TypeBox schemas as data, of the allow-listed kinds in
 * `shape.ts`. It is never stricter than the author's validator (but that objects which would strip or ignore unknown
 * keys are closed), and where `exact` is true it is not looser either.
 */
export interface Schema {
  readonly shape: TSchema
  readonly exact: boolean
  /** The author's own validator, on a copy; its output must equal its input. Empty where the value is right. */
  readonly judge: (value: Json) => readonly Issue[]
  /** Names and versions of the functions (refinements) in it: what a hash of `shape` cannot see. */
  readonly functions: readonly string[]
}

/** What the author's validator says of a value. `at` is a pointer into that value. */
export interface Issue {
  readonly at: Pointer
  readonly message: string
}

/** Why a schema cannot be a catalog's: `at` is a pointer into the schema's value ("/amount"), for people. */
export interface SchemaFault {
  readonly kind:
    | "coerces"
    | "transforms"
    | "defaults"
    | "asynchronous"
    | "unnamed-function"
    | "not-json"
    | "not-a-schema"
    | "not-built"
  readonly at: Pointer
  /** The feature in the author's words: "`.trim()`", "`.default()`". */
  readonly what: string
}

/** An object that ignored or stripped unknown keys and was closed. */
export interface Closed {
  readonly at: Pointer
}

export type Lowered =
  | { readonly ok: true; readonly schema: Schema; readonly closed: readonly Closed[] }
  | { readonly ok: false; readonly faults: readonly SchemaFault[] }

/** Params are held strictly (closed, no transforms); results are open by default. */
export type Role = "params" | "result"
