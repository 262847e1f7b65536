/**
 * What tsc knows of a compiled plan that was written in code: its steps, the states it goes through, and what it counts.
 * Each is worked out when it is asked for, and costs nothing before. Of a plan from text, all of it is as wide as can be.
 */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { EffectClass, ResultOf } from "../catalog/tool.ts"
import type { CheckedStep, CompiledPlan, Total } from "../check/compiled.ts"
import type { Call, Transition } from "../plan/plan.ts"
import type { KeyOf, ListedSteps } from "./results.ts"
import type { After, Before, Final, Initial, MoveOf, States, StatesOf } from "./states.ts"
import type { ToolNames } from "./tools.ts"
import type { TotalsOn } from "./totals.ts"

/** The precise side of a `CompiledPlan`. */
export interface WrittenPlan<Spec extends CatalogSpec, Plan> {
  readonly steps: InOrder<Spec, ListedSteps<Plan>>
  readonly states: Ends<Initial<Spec>, FinalOf<Spec, ListedSteps<Plan>>>
  readonly blast: readonly TotalOf<TotalsOn<Spec, ListedSteps<Plan>>>[]
}

/**
 * One step by its id: `StepOf<typeof written, "refund">` is
 * `{ id: "refund"; tool: "execute_refund"; effect: "destructive"; before: "MUTATING"; after: "MUTATING"; result: … }`.
 */
export type StepOf<Plan, Id extends StepIds<Plan>> =
  ById<Plan> extends { readonly [_ in Id]: infer Step } ? Step : unknown

/** What one step gives: `StepResult<typeof written, "find">`, of a compiled plan or of the verdict that holds it. */
export type StepResult<Plan, Id extends StepIds<Plan>> =
  Written<Plan> extends WrittenPlan<infer Spec, infer Literal>
    ? ResultAt<Spec, Extract<StepIn<Literal>, { readonly id: Id }>>
    : ResultsIn<Plan> extends { readonly [_ in Id]: infer Result }
      ? Result
      : unknown

type ResultAt<Spec extends CatalogSpec, Step> = [Step] extends [{ readonly tool: infer Tool extends ToolNames<Spec> }]
  ? ResultOf<Spec["tools"][Tool]>
  : unknown

/** The ids of a plan's steps, transitions too; any where they are not known. */
export type StepIds<Plan> =
  Written<Plan> extends WrittenPlan<infer _, infer Literal>
    ? IdIn<StepIn<Literal>>
    : unknown extends ResultsIn<Plan>
      ? string
      : keyof ResultsIn<Plan> & string

type StepIn<Plan> = ListedSteps<Plan> extends infer Steps extends readonly unknown[] ? Steps[number] : unknown

type IdIn<Step> = Step extends { readonly id: string } ? Step["id"] : string

/** By dimension, what the plan counts in all: a number where every step writes it, `number` where some reference decides. */
export type TotalsOf<Plan> =
  Written<Plan> extends WrittenPlan<infer Spec, infer Literal>
    ? TotalsOn<Spec, ListedSteps<Literal>>
    : { readonly [dimension: string]: number }

/** The state that the plan ends in; undefined where its catalog has no machine. */
export type FinalState<Plan> =
  Written<Plan> extends { readonly states: infer States } ? EndOf<States> : string | undefined

type EndOf<States> = States extends { readonly final: infer Final } ? Final : undefined

/** Of a compiled plan, or of the verdict that holds it. */
type Written<Plan> =
  Plan extends CompiledPlan<unknown, infer Known>
    ? Known
    : Plan extends { readonly plan: CompiledPlan<unknown, infer Known> }
      ? Known
      : never

type ResultsIn<Plan> =
  Plan extends CompiledPlan<infer Results>
    ? Results
    : Plan extends { readonly plan: CompiledPlan<infer Results> }
      ? Results
      : never

type ById<Plan> =
  Written<Plan> extends WrittenPlan<infer Spec, infer Literal>
    ? ListedSteps<Literal> extends infer Steps extends readonly unknown[]
      ? StepsById<Spec, Steps, StatesOf<Spec, Steps>>
      : unknown
    : unknown

type StepsById<Spec extends CatalogSpec, Steps extends readonly unknown[], S extends States> = {
  readonly [I in keyof Steps & `${number}` as Steps[I] extends { readonly id: infer Id extends string }
    ? KeyOf<Id>
    : never]: Known<Spec, Steps[I], S, I>
}

type Known<Spec extends CatalogSpec, Step, S extends States, I> = Step extends {
  readonly id: infer Id
  readonly tool: infer Tool
}
  ? Tool extends ToolNames<Spec>
    ? KnownCall<Id, Tool, Spec["tools"][Tool]["effect"], Before<S, I>, ResultOf<Spec["tools"][Tool]>>
    : KnownCall<Id, string, EffectClass, Before<S, I>, unknown>
  : Step extends { readonly id: infer Id; readonly transition: infer To }
    ? KnownTransition<Id, To, Before<S, I>>
    : never

interface KnownCall<Id, Tool, Effect, State, Result> {
  readonly id: Id
  readonly tool: Tool
  readonly effect: Effect
  readonly before: State
  readonly after: State
  readonly result: Result
}

interface KnownTransition<Id, To, State> {
  readonly id: Id
  readonly transition: To
  readonly before: State
  readonly after: To
}

type InOrder<Spec extends CatalogSpec, Steps> = Steps extends readonly unknown[]
  ? InOrderOf<Steps, StatesOf<Spec, Steps>>
  : readonly CheckedStep[]

type InOrderOf<Steps extends readonly unknown[], S extends States> = {
  readonly [I in keyof Steps]: WrittenStep<Steps[I], S, I>
}

interface WrittenStep<Step, S extends States, I> extends CheckedStep {
  readonly step: Step extends { readonly tool: string } ? WrittenCall<Step> : WrittenTransition<Step>
  readonly before: Before<S, I> & CheckedStep["before"]
  readonly after: After<MoveOf<Step>, Before<S, I>> & CheckedStep["after"]
}

interface WrittenCall<Step> extends Call {
  readonly id: MemberOf<Step, "id">
  readonly tool: MemberOf<Step, "tool">
}

interface WrittenTransition<Step> extends Transition {
  readonly id: MemberOf<Step, "id">
  readonly to: MemberOf<Step, "transition">
}

type MemberOf<Step, Key extends string> = Step extends { readonly [_ in Key]: infer Value extends string }
  ? Value
  : string

type FinalOf<Spec extends CatalogSpec, Steps> = Steps extends readonly unknown[] ? Final<StatesOf<Spec, Steps>> : string

/** Undefined where the catalog has no machine. */
type Ends<Initial, Final> = Initial extends string ? { readonly initial: Initial; readonly final: Final } : undefined

type TotalOf<Totals> = { readonly [Dimension in keyof Totals]: TotalIn<Dimension, Totals[Dimension]> }[keyof Totals]

interface TotalIn<Dimension, Amount> extends Total {
  readonly dimension: Dimension & string
  readonly min: Amount & number
  readonly max: Amount & number
}
