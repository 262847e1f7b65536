/**
 * Which effects and undos untrusted data could suppress or trigger. Labels hold back what a value is, not whether a step
 * succeeds: where one fails on such data, what follows does not happen, and what went before is undone.
 */
import type { Catalog } from "../catalog/catalog.ts"
import type { CompiledPlan } from "../check/compiled.ts"

export type Swayed =
  /** The call may not happen. */
  | {
      readonly kind: "effect"
      readonly step: string
      readonly tool: string
      readonly by: string
      readonly path: string
    }
  /** The call's effect may be undone, by the tool that is named. */
  | { readonly kind: "undo"; readonly step: string; readonly tool: string; readonly by: string; readonly path: string }

export function listSwayed({ steps }: CompiledPlan, { tools }: Catalog): readonly Swayed[] {
  const doubtful = steps.flatMap(({ step, hangsOn }) =>
    hangsOn === undefined ? [] : [{ index: step.index, by: step.id, path: hangsOn.path }],
  )
  const [first] = doubtful
  const last = doubtful.at(-1)
  if (first === undefined || last === undefined) return []
  return steps.flatMap(({ step, hangsOn }): readonly Swayed[] => {
    const tool = step.kind === "call" ? tools.get(step.tool) : undefined
    if (step.kind !== "call" || !tool?.mutates) return []
    const { id, index } = step
    const { compensation } = tool
    const suppressed = first.index < index || hangsOn?.by === "arguments"
    return [
      ...(suppressed ? [{ kind: "effect", step: id, tool: tool.name, by: first.by, path: first.path } as const] : []),
      ...(compensation.kind === "call" && last.index > index
        ? [{ kind: "undo", step: id, tool: compensation.tool, by: last.by, path: last.path } as const]
        : []),
    ]
  })
}
