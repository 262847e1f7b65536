/** What the catalog knows of one schema: the author's own validator, and what lowering learnt of it beside. */
import type { TSchema } from "@sinclair/typebox"
import type { $ZodType } from "zod/v4/core"
import type { Json } from "../../text/json.ts"
import type { Pointer } from "../../text/pointer.ts"
import { unknown } from "./make.ts"
import type { Shape } from "./shape.ts"

/**
 * A parameter or result schema, lowered once when the catalog is built.
 *
 * `shape` is what the catalog's own questions are asked of: TypeBox schemas as data, of the kinds in `shape.ts`. It is
 * never stricter than the author's validator (but that objects which would strip or ignore unknown keys are closed in
 * params, and the few odd cases named in `typebox.ts`), and where `exact` is true it is not looser either.
 */
export interface Schema {
  readonly shape: Shape
  /** No spot of `shape` is opaque: what `shape` accepts, the author's validator accepts. */
  readonly exact: boolean
  /** The author's own validator, on a copy; its output must equal its input. Empty where the value is right. */
  readonly judge: (value: Json) => readonly Issue[]
  /** Names and versions of the functions (refinements) in it, sorted: what a hash of `shape` cannot see. */
  readonly functions: readonly string[]
}

/** The schema of what declares none. */
export const anything: Schema = { shape: unknown, exact: true, judge: () => [], functions: [] }

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

/** Params are held strictly (unknown keys are refused); results are open by default. */
export type Role = "params" | "result"

/** What a host may write as a schema. */
export type AnySchema = $ZodType | TSchema

/** The type of the values that a schema accepts. */
export type Infer<S extends AnySchema> = S extends $ZodType
  ? S["_zod"]["output"]
  : S extends TSchema
    ? S["static"]
    : never
