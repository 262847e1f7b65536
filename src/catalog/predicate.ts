/** A rule of the host's own in code: a pure function with a name and a version, which hashes and messages can see. */
import type { Json, JsonObject } from "../text/json.ts"
import { isAsynchronous } from "./schema/named.ts"

/** Who acts, as the host has authenticated them. */
export interface Principal {
  readonly tenant: string
  readonly subject: string
  readonly roles?: readonly string[]
}

/** What `predicate` makes. `Args` are those of the tool that it is about, or what the rule at a transition looks at. */
export interface Predicate<in Args = never, out Answer = boolean> {
  readonly kind: "predicate"
  readonly name: string
  readonly version: string
  readonly holds: (args: Args, principal: Principal) => Answer
}

/** What the rule at a transition looks at. (A type and no interface, so that it counts as JSON.) */
export type GuardFacts = {
  readonly from: string
  readonly to: string
  /** Null where the catalog declares none. */
  readonly inputs: Json
  /** Of earlier steps, by their ids. */
  readonly results: JsonObject
  /** The calls behind it, up to where a person is asked next; what is not known yet stands as it was written, and is named in `open`. */
  readonly follows: readonly {
    readonly stepId: string
    readonly tool: string
    readonly args: JsonObject
    readonly open?: readonly string[]
  }[]
}

/** A rule that lets a run through a transition, or does not. It may wait for its answer; but not for long. */
export type GuardRule = Predicate<GuardFacts, boolean | PromiseLike<boolean>>

/**
 * A rule on a call's arguments and on who makes it: `predicate("own-region", "1", ({ region }, { tenant }) => …)`. It must be
 * pure and answer at once with true or false; anything else, a promise or a throw with it, refuses. Raise the version when it
 * comes to allow other calls: the catalog's hash sees the name and the version, not the function.
 */
export const predicate = <Args = JsonObject, Answer extends boolean | PromiseLike<boolean> = boolean>(
  name: string,
  version: string,
  holds: (args: Args, principal: Principal) => Answer,
): Predicate<NoInfer<Args>, Answer> => Object.freeze({ kind: "predicate", name, version, holds })

/** Whether a host's value is one that can be asked: named, versioned, and not declared `async`. */
export const isPredicate = (value: unknown): value is Predicate => isRule(value) && !isAsynchronous(value.holds)

/** The same where it may wait for its answer. */
export function isRule(value: unknown): value is GuardRule {
  if (typeof value !== "object" || value === null) return false
  const { kind, name, version, holds } = value as { readonly [key: string]: unknown }
  return (
    kind === "predicate" &&
    [name, version].every((one) => typeof one === "string" && one !== "") &&
    typeof holds === "function"
  )
}

export const sayPredicate = ({ name, version }: Pick<Predicate, "name" | "version">): string => `${name}@${version}`
