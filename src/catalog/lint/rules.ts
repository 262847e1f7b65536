/** Rules about parameters and places that exist, and that can be kept. Codes: SEQ808, SEQ824. */
import type { TSchema } from "@sinclair/typebox"
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { suggest } from "../../diagnostic/nearest.ts"
import { child, type Pointer, parsePointer } from "../../text/pointer.ts"
import type { Built, Tool } from "../catalog.ts"
import { shapeAt } from "../schema/at.ts"
import { itemsOf, propertiesOf, typesOf } from "../schema/shape.ts"
import type { ToolSpec } from "../tool.ts"
import { isKnown, parameterOf } from "./parameter.ts"
import { unknownName, unknownParameter } from "./unknown-name.ts"

const cannotHold = (at: Pointer, policy: string, tool: Tool, problem: string, remedy: string): Unplaced =>
  diagnose("SEQ824", at, { policy, tool: tool.name, problem, remedy })

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

export function lintRules(tool: Tool, { rules = {} }: ToolSpec, catalog: Built, at: Pointer): Unplaced[] {
  const where = `\`rules\` of \`${tool.name}\``
  return Object.entries(rules).flatMap(([name, { from = [] }]) => {
    const place = child(child(at, "rules"), name)
    if (parameterOf(tool, name) === undefined) return [unknownParameter(place, where, tool, name)]
    return from.flatMap((source, index) => {
      const fault = lintSource(source, tool, where, catalog, child(child(place, "from"), index))
      return fault === undefined ? [] : [fault]
    })
  })
}

/** `tool#/pointer`, or `input#/pointer`; `*` is any item of an array. */
function lintSource(source: string, tool: Tool, where: string, catalog: Built, at: Pointer): Unplaced | undefined {
  const [, name = "", path = ""] = /^([^#]+)#(.*)$/s.exec(source) ?? []
  const tokens = parsePointer(path)
  if (name === "" || tokens === undefined) {
    const problem = `names \`${source}\`, which is no place`
    return cannotHold(at, "rules", tool, problem, "Write `tool#/pointer`, with `*` for any item of an array.")
  }
  const { tools, inputs } = catalog
  const giver = tools.get(name)
  if (giver === undefined && (name !== "input" || inputs === undefined)) {
    return unknownName(at, where, "tool", name, tools.keys(), "tools")
  }
  if (giver !== undefined && !isKnown(giver)) return undefined
  const shape = (giver === undefined ? inputs : giver.result)?.shape
  if (shape === undefined) {
    if (tokens.length === 0) return undefined
    return cannotHold(at, "rules", tool, `names \`${source}\`, but \`${name}\` declares no \`result\``, "Declare it.")
  }
  const lost = firstLost(shape, tokens)
  if (lost === undefined) return undefined
  const nearest = suggest(lost.token, lost.known, "keys there")
  return diagnose("SEQ808", at, { where, what: `the place \`${source}\``, nearest })
}

/** The token at which a pointer with `*` leads nowhere. */
function firstLost(
  shape: TSchema,
  [token, ...rest]: readonly string[],
): { token: string; known: readonly string[] } | undefined {
  if (token === undefined) return undefined
  const declared = propertiesOf(shape)
  const place = shapeAt(shape, [token])
  const next = token === "*" ? itemsOf(shape) : (declared.get(token)?.shape ?? (place.ok ? place.shape : undefined))
  return next === undefined ? { token, known: [...declared.keys()] } : firstLost(next, rest)
}
