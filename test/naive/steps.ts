/** The steps of a plan with their arguments read as expressions. */
import type { JsonObject } from "../../src/text/json.ts"
import type { CallStep, TransitionStep } from "./envelope.ts"
import type { Expression } from "./expression.ts"
import type { Fault } from "./verdict.ts"

export interface Call extends Omit<CallStep, "args"> {
  /** An object, or broken. */
  readonly args: Expression
  readonly written: JsonObject | undefined
  /** Of the expressions in it. */
  readonly faults: readonly Fault[]
}

export type PlanStep = Call | TransitionStep

/** The expression that stands for a parameter of a call. */
export function argumentOf({ args }: Call, parameter: string): Expression | undefined {
  return args.kind === "object" ? args.fields.find(([name]) => name === parameter)?.[1] : undefined
}
