/** What a plan that compiled counts in all, by dimension: a number where every step writes it, else `number`. */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { Word } from "./order.ts"
import type { ByIndex } from "./reference.ts"
import type { Texts } from "./states.ts"
import type { Add, Digit, Increment, Next, Reverse } from "./sum.ts"

export type TotalsOn<Spec extends CatalogSpec, Steps> = Spec extends { readonly blastRadius: infer Limits }
  ? {
      readonly [Dimension in keyof Limits]: Steps extends readonly unknown[]
        ? TotalNumber<{ readonly [I in keyof Steps]: CostOf<Spec["tools"], Steps[I], Dimension> }>
        : number
    }
  : "blastRadius" extends keyof Spec
    ? { readonly [dimension: string]: number }
    : Record<never, never>

/** What one step counts, least significant digit first; `number` where that is known only when it runs. */
type CostOf<Tools, Step, Dimension> = Step extends { readonly tool: infer Tool; readonly args: infer Args }
  ? Tool extends keyof Tools
    ? Tools[Tool] extends { readonly blast: infer Blast }
      ? Dimension extends keyof Blast
        ? Amount<Counted<Blast[Dimension], Args>>
        : ""
      : ""
    : number
  : ""

type Counted<Blast, Args> = Blast extends { readonly kind: infer Kind; readonly parameter: infer Parameter }
  ? Parameter extends keyof Args
    ? Kind extends "argument"
      ? Args[Parameter]
      : Args[Parameter] extends { readonly length: infer Length }
        ? Length
        : number
    : number
  : Blast

type Amount<Value> = [Value] extends [number]
  ? Word<`${Value}`> extends infer Text extends string
    ? Text extends `${bigint}`
      ? Text extends "0"
        ? ""
        : Reverse<Text>
      : number
    : never
  : number

type TotalNumber<Costs> = Costs extends readonly string[]
  ? Sum<ByIndex<Costs>, "", ""> extends infer Text extends string
    ? Text extends ""
      ? 0
      : Reverse<Text> extends `${infer Amount extends number}`
        ? Amount
        : number
    : never
  : number

type Sum<Costs extends Texts, Tens extends string, SoFar> = Costs[`${Tens}0`] extends string
  ? Sum<Costs, Tens extends "" ? "1" : Increment<Tens>, AddTen<Costs, Tens, "0", SoFar>>
  : SoFar

type AddTen<Costs extends Texts, Tens extends string, Ones extends Digit, SoFar> = Ones extends "9"
  ? Plus<Costs[`${Tens}9`], SoFar>
  : AddTen<Costs, Tens, Next[Ones], Plus<Costs[`${Tens}${Ones}`], SoFar>>

/** Beyond the last step a cost is unknown. */
type Plus<Cost, SoFar> = Cost extends "" ? SoFar : Cost extends string ? Add<SoFar & string, Cost> : SoFar
