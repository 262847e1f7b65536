/** Where a pattern leads in a schema: the shape there, or the token at which it is lost. */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { Path } from "../place.ts"
import { shapeAt } from "./at.ts"
import { unionOf, unknown } from "./make.ts"
import { branchesOf, itemsOf, propertiesOf, type Shape } from "./shape.ts"

export type WayTo =
  /** `open`: on the way lies what the schema does not describe. `member`: one of many that are all alike is named. */
  | {
      readonly kind: "found"
      readonly shape: Shape
      readonly optional: boolean
      readonly open: boolean
      readonly member: string | undefined
    }
  | { readonly kind: "lost"; readonly token: string; readonly known: readonly string[] }

export function wayTo(schema: TSchema, path: Path): WayTo {
  let shape = schema as Shape
  let optional = false
  let open = false
  let member: string | undefined
  for (const token of path) {
    const declared = propertiesOf(shape)
    const property = declared.get(token)
    const all = token === "*" ? everyPart(shape) : undefined
    const place = property === undefined && all === undefined ? shapeAt(shape, [token]) : undefined
    const next = property?.shape ?? all ?? (place?.ok ? place.shape : undefined)
    if (next === undefined) return { kind: "lost", token, known: [...declared.keys()] }
    optional ||= property === undefined ? place !== undefined : property.optional
    open ||= branchesOf(shape).some((branch) => branch[Kind] === "Unknown")
    if (property === undefined && all === undefined && isAlike(shape)) member ??= token
    shape = next
  }
  return { kind: "found", shape, optional, open, member }
}

/** An item of an array, or what a key of an object holds; undefined where there is neither. */
function everyPart(shape: Shape): Shape | undefined {
  const items = itemsOf(shape)
  const values = branchesOf(shape).flatMap((branch): readonly Shape[] =>
    branch[Kind] === "Object"
      ? [
          ...Object.values(branch.properties),
          ...(typeof branch.additionalProperties === "object" ? [branch.additionalProperties] : []),
        ]
      : [],
  )
  return items === undefined && values.length === 0 ? undefined : unionOf([...(items ? [items] : []), ...values])
}

/** Arrays and records: what is said of one of their members is said of all. */
const isAlike = (shape: Shape): boolean =>
  branchesOf(shape).some(
    (branch) =>
      branch[Kind] === "Array" || (branch[Kind] === "Object" && typeof branch.additionalProperties === "object"),
  )

/** The shape to which a pattern leads that lint has found to lead somewhere. */
export function shapeAlong(schema: TSchema, path: Path): Shape {
  const way = wayTo(schema, path)
  return way.kind === "found" ? way.shape : unknown
}
