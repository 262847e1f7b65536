/** What the questions ask of a catalog's types, read once for each tool. */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { AnySchema, Infer } from "../catalog/schema/schema.ts"
import type { ToolSpec } from "../catalog/tool.ts"
import type { IntegersOf } from "./fields.ts"
import type { AnyLabels, LabelsOf, MustState, RulesOf } from "./flow.ts"
import type { Needed, Objects, Scalar } from "./value.ts"

export type ToolNames<Spec extends CatalogSpec> = keyof Spec["tools"] & string

/** By tool name. An interface, so that each property is worked out when it is first asked for, and never again. */
export type Tools<Spec extends CatalogSpec> = { readonly [Name in keyof Spec["tools"]]: Facts<Spec["tools"][Name]> }

export interface Facts<T extends ToolSpec> {
  readonly takes: Takes<Infer<T["params"]>>
  /** The parameters that can be asked about one by one, none where there are rules, and those that must be there. */
  readonly known: T extends { readonly rules: object } ? never : KnownIn<Takes<Infer<T["params"]>>>
  readonly needed: Needed<Takes<Infer<T["params"]>>> | MustState<RulesOf<T>>
  readonly rules: RulesOf<T>
  readonly labels: LabelsOf<T>
  /** By parameter, the scalars that are right at first sight. */
  readonly plain: PlainOf<Takes<Infer<T["params"]>>, IntegersOf<T["params"]> | CountedIn<T>>
  readonly gives: T extends { readonly result: infer Result extends AnySchema } ? Infer<Result> : Undeclared
  /** The states it is available in, in the order they are written; `string` where that is not known. */
  readonly states: T extends { readonly states: infer States extends readonly string[] } ? States : readonly string[]
  /** The tools that must have been called before. */
  readonly requires: T extends { readonly requires: infer Required } ? NamedIn<Required> : never
  readonly blast: T extends { readonly blast: infer Blast } ? Blast : Record<never, never>
  /** The places of integers: in the type of their values they are numbers as any. */
  readonly integers: IntegersOf<T["params"]> | CountedIn<T>
  readonly givenIntegers: T extends { readonly result: infer Result } ? IntegersOf<Result> : never
}

export interface AnyFacts {
  readonly takes: unknown
  readonly known: unknown
  readonly needed: unknown
  readonly rules: unknown
  readonly labels: AnyLabels
  readonly plain: Table
  readonly gives: unknown
  readonly states: readonly string[]
  readonly requires: string
  readonly blast: unknown
  readonly integers: unknown
  readonly givenIntegers: unknown
}

export interface Table {
  readonly [key: PropertyKey]: unknown
}

/** None where there are several objects, or any key at all. */
type KnownIn<Takes> = [Takes] extends [Objects<Takes>]
  ? IsUnion<Takes> extends true
    ? never
    : string extends keyof Takes
      ? never
      : Exclude<keyof Takes, `$${string}`>
  : never

type IsUnion<T, All = T> = [T] extends [never] ? true : T extends unknown ? ([All] extends [T] ? false : true) : never

type PlainOf<Takes, Integers> = {
  readonly [Key in keyof Takes]-?: unknown extends Takes[Key]
    ? Scalar
    : Extract<Takes[Key], Key extends Integers ? Exclude<Scalar, number> : Scalar>
}

/** An object that can have no key is one without keys. */
type Takes<Params> = string extends keyof Params ? ([Params[keyof Params]] extends [never] ? object : Params) : Params

/** The result of a tool that declares none: only the whole of it can be used. */
export interface Undeclared {
  readonly "~undeclared": true
}

/** Of a list whose length is not known nothing is known to be in it. */
type NamedIn<Required> = Required extends readonly { readonly tool: infer Name extends string }[]
  ? number extends Required["length"]
    ? never
    : string extends Name
      ? never
      : Name
  : never

/** What counts as itself is a whole number. */
type CountedIn<T> = T extends { readonly blast: infer Blast }
  ? { [Dimension in keyof Blast]: ArgumentOf<Blast[Dimension]> }[keyof Blast]
  : never

type ArgumentOf<Cost> = Cost extends { readonly kind: "argument"; readonly parameter: infer Name } ? Name : never
