/**
 * Blast radius: what is written stays within each limit, per step and in total. A literal counts as itself, an array as its
 * items, a constant of the catalog as that; anything else as nothing, for its bounds are in schemas, where types see
 * none: the compiler counts it. Codes: SEQ401, SEQ402.
 */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { Say } from "./plan-error.ts"
import type { ByIndex, Context, Fault, Nth } from "./reference.ts"
import type { Add, Increment, IsMore, Reverse } from "./sum.ts"

/** By dimension, its limit as one writes it; a limit that is not known is none. */
export type LimitsOf<Spec extends CatalogSpec> = Spec extends { readonly blastRadius: infer Limits }
  ? { readonly [Dimension in keyof Limits]: Limits[Dimension] extends { readonly max: infer Max } ? Natural<Max> : "" }
  : Record<never, never>

/** A natural number that is known, as one writes it. */
type Natural<N> = `${N & number}` extends infer Text
  ? Text extends `${bigint}`
    ? Text extends `-${string}`
      ? ""
      : IsOne<Text> extends true
        ? `${bigint}` extends Text
          ? ""
          : Text
        : ""
    : ""
  : never

type IsOne<T, All = T> = T extends unknown ? ([All] extends [T] ? true : false) : never

/** By tool, what it counts in one dimension: a number, or the parameter that is counted after `#` or `[`. */
type CountsBy<Tools, Dimension> = {
  readonly [Name in keyof Tools]: Tools[Name] extends {
    readonly blast: { readonly [_ in Dimension & string]: infer Blast }
  }
    ? Blast extends { readonly kind: infer Kind; readonly parameter: infer Parameter extends string }
      ? Kind extends "argument"
        ? `#${Parameter}`
        : `[${Parameter}`
      : Blast extends number
        ? Natural<Blast>
        : ""
    : ""
}

/** Of each step, what it counts in one dimension, as far as that can be read: text, so that it is cheap to hand on. */
type CostsOf<C extends Context, Steps, Dimension, Counts = CountsBy<C["tools"], Dimension>> = {
  readonly [I in keyof Steps]: Steps[I] extends {
    readonly tool: infer Name extends keyof Counts
    readonly args: infer Args
  }
    ? Counts[Name] extends `#${infer Parameter}`
      ? Args extends { readonly [_ in Parameter]: infer Value extends number }
        ? `${Value}`
        : ""
      : Counts[Name] extends `[${infer Parameter}`
        ? Args extends { readonly [_ in Parameter]: { readonly length: infer Length extends number } }
          ? `${Length}`
          : ""
        : Counts[Name]
    : ""
}

/** A dimension's limit that is passed, and by which step. */
export interface Passed<Costs, Max, Total, At> {
  readonly costs: Costs
  readonly max: Max
  readonly total: Total
  readonly at: At
}

/** The dimensions whose total may come near the limit: in most plans none, and then nothing is added up. */
export type NearLimits<C extends Context, Steps extends readonly unknown[], Limits> = {
  readonly [Dimension in keyof Limits]: Limits[Dimension] extends ""
    ? never
    : IsFar<Steps, CountsBy<C["tools"], Dimension>, Limits[Dimension] & string> extends true
      ? never
      : Dimension
}[keyof Limits]

/** By dimension, its limit where it is passed; undefined where it is kept. Never where all are. */
export type PassedLimits<C extends Context, Steps, Limits, Near> = [Near] extends [never]
  ? never
  : {
      readonly [Dimension in Near & keyof Limits]: Total<
        Known<CostsOf<C, Steps, Dimension>>,
        Reverse<Limits[Dimension] & string>
      >
    }

/** Whether each cost is so small that as many as there are steps cannot pass the limit. */
type IsFar<Steps extends readonly unknown[], Counts, Max extends string> =
  Costly<Steps, Counts[keyof Counts]> extends infer Cost
    ? [Cost & AtLeast<Shorten<Max, `${Steps["length"]}`>>] extends [never]
      ? true
      : false
    : never

/** Every cost there may be, as text; any text where that is not seen at a glance. */
type Costly<Steps extends readonly unknown[], Count> = Count extends `#${infer Parameter}`
  ? `${Values<Steps, Parameter>}`
  : Count extends `[${string}`
    ? string
    : Count

/** The numbers that steps give for a parameter, all of them in one inference. */
type Values<Steps extends readonly unknown[], Parameter extends string> = Steps extends readonly {
  readonly id?: unknown
  readonly args?: { readonly [_ in Parameter]?: infer Value } & { readonly [other: string]: unknown }
}[]
  ? Extract<Value, number>
  : number

/** Natural numbers with as many digits, or more: each `bigint` stands for one digit. */
type AtLeast<Text extends string> = Text extends `${string}${infer Rest}` ? `${bigint}${AtLeast<Rest>}` : string

/** The first digits, without as many as another number has. */
type Shorten<Max extends string, Steps extends string> = Steps extends `${string}${infer Rest}`
  ? Max extends `${string}${infer Less}`
    ? Shorten<Less, Rest>
    : ""
  : Max

/** Least significant digit first. */
type Known<Costs> = {
  readonly [I in keyof Costs]: Natural<Numeral<Costs[I]>> extends infer Text extends string
    ? Text extends ""
      ? "0"
      : Reverse<Text>
    : never
}

/** What counts nothing counts 0: `never` would swallow the sum. */
type Numeral<Text> = Text extends `${infer N extends number}` ? N : 0

type Total<Costs, Max extends string> = Costs extends readonly string[]
  ? Sum<ByIndex<Costs>, "", "0"> extends infer Total extends string
    ? IsMore<Total, Max> extends true
      ? Passed<Costs, Max, Total, Crossing<Costs, Max, "0", "0">>
      : undefined
    : never
  : never

interface Texts {
  readonly [index: string]: string
}

/** Ten at a time. */
type Sum<Costs extends Texts, Tens extends string, SoFar extends string> = Costs[`${Tens}0`] extends string
  ? Sum<
      Costs,
      Tens extends "" ? "1" : Increment<Tens>,
      Plus<
        Costs,
        `${Tens}9`,
        Plus<
          Costs,
          `${Tens}8`,
          Plus<
            Costs,
            `${Tens}7`,
            Plus<
              Costs,
              `${Tens}6`,
              Plus<
                Costs,
                `${Tens}5`,
                Plus<
                  Costs,
                  `${Tens}4`,
                  Plus<
                    Costs,
                    `${Tens}3`,
                    Plus<Costs, `${Tens}2`, Plus<Costs, `${Tens}1`, Plus<Costs, `${Tens}0`, SoFar>>>
                  >
                >
              >
            >
          >
        >
      >
    >
  : SoFar

type Plus<Costs extends Texts, I extends string, SoFar extends string> = Costs[I] extends infer Cost extends string
  ? Cost extends "0"
    ? SoFar
    : Add<SoFar, Cost>
  : SoFar

/** The step at which the total passes the limit, asked without those that pass it alone; only where some limit is passed. */
type Crossing<Costs extends readonly string[], Max extends string, I extends string, SoFar extends string> =
  Nth<Costs, I> extends infer Cost
    ? Cost extends string
      ? IsMore<Cost, Max> extends true
        ? Crossing<Costs, Max, Increment<I>, SoFar>
        : Add<SoFar, Cost> extends infer Next extends string
          ? IsMore<Next, Max> extends true
            ? I
            : Crossing<Costs, Max, Increment<I>, Next>
          : never
      : never
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
