/** The planner's door: what to ask a model for, how to take back what it wrote, and what to tell it when it was wrong. Pure. */
export { type FeedbackOptions, feedback } from "./feedback.ts"
export { type DecodedPlan, decodePlan } from "./form/decode.ts"
export { encodePlan } from "./form/encode.ts"
export type { Absent, Form } from "./form/form.ts"
export type { ProviderName } from "./form/provider.ts"
export { type PlanSchema, type PlanSchemaOptions, planSchema } from "./form/schema.ts"
export { type PromptOptions, planPrompt } from "./prompt.ts"
