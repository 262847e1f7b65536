/** A rule that names what does not exist, or that can never be kept. Codes: SEQ808, SEQ824. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { suggest } from "../../diagnostic/nearest.ts"
import type { Pointer } from "../../text/pointer.ts"
import type { Tool } from "../catalog.ts"
import { propertiesOf } from "../schema/shape.ts"

export const unknownName = (
  at: Pointer,
  where: string,
  kind: string,
  name: string,
  known: Iterable<string>,
  knownAs: string,
): Unplaced => diagnose("SEQ808", at, { where, what: `${kind} \`${name}\``, nearest: suggest(name, known, knownAs) })

export const unknownParameter = (at: Pointer, where: string, { name: tool, params }: Tool, name: string): Unplaced =>
  diagnose("SEQ808", at, {
    where,
    what: `the parameter \`${name}\` of \`${tool}\``,
    nearest: suggest(name, propertiesOf(params.shape).keys(), "parameters"),
  })

export const cannotHold = (at: Pointer, policy: string, tool: Tool, problem: string, remedy: string): Unplaced =>
  diagnose("SEQ824", at, { policy, tool: tool.name, problem, remedy })
