/** A rule of the host's own in code: a pure function with a name and a version, which hashes and messages can see. */
import type { JsonObject } from "../text/json.ts"
import { isAsynchronous } from "./schema/named.ts"

/** Who acts, as the host has authenticated them. */
export interface Principal {
  readonly tenant: string
  readonly subject: string
  readonly roles?: readonly string[]
}

/** What `predicate` makes. `Args` are those of the tool that it is about. */
export interface Predicate<in Args = never> {
  readonly kind: "predicate"
  readonly name: string
  readonly version: string
  readonly holds: (args: Args, principal: Principal) => boolean
}

/**
 * A rule on a call's arguments and on who makes it: `predicate("own-region", "1", ({ region }, { tenant }) => …)`. It must be
 * pure and answer at once with true or false; anything else, a promise or a throw with it, refuses. Raise the version when it
 * comes to allow other calls: the catalog's hash sees the name and the version, not the function.
 */
export const predicate = <Args = JsonObject>(
  name: string,
  version: string,
  holds: (args: Args, principal: Principal) => boolean,
): Predicate<NoInfer<Args>> => Object.freeze({ kind: "predicate", name, version, holds })

/** Whether a host's value is one that can be asked: named, versioned, and not declared `async`. */
export function isPredicate(value: unknown): value is Predicate {
  if (typeof value !== "object" || value === null) return false
  const { kind, name, version, holds } = value as { readonly [key: string]: unknown }
  return (
    kind === "predicate" &&
    [name, version].every((one) => typeof one === "string" && one !== "") &&
    typeof holds === "function" &&
    !isAsynchronous(holds)
  )
}

export const sayPredicate = ({ name, version }: Predicate): string => `${name}@${version}`
