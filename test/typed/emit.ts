/** Catalogs and plans as TypeScript text: one line to each value, so that a line says which value tsc speaks of. */
import { formatPointer, type Pointer } from "../../src/text/pointer.ts"
import type { Declaration, Field, Front, ObjectShape, Shape, ToolDeclaration } from "../naive/declaration.ts"

/** The text of a module's catalog: what `build` of the naive compiler makes, as a host would write it. */
export function emitCatalog(declaration: Declaration): string {
  const { front, inputs, inputLabels, machine, limits, budgets, bounds, tools } = declaration
  const parts = {
    name: '"generated"',
    version: '"1"',
    ...(inputs === undefined ? {} : { inputs: emitShape(inputs, front) }),
    ...(inputLabels === undefined ? {} : { inputLabels: JSON.stringify(inputLabels) }),
    ...(machine === undefined
      ? {}
      : {
          machine: emitObject({
            initial: JSON.stringify(machine.initial),
            transitions: emitEach(machine.transitions, (targets) =>
              emitEach(targets, (kind) => (kind === "guarded" ? '{ guard: "approval" }' : "{}")),
            ),
          }),
        }),
    blastRadius: emitEach(limits, (max) => `{ max: ${max} }`),
    budgets: JSON.stringify(budgets),
    bounds: JSON.stringify(bounds),
    tools: emitEach(tools, emitTool),
  }
  return `const catalog = defineCatalog(${emitObject(parts)})`
}

export const imports = `import { Type } from "@sinclair/typebox"
import { arg, count, defineCatalog, definePlan, named, tool } from "sequitur"
import { z } from "zod"
const notBlank = named("notBlank", "1", (text: string) => text.trim() !== "")
export const used = [Type, arg, count, tool, z, notBlank]`

function emitTool(declared: ToolDeclaration): string {
  const { front, effect, params, result, states, requires, blast, microUsd, once } = declared
  const { rules, untrusted, private: hidden, endorse } = declared
  const parts = {
    description: '"A tool."',
    effect: JSON.stringify(effect),
    params: emitShape(params, front),
    ...(result === undefined ? {} : { result: emitShape(result, front) }),
    ...(states === undefined ? {} : { states: JSON.stringify(states) }),
    ...(requires === undefined ? {} : { requires: JSON.stringify(requires) }),
    ...(blast === undefined
      ? {}
      : {
          blast: emitEach(blast, (one) =>
            one.kind === "constant"
              ? String(one.value)
              : `${one.kind === "argument" ? "arg" : "count"}(${JSON.stringify(one.parameter)}${one.max === undefined ? "" : `, { max: ${one.max} }`})`,
          ),
        }),
    ...(once === undefined ? {} : { once: `{ by: ${JSON.stringify(once)}, scope: "task" }` }),
    ...mapValues({ rules, untrusted, private: hidden, endorse }, JSON.stringify),
    ...(microUsd === undefined ? {} : { cost: `{ microUsd: ${microUsd} }` }),
    ...(effect === "read" ? {} : { idempotency: '"natural"', compensate: '"none"' }),
  }
  return `tool(${emitObject(parts)})`
}

const mapValues = (of: { readonly [key: string]: unknown }, map: (value: unknown) => string) =>
  Object.fromEntries(
    Object.entries(of).flatMap(([key, value]) => (value === undefined ? [] : [[key, map(value)] as const])),
  )

const emitObject = (parts: { readonly [key: string]: string }): string => emitEach(parts, (text) => text)

const emitEach = <A>(of: { readonly [key: string]: A }, emit: (one: A) => string): string =>
  `{ ${Object.entries(of)
    .map(([key, one]) => `${JSON.stringify(key)}: ${emit(one)}`)
    .join(", ")} }`

const emitShape = (shape: Shape, front: Front): string => (front === "zod" ? emitZod(shape) : emitTypeBox(shape))

const chain = (name: string, value: number | undefined): string => (value === undefined ? "" : `.${name}(${value})`)

function emitZod(shape: Shape): string {
  switch (shape.kind) {
    case "string":
      return `z.string()${chain("min", shape.min)}${chain("max", shape.max)}${shape.refined === true ? '.refine(notBlank, "must not be blank")' : ""}`
    case "integer":
    case "number":
      return `z.${shape.kind === "integer" ? "int" : "number"}()${chain("min", shape.min)}${chain("max", shape.max)}`
    case "boolean":
      return "z.boolean()"
    case "constant":
      return `z.literal(${JSON.stringify(shape.value)})`
    case "enum":
      return `z.enum(${JSON.stringify(shape.values)})`
    case "nullable":
      return `${emitZod(shape.of)}.nullable()`
    case "array":
      return `z.array(${emitZod(shape.of)})${chain("min", shape.min)}${chain("max", shape.max)}`
    case "object": {
      const fields = emitFields(
        shape,
        ({ shape: inner, optional }) => `${emitZod(inner)}${optional ? ".optional()" : ""}`,
      )
      return `z.${shape.open === true ? "object" : "strictObject"}(${fields})`
    }
    case "unknown":
      return "z.unknown()"
  }
}

const emitFields = ({ fields }: ObjectShape, emit: (field: Field) => string): string => emitEach(fields, emit)

const options = (of: { readonly [key: string]: number | boolean | undefined }): string => {
  const given = Object.entries(of).filter(([, value]) => value !== undefined)
  return given.length === 0 ? "" : JSON.stringify(Object.fromEntries(given))
}

function emitTypeBox(shape: Shape): string {
  switch (shape.kind) {
    case "string":
      return `Type.String(${options({ minLength: shape.min, maxLength: shape.max })})`
    case "integer":
    case "number":
      return `Type.${shape.kind === "integer" ? "Integer" : "Number"}(${options({ minimum: shape.min, maximum: shape.max })})`
    case "boolean":
      return "Type.Boolean()"
    case "constant":
      return `Type.Literal(${JSON.stringify(shape.value)})`
    case "enum":
      return `Type.Union([${shape.values.map((value) => `Type.Literal(${JSON.stringify(value)})`).join(", ")}])`
    case "nullable":
      return `Type.Union([${emitTypeBox(shape.of)}, Type.Null()])`
    case "array": {
      const bounds = options({ minItems: shape.min, maxItems: shape.max })
      return `Type.Array(${emitTypeBox(shape.of)}${bounds === "" ? "" : `, ${bounds}`})`
    }
    case "object": {
      const fields = emitFields(shape, ({ shape: inner, optional }) =>
        optional ? `Type.Optional(${emitTypeBox(inner)})` : emitTypeBox(inner),
      )
      return `Type.Object(${fields}${shape.open === true ? "" : ", { additionalProperties: false }"})`
    }
    case "unknown":
      return "Type.Unknown()"
  }
}

/** In an object literal `__proto__` is no key. */
export const canBeWritten = (text: string): boolean => !text.includes("__proto__")

export interface Emitted {
  readonly lines: readonly string[]
  /** By line, the value on it. */
  readonly places: readonly Pointer[]
}

/** A JSON value as an expression, each member on a line of its own. */
export function emitValue(value: unknown): Emitted {
  const lines: string[] = []
  const places: Pointer[] = []
  const put = (line: string, at: readonly (string | number)[]): void => {
    lines.push(line)
    places.push(formatPointer(at))
  }
  const write = (one: unknown, before: string, after: string, at: readonly (string | number)[]): void => {
    if (Array.isArray(one)) {
      put(`${before}[`, at)
      one.forEach((item: unknown, index) => {
        write(item, "", ",", [...at, index])
      })
      put(`]${after}`, at)
    } else if (typeof one === "object" && one !== null) {
      put(`${before}{`, at)
      for (const [key, member] of Object.entries(one)) write(member, `${JSON.stringify(key)}: `, ",", [...at, key])
      put(`}${after}`, at)
    } else put(`${before}${JSON.stringify(one)}${after}`, at)
  }
  write(value, "", "", [])
  return { lines, places }
}
