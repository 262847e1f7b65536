/** What a plan that compiled counts in all, by dimension: a number where every step writes it, else `number`. */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { Word } from "./order.ts"
import type { ByIndex } from "./reference.ts"
import type { Texts } from "./states.ts"
import type { Add, Increment, Reverse } from "./sum.ts"

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
  ? Reverse<Sum<ByIndex<Costs>, "", "">> extends infer Text
    ? Text extends ""
      ? 0
      : Text extends `${infer Amount extends number}`
        ? Amount
        : number
    : never
  : number

/** Ten at a time, as in `blast.ts`. */
type Sum<Costs extends Texts, Tens extends string, SoFar extends string> = Costs[`${Tens}0`] extends string
  ? Sum<
      Costs,
      Tens extends "" ? "1" : Increment<Tens>,
      Add5<Costs, Tens, "5", "6", "7", "8", "9", Add5<Costs, Tens, "0", "1", "2", "3", "4", SoFar>>
    >
  : SoFar

type Add5<
  Costs extends Texts,
  Tens extends string,
  A extends string,
  B extends string,
  C extends string,
  D extends string,
  E extends string,
  SoFar extends string,
> = Plus<
  Costs,
  `${Tens}${E}`,
  Plus<Costs, `${Tens}${D}`, Plus<Costs, `${Tens}${C}`, Plus<Costs, `${Tens}${B}`, Plus<Costs, `${Tens}${A}`, SoFar>>>>
>

type Plus<Costs extends Texts, I extends string, SoFar extends string> = Costs[I] extends infer Cost extends string
  ? Cost extends ""
    ? SoFar
    : Add<SoFar, Cost>
  : SoFar
