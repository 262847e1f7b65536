/**
 * A tool's arguments as JSON Schema for a provider's tool list: plain values, no plan language. It may be looser than the tool's own
 * schema (the gate holds every call to that), never stricter.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { Tool } from "../../catalog/catalog.ts"
import { branchesOf, describe, type ObjectShape, propertiesOf, type Shape } from "../../catalog/schema/shape.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { isPortable } from "../form/form.ts"
import { countSchema, type Dialect, scalarSchemas } from "../form/leaf.ts"
import { describePlace, inside, type Place, start } from "../form/place.ts"

export interface ParametersStyle extends Dialect {
  /** Keys are held to what every provider takes: others are told in words. */
  readonly portableKeys?: boolean
  /** The outermost object has `type`, `properties` and `required`, and nothing else. */
  readonly bareRoot?: boolean
  /** How an object is left open. Default: `true`. */
  readonly open?: JsonObject
}

/** Always one object: no provider takes a union there. */
export function parametersOf({ params }: Tool, style: ParametersStyle): JsonObject {
  const place = start(params)
  const objects = branchesOf(params.shape).filter((branch) => branch[Kind] === "Object")
  const [only] = objects
  const whole =
    only !== undefined && branchesOf(params.shape).length === 1
      ? objectSchema(only, style, place)
      : merged(params.shape, objects, style, place)
  if (!style.bareRoot) return whole
  const { properties, required } = whole
  return { type: "object", properties: properties ?? {}, required: required ?? [] }
}

/** What one of several objects may have, all of them may: which goes with which is left to the gate. */
function merged(shape: TSchema, objects: readonly ObjectShape[], style: ParametersStyle, place: Place): JsonObject {
  const properties = [...propertiesOf(shape)]
  const closed = objects.length === branchesOf(shape).length && objects.every(isClosed)
  const all: ObjectShape = {
    ...(objects[0] as ObjectShape),
    properties: Object.fromEntries(properties.map(([key, property]) => [key, property.shape])),
    required: properties.filter(([, { optional }]) => !optional).map(([key]) => key),
    additionalProperties: !closed,
  }
  return objectSchema(all, style, place)
}

const isClosed = ({ additionalProperties }: ObjectShape): boolean => additionalProperties === false

function objectSchema(shape: ObjectShape, style: ParametersStyle, place: Place): JsonObject {
  const { properties, required = [], additionalProperties = true, propertyNames } = shape
  const sayable = (key: string): boolean => style.portableKeys !== true || isPortable(key)
  const [said, unsaid] = [true, false].map((is) => Object.entries(properties).filter(([key]) => sayable(key) === is))
  const schema: JsonObject = {
    type: "object",
    properties: Object.fromEntries(
      (said ?? []).map(([key, inner]) => [key, valueSchema(inner, style, inside(place, key))]),
    ),
    required: required.filter(sayable),
  }
  const words = (unsaid ?? []).map(
    ([key, inner]) => `${JSON.stringify(key)}, ${describe(inner)}${required.includes(key) ? " (required)" : ""}`,
  )
  const open = { ...schema, additionalProperties: style.open ?? true }
  if (words.length > 0) return { ...open, description: `It has these keys too: ${words.join("; ")}.` }
  if (additionalProperties === true) return open
  if (additionalProperties === false) return { ...schema, additionalProperties }
  const rest = { ...schema, additionalProperties: valueSchema(additionalProperties, style, inside(place, "*")) }
  // A shape's names are those of undeclared keys; in JSON Schema they are those of all.
  if (propertyNames === undefined || (said ?? []).length > 0 || !style.keywords.has("const")) return rest
  return { ...rest, propertyNames: valueSchema(propertyNames, style, inside(place, "*")) }
}

function valueSchema(shape: TSchema, style: ParametersStyle, place: Place): JsonObject {
  const scalars: Shape[] = []
  const containers = branchesOf(shape).flatMap((branch): readonly JsonObject[] => {
    switch (branch[Kind]) {
      case "Unknown":
        return [{}]
      case "Never":
        return []
      case "Array":
        return [
          { type: "array", items: valueSchema(branch.items, style, inside(place, "*")), ...countSchema(branch, style) },
        ]
      case "Tuple":
        return [tupleSchema(branch, style, place)]
      case "Object":
        return [objectSchema(branch, style, place)]
      default:
        scalars.push(branch)
        return []
    }
  })
  const schemas = [...scalarSchemas(scalars, style), ...containers]
  const [first] = schemas
  return describePlace(first !== undefined && schemas.length === 1 ? first : { anyOf: schemas }, place)
}

type TupleBranch = Extract<Shape, { readonly [Kind]: "Tuple" }>

function tupleSchema(shape: TupleBranch, style: ParametersStyle, place: Place): JsonObject {
  const { items = [], additionalItems = false, minItems } = shape
  const prefix = items.map((item, index) => valueSchema(item, style, inside(place, String(index))))
  const rest: Json = additionalItems === false ? false : valueSchema(additionalItems, style, inside(place, "*"))
  if (style.keywords.has("const"))
    return {
      type: "array",
      ...(prefix.length === 0 ? {} : { prefixItems: prefix }),
      items: rest,
      ...countSchema({ minItems }, style),
    }
  const each = [...prefix, ...(rest === false ? [] : [rest])]
  const words = items.map(describe).join(", then ")
  return {
    type: "array",
    items: each.length === 1 ? (each[0] ?? {}) : { anyOf: each },
    description: `in order: ${words}`,
  }
}
