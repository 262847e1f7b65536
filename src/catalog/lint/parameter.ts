/** What lint may ask of a tool's parameters. */
import type { Tool } from "../catalog.ts"
import { shapeAt } from "../schema/at.ts"
import { anything } from "../schema/schema.ts"
import { type Property, propertyOf } from "../schema/shape.ts"

/** Its schemas could be read. In the place of one that could not stands `anything`. */
export const isKnown = ({ params, result }: Tool): boolean => params !== anything && result !== anything

/** A parameter by name: a declared one, or one that a schema open to any lets through. */
export function parameterOf({ params }: Tool, name: string): Property | undefined {
  const declared = propertyOf(params.shape, name)
  if (declared !== undefined) return declared
  const place = shapeAt(params.shape, [name])
  return place.ok ? { shape: place.shape, optional: true } : undefined
}
