/** A whole plan: each step as it is written where it is right, and where it is not, what says so at the property at fault. */
import type { Catalog, CatalogSpec } from "../catalog/catalog.ts"
import type { AnySchema, Infer } from "../catalog/schema/schema.ts"
import type { Json } from "../text/json.ts"
import type { LimitsOf, NearLimits, PassedLimits } from "./blast.ts"
import type { CheckArgs, CheckTool, FaultAt } from "./call.ts"
import type { IntegersOf } from "./fields.ts"
import type { LabelsOf } from "./flow.ts"
import type { MachineOf, Road, StatesIn, WalkPlan } from "./machine.ts"
import type { CheckAfter, CheckId, IdsOf, NamesOf, SpotsOf, Word } from "./order.ts"
import type { PlanError, Refuse, Say } from "./plan-error.ts"
import type { ByIndex, Context } from "./reference.ts"
import type { PlanLiteral, StepLiteral } from "./results.ts"
import type { Increment } from "./sum.ts"
import type { ToolNames, Tools } from "./tools.ts"
import type { Found, IsToCome } from "./value.ts"

/**
 * The plan itself where types see nothing wrong with it. Else a type that it is not assignable to: for functions of
 * one's own that hand plans on to `definePlan`.
 *
 *     const run = <const P>(plan: ValidatePlan<typeof catalog, P>) => definePlan(catalog, plan)
 */
export type ValidatePlan<C extends Catalog, Plan> =
  IsToCome<Plan> extends false ? (Plan extends Json | object ? CheckPlan<C["spec"], Plan> : Plan) : Plan

export type CheckPlan<Spec extends CatalogSpec, Plan> = string extends keyof Spec["tools"]
  ? PlanLiteral
  : undefined extends string
    ? { readonly steps: Lax }
    : Plan extends { readonly steps: infer Steps extends readonly unknown[] }
      ? IsToCome<Steps | Steps[number]> extends false
        ? CheckListed<Spec, Plan, Steps>
        : Plan
      : Plan extends { readonly steps: object }
        ? { readonly steps: Say<"SEQ101", { field: "`steps`"; expected: "an array"; found: "an object" }> }
        : PlanLiteral<ToolNames<Spec>>

type CheckListed<Spec extends CatalogSpec, Plan, Steps extends readonly unknown[]> = number extends Steps["length"]
  ? Unlisted<Spec, Plan, Steps[number]>
  : IsUnion<Steps> extends true
    ? // Which of the lists it is, is not known: then the compiler judges.
      Plan
    : CheckFields<Plan> & {
        readonly steps: IsToCome<HeadsOf<Steps>> extends false ? CheckSteps<Spec, Steps> : Steps
      }

/** Without `strictNullChecks` null is of every type, and no sum is right. */
type Lax =
  Refuse<"types of plans need `strictNullChecks` (or `strict`) in tsconfig.json; without it compile the plan's text">

type IsUnion<Lists, Each = Lists> = Lists extends unknown ? ([Each] extends [Lists] ? false : true) : never

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
  readonly inputLabels: LabelsOf<Spec["inputLabels"]>
  readonly states: StatesIn<MachineOf<Spec>>
  readonly inputIntegers: IntegersOf<Spec["inputs"]>
  readonly names: ByIndex<Names>
  readonly spots: SpotsOf<Ids, Names>
  readonly open: "?" extends Ids[number] ? true : false
}

/** Where one of these is to come it is not known what other steps may refer to, or count: the compiler judges the plan. */
type HeadsOf<Steps extends readonly unknown[]> = IdsOf<Steps>[number] | NamesOf<Steps>[number] | ArgsOf<Steps[number]>

type ArgsOf<Step> = Step extends { readonly args: never } ? Step["args"] : null

type CheckSteps<Spec extends CatalogSpec, Steps extends readonly unknown[]> =
  IdsOf<Steps> extends infer Ids extends readonly string[]
    ? NamesOf<Steps> extends infer Names extends readonly string[]
      ? CheckEach<Spec, Asked<Spec, Ids, Names>, Steps>
      : never
    : never

type CheckEach<Spec extends CatalogSpec, C extends Context, Steps extends readonly unknown[]> =
  IsToCome<NearLimits<C, Steps, LimitsOf<Spec>> | null> extends false
    ? CheckEachOn<
        C,
        FaultsOf<WalkPlan<C, MachineOf<Spec>>>,
        PassedLimits<C, Steps, LimitsOf<Spec>, NearLimits<C, Steps, LimitsOf<Spec>>>,
        Steps
      >
    : Steps

type FaultsOf<Way> = Way extends Road<infer _, infer _, infer Faults> ? Faults : never

/** A question, so that tsc prints what it comes to and not what it is called here: that would be the whole catalog. */
type CheckEachOn<C extends Context, Faults, Passes, Steps> = Steps extends unknown
  ? { readonly [I in keyof Steps]: CheckStep<C, Faults, Passes, I & string, Steps[I]> }
  : never

type CheckStep<C extends Context, Faults, Passes, I extends string, Step> = Step extends Call
  ? CheckFieldsOf<
      Step,
      I,
      Step["id"],
      CallField,
      {
        readonly id: CheckId<C, I, Step["id"]>
        readonly tool: CheckTool<C, Faults, Passes, I, Step["id"], Step["tool"]>
        readonly args: CheckArgs<C, Passes, I, Step["id"], Step["tool"], Step["args"]>
        readonly after?: CheckAfter<C, I, Step["id"], AfterOf<Step>>
        readonly occurrence?: CheckOccurrence<Step>
        readonly why?: string
      }
    >
  : Step extends Transition
    ? CheckFieldsOf<
        Step,
        I,
        Step["id"],
        TransitionField,
        {
          readonly id: CheckId<C, I, Step["id"]>
          readonly transition: CheckTarget<C, Faults, I, Step["transition"]>
          readonly after?: CheckAfter<C, I, Step["id"], AfterOf<Step>>
          readonly why?: string
        }
      >
    : Step extends OddCall
      ? CheckFieldsOf<
          Step,
          I,
          Step["id"],
          CallField,
          {
            readonly id: CheckId<C, I, Step["id"]>
            readonly tool: CheckTool<C, Faults, never, I, Step["id"], Step["tool"]>
            // What is not known may be an object.
            readonly args: unknown extends Step["args"] ? unknown : { readonly [parameter: string]: unknown }
          }
        >
      : StepLiteral<C["toolNames"]>

/** Of several states each must be one; from where they are reached is asked of one alone. */
type CheckTarget<C extends Context, Faults, I extends string, To> = To extends string
  ? To extends C["states"]
    ? FaultAt<Faults, I, To>
    : Word<To> extends "?"
      ? To
      : [C["states"]] extends [never]
        ? Say<"SEQ304", { state: To }>
        : Say<"SEQ303", { state: To }>
  : string

interface Call {
  readonly id: string
  readonly tool: unknown
  readonly args: object
}

/** Its arguments are no object. */
interface OddCall {
  readonly id: string
  readonly tool: unknown
  readonly args: unknown
}

interface Transition {
  readonly id: string
  readonly transition: unknown
}

type CallField = "id" | "tool" | "args" | "after" | "occurrence" | "why"
type TransitionField = "id" | "transition" | "after" | "why"

type CheckFieldsOf<Step, I extends string, Id extends string, Field, Right> = [keyof Step] extends [Field]
  ? Right
  : Step extends Call & Transition
    ? PlanError<`SEQ107: step \`${Id}\` has both \`tool\` and \`transition\``>
    : Right & {
        readonly [Key in Exclude<keyof Step, Field>]: Key extends "args" | "occurrence"
          ? PlanError<`SEQ107: step \`${Id}\` is a transition and has no \`${Key}\``>
          : Say<"SEQ103", { owner: `step ${Increment<I>}`; field: Key }>
      }

type AfterOf<Step> = Step extends { readonly after: infer After } ? After : undefined

type CheckOccurrence<Step> = Step extends { readonly occurrence: infer Count extends number }
  ? number extends Count
    ? number
    : `${Count}` extends `-${string}` | `${string}.${string}` | "0"
      ? Say<"SEQ101", { field: "`occurrence`"; expected: "an integer of at least 1"; found: Count }>
      : Count
  : number
