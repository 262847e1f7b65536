/** Who may, and who is asked, in words that can be held. Codes: SEQ805, SEQ818, SEQ824. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import type { Built, Tool } from "../catalog.ts"
import { isPredicate } from "../predicate.ts"
import type { ToolSpec } from "../tool.ts"
import { cannotHold } from "./refuse.ts"

export function lintAuthority(tool: Tool, { authority }: ToolSpec, catalog: Built, at: Pointer): Unplaced[] {
  const place = child(at, "authority")
  if (tool.authority.nobody) {
    const problem = "the catalog denies by default, and it says not whom it allows"
    const remedy = "Name `roles`, `tenants` or `when` in its `authority`, or remove the tool."
    return [diagnose("SEQ818", place, { what: `\`${tool.name}\``, problem, remedy })]
  }
  if (authority === undefined) return []
  const { when, approvers } = authority
  const said: Unplaced[] = []
  if (when !== undefined && !isPredicate(when)) {
    const remedy = 'Name it: `when: predicate("own-region", "1", (args, principal) => …)`; it must answer at once.'
    const what = "the function"
    said.push(
      diagnose("SEQ805", child(place, "when"), { role: "`authority`", tool: tool.name, what, where: "/when", remedy }),
    )
  }
  if (approvers !== undefined && !isEverAsked(tool, catalog)) {
    const problem = `names ${approvers} approvers, but nobody is ever asked`
    const remedy = 'Say `approval: "always"`, count what has an `approveAbove`, or remove `approvers`.'
    said.push(cannotHold(child(place, "approvers"), "authority", tool, problem, remedy))
  }
  return said
}

const isEverAsked = ({ authority, blast }: Tool, { limits }: Built): boolean =>
  authority.approval !== undefined || blast.some(({ dimension }) => limits.get(dimension)?.approveAbove !== undefined)
