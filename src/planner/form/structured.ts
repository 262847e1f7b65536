/**
 * Two schemas that structured outputs take: every object closed, no free keys, no recursion, few keywords. In the one
 * each tool's arguments are spelt out, in the other they are JSON text.
 */
import type { TSchema } from "@sinclair/typebox"
import type { Catalog } from "../../catalog/catalog.ts"
import { type ObjectShape, typesOf } from "../../catalog/schema/shape.ts"
import type { JsonObject } from "../../text/json.ts"
import { type Absent, isPortable, membersOf, spell, transitionKey } from "./form.ts"
import { countSchema, type Dialect, scalarSchemas } from "./leaf.ts"
import { describePlace, inside, type Place, start } from "./place.ts"

export interface Style extends Dialect {
  readonly absent: Absent
}

/** A field that may be left out. */
interface Optional {
  readonly optional: JsonObject
}

function closed(fields: Readonly<Record<string, JsonObject | Optional>>, { absent }: Style): JsonObject {
  const entries = Object.entries(fields)
  const isOptional = (field: JsonObject | Optional): field is Optional => "optional" in field
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([key, field]) => [
        key,
        !isOptional(field) ? field : absent === "null" ? nullable(field.optional) : field.optional,
      ]),
    ),
    required: entries.filter(([, field]) => absent === "null" || !isOptional(field)).map(([key]) => key),
    additionalProperties: false,
  }
}

function nullable(schema: JsonObject): JsonObject {
  const { anyOf: branches, ...words } = schema
  if (!Array.isArray(branches)) return anyOf([schema, { type: "null" }])
  return { ...anyOf([...(branches as readonly JsonObject[]), { type: "null" }]), ...words }
}

function anyOf(schemas: readonly JsonObject[]): JsonObject {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))
  const [first] = distinct.values()
  return first !== undefined && distinct.size === 1 ? first : { anyOf: [...distinct.values()] }
}

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` })
const text = { type: "string" } as const
const described = (schema: JsonObject, description: string): JsonObject => ({ ...schema, description })

/** How long an id may be is left to the compiler: long repetitions are not taken everywhere. */
const idOf = ({ keywords }: Style): JsonObject =>
  keywords.has("pattern")
    ? { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_-]*$" }
    : described(text, "letters, digits, _ and -, beginning with a letter or _")

/** A list of names; where there is none, any text, which the compiler then refuses. */
const oneOf = (names: Iterable<string>): JsonObject => {
  const list = [...names]
  return list.length === 0 ? text : { type: "string", enum: list }
}

function planOf(step: JsonObject, style: Style): JsonObject {
  const version = { type: "integer", enum: [1] }
  return closed({ version, goal: { optional: text }, steps: { type: "array", items: step } }, style)
}

const stepFields = ({ keywords }: Style) => ({
  after: { optional: described({ type: "array", items: text }, "ids of earlier steps that this one waits for") },
  occurrence: {
    optional: { type: "integer", ...(keywords.has("minimum") ? { minimum: 1 } : {}) },
  },
  why: { optional: text },
})

/** Undefined where a tool's name cannot be a key. */
export function structuredSchema(catalog: Catalog, style: Style): JsonObject | undefined {
  const { tools, machine } = catalog
  if (![...tools.keys()].every((name) => isPortable(name) && name !== transitionKey)) return undefined
  const deeds = [
    ...[...tools.values()].map(({ name, description, params }) => ({
      ...closed({ [name]: argsSchema(params.shape, style, start(params)) }, style),
      description,
    })),
    ...(machine === undefined ? [] : [closed({ [transitionKey]: oneOf(machine.states) }, style)]),
  ]
  const deed = deeds.length === 0 ? closed({}, style) : anyOf(deeds)
  return {
    ...planOf(closed({ id: idOf(style), do: deed, ...stepFields(style) }, style), style),
    $defs: expressions(style),
  }
}

function argsSchema(shape: TSchema, style: Style, place: Place): JsonObject {
  const { objects, tag } = spell(shape)
  const schemas = objects.map((object) => objectSchema(object, tag, style, place))
  return schemas.length === 1 ? (schemas[0] as JsonObject) : anyOf([...schemas, ref("json")])
}

function valueSchema(shape: TSchema, style: Style, place: Place): JsonObject {
  const { scalars, array, objects, tag } = spell(shape)
  const schemas = [
    ...scalarSchemas(scalars, style),
    ...(array === undefined
      ? []
      : [{ type: "array", items: valueSchema(array.items, style, inside(place, "*")), ...countSchema(array, style) }]),
    ...objects.map((object) => objectSchema(object, tag, style, place)),
    ref("from"),
    ref("select"),
    ...(typesOf(shape).has("string") ? [ref("concat")] : []),
    ref("json"),
  ]
  return describePlace(anyOf(schemas), place)
}

const objectSchema = (object: ObjectShape, tag: string | undefined, style: Style, place: Place): JsonObject =>
  closed(
    Object.fromEntries(
      membersOf(object, tag).map(({ key, shape, optional }) => {
        const inner = inside(place, key)
        const schema =
          key === tag
            ? describePlace(anyOf(scalarSchemas(spell(shape).scalars, style)), inner)
            : valueSchema(shape, style, inner)
        return [key, optional ? { optional: schema } : schema]
      }),
    ),
    style,
  )

/** First keys differ, so that a reader knows the branch at once: OpenAI's API refuses an `anyOf` of objects that share one. */
function expressions(style: Style): JsonObject {
  const pointer = described(text, 'a JSON Pointer, "" for the whole')
  const scalars = [text, { type: "number" }, { type: "boolean" }, { type: "null" }]
  const compared = anyOf([...scalars, ref("from"), ref("json")])
  const part = anyOf([text, { type: "integer" }, { type: "boolean" }, ref("from"), ref("select"), ref("json")])
  return {
    from: closed({ _from: described(text, "an earlier step's id, or input"), path: pointer }, style),
    select: closed(
      {
        _select: described(text, "an earlier step's id, or input"),
        path: described(text, "a JSON Pointer to an array"),
        where: { type: "array", items: closed({ at: pointer, is: compared }, style) },
        pick: described(text, 'a JSON Pointer into the one element that matches, "" for the whole'),
      },
      style,
    ),
    concat: closed({ _concat: { type: "array", items: part } }, style),
    json: closed(
      { _json: described(text, "JSON text, in the plan language, of a value that fits nowhere else") },
      style,
    ),
  }
}

export function envelopeSchema({ tools, machine }: Catalog, style: Style, named: boolean): JsonObject {
  const fields = {
    id: idOf(style),
    tool: { optional: named ? oneOf(tools.keys()) : text },
    args: { optional: described(text, "the tool's arguments: the JSON text of an object") },
    ...(machine === undefined ? {} : { transition: { optional: oneOf(machine.states) } }),
    ...stepFields(style),
  }
  return planOf(closed(fields, style), style)
}
