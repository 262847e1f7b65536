/** The transitions of a machine: whether a person lets a run through, or a rule of the host's own, or nothing stands in its way. */
import type { Json, JsonObject } from "../text/json.ts"
import type { Authority } from "./authority.ts"
import type { CatalogSpec, Machine, TransitionRule, TransitionSpec } from "./catalog.ts"
import { isRule, sayPredicate } from "./predicate.ts"

/** Nothing of it is believed before lint has looked at it: what is no guard that is known stops for a person. */
export function buildMachine({ initial, transitions }: NonNullable<CatalogSpec["machine"]>): Machine {
  const rules = Object.entries(transitions).map(
    ([from, targets]) =>
      [from, new Map(Object.entries(targets).map(([to, spec]) => [to, readTransition(spec)]))] as const,
  )
  return {
    initial,
    states: new Set([initial, ...rules.flatMap(([from, targets]) => [from, ...targets.keys()])]),
    transitions: new Map(rules),
  }
}

const readTransition = ({ guard, covers, approvers = 1, approverRoles }: TransitionSpec): TransitionRule => ({
  guard: guard === undefined || isRule(guard) ? guard : "approval",
  covers,
  approvers,
  approverRoles: approverRoles?.toSorted(),
})

export const machineSlice = ({ initial, transitions }: Machine): Json => ({
  initial,
  transitions: Object.fromEntries(
    [...transitions].map(([from, targets]) => [
      from,
      Object.fromEntries([...targets].map(([to, rule]) => [to, ruleSlice(rule)])),
    ]),
  ),
})

/** What is not said is not there, so that machines which say nothing more keep their hashes. */
function ruleSlice({ guard, covers, approvers, approverRoles }: TransitionRule): Json {
  if (guard === undefined) return null
  const more: JsonObject = {
    ...(covers === undefined ? {} : { covers }),
    ...(approvers === 1 ? {} : { approvers }),
    ...(approverRoles === undefined ? {} : { approverRoles: [...approverRoles] }),
  }
  if (guard !== "approval") return { rule: sayPredicate(guard), ...more }
  return Object.keys(more).length === 0 ? guard : { guard, ...more }
}

/** In words, for whoever compares machines. */
export function sayGuard({ guard, covers, approvers, approverRoles }: TransitionRule): string {
  if (guard === undefined) return "no guard"
  if (guard !== "approval") return `rule ${sayPredicate(guard)}`
  const by = approvers === 1 ? "" : ` by ${approvers}`
  const roles = approverRoles === undefined ? "" : ` as ${approverRoles.join(" or ")}`
  return `${guard}${by}${roles}${covers === undefined ? "" : ", for the next call too"}`
}

/** Who must agree. */
export type Terms = Pick<Authority, "approvers" | "approverRoles">

/** Who must agree where one decision is to do for both; undefined where nobody could speak for both. */
export function joinTerms(one: Terms, other: Terms): Terms | undefined {
  const approvers = Math.max(one.approvers, other.approvers)
  const { approverRoles: mine = other.approverRoles } = one
  const { approverRoles: others = mine } = other
  const approverRoles = mine?.filter((role) => others?.includes(role))
  return approverRoles?.length === 0 ? undefined : { approvers, approverRoles }
}
