/** A catalog of JSON Schemas as the module that a host would have written with zod: types see nothing of a JSON Schema. */
import type { Catalog, JsonSchema, ToolSpec } from "sequitur"

/** `door` is the file that is imported as `sequitur`. */
export function catalogInZod({ spec }: Catalog, door: string): string {
  const { tools, ...others } = spec
  const written = Object.entries(tools).map(([name, tool]) => `${JSON.stringify(name)}: ${toolInZod(tool)}`)
  return `import { defineCatalog, tool } from ${JSON.stringify(door)}
import { z } from "zod"

export default defineCatalog({
  ${membersOf(others).join(",\n  ")},
  tools: {
    ${written.join(",\n    ")},
  },
})
`
}

function toolInZod({ params, result, ...others }: ToolSpec): string {
  const schemas = [
    `params: ${inZod(params as JsonSchema, "strictObject")}`,
    ...(result === undefined ? [] : [`result: ${inZod(result as JsonSchema)}`]),
  ]
  return `tool({ ${[...membersOf(others), ...schemas].join(", ")} })`
}

const membersOf = (of: object): readonly string[] =>
  Object.entries(of).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)

/** As much of JSON Schema as the shop's tools and what is inferred of their results need. */
interface Written {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: { readonly [key: string]: JsonSchema }
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
}

function inZod(schema: JsonSchema, object: "object" | "strictObject" = "object"): string {
  const written = schema as Written
  const { type, anyOf, items, properties, required = [], additionalProperties } = written
  if (anyOf !== undefined) return `z.union([${anyOf.map((one) => inZod(one)).join(", ")}])`
  if (written.enum !== undefined) return `z.enum(${JSON.stringify(written.enum)})`
  switch (type) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return `z.${type}()`
    case "array":
      return `z.array(${inZod(items ?? {})})`
    case "object": {
      if (typeof additionalProperties === "object") return `z.record(z.string(), ${inZod(additionalProperties)})`
      const members = Object.entries(properties ?? {}).map(
        ([key, one]) => `${JSON.stringify(key)}: ${inZod(one, object)}${required.includes(key) ? "" : ".optional()"}`,
      )
      return `z.${object}({ ${members.join(", ")} })`
    }
    case undefined:
      return "z.unknown()"
    default:
      throw new Error(`no zod for ${JSON.stringify(schema)}`)
  }
}
