/** A whole plan: each step as it is written where it is right, and where it is not, what says so at the property at fault. */
import type { Catalog, CatalogSpec } from "../catalog/catalog.ts"
import type { AnySchema, Infer } from "../catalog/schema/schema.ts"
import type { CheckValue } from "./arguments.ts"
import type { LimitsOf, NearLimits, Overstepped, PassedLimits } from "./blast.ts"
import type { MachineOf, Road, WalkPlan } from "./machine.ts"
import type { CheckAfter, CheckId, IdsOf, NamesOf, SpotsOf } from "./order.ts"
import type { PlanError, Refuse, Say } from "./plan-error.ts"
import type { ByIndex, Context, Fault, IsRightRead, Mark } from "./reference.ts"
import type { PlanLiteral, StepLiteral } from "./results.ts"
import type { Increment, Place } from "./sum.ts"
import type { Table, ToolNames, Tools } from "./tools.ts"
import type { Found } from "./value.ts"

/**
 * The plan itself where types see nothing wrong with it. Else a type that it is not assignable to: for functions of
 * one's own that hand plans on to `definePlan`.
 *
 *     function run<const P>(plan: P extends object ? ValidatePlan<typeof catalog, P> : P)
 */
export type ValidatePlan<C extends Catalog, Plan> = C extends Catalog<infer Spec> ? CheckPlan<Spec, Plan> : never

export type CheckPlan<Spec extends CatalogSpec, Plan> = string extends keyof Spec["tools"]
  ? PlanLiteral
  : Plan extends { readonly steps: infer Steps extends readonly unknown[] }
    ? number extends Steps["length"]
      ? Unlisted<Spec, Plan, Steps[number]>
      : CheckFields<Plan> & { readonly steps: CheckSteps<Spec, Steps> }
    : Plan extends { readonly steps: object }
      ? { readonly steps: Say<"SEQ101", { field: "`steps`"; expected: "an array"; found: "an object" }> }
      : PlanLiteral<ToolNames<Spec>>

/** How many steps there are is not known: then the compiler judges. But what was written as a literal should be read as one. */
type Unlisted<Spec extends CatalogSpec, Plan, Step> =
  Plan extends PlanLiteral<ToolNames<Spec>>
    ? Plan
    : StepLiteral extends Step
      ? PlanLiteral
      : Step extends StepLiteral
        ? { readonly steps: Widened }
        : PlanLiteral<ToolNames<Spec>>

/** The message of a plan whose literal was widened on its way. */
export type Widened =
  Refuse<"the types of this plan's steps were widened: write the plan where it is compiled, or `as const` after it; or compile its text">

interface Header {
  readonly version: 1
  readonly goal?: string
}

type CheckFields<Plan> = [Exclude<keyof Plan, keyof PlanLiteral>] extends [never]
  ? Header
  : Header & {
      readonly [Key in Exclude<keyof Plan, keyof PlanLiteral>]: Say<"SEQ103", { owner: "the plan"; field: Key }>
    }

interface Asked<Spec extends CatalogSpec, Ids extends readonly string[], Names extends readonly string[]>
  extends Context {
  readonly tools: Tools<Spec>
  readonly toolNames: keyof Spec["tools"] & string
  readonly inputs: Spec extends { readonly inputs: infer Inputs }
    ? Found<Inputs extends AnySchema ? Infer<Inputs> : unknown>
    : "inputs" extends keyof Spec
      ? Found<unknown>
      : undefined
  readonly names: ByIndex<Names>
  readonly spots: SpotsOf<Ids, Names>
  readonly open: "?" extends Ids[number] ? true : false
}

type CheckSteps<Spec extends CatalogSpec, Steps extends readonly unknown[]> =
  IdsOf<Steps> extends infer Ids extends readonly string[]
    ? NamesOf<Steps> extends infer Names extends readonly string[]
      ? CheckEach<Spec, Asked<Spec, Ids, Names>, Steps>
      : never
    : never

type CheckEach<Spec extends CatalogSpec, C extends Context, Steps extends readonly unknown[]> = CheckEachOn<
  C,
  WalkPlan<C, MachineOf<Spec>>,
  PassedLimits<C, Steps, LimitsOf<Spec>, NearLimits<C, Steps, LimitsOf<Spec>>>,
  Steps
>

type CheckEachOn<C extends Context, Way, Passes, Steps extends readonly unknown[]> = {
  readonly [I in keyof Steps]: CheckStep<C, Way, Passes, I & string, Steps[I]>
}

type CheckStep<C extends Context, Way, Passes, I extends string, Step> = Step extends {
  readonly id: infer Id extends string
  readonly tool: infer Tool
  readonly args: infer Args
}
  ? Step extends { readonly transition: unknown }
    ? PlanError<`SEQ107: step \`${Id}\` has both \`tool\` and \`transition\``>
    : CheckCall<C, Way, I, Id, Tool, Args, Step, Overstepped<Passes, I, Id, BlastOf<C, Tool>>>
  : Step extends { readonly id: infer Id extends string; readonly transition: infer State }
    ? CheckFieldsOf<
        Step,
        I,
        Id,
        TransitionField,
        {
          readonly id: CheckId<C, I, Id>
          readonly transition: State extends string ? FaultAt<Way, I, State> : string
          readonly after?: CheckAfter<C, I, Id, AfterOf<Step>>
          readonly why?: string
        }
      >
    : StepLiteral<C["toolNames"]>

type CheckCall<C extends Context, Way, I extends string, Id extends string, Tool, Args, Step, Passed> = CheckFieldsOf<
  Step,
  I,
  Id,
  CallField,
  {
    readonly id: CheckId<C, I, Id>
    readonly tool: Tool extends C["toolNames"]
      ? [Extract<Passed, Fault<"", unknown>>] extends [never]
        ? FaultAt<Way, I, Tool>
        : Extract<Passed, Fault<"", unknown>>["error"]
      : string extends Tool
        ? Tool
        : C["toolNames"]
    readonly args: Tool extends C["toolNames"]
      ? [keyof Args] extends [C["tools"][Tool]["known"]]
        ? [C["tools"][Tool]["needed"]] extends [keyof Args]
          ? MarkPassed<CheckKnown<C, I, Id, Tool, C["tools"][Tool]["takes"], C["tools"][Tool]["plain"], Args>, Passed>
          : CheckArgs<C, I, Id, Tool, Args, Passed>
        : CheckArgs<C, I, Id, Tool, Args, Passed>
      : object
    readonly after?: CheckAfter<C, I, Id, AfterOf<Step>>
    readonly occurrence?: CheckOccurrence<Step>
    readonly why?: string
  }
>

type CheckArgs<C extends Context, I extends string, Id extends string, Tool extends string, Args, Passed> = [
  Extract<keyof Args, `$${string}`>,
] extends [never]
  ? MarkPassed<
      CheckValue<Asking<C, Id, Tool, Place<I>, C["tools"][Tool]["integers"]>, "", C["tools"][Tool]["takes"], Args>,
      Passed
    >
  : Mark<Args, `$${string}`, Refuse<"SEQ131: `args` is an object of parameters, not an expression">>

/** Where no parameter is missing or unknown, most arguments are right at first sight: a scalar, or what an earlier call gives. */
type CheckKnown<
  C extends Context,
  I extends string,
  Id extends string,
  Tool extends string,
  Takes,
  Plain extends Table,
  Args,
> = {
  readonly [Key in keyof Args]: Args[Key] extends Plain[Key]
    ? Args[Key]
    : Args[Key] extends { readonly $from: infer Source extends string; readonly path: infer Path extends string }
      ? IsRightRead<C, I, Source, Path, Key extends keyof Takes ? Takes[Key] : never> extends true
        ? [keyof Args[Key]] extends ["$from" | "path"]
          ? Args[Key]
          : CheckArg<C, I, Id, Tool, Takes, Key, Args[Key]>
        : CheckArg<C, I, Id, Tool, Takes, Key, Args[Key]>
      : CheckArg<C, I, Id, Tool, Takes, Key, Args[Key]>
}

type CheckArg<
  C extends Context,
  I extends string,
  Id extends string,
  Tool extends string,
  Takes,
  Key,
  Arg,
> = Key extends keyof Takes & string
  ? CheckValue<Asking<C, Id, Tool, Place<I>, C["tools"][Tool]["integers"]>, Key, Takes[Key], Arg>
  : never

interface Asking<C extends Context, Id extends string, Tool extends string, At extends string, Integers> {
  readonly plan: C
  readonly at: At
  readonly id: Id
  readonly tool: Tool
  readonly integers: Integers
}

type MarkPassed<Args, Passed> = [Exclude<Passed, Fault<"", unknown>>] extends [never]
  ? Args
  : Exclude<Passed, Fault<"", unknown>> extends Fault<infer Parameter, infer E>
    ? Mark<Args, Parameter, E>
    : Args

type BlastOf<C extends Context, Tool> = Tool extends C["toolNames"] ? C["tools"][Tool]["blast"] : never

type FaultAt<Way, I extends string, Right> =
  Way extends Road<infer _, infer _, infer Faults> ? (I extends keyof Faults ? Faults[I] : Right) : Right

type AfterOf<Step> = Step extends { readonly after: infer After } ? After : undefined

type CheckOccurrence<Step> = Step extends { readonly occurrence: infer Count extends number }
  ? number extends Count
    ? number
    : `${Count}` extends `-${string}` | `${string}.${string}` | "0"
      ? Say<"SEQ101", { field: "`occurrence`"; expected: "an integer of at least 1"; found: Count }>
      : Count
  : number

type CallField = "id" | "tool" | "args" | "after" | "occurrence" | "why"
type TransitionField = "id" | "transition" | "after" | "why"

type CheckFieldsOf<Step, I extends string, Id extends string, Field, Right> = [Exclude<keyof Step, Field>] extends [
  never,
]
  ? Right
  : Right & {
      readonly [Key in Exclude<keyof Step, Field>]: Key extends "args" | "occurrence"
        ? PlanError<`SEQ107: step \`${Id}\` is a transition and has no \`${Key}\``>
        : Say<"SEQ103", { owner: `step ${Increment<I>}`; field: Key }>
    }
