/** Who may use a tool: by role, by tenant, by a predicate of the host's. The same answer at compile and at dispatch. */
import { canonical } from "../text/canonical.ts"
import type { Json, JsonObject } from "../text/json.ts"
import type { Catalog, Tool } from "./catalog.ts"
import { isPredicate, type Predicate, type Principal, sayPredicate } from "./predicate.ts"
import type { FreshnessSpec, ToolSpec } from "./tool.ts"

export interface Authority {
  /** Any of them will do. Undefined: whoever it is. */
  readonly roles: readonly string[] | undefined
  readonly tenants: readonly string[] | undefined
  readonly when: Predicate | undefined
  /** The catalog denies what it does not allow, and this tool names nobody. */
  readonly nobody: boolean
  /** Every call waits for a person. */
  readonly approval: "always" | undefined
  /** How many different people must agree where one is asked. */
  readonly approvers: number
  /** Who may agree: any of these roles. Undefined: whoever the host's key set has for the tenant. */
  readonly approverRoles: readonly string[] | undefined
  readonly freshness: FreshnessSpec | undefined
}

/** Why a principal may not. It names nobody else: neither other tenants nor their people. */
export type NotAllowed =
  | { readonly kind: "nobody" }
  | { readonly kind: "role"; readonly roles: readonly string[] }
  | { readonly kind: "tenant"; readonly tenant: string }
  | { readonly kind: "predicate"; readonly predicate: string; readonly problem: string }

/** Asked of a resolved call, or, without arguments, of the principal alone. Undefined: they may. Never throws. */
export function mayUse({ authority }: Tool, principal: Principal, args?: JsonObject): NotAllowed | undefined {
  const { roles, tenants, when, nobody } = authority
  if (nobody) return { kind: "nobody" }
  if (tenants !== undefined && !tenants.includes(principal.tenant)) return { kind: "tenant", tenant: principal.tenant }
  // A text has parts that look like roles.
  const held = Array.isArray(principal.roles) ? principal.roles : []
  if (roles !== undefined && !roles.some((role) => held.includes(role))) return { kind: "role", roles }
  const problem = when === undefined || args === undefined ? undefined : refusalOf(when, args, principal)
  return when === undefined || problem === undefined
    ? undefined
    : { kind: "predicate", predicate: sayPredicate(when), problem }
}

/** In words, of the compiler and of a run alike. */
export function sayNotAllowed(refusal: NotAllowed): string {
  switch (refusal.kind) {
    case "nobody":
      return "the catalog allows it to nobody"
    case "role":
      return sayRoles(refusal.roles)
    case "tenant":
      return `it is not for the tenant \`${refusal.tenant}\``
    case "predicate":
      return `\`${refusal.predicate}\` ${refusal.problem} to these arguments`
  }
}

export const sayRoles = (roles: readonly string[]): string =>
  `it takes one of the roles ${roles.map((role) => `\`${role}\``).join(", ")}`

/** It gets copies, and whatever it does but answer `true` refuses. */
function refusalOf({ holds }: Predicate, args: JsonObject, principal: Principal): string | undefined {
  try {
    const { tenant, subject, roles = [] } = principal
    const answer: unknown = holds(copyOf(args) as never, { tenant, subject, roles: [...roles] })
    if (answer === true) return undefined
    // A promise may be rejected, which nobody waits for.
    if (typeof answer === "object" && answer !== null) Promise.resolve(answer).catch(() => {})
    return answer === false ? "says no" : "answers with neither true nor false"
  } catch {
    return "fails"
  }
}

const copyOf = (args: JsonObject): Json => JSON.parse(canonical(args, true)) as Json

export function readAuthority({ authority = {} }: ToolSpec, byDefault: "allow" | "deny"): Authority {
  const { roles, tenants, when, approval, approvers = 1, approverRoles, freshness } = authority
  return {
    roles: roles?.toSorted(),
    tenants: tenants?.toSorted(),
    when: isPredicate(when) ? when : undefined,
    nobody: byDefault === "deny" && roles === undefined && tenants === undefined && when === undefined,
    approval,
    approvers,
    approverRoles,
    freshness: freshness && { pointers: freshness.pointers.toSorted(), maxAgeMs: freshness.maxAgeMs },
  }
}

/** As data to be hashed. What is not said is not there, so that catalogs which say nothing of it keep their hashes. */
export function authoritySlice({
  roles,
  tenants,
  when,
  nobody,
  approval,
  approvers,
  approverRoles,
  freshness,
}: Authority): JsonObject {
  return {
    ...(roles === undefined ? {} : { roles }),
    ...(tenants === undefined ? {} : { tenants }),
    ...(when === undefined ? {} : { when: sayPredicate(when) }),
    ...(nobody ? { nobody } : {}),
    ...(approval === undefined ? {} : { approval }),
    ...(approvers === 1 ? {} : { approvers }),
    ...(approverRoles === undefined ? {} : { approverRoles: approverRoles.toSorted() }),
    ...(freshness === undefined
      ? {}
      : { freshness: { pointers: [...freshness.pointers], maxAgeMs: freshness.maxAgeMs } }),
  }
}

/** Whether a call of it may ever wait for a person. */
export const isEverAsked = ({ authority, blast }: Tool, { limits }: Pick<Catalog, "limits">): boolean =>
  authority.approval !== undefined || blast.some(({ dimension }) => limits.get(dimension)?.approveAbove !== undefined)

/** "by 2 people"; nothing of one. */
export const sayApprovers = (approvers: number): string => (approvers === 1 ? "" : ` by ${approvers} people`)

/** Whether a call that adds to a limit's scope passes what may be done unasked: `before` is what was committed or is in doubt. */
export const isAbove = (approveAbove: number | undefined, before: number, own: number): boolean =>
  approveAbove !== undefined && own > 0 && before + own > approveAbove
