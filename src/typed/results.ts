/** What the steps of a plan written in code give, by step id. */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { ResultOf } from "../catalog/tool.ts"
import type { CompiledPlan } from "../check/compiled.ts"
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

/** `{ find: { workspaces: … }, refund: { refundId: string } }` */
export type ResultsOf<Spec extends CatalogSpec, Plan> = {
  readonly [Step in StepsOf<Plan> as Step extends {
    readonly id: infer Id extends string
    readonly tool: string
  }
    ? Id
    : never]: Step extends { readonly tool: infer Name extends ToolNames<Spec> } ? ResultOf<Spec["tools"][Name]> : never
}

type StepsOf<Plan> = Plan extends { readonly steps: readonly (infer Step)[] } ? Step : never

/** What one step gives: `StepResult<typeof written, "find">`, of a compiled plan or of the verdict that holds it. */
export type StepResult<Plan, Id extends string> =
  Plan extends CompiledPlan<infer Results>
    ? Results extends { readonly [_ in Id]: infer Result }
      ? Result
      : never
    : Plan extends { readonly plan: infer Inner }
      ? StepResult<Inner, Id>
      : never
