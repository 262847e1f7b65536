/** A rule that names what does not exist. Code: SEQ808. */
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
