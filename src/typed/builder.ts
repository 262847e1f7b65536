/**
 * A plan built step by step, in code: each step is asked what `definePlan` asks of it, with the same words, but for the
 * blast radius, which is counted when the plan is done. What is carried along is flat: lists of words, a state, a union.
 */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { AnySchema, Infer } from "../catalog/schema/schema.ts"
import type { Compiled, CompileOptions } from "../compile.ts"
import type { CheckValue } from "./arguments.ts"
import type { IntegersOf } from "./fields.ts"
import type { LabelsOf, Ruled } from "./flow.ts"
import type { MachineOf, StatesIn } from "./machine.ts"
import type { CheckAfter, CheckId, SpotsOf, Word } from "./order.ts"
import type { OrList, Refuse, Say } from "./plan-error.ts"
import type { ByIndex, Context, Mark } from "./reference.ts"
import type { ResultsOf } from "./results.ts"
import type { Increment, Place } from "./sum.ts"
import type { ToolNames, Tools } from "./tools.ts"
import type { Found, IsToCome } from "./value.ts"
import type { WrittenPlan } from "./written.ts"

/**
 * `plan(catalog).call("find", "list_workspaces", { … }).transition("open", "MUTATING").done()`. Each call gives a new builder.
 *
 * What is known of the steps so far are arguments of its own, for those are worked out at each call; members of one
 * would wait, and nest: the steps, their ids, their tools (a transition's state after `>`), the index of the next one,
 * the state reached, and the tools that were called.
 */
export interface PlanBuilder<
  Spec extends CatalogSpec,
  Steps extends readonly unknown[],
  Ids extends readonly string[],
  Names extends readonly string[],
  Next extends string,
  State extends string,
  Called extends string,
> {
  /** Calls a tool. `id` is the step's own; `args` may refer to earlier steps: `{ $from: "find", path: "/workspaces/0/id" }`. */
  call<const Id extends string, const Tool extends string, const Args, const More = undefined>(
    id: IsToCome<Id> extends false ? CheckId<Here<Spec, Ids, Names, Id>, Next, Id> : Id,
    tool: IsToCome<Tool> extends false ? CheckTool<Spec, State, Called, Tool> : Tool,
    args: IsToCome<Id | Tool | Args> extends false
      ? Args extends object
        ? CheckArgs<Spec, Here<Spec, Ids, Names, Id>, Next, Id, Tool, Args>
        : Args
      : Args,
    more?: More extends object ? CheckMore<Here<Spec, Ids, Names, Id>, Next, Id, More> : More,
  ): "?" extends Word<Id> | Word<Tool>
    ? UntypedBuilder<Spec>
    : PlanBuilder<
        Spec,
        readonly [...Steps, { readonly id: Id; readonly tool: Tool; readonly args: Args }],
        readonly [...Ids, Id],
        readonly [...Names, Tool],
        Increment<Next>,
        State,
        Called | Tool
      >
  /** Leads to another state of the catalog's machine. */
  transition<const Id extends string, const To extends string, const More = undefined>(
    id: IsToCome<Id> extends false ? CheckId<Here<Spec, Ids, Names, Id>, Next, Id> : Id,
    to: IsToCome<To> extends false ? CheckTarget<MachineOf<Spec>, State, To> : To,
    more?: More extends object ? Omit<CheckMore<Here<Spec, Ids, Names, Id>, Next, Id, More>, "occurrence"> : More,
  ): "?" extends Word<Id> | Word<To>
    ? UntypedBuilder<Spec>
    : PlanBuilder<
        Spec,
        readonly [...Steps, { readonly id: Id; readonly transition: To }],
        readonly [...Ids, Id],
        readonly [...Names, `>${To}`],
        Increment<Next>,
        To,
        Called
      >
  /** The same plan, for steps that are not known before it runs: types ask for their tools, the compiler for all else. */
  untyped(): UntypedBuilder<Spec>
  /** Compiles it. The same verdict as of `definePlan`, by the same passes. */
  done(
    options?: Pick<CompileOptions, "spent">,
  ): Compiled<ResultsOf<Spec, PlanOf<Steps>>, WrittenPlan<Spec, PlanOf<Steps>>>
}

export type StartedPlan<Spec extends CatalogSpec> = PlanBuilder<
  Spec,
  [],
  [],
  [],
  "0",
  MachineOf<Spec>["initial"],
  never
>

/** A builder whose steps are not known to types, as in a loop. Nothing is known of its results either: ask `of`. */
export interface UntypedBuilder<Spec extends CatalogSpec> {
  call(
    id: string,
    tool: ToolNames<Spec>,
    args: { readonly [parameter: string]: unknown },
    more?: StepOptions,
  ): UntypedBuilder<Spec>
  transition(id: string, to: MachineOf<Spec>["states"], more?: Omit<StepOptions, "occurrence">): UntypedBuilder<Spec>
  untyped(): UntypedBuilder<Spec>
  done(options?: Pick<CompileOptions, "spent">): Compiled
}

export interface StepOptions {
  /** Earlier calls that it waits for, beside those it refers to. */
  readonly after?: readonly string[]
  /** 2 where it means to do the same thing a second time. */
  readonly occurrence?: number
  readonly why?: string
}

export interface PlanOf<Steps extends readonly unknown[]> {
  readonly version: 1
  readonly steps: Steps
}

/** What a step is asked with: the steps before it, and its own id. */
interface Here<
  Spec extends CatalogSpec,
  Ids extends readonly string[],
  Names extends readonly string[],
  Id extends string,
> extends Context {
  readonly tools: Tools<Spec>
  readonly toolNames: ToolNames<Spec>
  readonly inputs: Spec extends { readonly inputs: infer Inputs }
    ? Found<Inputs extends AnySchema ? Infer<Inputs> : unknown>
    : "inputs" extends keyof Spec
      ? Found<unknown>
      : undefined
  readonly inputLabels: LabelsOf<Spec["inputLabels"]>
  readonly states: StatesIn<MachineOf<Spec>>
  readonly inputIntegers: IntegersOf<Spec["inputs"]>
  readonly names: ByIndex<Names>
  readonly spots: SpotsOf<readonly [...Ids, Word<Id>], Names>
  readonly open: false
}

/** A tool that may be called here: itself. Of a name that is none, those that are, so that editors offer them. */
type CheckTool<Spec extends CatalogSpec, State extends string, Called extends string, Tool> =
  Tool extends ToolNames<Spec>
    ? State extends StatesOf<Spec, State, Tool>
      ? [Tools<Spec>[Tool]["requires"]] extends [Called]
        ? Tool
        : Say<"SEQ208", { tool: Tool; required: Exclude<Tools<Spec>[Tool]["requires"], Called> }>
      : Say<"SEQ301", { tool: Tool; states: OrList<Tools<Spec>[Tool]["states"]>; state: State }>
    : AllowedIn<Spec, State, Called> extends infer Allowed
      ? Allowed
      : never

/** A state that is not known is any. */
type StatesOf<Spec extends CatalogSpec, State extends string, Tool extends ToolNames<Spec>> = string extends State
  ? string
  : Tools<Spec>[Tool]["states"][number]

type AllowedIn<Spec extends CatalogSpec, State extends string, Called extends string> = {
  [Tool in ToolNames<Spec>]: State extends StatesOf<Spec, State, Tool>
    ? [Tools<Spec>[Tool]["requires"]] extends [Called]
      ? Tool
      : never
    : never
}[ToolNames<Spec>]

type CheckTarget<
  M extends { readonly declared: boolean; readonly transitions: object; readonly states: string },
  State,
  To,
> = M["declared"] extends true
  ? To extends TargetsOf<M["transitions"], State, M["states"]>
    ? To
    : To extends M["states"]
      ? Say<"SEQ302", { from: State; to: To }>
      : TargetsOf<M["transitions"], State, M["states"]>
  : string extends To
    ? string
    : Say<"SEQ304", { state: To }>

type TargetsOf<Transitions, State, All> = string extends State
  ? All
  : State extends keyof Transitions
    ? keyof Transitions[State]
    : never

type CheckArgs<Spec extends CatalogSpec, C extends Context, I extends string, Id extends string, Tool, Args> =
  Tool extends ToolNames<Spec>
    ? [Extract<keyof Args, `$${string}`>] extends [never]
      ? [Tools<Spec>[Tool]["rules"]] extends [never]
        ? CheckValue<
            Calling<C, Place<I>, Id, Tool, Tools<Spec>[Tool]["integers"]>,
            "",
            Tools<Spec>[Tool]["takes"],
            Args
          >
        : Ruled<
            Calling<C, Place<I>, Id, Tool, Tools<Spec>[Tool]["integers"]>,
            Tools<Spec>[Tool]["rules"],
            Args,
            CheckValue<
              Calling<C, Place<I>, Id, Tool, Tools<Spec>[Tool]["integers"]>,
              "",
              Tools<Spec>[Tool]["takes"],
              Args
            >
          >
      : Mark<Args, `$${string}`, Refuse<"SEQ131: `args` is an object of parameters, not an expression">>
    : object

interface Calling<C extends Context, At extends string, Id extends string, Tool extends string, Integers> {
  readonly plan: C
  readonly at: At
  readonly id: Id
  readonly tool: Tool
  readonly integers: Integers
}

/** A question, so that tsc prints what it comes to. */
type CheckMore<C extends Context, I extends string, Id, More> = More extends unknown
  ? {
      readonly after?: CheckAfter<C, I, Id, More extends { readonly after: infer After } ? After : undefined>
      readonly occurrence?: number
      readonly why?: string
    }
  : never
