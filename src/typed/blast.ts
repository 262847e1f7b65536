/**
 * Blast radius: what is written stays within each limit, per step and in total. A literal counts as itself, an array as its
 * items, a constant of the catalog as that; anything else as nothing, for its bounds are in schemas, where types see
 * none: the compiler counts it. Codes: SEQ401, SEQ402.
 */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { Say } from "./plan-error.ts"
import type { Context, Fault, Nth } from "./reference.ts"
import type { Add, Digit, Digits, Increment, IsMore, Next, Reverse } from "./sum.ts"

/** By dimension, its limit in digits; a limit that is not known is none. */
export type LimitsOf<Spec extends CatalogSpec> = Spec extends { readonly blastRadius: infer Limits }
  ? {
      readonly [Dimension in keyof Limits as Limits[Dimension] extends { readonly max: infer Max }
        ? [Digits<Max>] extends [never]
          ? never
          : Dimension
        : never]: Limits[Dimension] extends { readonly max: infer Max } ? Digits<Max> : never
    }
  : Record<never, never>

/** Of each step, what it counts in one dimension: digits. */
export type CostsOf<C extends Context, Steps, Dimension> = {
  readonly [I in keyof Steps]: Steps[I] extends { readonly tool: infer Name; readonly args: infer Args }
    ? Name extends keyof C["tools"]
      ? C["tools"][Name] extends { readonly blast: { readonly [_ in Dimension & string]: infer Blast } }
        ? CostOf<Blast, Args>
        : "0"
      : "0"
    : "0"
}

type CostOf<Blast, Args> = Blast extends number
  ? Known<Blast>
  : Blast extends { readonly kind: infer Kind; readonly parameter: infer Parameter }
    ? Args extends { readonly [_ in Parameter & string]: infer Value }
      ? Kind extends "argument"
        ? Known<Value>
        : Value extends readonly unknown[]
          ? Known<Value["length"]>
          : "0"
      : "0"
    : "0"

/** Nothing but one natural number is known. */
type Known<N> = [N] extends [number]
  ? [Digits<N>] extends [never]
    ? "0"
    : IsOne<Digits<N>> extends true
      ? Digits<N>
      : "0"
  : "0"

type IsOne<T, All = T> = T extends unknown ? ([All] extends [T] ? true : false) : never

/** A dimension's limit that is passed, and by which step; undefined where it is kept. */
export interface Passed<Costs, Max, Total, At> {
  readonly costs: Costs
  readonly max: Max
  readonly total: Total
  readonly at: At
}

export type CheckLimit<Costs, Max> = Costs extends readonly string[]
  ? Max extends string
    ? Total<Costs, "", "0"> extends infer Sum extends string
      ? IsMore<Sum, Max> extends true
        ? Passed<Costs, Max, Sum, Crossing<Costs, Max, "0", "0">>
        : undefined
      : undefined
    : undefined
  : undefined

/** In blocks of ten, as the road is gone. */
type Total<Costs extends readonly string[], Tens extends string, Sum extends string> =
  TotalOfTen<Costs, Tens, "0", Sum> extends infer Reached
    ? Reached extends readonly [infer Last]
      ? Last
      : Total<Costs, Tens extends "" ? "1" : Increment<Tens>, Reached & string>
    : never

type TotalOfTen<Costs extends readonly string[], Tens extends string, Ones extends Digit, Sum extends string> =
  Nth<Costs, `${Tens}${Ones}`> extends infer Cost
    ? Cost extends string
      ? Ones extends "9"
        ? Plus<Sum, Cost>
        : TotalOfTen<Costs, Tens, Next[Ones], Plus<Sum, Cost>>
      : readonly [Sum]
    : never

type Plus<Sum extends string, Cost extends string> = Cost extends "0" ? Sum : Add<Sum, Cost>

/** The step at which the total passes the limit, asked without those that pass it alone; only where some limit is passed. */
type Crossing<Costs extends readonly string[], Max extends string, I extends string, Sum extends string> =
  Nth<Costs, I> extends infer Cost extends string
    ? IsMore<Cost, Max> extends true
      ? Crossing<Costs, Max, Increment<I>, Sum>
      : IsMore<Plus<Sum, Cost>, Max> extends true
        ? I
        : Crossing<Costs, Max, Increment<I>, Plus<Sum, Cost>>
    : never

/** What is said of one step: at the parameter that is counted, or at the tool. */
export type Overstepped<Passes, I, Id, Blast> = {
  readonly [Dimension in keyof Passes]: Passes[Dimension] extends Passed<infer Costs, infer Max, infer Total, infer At>
    ? OfStep<Nth<Costs & readonly string[], I>, Max, Total, At, I, Id, Dimension> extends infer E
      ? [E] extends [never]
        ? never
        : Fault<PlaceOf<Dimension extends keyof Blast ? Blast[Dimension] : never>, E>
      : never
    : never
}[keyof Passes]

type OfStep<Cost, Max, Total, At, I, Id, Dimension> =
  IsMore<Cost & string, Max & string> extends true
    ? Say<"SEQ401", { step: Id; worst: Reverse<Cost & string>; dimension: Dimension; max: Reverse<Max & string> }>
    : I extends At
      ? Say<"SEQ402", { worst: Reverse<Total & string>; dimension: Dimension; spent: ""; max: Reverse<Max & string> }>
      : never

type PlaceOf<Blast> = Blast extends { readonly parameter: infer Parameter extends string } ? Parameter : ""
