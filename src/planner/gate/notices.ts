/** What is odd about how a gate was made, though it works. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { GateOptions } from "./options.ts"

export function noticesOf(
  catalog: Catalog,
  { approvers, mode }: Pick<GateOptions, "approvers" | "mode">,
): readonly string[] {
  if (approvers !== undefined || mode === "observe" || catalog.approvals !== "signed") return []
  const asking = whatAsks(catalog)
  if (asking.length === 0) return []
  return [
    `${asking.join(", ")} may wait for a person, and this gate has no \`approvers\`: no signed decision can be held against a key here, so that what waits is never let through. Give the gate the key set that your runners have.`,
  ]
}

function whatAsks({ tools, limits, machine }: Catalog): readonly string[] {
  const always = [...tools.values()].filter(({ authority }) => authority.approval !== undefined).map(({ name }) => name)
  const above = [...limits].filter(([, { approveAbove }]) => approveAbove !== undefined).map(([dimension]) => dimension)
  const guarded = [...(machine?.transitions ?? [])].flatMap(([, to]) =>
    [...to].filter(([, { guard }]) => guard === "approval").map(([name]) => name),
  )
  return [...new Set([...always, ...above, ...guarded])].sort().map((name) => `\`${name}\``)
}
