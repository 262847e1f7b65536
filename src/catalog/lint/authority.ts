/** Who may, and who is asked, in words that can be held. Codes: SEQ805, SEQ818, SEQ824. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer, parsePointer } from "../../text/pointer.ts"
import { isEverAsked } from "../authority.ts"
import type { Built, Tool } from "../catalog.ts"
import { isPredicate } from "../predicate.ts"
import { shapeAt } from "../schema/at.ts"
import type { ToolSpec } from "../tool.ts"
import { isKnown } from "./parameter.ts"
import { cannotHold, unknownName } from "./refuse.ts"

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
  return [...said, ...lintFreshness(tool, child(place, "freshness"))]
}

/** It is about arguments that are there, of an effect. */
function lintFreshness(tool: Tool, at: Pointer): Unplaced[] {
  const { freshness } = tool.authority
  if (freshness === undefined) return []
  const refuse = (problem: string, remedy: string): Unplaced => cannotHold(at, "freshness", tool, problem, remedy)
  if (!tool.mutates) return [refuse("is about an effect, but the tool is a read", "Remove it.")]
  return freshness.pointers.flatMap((pointer) => {
    const tokens = parsePointer(pointer)
    if (tokens === undefined || tokens.length === 0)
      return [refuse(`names \`${pointer}\`, which is no JSON Pointer into the arguments`, "Begin with `/`.")]
    const found = isKnown(tool) ? shapeAt(tool.params.shape, tokens) : undefined
    if (found === undefined || found.ok || found.why === "optional") return []
    return [unknownName(at, `\`freshness\` of \`${tool.name}\``, "the place", pointer, found.known, "keys there")]
  })
}
