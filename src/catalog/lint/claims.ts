/** What a tool's server says of it, held against what the catalog says: the catalog counts, and one of the two is wrong. Code: SEQ826. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer } from "../../text/pointer.ts"
import type { Tool } from "../catalog.ts"
import type { ClaimSpec, ToolSpec } from "../tool.ts"

/** A tool that is nobody's yet was not looked at yet. */
export function lintClaims(tool: Tool, { claims = {}, idempotency, untrusted }: ToolSpec, at: Pointer): Unplaced[] {
  if (tool.authority.nobody) return []
  return contradicted(tool, claims, { idempotency, untrusted }).map(([claim, said]) =>
    diagnose("SEQ826", child(child(at, "claims"), claim), {
      tool: tool.name,
      claim: `${claim}: ${claims[claim]}`,
      said,
    }),
  )
}

type Contradiction = readonly [claim: keyof ClaimSpec, said: string]

function contradicted(
  { effect, mutates }: Tool,
  { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: ClaimSpec,
  { idempotency, untrusted = [] }: { readonly [Said in "idempotency" | "untrusted"]: ToolSpec[Said] | undefined },
): readonly Contradiction[] {
  const found: Contradiction[] = []
  const mapped = `\`effect: "${effect}"\``
  if (readOnlyHint !== undefined && readOnlyHint === mutates) found.push(["readOnlyHint", mapped])
  // Of what only reads, neither this nor the next is said.
  else if (destructiveHint !== undefined && mutates && destructiveHint !== (effect === "destructive"))
    found.push(["destructiveHint", mapped])
  else if (destructiveHint === true && !mutates && readOnlyHint !== true) found.push(["destructiveHint", mapped])
  if (idempotentHint === false && idempotency === "natural") found.push(["idempotentHint", '`idempotency: "natural"`'])
  if (idempotentHint === true && idempotency === "none" && mutates)
    found.push(["idempotentHint", '`idempotency: "none"`'])
  if (openWorldHint === true && untrusted !== true && untrusted.length === 0)
    found.push(["openWorldHint", "that nothing of its result is `untrusted`"])
  return found
}
