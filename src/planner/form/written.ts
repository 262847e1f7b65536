/**
 * The plan document itself as JSON Schema 2020-12: what it accepts has the right shape for this catalog, and every plan
 * that compiles is accepted. What a schema cannot say is left to the compiler: ids used twice, lengths in UTF-16 units,
 * what `$concat` and references yield, and all that one step asks of another.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { Catalog, Machine, Tool } from "../../catalog/catalog.ts"
import { branchesOf, type ObjectShape, type Shape, typesOf } from "../../catalog/schema/shape.ts"
import { idPattern, keptIds } from "../../document/document.ts"
import { runPattern } from "../../plan/earlier.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { countSchema, scalarSchemas, whole } from "./leaf.ts"
import { describePlace, inside, type Place, start, unsaid } from "./place.ts"

export function writtenSchema(catalog: Catalog): JsonObject {
  const { name, tools, machine, bounds, budgets } = catalog
  const steps = [...[...tools.values()].map(callSchema), ...(machine === undefined ? [] : [transitionSchema(machine)])]
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `A plan for ${name}`,
    ...closed(
      {
        version: { const: 1 },
        goal: { type: "string", maxLength: bounds.goalLength },
        steps: { type: "array", items: anyOf(steps), maxItems: Math.min(bounds.steps, budgets.steps ?? bounds.steps) },
      },
      ["version", "steps"],
    ),
    $defs: definitions(bounds.concatParts),
  }
}

const closed = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
})

function anyOf(schemas: readonly JsonObject[]): JsonObject {
  const [first] = schemas
  if (first === undefined) return { not: {} }
  return schemas.length === 1 ? first : { anyOf: schemas }
}

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` })

const shared = {
  after: { type: "array", items: ref("id") },
  why: { type: "string" },
} as const satisfies JsonObject

const callSchema = ({ name, description, params }: Tool): JsonObject =>
  closed(
    {
      id: ref("id"),
      tool: { const: name, description },
      args: argsSchema(params.shape, start(params)),
      occurrence: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      ...shared,
    },
    ["id", "tool", "args"],
  )

const transitionSchema = ({ states }: Machine): JsonObject =>
  closed({ id: ref("id"), transition: { enum: [...states] }, ...shared }, ["id", "transition"])

/** The whole of `args` is an object of parameters, never an expression. */
const argsSchema = (shape: TSchema, place: Place): JsonObject =>
  anyOf(
    branchesOf(shape).flatMap((branch): readonly JsonObject[] => {
      if (branch[Kind] === "Unknown") return [ref("object")]
      return branch[Kind] === "Object" ? objectSchema(branch, withExpressions, place) : []
    }),
  )

/** How the values in a container are written: as data, or with expressions among them. */
interface Writing {
  readonly value: (shape: TSchema, place: Place) => JsonObject
  readonly anything: JsonObject
  /** Keys that begin with `$` are kept for expressions. */
  readonly dollars: boolean
}

const asData: Writing = {
  value: (shape, place) => anyOf(partSchemas(shape, asData, place)),
  anything: {},
  dollars: true,
}

const withExpressions: Writing = {
  value: (shape, place) => {
    const types = typesOf(shape)
    if (branchesOf(shape).some((branch) => branch[Kind] === "Unknown")) return describePlace(ref("value"), place)
    const schemas = [
      ...partSchemas(shape, withExpressions, place),
      ref("from"),
      ...(types.has("string") ? [ref("concat")] : []),
      closed({ $literal: asData.value(shape, place) }, ["$literal"]),
    ]
    return describePlace(anyOf(schemas), place)
  },
  anything: ref("value"),
  dollars: false,
}

function partSchemas(shape: TSchema, writing: Writing, place: Place): readonly JsonObject[] {
  const scalars: Shape[] = []
  const containers = branchesOf(shape).flatMap((branch): readonly JsonObject[] => {
    switch (branch[Kind]) {
      case "Unknown":
        return [writing.anything]
      case "Never":
        return []
      case "Array":
        return [
          { type: "array", items: writing.value(branch.items, inside(place, "*")), ...countSchema(branch, whole) },
        ]
      case "Tuple": {
        const { items = [], additionalItems = false, minItems } = branch
        const prefix =
          items.length === 0
            ? {}
            : { prefixItems: items.map((item, index) => writing.value(item, inside(place, String(index)))) }
        const rest: Json = additionalItems === false ? false : writing.value(additionalItems, inside(place, "*"))
        return [{ type: "array", ...prefix, items: rest, ...countSchema({ minItems }, whole) }]
      }
      case "Object":
        return objectSchema(branch, writing, place)
      default:
        scalars.push(branch)
        return []
    }
  })
  return [...scalarSchemas(scalars, whole), ...containers]
}

/** None where a key is required that cannot be written. */
function objectSchema(shape: ObjectShape, writing: Writing, place: Place): readonly JsonObject[] {
  const { properties, required = [], additionalProperties = true, propertyNames } = shape
  const writable = (key: string): boolean => writing.dollars || !key.startsWith("$")
  if (!required.every(writable)) return []
  const declared = Object.entries(properties).filter(([key]) => writable(key))
  const schema = {
    type: "object",
    properties: Object.fromEntries(declared.map(([key, inner]) => [key, writing.value(inner, inside(place, key))])),
    required,
  }
  if (additionalProperties === false) return [{ ...schema, additionalProperties }]
  const names = [
    ...(writing.dollars ? [] : [noDollar]),
    ...(propertyNames === undefined ? [] : [namesSchema(Object.keys(properties), propertyNames)]),
  ]
  const rest =
    additionalProperties === true ? writing.anything : writing.value(additionalProperties, inside(place, "*"))
  return [{ ...schema, additionalProperties: rest, ...(names.length === 0 ? {} : { propertyNames: { allOf: names } }) }]
}

const noDollar = { pattern: "^(?!\\$)" } as const

/** A shape's names are those of undeclared keys; in JSON Schema they are those of all. */
const namesSchema = (declared: readonly string[], names: TSchema): JsonObject =>
  declared.length === 0 ? asData.value(names, unsaid) : { anyOf: [{ enum: declared }, asData.value(names, unsaid)] }

const safeInteger = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const

/** What the plan language is made of. Names that no step may have are in `id`. */
function definitions(concatParts: number): JsonObject {
  const parts = (items: JsonObject): JsonObject => ({ type: "array", items, maxItems: concatParts })
  const joinable = [{ type: "string" }, { type: "boolean" }, safeInteger]
  // Or `run/step`: which there are is known when the plan is asked for, not to the catalog.
  const source = {
    $from: { type: "string", pattern: `^(?:${runPattern}/)?${idPattern.slice(1)}` },
    path: ref("pointer"),
  }
  return {
    id: { type: "string", pattern: idPattern, not: { enum: keptIds } },
    pointer: { type: "string", pattern: "^(?:/(?:[^~/]|~[01])*)*$" },
    from: anyOf([
      ref("reference"),
      closed(
        {
          ...source,
          where: {
            type: "object",
            additionalProperties: anyOf([ref("reference"), ref("constant")]),
            propertyNames: ref("pointer"),
            minProperties: 1,
          },
          pick: ref("pointer"),
        },
        ["$from", "where"],
      ),
    ]),
    reference: closed(source, ["$from"]),
    concat: closed(
      {
        $concat: parts(
          anyOf([...joinable, ref("from"), closed({ $literal: anyOf(joinable) }, ["$literal"]), ref("constantConcat")]),
        ),
      },
      ["$concat"],
    ),
    constantConcat: closed(
      {
        $concat: parts(
          anyOf([...joinable, closed({ $literal: anyOf(joinable) }, ["$literal"]), ref("constantConcat")]),
        ),
      },
      ["$concat"],
    ),
    literal: closed({ $literal: {} }, ["$literal"]),
    constant: anything("constant", [ref("literal"), ref("constantConcat")]),
    object: { type: "object", additionalProperties: ref("value"), propertyNames: noDollar },
    value: anything("value", [ref("from"), ref("concat"), ref("literal")]),
  }
}

/** Any JSON whose parts are written in the same way. */
const anything = (name: string, expressions: readonly JsonObject[]): JsonObject =>
  anyOf([
    { type: ["null", "boolean", "number", "string"] },
    { type: "array", items: ref(name) },
    { type: "object", additionalProperties: ref(name), propertyNames: noDollar },
    ...expressions,
  ])
