/** Catalogs of 5, 16 and 50 tools, and what else the forms are tried on. */
import { type TSchema, Type } from "@sinclair/typebox"
import { type Catalog, defineCatalog, type Json, named, tool } from "sequitur"
import { z } from "zod"
import { readData } from "../data.ts"

const effect = { idempotency: "natural", compensate: "none" } as const

/** Everything that is hard to say in a provider's form, in one catalog. */
export const odd = defineCatalog({
  name: "odd",
  version: "1",
  inputs: z.strictObject({ who: z.string(), list: z.array(z.strictObject({ id: z.string(), n: z.int() })) }),
  machine: { initial: "A", transitions: { A: { B: { guard: "approval" } }, B: { A: {} } } },
  bounds: { steps: 40, concatParts: 4, goalLength: 30 },
  tools: {
    look: tool({
      description: "Look.\n\nIn two paragraphs.",
      effect: "read",
      params: z.strictObject({
        from: z.string().optional(),
        path: z.string().nullable().optional(),
        note: z.string().nullable(),
      }),
      result: z.strictObject({
        text: z.string(),
        flag: z.boolean(),
        rows: z.array(z.strictObject({ key: z.string(), kind: z.enum(["x", "y"]), value: z.unknown() })),
      }),
    }),
    untold: tool({ description: "Declares no result.", effect: "read", params: z.strictObject({}) }),
    put: tool({
      description: "Put.",
      effect: "write",
      states: ["B"],
      params: z.strictObject({
        any: z.unknown().optional(),
        table: z.record(z.string(), z.int()).optional(),
        pair: z.tuple([z.string(), z.int()]).optional(),
        shape: z
          .discriminatedUnion("kind", [
            z.strictObject({ size: z.number().optional(), kind: z.literal("round") }),
            z.strictObject({ kind: z.literal("square"), sides: z.array(z.number()).min(1).max(4) }),
          ])
          .optional(),
        mixed: z.union([z.int(), z.array(z.string()), z.strictObject({ a: z.string().optional() })]).optional(),
        twoLists: z.union([z.array(z.string()), z.array(z.int())]).optional(),
        yes: z.literal(true).optional(),
        level: z.union([z.literal(1), z.literal(2), z.literal("max")]).optional(),
        code: z
          .string()
          .regex(/^[A-Z]{2}-\d+$/)
          .optional(),
        lines: z
          .array(
            z.strictObject({ sku: z.string(), count: z.int().min(1).max(99), memo: z.string().nullable().optional() }),
          )
          .max(3)
          .optional(),
        open: z.looseObject({ a: z.int() }).optional(),
        even: z.int().multipleOf(2).optional(),
        shout: z
          .string()
          .refine(named("shout", "1", (text: string) => text === text.toUpperCase()))
          .optional(),
      }),
      ...effect,
    }),
  },
})

/** Parameters whose names no provider takes as keys, or that mean something in a form. */
export const misnamed = defineCatalog({
  name: "misnamed",
  version: "1",
  tools: {
    "server/one": tool({
      description: "A name with a slash.",
      effect: "read",
      params: z.strictObject({ größe: z.int().optional(), _json: z.string().optional(), $ref: z.string().optional() }),
    }),
  },
})

/** The same, but for the tool's name. */
export const misnamedParameters = defineCatalog({
  name: "misnamed-parameters",
  version: "1",
  tools: {
    one: tool({
      description: "Parameters that are no portable keys.",
      effect: "read",
      params: z.strictObject({ größe: z.int().optional(), _json: z.string().optional() }),
    }),
    two: tool({
      description: "A parameter that only a literal can hold.",
      effect: "read",
      params: z.strictObject({ $ref: z.string().optional(), inner: z.strictObject({ $id: z.string() }).optional() }),
    }),
  },
})

interface FunctionSpec {
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema }
}

type JsonSchema =
  | { readonly type: "string"; readonly enum?: readonly string[] }
  | { readonly type: "array"; readonly items: JsonSchema }
  | {
      readonly type: "object"
      readonly properties: { readonly [key: string]: JsonSchema }
      readonly required: readonly string[]
    }

function typeBox(schema: JsonSchema): TSchema {
  switch (schema.type) {
    case "string":
      return schema.enum === undefined ? Type.String() : Type.Union(schema.enum.map((value) => Type.Literal(value)))
    case "array":
      return Type.Array(typeBox(schema.items))
    case "object":
      return Type.Object(
        Object.fromEntries(
          Object.entries(schema.properties).map(([key, inner]) => [
            key,
            schema.required.includes(key) ? typeBox(inner) : Type.Optional(typeBox(inner)),
          ]),
        ),
        { additionalProperties: false },
      )
  }
}

/** The 16 tools of tau-bench retail. */
export function retail(): Catalog {
  const specs = JSON.parse(readData("tau-bench/retail_tools.json")) as readonly FunctionSpec[]
  return defineCatalog({
    name: "retail",
    version: "1",
    tools: Object.fromEntries(
      specs.map(({ function: { name, description, parameters } }) => [
        name,
        tool({ description, effect: "read", params: typeBox(parameters), result: Type.Unknown() }),
      ]),
    ),
  })
}

/** The 77 test plans with references into recorded results, each without the value that was found there. */
export const retailPlans = (): readonly string[] =>
  (JSON.parse(readData("tau-bench/retail_test_refplans.json")) as readonly { readonly steps: Json }[]).map(
    ({ steps }) =>
      JSON.stringify({ version: 1, steps }, (_, value: Json) => {
        if (typeof value !== "object" || value === null || !("$from" in value)) return value
        const { literal: _literal, ...reference } = value
        return reference
      }),
  )

/** As many tools as asked for, each with five parameters. */
export const manyTools = (count: number): Catalog =>
  defineCatalog({
    name: "many",
    version: "1",
    tools: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `tool_${index}`,
        tool({
          description: `Does the ${index}th thing.`,
          effect: "read",
          params: z.strictObject({
            id: z.string(),
            kind: z.enum(["a", "b"]),
            amount: z.int().min(0).max(100),
            note: z.string().optional(),
            tags: z.array(z.string()).optional(),
          }),
          result: z.strictObject({ id: z.string() }),
        }),
      ]),
    ),
  })
