/** What the steps of a plan written in code give, by step id. */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { ResultOf } from "../catalog/tool.ts"
import type { Word } from "./order.ts"
import type { ToolNames } from "./tools.ts"

/** A plan as code may write it: the tools' names are checked by tsc, all else when it is compiled. */
export interface PlanLiteral<Tools extends string = string> {
  readonly version: 1
  readonly goal?: string
  readonly steps: readonly StepLiteral<Tools>[]
}

export type StepLiteral<Tools extends string = string> =
  | {
      readonly id: string
      readonly tool: Tools
      readonly args: { readonly [parameter: string]: unknown }
      readonly after?: readonly string[]
      readonly occurrence?: number
      readonly why?: string
    }
  | { readonly id: string; readonly transition: string; readonly after?: readonly string[]; readonly why?: string }

/** The steps of a plan whose number is known; undefined of any other: which steps it has, only compiling tells. */
export type ListedSteps<Plan> = unknown extends Plan
  ? undefined
  : Plan extends { readonly steps: infer Steps extends readonly unknown[] }
    ? number extends Steps["length"]
      ? undefined
      : Steps
    : undefined

/**
 * `{ find: { workspaces: … }, refund: { refundId: string } }`; unknown where it is not known which steps there are. A step
 * whose id is not one word has no result here: the report's `of` has it.
 */
export type ResultsOf<Spec extends CatalogSpec, Plan> =
  ListedSteps<Plan> extends infer Steps extends readonly unknown[] ? ResultsOfEach<Spec, Steps> : unknown

type ResultsOfEach<Spec extends CatalogSpec, Steps extends readonly unknown[]> = {
  readonly [I in keyof Steps & `${number}` as Steps[I] extends {
    readonly id: infer Id extends string
    readonly tool: string
  }
    ? KeyOf<Id>
    : never]: Steps[I] extends { readonly tool: infer Name extends ToolNames<Spec> }
    ? ResultOf<Spec["tools"][Name]>
    : unknown
}

/** An id as the key of its step; of one that is not one word there is none. */
export type KeyOf<Id extends string> = Word<Id> extends "?" ? never : Id
