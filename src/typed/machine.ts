/**
 * The road through a plan, step after step: the state it is in, and the tools that were called. Codes: SEQ208, SEQ301 … SEQ304.
 *
 * tsc gives up on a recursion of a thousand turns, and on what nests a hundred deep: so the road is gone in blocks of ten
 * steps, and what is carried along are arguments of their own, which are worked out at each turn (those of a tuple would
 * wait, and nest). An index is a text, its tens and its last digit: what stands there is looked up, never taken off a list.
 */
import type { CatalogSpec } from "../catalog/catalog.ts"
import type { OrList, Say } from "./plan-error.ts"
import type { Context } from "./reference.ts"
import type { Digit, Increment, Next } from "./sum.ts"

/** A catalog's machine; no transitions and no `states` where it has none. */
export interface Machine {
  readonly initial: string
  readonly declared: boolean
  readonly transitions: object
  readonly states: string
}

export type MachineOf<Spec extends CatalogSpec> = Spec extends {
  readonly machine: { readonly initial: infer Initial extends string; readonly transitions: infer Transitions }
}
  ? {
      readonly initial: Initial
      readonly declared: true
      readonly transitions: Transitions
      readonly states: Initial | (keyof Transitions & string) | Targets<Transitions>
    }
  : {
      readonly initial: string
      readonly declared: "machine" extends keyof Spec ? true : false
      readonly transitions: object
      readonly states: string
    }

/** Never where there is no machine. */
export type StatesIn<M extends Machine> = M["declared"] extends true ? M["states"] : never

type Targets<Transitions> = { [From in keyof Transitions]: keyof Transitions[From] & string }[keyof Transitions]

/** By index, what is wrong with a step where it stands; and the state at the end. `string` is a state that is not known. */
export interface Road<State extends string, Called extends string, Faults> {
  readonly state: State
  readonly called: Called
  readonly faults: Faults
}

export type WalkPlan<C extends Context, M extends Machine> = Blocks<C, M, "", M["initial"], never, Record<never, never>>

type Blocks<
  C extends Context,
  M extends Machine,
  Tens extends string,
  State extends string,
  Called extends string,
  Faults,
> =
  Block<C, M, Tens, "0", State, Called, Faults> extends infer Reached
    ? Reached extends Road<infer At, infer Names, infer Found>
      ? Reached extends { readonly end: true }
        ? Reached
        : Blocks<C, M, Tens extends "" ? "1" : Increment<Tens>, At, Names, Found>
      : never
    : never

interface End<State extends string, Called extends string, Faults> extends Road<State, Called, Faults> {
  readonly end: true
}

type Block<
  C extends Context,
  M extends Machine,
  Tens extends string,
  Ones extends Digit,
  State extends string,
  Called extends string,
  Faults,
> = C["names"][`${Tens}${Ones}`] extends infer Name
  ? Name extends string
    ? Ones extends "9"
      ? Turn<C, M, `${Tens}9`, Name, State, Called, Faults>
      : Turn<C, M, `${Tens}${Ones}`, Name, State, Called, Faults> extends Road<infer At, infer Names, infer Found>
        ? Block<C, M, Tens, Next[Ones], At, Names, Found>
        : never
    : End<State, Called, Faults>
  : never

/** One step. Of a step that cannot be read nothing is known after it; a tool that does not exist may have been meant to be any. */
type Turn<
  C extends Context,
  M extends Machine,
  I extends string,
  Name extends string,
  State extends string,
  Called extends string,
  Faults,
> = Name extends C["toolNames"]
  ? State extends (string extends State ? string : C["tools"][Name]["states"][number])
    ? [C["tools"][Name]["requires"]] extends [Called]
      ? Road<State, Name extends Called ? Called : Called | Name, Faults>
      : Road<
          State,
          Called | Name,
          Faults & {
            readonly [_ in I]: Say<"SEQ208", { tool: Name; required: Exclude<C["tools"][Name]["requires"], Called> }>
          }
        >
    : Road<
        State,
        Called | Name,
        Faults & {
          readonly [_ in I]: Say<"SEQ301", { tool: Name; states: OrList<C["tools"][Name]["states"]>; state: State }>
        }
      >
  : Name extends `>${infer To}`
    ? M["declared"] extends true
      ? To extends M["states"]
        ? IsOpen<M, State, To> extends true
          ? Road<To, Called, Faults>
          : Road<To, Called, Faults & { readonly [_ in I]: Say<"SEQ302", { from: State; to: To }> }>
        : Road<string, Called, Faults & { readonly [_ in I]: Say<"SEQ303", { state: To }> }>
      : Road<string, Called, Faults & { readonly [_ in I]: Say<"SEQ304", { state: To }> }>
    : Name extends "?"
      ? Road<string, string, Faults>
      : Road<State, string, Faults>

type IsOpen<M extends Machine, State extends string, To extends string> = string extends State
  ? true
  : State extends keyof M["transitions"]
    ? To extends keyof M["transitions"][State]
      ? true
      : false
    : false
