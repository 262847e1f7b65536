/** A plan in one of the forms: what a planner would have written. For examples in a prompt, and to hold `decodePlan` to. */
import type { TSchema } from "@sinclair/typebox"
import type { Catalog } from "../../catalog/catalog.ts"
import { demandCatalog } from "../../catalog/define.ts"
import type { Document, StepDocument } from "../../document/document.ts"
import { demand } from "../../text/demand.ts"
import { isObject, type Json, type JsonObject } from "../../text/json.ts"
import {
  type Absent,
  demandForm,
  type Form,
  membersOf,
  objectFor,
  optionalFields,
  spell,
  transitionKey,
} from "./form.ts"

/**
 * Takes the document of a compiled plan, and gives its text: of `const compiled = compile(…)` that is
 * `compiled.plan.plan.document`. Throws a `TypeError` where it is given anything else.
 */
export function encodePlan(catalog: Catalog, document: Document, form: Form): string {
  demandCatalog(catalog)
  demandForm(form)
  demand(isDocument(document), "`document` must be the document of a compiled plan (`plan.plan.document`)")
  if (form.kind === "plan") return JSON.stringify(document)
  const { absent, kind } = form
  const steps = document.steps.map((step) =>
    kind === "envelope" ? encodeEnvelope(step, catalog, absent) : encodeStep(step, catalog, absent),
  )
  return JSON.stringify(fill({ ...document, steps }, optionalFields.plan, absent))
}

const isDocument = (value: unknown): boolean =>
  isObject(value) && Array.isArray(value.steps) && value.steps.every(isObject)

/** Says of each field that is left out that it is. */
function fill(fields: Readonly<Record<string, unknown>>, optional: readonly string[], absent: Absent): JsonObject {
  const missing = absent === "null" ? optional.filter((key) => fields[key] === undefined) : []
  return { ...fields, ...Object.fromEntries(missing.map((key) => [key, null])) } as JsonObject
}

function encodeEnvelope(step: StepDocument, { machine }: Catalog, absent: Absent): JsonObject {
  const args = step.args === undefined ? {} : { args: JSON.stringify(step.args) }
  const optional = optionalFields.envelope.filter((key) => key !== "transition" || machine !== undefined)
  return fill({ ...step, ...args }, optional, absent)
}

function encodeStep(step: StepDocument, { tools }: Catalog, absent: Absent): JsonObject {
  const { id, tool, args = {}, transition, ...rest } = step
  const deed =
    tool === undefined
      ? { [transitionKey]: transition ?? "" }
      : { [tool]: encodeArgs(args, tools.get(tool)?.params.shape, absent) }
  return fill({ id, do: deed, ...rest }, optionalFields.structured, absent)
}

const encodeArgs = (args: JsonObject, shape: TSchema | undefined, absent: Absent): Json =>
  (shape && encodeObject(args, shape, absent)) ?? asText(args)

const asText = (value: Json): JsonObject => ({ _json: JSON.stringify(value) })

function encodeValue(value: Json, shape: TSchema, absent: Absent): Json {
  if (Array.isArray(value)) {
    const { array } = spell(shape)
    return array === undefined ? asText(value) : value.map((item: Json) => encodeValue(item, array.items, absent))
  }
  if (isObject(value)) return encodeExpression(value) ?? encodeObject(value, shape, absent) ?? asText(value)
  return spell(shape).scalars.length === 0 || (value === null && !isNullable(shape)) ? asText(value) : value
}

const isNullable = (shape: TSchema): boolean => spell(shape).scalars.some(({ type }) => type === "null")

/** Undefined where the form does not spell the object out. */
function encodeObject(value: JsonObject, shape: TSchema, absent: Absent): JsonObject | undefined {
  const spelt = spell(shape)
  const object = objectFor(spelt, value)
  if (object === undefined) return undefined
  const members = membersOf(object, spelt.tag)
  if (Object.keys(value).some((key) => !members.some((member) => member.key === key))) return undefined
  const entries = members.flatMap(({ key, shape: inner, optional }): readonly (readonly [string, Json])[] => {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    if (given === undefined) return absent === "null" ? [[key, null]] : []
    // A null that was written must not be taken for one that stands for nothing.
    return [[key, given === null && optional && absent === "null" ? asText(null) : encodeValue(given, inner, absent)]]
  })
  return Object.fromEntries(entries)
}

/** Undefined for what is no expression. What the form has no words for goes as text, so that nothing of it is lost. */
function encodeExpression(value: JsonObject): JsonObject | undefined {
  if (!Object.keys(value).some((key) => key.startsWith("$"))) return undefined
  const { $from, path, where, pick, $concat } = value
  if ($from !== undefined && path !== "" && pick !== "") {
    if (where === undefined) return { _from: $from, path: path ?? "" }
    const compared = Object.entries(where as JsonObject).map(([at, is]) => ({ at, is: encodeCompared(is) }))
    return { _select: $from, path: path ?? "", where: compared, pick: pick ?? "" }
  }
  return Array.isArray($concat) ? { _concat: $concat.map(encodeCompared) } : asText(value)
}

/** A value in `where`, or a part of a `_concat`. */
const encodeCompared = (value: Json): Json => {
  if (Array.isArray(value)) return asText(value)
  if (!isObject(value)) return value
  return "$from" in value ? (encodeExpression(value) ?? asText(value)) : asText(value)
}
