/** Slips that generated plans make too seldom: each is told by tsc, and by the compiler. */
import { Type } from "@sinclair/typebox"
import { type Compiled, defineCatalog, definePlan, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"

const catalog = defineCatalog({
  name: "slips",
  version: "1",
  tools: {
    rows: tool({
      description: "Lists.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ rows: z.array(z.strictObject({ id: z.string(), n: z.int() })), one: z.string() }),
    }),
    bare: tool({ description: "Gives who knows what.", effect: "read", params: z.strictObject({}) }),
    take: tool({
      description: "Takes.",
      effect: "read",
      params: z.strictObject({
        id: z.string().optional(),
        n: z.int().optional(),
        whole: z.int32().optional(),
        part: z.strictObject({ n: z.int() }).optional(),
      }),
    }),
    count: tool({
      description: "Counts.",
      effect: "read",
      params: Type.Object({ n: Type.Integer(), of: Type.Optional(Type.Object({ n: Type.Integer() })) }),
    }),
  },
})

const rows = { id: "rows", tool: "rows", args: {} } as const
const codesOf = ({ diagnostics }: Compiled<unknown>) =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ code, at }) => `${code} ${at}`)

const wrong: { readonly [what: string]: readonly [fault: string, verdict: Compiled<unknown>] } = {
  "`where` compares a text with a number that is read": [
    "SEQ212 /steps/1/args/id/where/~1id",
    definePlan(catalog, {
      version: 1,
      steps: [
        rows,
        {
          id: "a",
          tool: "take",
          args: {
            id: {
              $from: "rows",
              path: "/rows",
              // @ts-expect-error SEQ212: a number is no `id`
              where: { "/id": { $from: "rows", path: "/rows/0/n" } },
              pick: "/id",
            },
          },
        },
      ],
    }),
  ],
  "`where` compares with what `$concat` reads": [
    "SEQ131 /steps/1/args/id/where/~1id",
    definePlan(catalog, {
      version: 1,
      steps: [
        rows,
        {
          id: "a",
          tool: "take",
          args: {
            id: {
              $from: "rows",
              path: "/rows",
              // @ts-expect-error SEQ131: `where` compares with a literal or a plain `$from`
              where: { "/id": { $concat: ["x", { $from: "rows", path: "/one" }] } },
              pick: "/id",
            },
          },
        },
      ],
    }),
  ],
  "`where` is asked of a result that is not declared": [
    "SEQ205 /steps/1/args/id",
    definePlan(catalog, {
      version: 1,
      steps: [
        { id: "bare", tool: "bare", args: {} },
        // @ts-expect-error SEQ205: `bare` has no value there
        { id: "a", tool: "take", args: { id: { $from: "bare", where: { "/id": "x" }, pick: "/id" } } },
      ],
    }),
  ],
  "an index that is no decimal number": [
    "SEQ205 /steps/1/args/id/path",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ205: `rows` has no value at `/rows/0x1`
      steps: [rows, { id: "a", tool: "take", args: { id: { $from: "rows", path: "/rows/0x1/id" } } }],
    }),
  ],
  "`$concat` joins null": [
    "SEQ131 /steps/0/args/id/$concat/1",
    // @ts-expect-error SEQ131: `$concat` joins strings, integers and booleans, or a `$from` to such
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "take", args: { id: { $concat: ["x", null] } } }] }),
  ],
  "`$literal` holds a number where a text is asked for": [
    "SEQ122 /steps/0/args/id",
    // @ts-expect-error an object is no text
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "take", args: { id: { $literal: 5 } } }] }),
  ],
  "an id is kept for the language": [
    "SEQ105 /steps/0/id",
    // @ts-expect-error SEQ105: the name is kept for the language
    definePlan(catalog, { version: 1, steps: [{ id: "toJSON", tool: "rows", args: {} }] }),
  ],
  "a fraction for zod's integer": [
    "SEQ123 /steps/0/args/n",
    // @ts-expect-error SEQ123: `n` must be an integer
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "take", args: { n: 1.5 } }] }),
  ],
  "a fraction for an integer of 32 bits": [
    "SEQ123 /steps/0/args/whole",
    // @ts-expect-error SEQ123: `whole` must be an integer
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "take", args: { whole: 1.5 } }] }),
  ],
  "a fraction for zod's integer in an object": [
    "SEQ123 /steps/0/args/part/n",
    // @ts-expect-error SEQ123: `part/n` must be an integer
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "take", args: { part: { n: 1.5 } } }] }),
  ],
  "a fraction for TypeBox's integer in an object": [
    "SEQ123 /steps/0/args/of/n",
    // @ts-expect-error SEQ123: `of/n` must be an integer
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "count", args: { n: 1, of: { n: 1.5 } } }] }),
  ],
}

test.each(Object.entries(wrong))("%s", (_, [fault, verdict]) => expect(codesOf(verdict)).toContain(fault))
