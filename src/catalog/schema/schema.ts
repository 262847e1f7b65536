/** What the catalog knows of one schema: the author's own validator, and what lowering learnt of it beside. */
import type { TSchema } from "@sinclair/typebox"
import type { output, SomeType } from "zod/v4/core"
import type { Json, JsonObject } from "../../text/json.ts"
import type { Pointer } from "../../text/pointer.ts"
import { unknown } from "./make.ts"
import type { Shape } from "./shape.ts"

/**
 * A parameter or result schema, lowered once when the catalog is built.
 *
 * `shape` is what the catalog's own questions are asked of: TypeBox schemas as data, of the kinds in `shape.ts`. It is
 * never stricter than the author's validator (but that objects which would strip or ignore unknown keys are closed in
 * params, that strings too long for a slow pattern are refused, and the few odd cases named in `typebox.ts`), and where
 * `exact` is true it is not looser either.
 */
export interface Schema {
  readonly shape: Shape
  /** No spot of `shape` is opaque: what `shape` accepts, the author's validator accepts. */
  readonly exact: boolean
  /** The author's own validator, on a copy; its output must equal its input. Empty where the value is right. */
  readonly judge: (value: Json) => readonly Issue[]
  /** Names and versions of the functions (refinements) in it, and its catalog's own formats, sorted: what a hash of `shape` cannot see. */
  readonly functions: readonly string[]
  /**
   * What the author says of the places in a value, for planners: on one line, nothing hidden, cut where it is long. `*` is
   * any index or key. No part of what is hashed.
   */
  readonly descriptions: ReadonlyMap<Pointer, string>
  /** The places in a value that are marked as secrets, sorted, with `*` for any index or key. What is in one is one too. */
  readonly sensitive: readonly Pointer[]
}

/** The schema of what declares none. */
export const anything: Schema = {
  shape: unknown,
  exact: true,
  judge: () => [],
  functions: [],
  descriptions: new Map(),
  sensitive: [],
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
    | "unsupported"
    | "unsafe-pattern"
  readonly at: Pointer
  /** The feature in the author's words: "`.trim()`", "`.default()`". */
  readonly what: string
  /** What is wrong with it, where the kind does not say. */
  readonly problem?: string
  /** What to do, where the kind does not say. */
  readonly remedy?: string
}

/** An object that ignored or stripped unknown keys and was closed. */
export interface Closed {
  readonly at: Pointer
}

/** What an author may not expect, though it is safe. */
export type Notice =
  /** A `default` of a JSON Schema: a note, which nothing fills in. */
  | { readonly kind: "default"; readonly at: Pointer }
  /** Strings that are too long to be held against a slow pattern are refused. */
  | { readonly kind: "shortened"; readonly at: Pointer; readonly what: string; readonly maxLength: number }

export type Lowered =
  | {
      readonly ok: true
      readonly schema: Schema
      readonly closed: readonly Closed[]
      readonly notices: readonly Notice[]
    }
  | { readonly ok: false; readonly faults: readonly SchemaFault[] }

/** Params are held strictly (unknown keys are refused); results are open by default. */
export type Role = "params" | "result"

/** A JSON Schema as data, of draft 2020-12 or, where `$schema` says so, of draft 7. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/**
 * What a host may write as a schema. Of zod's it is only asked that they are: to hold one against `$ZodType` tsc works out
 * all that it takes and gives, for every schema of a catalog.
 */
export type AnySchema = SomeType | TSchema | JsonSchema

/** The type of the values that a schema accepts. What a JSON Schema accepts is not read off its type: any JSON. */
export type Infer<S extends AnySchema> = S extends SomeType
  ? output<S>
  : S extends TSchema
    ? S["static"]
    : S extends { readonly type: "object" }
      ? JsonObject
      : Json
