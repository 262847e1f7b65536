/** What the steps of a plan written in code give, by step id. */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { ResultOf } from "../catalog/tool.ts"

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

export type ToolNames<Spec extends CatalogSpec> = keyof Spec["tools"] & string

/** `{ find: { workspaces: … }, refund: { refundId: string } }` */
export type ResultsOf<Spec extends CatalogSpec, Plan extends PlanLiteral> = {
  readonly [Step in Plan["steps"][number] as Step extends {
    readonly id: infer Id extends string
    readonly tool: string
  }
    ? Id
    : never]: Step extends { readonly tool: infer Name extends ToolNames<Spec> } ? ResultOf<Spec["tools"][Name]> : never
}
