/**
 * The state before each step of a plan that compiled: it has made every transition that it writes, so nothing is asked
 * but where the last one led. Worked out ten steps at a time, for tsc gives up on what nests deep.
 */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { ByIndex } from "./reference.ts"
import type { Digit, Increment, Next } from "./sum.ts"

/** Where a plan begins, where each step leads (`""`: nowhere else), and the state at the start of every ten steps. */
export interface States {
  readonly initial: unknown
  readonly moves: Texts
  readonly starts: unknown
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
  ? Starts<
      Moves,
      Tens extends "" ? "1" : Increment<Tens>,
      After<Moves[`${Tens}9`], Go<Moves, Tens, "0", "9", State>>,
      [...Done, State]
    >
  : [...Done, State]

/** Past the steps of one ten, up to one of them. */
type Go<Moves extends Texts, Tens extends string, From extends Digit, To, State> = From extends To
  ? State
  : Go<Moves, Tens, Next[From], To, After<Moves[`${Tens}${From}`], State>>

/** The state before a step, by its index as one writes it. */
export type Before<S extends States, I, Tens extends string = ""> = I extends `${infer One extends Digit}${infer Rest}`
  ? Rest extends ""
    ? Go<S["moves"], Tens, "0", One, StartOf<S["starts"], Tens>>
    : Before<S, Rest, `${Tens}${One}`>
  : never

type StartOf<Starts, Tens extends string> = Starts extends readonly unknown[]
  ? Tens extends ""
    ? Starts[0]
    : Tens extends `${infer N extends number}`
      ? Starts[N]
      : never
  : never

/** The state after the last step. */
export type Final<S extends States> = S["starts"] extends readonly [...unknown[], infer State] ? State : never
