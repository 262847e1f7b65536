/**
 * The state before each step of a plan that compiled: it has made every transition that it writes, so nothing is asked
 * but where the last one led. Worked out ten steps at a time, for tsc gives up on what nests deep.
 */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { ByIndex } from "./reference.ts"
import type { Digit, Increment } from "./sum.ts"

/** Where a plan begins, where each step leads (`""`: nowhere else), and the state at the start of every ten steps. */
export interface States {
  readonly initial: unknown
  readonly moves: Texts
  readonly starts: readonly unknown[]
}

export interface StatesOf<Spec extends CatalogSpec, Steps extends readonly unknown[]> {
  readonly initial: Initial<Spec>
  readonly moves: ByIndex<Moves<Steps>>
  readonly starts: Starts<ByIndex<Moves<Steps>>, "", Initial<Spec>, []>
}

/** What is not there is unknown: no key has to be asked for, which would look at all of them. */
export interface Texts {
  readonly [index: string]: string
}

/** Undefined where the catalog has no machine. */
export type Initial<Spec extends CatalogSpec> = Spec extends { readonly machine: { readonly initial: infer State } }
  ? State
  : "machine" extends keyof Spec
    ? string | undefined
    : undefined

type Moves<Steps extends readonly unknown[]> = { readonly [I in keyof Steps]: MoveOf<Steps[I]> }

export type MoveOf<Step> = Step extends { readonly transition: infer To extends string } ? To : ""

/** Beyond the last step a move is unknown. */
export type After<Move, State> = Move extends "" ? State : Move extends string ? Move : State

/** One start more than there are full tens. */
type Starts<
  Moves extends Texts,
  Tens extends string,
  State,
  Done extends readonly unknown[],
> = Moves[`${Tens}0`] extends string
  ? Starts<Moves, Tens extends "" ? "1" : Increment<Tens>, Ten<Moves, Tens, State>["end"], [...Done, State]>
  : [...Done, State]

/** Before each of ten steps, and after them. An interface, so that each is worked out once, out of the one before. */
interface Ten<Moves extends Texts, Tens extends string, State> {
  readonly "0": State
  readonly "1": After<Moves[`${Tens}0`], State>
  readonly "2": After<Moves[`${Tens}1`], Ten<Moves, Tens, State>["1"]>
  readonly "3": After<Moves[`${Tens}2`], Ten<Moves, Tens, State>["2"]>
  readonly "4": After<Moves[`${Tens}3`], Ten<Moves, Tens, State>["3"]>
  readonly "5": After<Moves[`${Tens}4`], Ten<Moves, Tens, State>["4"]>
  readonly "6": After<Moves[`${Tens}5`], Ten<Moves, Tens, State>["5"]>
  readonly "7": After<Moves[`${Tens}6`], Ten<Moves, Tens, State>["6"]>
  readonly "8": After<Moves[`${Tens}7`], Ten<Moves, Tens, State>["7"]>
  readonly "9": After<Moves[`${Tens}8`], Ten<Moves, Tens, State>["8"]>
  readonly end: After<Moves[`${Tens}9`], Ten<Moves, Tens, State>["9"]>
}

/** The state before a step, by its index as one writes it. */
export type Before<S extends States, I, Tens extends string = ""> = I extends `${infer One extends Digit}${infer Rest}`
  ? Rest extends ""
    ? Ten<S["moves"], Tens, StartOf<S["starts"], Tens>>[One]
    : Before<S, Rest, `${Tens}${One}`>
  : never

type StartOf<Starts extends readonly unknown[], Tens extends string> = Tens extends ""
  ? Starts[0]
  : Tens extends `${infer N extends number}`
    ? Starts[N]
    : never

/** The state after the last step. */
export type Final<S extends States> = S["starts"] extends readonly [...unknown[], infer State] ? State : never
