/** The real catalog of a declaration, by zod or TypeBox. */
import { type TObject, type TSchema, Type } from "@sinclair/typebox"
import { type Catalog, defineCatalog, named, predicate } from "sequitur"
import { z } from "zod"
import type { Declaration, Front, ObjectShape, Shape, ToolDeclaration } from "./declaration.ts"
import { fieldsOf, isBlank } from "./shape.ts"

export function build(declaration: Declaration): Catalog {
  const { inputs, inputLabels, machine, limits, approveAbove, denies, budgets, bounds, tools, front } = declaration
  const spec: unknown = {
    name: "generated",
    version: "1",
    ...(inputs === undefined ? {} : { inputs: schema(inputs, front) }),
    ...(machine === undefined ? {} : { machine: machineOf(machine) }),
    ...(inputLabels === undefined ? {} : { inputLabels }),
    ...(denies === undefined ? {} : { authority: { default: denies ? "deny" : "allow" } }),
    blastRadius: Object.fromEntries(
      Object.entries(limits).map(([dimension, max]) => {
        const above = approveAbove?.[dimension]
        return [dimension, { max, ...(above === undefined ? {} : { approveAbove: above }) }]
      }),
    ),
    budgets,
    bounds,
    tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, toolOf(tool)])),
  }
  const catalog = defineCatalog(spec as never) as Catalog
  const fault = catalog.diagnostics.find(({ severity }) => severity === "error")
  if (fault !== undefined) throw new Error(`${fault.code} ${fault.at}: ${fault.message}`)
  return catalog
}

const guards = {
  free: {},
  guarded: { guard: "approval" },
  ruled: { guard: predicate("any-time", "1", () => true) },
} as const

const machineOf = ({ initial, transitions }: NonNullable<Declaration["machine"]>) => ({
  initial,
  transitions: Object.fromEntries(
    Object.entries(transitions).map(([from, targets]) => [
      from,
      Object.fromEntries(Object.entries(targets).map(([to, kind]) => [to, guards[kind]])),
    ]),
  ),
})

function toolOf(tool: ToolDeclaration) {
  const { front, effect, params, result, states, requires, blast, microUsd, once } = tool
  const { rules, untrusted, private: hidden, endorse, roles, tenants, most, always } = tool
  const authority = {
    ...(roles === undefined ? {} : { roles }),
    ...(tenants === undefined ? {} : { tenants }),
    ...(most === undefined ? {} : { when: atMost(most) }),
    ...(always === true ? { approval: "always" } : {}),
  }
  return {
    ...(rules === undefined ? {} : { rules }),
    ...(untrusted === undefined ? {} : { untrusted }),
    ...(hidden === undefined ? {} : { private: hidden }),
    ...(endorse === undefined ? {} : { endorse }),
    ...(Object.keys(authority).length === 0 ? {} : { authority }),
    description: "A tool.",
    effect,
    params: schema(params, front),
    ...(result === undefined ? {} : { result: schema(result, front) }),
    ...(states === undefined ? {} : { states }),
    ...(requires === undefined ? {} : { requires }),
    ...(blast === undefined
      ? {}
      : {
          blast: Object.fromEntries(
            Object.entries(blast).map(([name, one]) => [name, one.kind === "constant" ? one.value : one]),
          ),
        }),
    ...(once === undefined ? {} : { once: { by: once, scope: "task" } }),
    ...(microUsd === undefined ? {} : { cost: { microUsd } }),
    ...(effect === "read" ? {} : { idempotency: "natural", compensate: "none" }),
  }
}

const atMost = (most: number) =>
  predicate("at-most", `${most}`, (args) => Object.values(args).every((value) => !(Number(value) > most)))

const schema = (shape: Shape, front: Front) => (front === "zod" ? zodOf(shape) : typeboxOf(shape))

const notBlank = named("notBlank", "1", (text: string) => !isBlank(text))

function zodOf(shape: Shape): z.ZodType {
  switch (shape.kind) {
    case "string": {
      let string = z.string()
      if (shape.min !== undefined) string = string.min(shape.min)
      if (shape.max !== undefined) string = string.max(shape.max)
      return shape.refined === true ? string.refine(notBlank, "must not be blank") : string
    }
    case "integer":
    case "number": {
      let number = shape.kind === "integer" ? z.int() : z.number()
      if (shape.min !== undefined) number = number.min(shape.min)
      if (shape.max !== undefined) number = number.max(shape.max)
      return number
    }
    case "boolean":
      return z.boolean()
    case "constant":
      return z.literal(shape.value)
    case "enum":
      return z.enum(shape.values as [string, ...string[]])
    case "nullable":
      return zodOf(shape.of).nullable()
    case "array": {
      let array = z.array(zodOf(shape.of))
      if (shape.min !== undefined) array = array.min(shape.min)
      if (shape.max !== undefined) array = array.max(shape.max)
      return array
    }
    case "object":
      return shape.open === true ? z.object(zodFields(shape)) : z.strictObject(zodFields(shape))
    case "unknown":
      return z.unknown()
  }
}

const zodFields = (shape: ObjectShape) =>
  Object.fromEntries(
    fieldsOf(shape).map(({ name, shape: inner, optional }) => [
      name,
      optional ? zodOf(inner).optional() : zodOf(inner),
    ]),
  )

function typeboxOf(shape: Shape): TSchema {
  switch (shape.kind) {
    case "string":
      return Type.String({
        ...(shape.min === undefined ? {} : { minLength: shape.min }),
        ...(shape.max === undefined ? {} : { maxLength: shape.max }),
      })
    case "integer":
    case "number": {
      const options = {
        ...(shape.min === undefined ? {} : { minimum: shape.min }),
        ...(shape.max === undefined ? {} : { maximum: shape.max }),
      }
      return shape.kind === "integer" ? Type.Integer(options) : Type.Number(options)
    }
    case "boolean":
      return Type.Boolean()
    case "constant":
      return Type.Literal(shape.value)
    case "enum":
      return Type.Union(shape.values.map((value) => Type.Literal(value)))
    case "nullable":
      return Type.Union([typeboxOf(shape.of), Type.Null()])
    case "array":
      return Type.Array(typeboxOf(shape.of), {
        ...(shape.min === undefined ? {} : { minItems: shape.min }),
        ...(shape.max === undefined ? {} : { maxItems: shape.max }),
      })
    case "object":
      return typeboxObject(shape)
    case "unknown":
      return Type.Unknown()
  }
}

function typeboxObject(shape: ObjectShape): TObject {
  const fields = fieldsOf(shape).map(({ name, shape: inner, optional }) => {
    const schema = typeboxOf(inner)
    return [name, optional ? Type.Optional(schema) : schema] as const
  })
  return Type.Object(Object.fromEntries(fields), shape.open === true ? {} : { additionalProperties: false })
}
