/** What is asked of whoever agrees, and never comes to anything. Code: SEQ820. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"
import { isEverAsked } from "../authority.ts"
import type { Built, CatalogSpec, MachineSpec, Tool } from "../catalog.ts"
import { joinTerms } from "../machine.ts"

export function lintDecisions(catalog: Built, spec: CatalogSpec): Unplaced[] {
  return [...lintCovers(catalog), ...(spec.approvals === "unsigned" ? lintNames(spec) : [])]
}

/** One decision stands for two only where one person may make both. */
function lintCovers({ machine, tools, limits }: Built): Unplaced[] {
  const place = child(child(root, "machine"), "transitions")
  return [...(machine?.transitions ?? [])].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, rule]) => {
      if (rule.covers === undefined) return []
      const apart = [...tools.values()].filter(
        (tool) =>
          isCalledIn(tool, to) && isEverAsked(tool, { limits }) && joinTerms(rule, tool.authority) === undefined,
      )
      return apart.map((tool) => {
        const what = `\`covers\` of \`${from} → ${to}\``
        const problem = `for \`${tool.name}\` others are asked than at the guard, so that people are asked twice`
        const remedy = "Give the two a role in common in their `approverRoles`, or remove `covers`."
        return diagnose("SEQ820", child(child(child(place, from), to), "covers"), { what, problem, remedy })
      })
    }),
  )
}

const isCalledIn = ({ mutates, states }: Tool, state: string): boolean => mutates && (states?.has(state) ?? true)

/** Names that are believed as they are given belong to nobody. */
function lintNames({ machine, tools }: CatalogSpec): Unplaced[] {
  const guards = Object.entries(machine?.transitions ?? ({} as MachineSpec["transitions"])).flatMap(([from, targets]) =>
    Object.entries(targets).map(([to, rule]) => {
      const at = child(child(child(child(root, "machine"), "transitions"), from), to)
      return lintTerms(rule.guard === "approval" ? rule : {}, at, `${from} → ${to}`)
    }),
  )
  const calls = Object.entries(tools).map(([name, { authority = {} }]) =>
    lintTerms(authority, child(child(child(root, "tools"), name), "authority"), name),
  )
  return [...guards, ...calls].flat()
}

interface Terms {
  readonly approvers?: number | undefined
  readonly approverRoles?: readonly string[] | undefined
}

function lintTerms({ approvers = 1, approverRoles }: Terms, at: Pointer, of: string): Unplaced[] {
  const say = (policy: string, problem: string, remedy: string): Unplaced =>
    diagnose("SEQ820", child(at, policy), { what: `\`${policy}\` of \`${of}\``, problem, remedy })
  const remedy = 'Have decisions signed (leave out `approvals: "unsigned"`), or remove it.'
  return [
    ...(approverRoles === undefined
      ? []
      : [say("approverRoles", "where decisions are unsigned a name has no roles, so that nobody can agree", remedy)]),
    ...(approvers === 1
      ? []
      : [say("approvers", "where decisions are unsigned one person can give as many names as it takes", remedy)]),
  ]
}
