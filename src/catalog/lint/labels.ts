/** Labels are on what results and inputs have, and say one thing. Codes: SEQ808, SEQ820, SEQ824. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { suggest } from "../../diagnostic/nearest.ts"
import { child, type Pointer, parsePointer, root } from "../../text/pointer.ts"
import type { Built, CatalogSpec, Tool } from "../catalog.ts"
import { wayTo } from "../schema/along.ts"
import type { Schema } from "../schema/schema.ts"
import type { LabelSpec, ToolSpec } from "../tool.ts"
import { isKnown } from "./parameter.ts"
import { cannotHold } from "./refuse.ts"

const kinds = ["untrusted", "private"] as const

export function lintLabels(tool: Tool, spec: ToolSpec, at: Pointer): Unplaced[] {
  if (!isKnown(tool)) return []
  const said = kinds.flatMap((kind) =>
    lintPlaces(spec, kind, tool.result, `\`${kind}\` of \`${tool.name}\``, child(at, kind)),
  )
  const { trusted, public: shown } = tool.endorses
  const clashes = [
    ...(trusted && spec.untrusted === true ? (["trusted", "untrusted"] as const) : []),
    ...(shown && spec.private === true ? (["public", "private"] as const) : []),
  ]
  if (clashes.length > 0) {
    const problem = `says that its result is ${clashes[0]}, and \`${clashes[1]}\` that all of it is not`
    said.push(cannotHold(child(at, "endorse"), "endorse", tool, problem, "Say one of the two."))
  }
  return said
}

export function lintInputLabels({ inputs }: Built, { inputLabels }: CatalogSpec): Unplaced[] {
  if (inputLabels === undefined) return []
  const at = child(root, "inputLabels")
  if (inputs === undefined) {
    const params = {
      what: "`inputLabels`",
      problem: "the catalog declares no `inputs`",
      remedy: "Declare them, or remove it.",
    }
    return [diagnose("SEQ820", at, params)]
  }
  return kinds.flatMap((kind) => lintPlaces(inputLabels, kind, inputs, `\`inputLabels.${kind}\``, child(at, kind)))
}

function lintPlaces(
  spec: LabelSpec,
  kind: (typeof kinds)[number],
  schema: Schema | undefined,
  where: string,
  at: Pointer,
): Unplaced[] {
  const places = spec[kind]
  if (places === undefined || places === true) return []
  return places.flatMap((pointer, index) => {
    const fault = faultOf(pointer, schema)
    if (fault === undefined) return []
    const what = `the place \`${pointer}\``
    return [diagnose("SEQ808", child(at, index), { where, what, nearest: fault })]
  })
}

/** Why nothing can be said of a place, as what to do instead. */
function faultOf(pointer: string, schema: Schema | undefined): string | undefined {
  const path = parsePointer(pointer)
  if (path === undefined) return "Write a JSON Pointer, with `*` for any item or key, or `true` for all of it."
  if (schema === undefined)
    return path.length === 0 ? undefined : "Declare the `result`, or write `true` for all of it."
  const way = wayTo(schema.shape, path)
  if (way.kind === "lost") return suggest(way.token, way.known, "keys there")
  if (way.open) return "The schema does not describe it: label what holds it."
  return way.member === undefined ? undefined : "What is said of one is said of all: write `*` for it."
}
