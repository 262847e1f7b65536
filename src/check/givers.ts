/** Which calls could give what a reference asks for: to tell a slip of the pen from a wish that nothing meets. */
import type { TSchema } from "@sinclair/typebox"
import type { Catalog } from "../catalog/catalog.ts"
import { shapeAt } from "../catalog/schema/at.ts"
import { fit } from "../catalog/schema/fit.ts"
import { unknown } from "../catalog/schema/make.ts"
import { itemsOf } from "../catalog/schema/shape.ts"
import type { JsonPatch } from "../diagnostic/patch.ts"
import { isUnread } from "../document/document.ts"
import type { Call, Plan, Read, Step } from "../plan/plan.ts"
import { child, parsePointer } from "../text/pointer.ts"

/** Whether the source has a value where the reference points, of a type that is not surely wrong for its argument. */
export function gives(source: Call | "input", read: Read, step: Step, catalog: Catalog): boolean {
  const whole = source === "input" ? catalog.inputs?.shape : (catalog.tools.get(source.tool)?.result?.shape ?? unknown)
  // Anything may be somewhere in what nobody declared: that tells nothing.
  if (whole === undefined || (whole === unknown && read.path.length > 0)) return false
  return suits(shapeOf(read, whole), read, { step, catalog })
}

interface Asking {
  readonly step: Step
  readonly catalog: Catalog
}

/** Whether what is given may be what the argument must be. */
export function suits(given: TSchema | undefined, read: Read, { step, catalog }: Asking): boolean {
  const wanted = wantedBy(read, step, catalog)
  return given !== undefined && (wanted === undefined || fit(given, wanted) !== "never-fits")
}

/** One off: the call next to the one that is named, if of all earlier calls it alone gives what is asked for. */
export function mendSource(
  read: Read,
  source: number | "input",
  { step, catalog, plan }: Asking & { readonly plan: Plan },
): JsonPatch | undefined {
  if (source === "input") return undefined
  const [giver, ...others] = giversOf(read, step, plan, catalog)
  if (giver === undefined || others.length > 0) return undefined
  const between = plan.steps.slice(Math.min(giver.index, source) + 1, Math.max(giver.index, source))
  const next = between.every(({ kind }) => kind === "transition")
  return next ? [{ op: "replace", path: child(read.at, "$from"), value: giver.id }] : undefined
}

/** The calls before a step that give what its reference points at; none for the whole of a result, which all have. */
export const giversOf = (read: Read, step: Step, plan: Plan, catalog: Catalog): readonly Call[] =>
  read.path.length === 0 ? [] : callsBefore(step, plan).filter((call) => gives(call, read, step, catalog))

/** Of two with one id the first: a name means no other. */
export function callsBefore(step: Step, plan: Plan): readonly Call[] {
  const named = new Set<string>()
  return plan.steps.slice(0, step.index).filter((other): other is Call => {
    const first = !named.has(other.id)
    named.add(other.id)
    return first && other.kind === "call" && !isUnread(other, "id")
  })
}

/** The shape at a path into a whole, or of what is picked out of an array there. */
export function shapeOf(read: Read, whole: TSchema, path: readonly string[] = read.path): TSchema | undefined {
  const found = shapeAt(whole, path)
  if (!found.ok || read.kind === "reference") return found.ok ? found.shape : undefined
  const items = itemsOf(found.shape)
  const picked = items && shapeAt(items, read.pick)
  return picked?.ok ? picked.shape : undefined
}

/** What the argument must be that a reference stands for; undefined inside `$concat` and `where`. */
function wantedBy(read: Read, step: Step, catalog: Catalog): TSchema | undefined {
  const params = step.kind === "call" ? catalog.tools.get(step.tool)?.params.shape : undefined
  const tokens = parsePointer(read.at)?.slice(3) ?? []
  const place = params && shapeAt(params, tokens)
  // What may be left out is still of one type where it is given.
  return place !== undefined && "shape" in place ? (place.shape as TSchema) : undefined
}
