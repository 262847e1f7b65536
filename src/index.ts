/** The compiler's door: pure, offline, works in Node, in a browser and at the edge. */
export { plan } from "./build-plan.ts"
export type { BudgetSpec, Catalog, CatalogSpec, LimitSpec, MachineSpec } from "./catalog/catalog.ts"
export type { Change } from "./catalog/change.ts"
export { isCatalog } from "./catalog/define.ts"
export { type CatalogDifference, diffCatalogs, type PartDifference } from "./catalog/difference.ts"
export type { FormatSpec } from "./catalog/format.ts"
export { type GuardFacts, type GuardRule, type Predicate, type Principal, predicate } from "./catalog/predicate.ts"
export { named } from "./catalog/schema/named.ts"
export type { AnySchema, JsonSchema } from "./catalog/schema/schema.ts"
export {
  type ArgsOf,
  type Argument,
  arg,
  type Count,
  count,
  type FromArgs,
  type FromResult,
  fromArgs,
  fromResult,
  type ResultOf,
  type ToolSpec,
} from "./catalog/tool.ts"
export type { ApprovalNeed, CheckedStep, CompiledPlan, RuntimeCheck, Total } from "./check/compiled.ts"
export { type Compiled, type CompileOptions, compile } from "./compile.ts"
export { defineCatalog, tool } from "./define-catalog.ts"
export { definePlan } from "./define-plan.ts"
export { type Code, codes, type Severity } from "./diagnostic/codes.ts"
export type { Diagnostic, Related } from "./diagnostic/diagnostic.ts"
export { applyFixes, type Fixed } from "./diagnostic/fixes.ts"
export { applyPatch, type JsonPatch, type Operation } from "./diagnostic/patch.ts"
export type { Earlier, EarlierResult } from "./plan/earlier.ts"
export { load, serialize } from "./stored.ts"
export { type Bounds, defaultBounds } from "./text/bounds.ts"
export type { Json, JsonObject } from "./text/json.ts"
export type { Pointer } from "./text/pointer.ts"
export type { Position, Range } from "./text/source.ts"
export type { PlanBuilder, PlanOf, StepOptions, UntypedBuilder } from "./typed/builder.ts"
export type { ValidatePlan } from "./typed/plan.ts"
export type { PlanError } from "./typed/plan-error.ts"
export type { PlanLiteral, ResultsOf } from "./typed/results.ts"
export type { FinalState, StepIds, StepOf, StepResult, TotalsOf, WrittenPlan } from "./typed/written.ts"
