/** Random tools, and plans that give them random arguments with expressions among them. */
import fc from "fast-check"
import { type Catalog, defineCatalog, type Json, tool } from "sequitur"
import { z } from "zod"
import { type Node, sample, zodOf } from "../catalog/arbitrary.ts"

/** How to write the parts of a value: each number is for one part, as it is met. */
const manners = fc.array(fc.integer({ min: 0, max: 11 }), { minLength: 1, maxLength: 8 })

/** The value with some of its parts as expressions. */
function express(value: Json, manners: number[]): Json {
  const manner = manners.shift() ?? 11
  if (manner === 0) return { $from: "untold" }
  if (manner === 1) return { $literal: value }
  if (manner === 2)
    return { $from: "look", path: "/rows", where: { "/key": "k", "/kind": { $literal: "x" } }, pick: "/value" }
  if (manner === 3) return { $from: "look", path: "/text" }
  if (typeof value === "string" && manner < 6)
    return { $concat: manner === 4 ? [value.slice(0, 1), value.slice(1)] : [value, { $from: "look", path: "/flag" }] }
  if (Array.isArray(value)) return value.map((item: Json) => express(item, manners))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, express(inner, manners)]))
}

export interface Written {
  readonly catalog: Catalog
  readonly plan: Json
}

export const written: fc.Arbitrary<Written> = fc
  .tuple(sample, fc.option(sample, { nil: undefined }), manners, manners, fc.boolean())
  .map(([one, other, first, second, stated]) => ({
    catalog: catalogOf(one.node, other?.node),
    plan: {
      version: 1,
      steps: [
        { id: "look", tool: "look", args: {} },
        { id: "untold", tool: "untold", args: {} },
        {
          id: "use",
          tool: "use",
          args: {
            needed: express(one.value, [...first]),
            ...(other === undefined || !stated ? {} : { wanted: express(other.value, [...second]) }),
          },
        },
      ],
    },
  }))

const catalogOf = (needed: Node, wanted: Node | undefined): Catalog =>
  defineCatalog({
    name: "random",
    version: "1",
    tools: {
      look: tool({
        description: "Look.",
        effect: "read",
        params: z.strictObject({}),
        result: z.strictObject({
          text: z.string(),
          flag: z.boolean(),
          rows: z.array(z.strictObject({ key: z.string(), kind: z.enum(["x", "y"]), value: z.unknown() })),
        }),
      }),
      untold: tool({ description: "Tell nothing.", effect: "read", params: z.strictObject({}) }),
      use: tool({
        description: "Use.",
        effect: "read",
        params: z.strictObject({
          needed: zodOf(needed),
          ...(wanted === undefined ? {} : { wanted: zodOf(wanted).optional() }),
        }),
      }),
    },
  })
