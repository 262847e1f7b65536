/**
 * A call: its tool where it stands, and its arguments. Most of them are right at first sight: a scalar that the parameter
 * takes, or what an earlier call gives at a path. What is not is asked about in full, in `arguments.ts`.
 * Codes: SEQ131; and those of `arguments.ts`, `blast.ts`, `machine.ts`.
 */
import type { CheckValue } from "./arguments.ts"
import type { Overstepped } from "./blast.ts"
import type { Ruled } from "./flow.ts"
import type { Refuse } from "./plan-error.ts"
import type { Context, Fault, IsRightRead, Mark } from "./reference.ts"
import type { Place } from "./sum.ts"
import type { AnyFacts } from "./tools.ts"
import type { IsToCome } from "./value.ts"

/** `Faults` are those of the road, by index; `Passes` the limits that are passed, never where none is. */
export type CheckTool<C extends Context, Faults, Passes, I extends string, Id, Tool> = Tool extends C["toolNames"]
  ? [Passes] extends [never]
    ? FaultAt<Faults, I, Tool>
    : IsToCome<Passes[keyof Passes]> extends false
      ? TellWhole<Overstepped<Passes, I, Id, C["tools"][Tool]["blast"]>, FaultAt<Faults, I, Tool>>
      : FaultAt<Faults, I, Tool>
  : string extends Tool
    ? Tool extends object
      ? C["toolNames"]
      : Tool
    : C["toolNames"]

export type FaultAt<Faults, I extends string, Right> = I extends keyof Faults ? Faults[I] : Right

export type CheckArgs<
  C extends Context,
  Passes,
  I extends string,
  Id extends string,
  Tool,
  Args,
> = Tool extends C["toolNames"]
  ? [Passes] extends [never]
    ? CheckParameters<C, I, Id, Tool, C["tools"][Tool], Args>
    : IsToCome<Passes[keyof Passes]> extends false
      ? TellParameter<
          CheckParameters<C, I, Id, Tool, C["tools"][Tool], Args>,
          Overstepped<Passes, I, Id, C["tools"][Tool]["blast"]>
        >
      : CheckParameters<C, I, Id, Tool, C["tools"][Tool], Args>
  : object

/**
 * One by one where no parameter is missing or unknown. What they are asked to be has no name of its own: tsc would print
 * that, and with it the whole catalog.
 */
type CheckParameters<
  C extends Context,
  I extends string,
  Id extends string,
  Tool extends string,
  F extends AnyFacts,
  Args,
> = [keyof Args] extends [F["known"]]
  ? [F["needed"]] extends [keyof Args]
    ? {
        readonly [Key in keyof Args]: Args[Key] extends F["plain"][Key]
          ? Args[Key]
          : IsRight<C, I, Args[Key], F["takes"][Key & keyof F["takes"]]> extends true
            ? Args[Key]
            : CheckValue<
                Asking<C, Id, Tool, Place<I>, F["integers"]>,
                Key & string,
                F["takes"][Key & keyof F["takes"]],
                Args[Key]
              >
      }
    : CheckWhole<C, I, Id, Tool, F, Args>
  : CheckWhole<C, I, Id, Tool, F, Args>

/** Of numbers only those of integers are not plain. */
type IsRight<C extends Context, I extends string, A, T> = A extends number
  ? A extends T
    ? `${A}` extends `${bigint}`
      ? true
      : false
    : false
  : IsRightRead<C, I, A, T>

type CheckWhole<
  C extends Context,
  I extends string,
  Id extends string,
  Tool extends string,
  F extends AnyFacts,
  Args,
> = [Extract<keyof Args, `$${string}`>] extends [never]
  ? [F["rules"]] extends [never]
    ? CheckValue<Asking<C, Id, Tool, Place<I>, F["integers"]>, "", F["takes"], Args>
    : Ruled<
        Asking<C, Id, Tool, Place<I>, F["integers"]>,
        F["rules"],
        Args,
        CheckValue<Asking<C, Id, Tool, Place<I>, F["integers"]>, "", F["takes"], Args>
      >
  : Mark<Args, `$${string}`, Refuse<"SEQ131: `args` is an object of parameters, not an expression">>

interface Asking<C extends Context, Id extends string, Tool extends string, At extends string, Integers> {
  readonly plan: C
  readonly at: At
  readonly id: Id
  readonly tool: Tool
  readonly integers: Integers
}

/** What counts by no parameter is told at the tool. */
type TellWhole<Passed, Right> = [Extract<Passed, Fault<"", unknown>>] extends [never]
  ? Right
  : Extract<Passed, Fault<"", unknown>>["error"]

type TellParameter<Args, Passed> = [Exclude<Passed, Fault<"", unknown>>] extends [never]
  ? Args
  : Exclude<Passed, Fault<"", unknown>> extends Fault<infer Parameter, infer E>
    ? Mark<Args, Parameter, E>
    : Args
