/** The planner's door: what to ask a model for, how to take back what it wrote, what to tell it when it was wrong, and the loop of it. */

export { diffPlans, type EffectStep, type PlanDifference } from "../check/difference.ts"
export { type FeedbackOptions, feedback } from "./feedback.ts"
export { type DecodedPlan, decodePlan } from "./form/decode.ts"
export { encodePlan } from "./form/encode.ts"
export type { Absent, Form } from "./form/form.ts"
export type { ProviderName } from "./form/provider.ts"
export { type PlanSchema, type PlanSchemaOptions, planSchema } from "./form/schema.ts"
export { type PromptOptions, planPrompt } from "./prompt.ts"
export type { Attempt, Exchange } from "./propose/exchange.ts"
export type { Cost, Limits, Used } from "./propose/limits.ts"
export type { Answer, Message, Planner, Usage } from "./propose/planner.ts"
export {
  type Around,
  type NoPlan,
  type Proposed,
  type ProposedPlan,
  type ProposeOptions,
  propose,
  type Session,
} from "./propose/propose.ts"
export { earlierFrom, type Round, type RoundReport } from "./propose/rounds.ts"
