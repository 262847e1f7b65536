/** What happens once, and what can be asked after, is about effects and about values that every call has. Codes: SEQ808, SEQ824. */
import type { Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer, parsePointer } from "../../text/pointer.ts"
import type { Tool } from "../catalog.ts"
import { shapeAt } from "../schema/at.ts"
import { typesOf } from "../schema/shape.ts"
import { cannotHold, unknownName, unknownParameter } from "./refuse.ts"

/** What happens once is told by values that every call has, and that can be compared. */
export function lintOnce(tool: Tool, at: Pointer): Unplaced[] {
  const { once } = tool
  if (once === undefined) return []
  const place = child(at, "once")
  if (!tool.mutates)
    return [cannotHold(place, "once", tool, "is about an effect, but the tool is a read", "Remove it.")]
  return once.by.flatMap((pointer, index) => {
    const fault = lintIdentity(tool, pointer, child(child(place, "by"), index))
    return fault === undefined ? [] : [fault]
  })
}

function lintIdentity(tool: Tool, pointer: Pointer, at: Pointer): Unplaced | undefined {
  const refuse = (problem: string, remedy: string): Unplaced => cannotHold(at, "once", tool, problem, remedy)
  const tokens = parsePointer(pointer)
  if (tokens === undefined) {
    return refuse(`names \`${pointer}\`, which is no JSON Pointer`, "Name a parameter, or begin with `/`.")
  }
  const name = tokens.length === 1 ? (tokens[0] ?? "") : pointer
  const found = shapeAt(tool.params.shape, tokens)
  if (!found.ok && found.why !== "optional") {
    const where = `\`once\` of \`${tool.name}\``
    if (found.index === 0) return unknownParameter(at, where, tool, tokens[0] ?? "")
    return unknownName(at, where, "the place", pointer, found.known, "keys there")
  }
  if (!found.ok || !found.certain) {
    return refuse(`names \`${name}\`, which may be left out`, `Make \`${name}\` required, or name another.`)
  }
  if ([...typesOf(found.shape)].some((type) => type === "array" || type === "object" || type === "null")) {
    const problem = `names \`${name}\`, which is not always a string, a number or a boolean`
    return refuse(problem, "Name values that can be compared.")
  }
  return undefined
}

export const lintReconcile = (tool: Tool, at: Pointer): Unplaced[] =>
  tool.reconcile === undefined || tool.mutates
    ? []
    : [
        cannotHold(
          child(at, "reconcile"),
          "reconcile",
          tool,
          "asks after an effect, but the tool is a read",
          "Remove it.",
        ),
      ]

export const lintValidate = (tool: Tool, at: Pointer): Unplaced[] =>
  tool.validate && !tool.mutates
    ? [
        cannotHold(
          child(at, "validate"),
          "validate",
          tool,
          "comes before an effect, but the tool is a read",
          "Remove it.",
        ),
      ]
    : []
