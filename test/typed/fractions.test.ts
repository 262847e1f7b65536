/** Fractions where integers are asked: refused by tsc, and at run time by the compiler at the same place. */
import { Type } from "@sinclair/typebox"
import { arg, type Compiled, defineCatalog, definePlan, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"

const lines = z.array(z.strictObject({ cents: z.int32().nullable() }))
const catalog = defineCatalog({
  name: "fractions",
  version: "1",
  blastRadius: { cents: { max: 100 } },
  tools: {
    zod: tool({
      description: "By zod.",
      effect: "read",
      params: z.strictObject({
        n: z.int(),
        some: z.uint32().optional(),
        of: z.strictObject({ lines }),
        any: z.number(),
      }),
    }),
    typebox: tool({
      description: "By TypeBox.",
      effect: "read",
      params: Type.Object({
        n: Type.Integer(),
        some: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
        of: Type.Object({ lines: Type.Array(Type.Integer()) }),
        any: Type.Number(),
      }),
    }),
    deep: tool({
      description: "In records, tuples and unions.",
      effect: "read",
      params: z.strictObject({
        by: z.record(z.string(), z.int()).optional(),
        mixed: z.record(z.string(), z.strictObject({ a: z.number() })).optional(),
        pair: z.tuple([z.string(), z.int()]).optional(),
        either: z.union([z.string(), z.int()]).optional(),
        any: z.union([z.int(), z.number()]).optional(),
        literal: z.union([z.int(), z.literal(0.5)]).optional(),
      }),
      result: z.strictObject({ lines: z.array(z.strictObject({ n: z.int(), x: z.number() })) }),
    }),
    deepTypebox: tool({
      description: "In records, tuples and unions, by TypeBox.",
      effect: "read",
      params: Type.Object({
        by: Type.Optional(Type.Record(Type.String(), Type.Integer())),
        pair: Type.Optional(Type.Tuple([Type.String(), Type.Integer()])),
        either: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
        any: Type.Optional(Type.Union([Type.Integer(), Type.Number()])),
      }),
    }),
    json: tool({
      description: "By JSON Schema.",
      effect: "read",
      params: { type: "object", properties: { n: { type: "integer" } } },
    }),
    counted: tool({
      description: "What is counted.",
      effect: "write",
      params: z.strictObject({ cents: z.number().int().min(0).max(50) }),
      blast: { cents: arg("cents") },
      idempotency: "none",
      compensate: "none",
    }),
  },
})

const right = definePlan(catalog, {
  version: 1,
  steps: [
    { id: "a", tool: "zod", args: { n: -1, some: 2, of: { lines: [{ cents: 1 }, { cents: null }] }, any: 1.5 } },
    { id: "b", tool: "typebox", args: { n: 1.5e21, some: null, of: { lines: [1, 2] }, any: 1e-7 } },
    { id: "c", tool: "json", args: { n: 1 } },
    { id: "d", tool: "counted", args: { cents: 0 } },
    {
      id: "e",
      tool: "deep",
      args: {
        by: { a: 1 },
        mixed: { x: { a: 1.5 } },
        pair: ["", 1],
        either: 1,
        any: 1.5,
        literal: 0.5,
      },
    },
    { id: "f", tool: "deepTypebox", args: { by: { a: 1 }, pair: ["", 1], either: "x", any: 1.5 } },
  ],
})

const wrong: readonly (readonly [at: string, verdict: Compiled<unknown>])[] = [
  [
    "/steps/0/args/n",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at n
      steps: [{ id: "a", tool: "zod", args: { n: 1.5, of: { lines: [] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/some",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at some
      steps: [{ id: "a", tool: "zod", args: { n: 1, some: 1e-7, of: { lines: [] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/of/lines/1/cents",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at the second line
      steps: [{ id: "a", tool: "zod", args: { n: 1, of: { lines: [{ cents: 1 }, { cents: -0.5 }] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/some",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at some
      steps: [{ id: "a", tool: "typebox", args: { n: 1, some: 1.5, of: { lines: [] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/of/lines/0",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at the first line
      steps: [{ id: "a", tool: "typebox", args: { n: 1, of: { lines: [10.0625] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/n",
    // @ts-expect-error SEQ123 at n
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "json", args: { n: 1.5 } }] }),
  ],
  [
    "/steps/0/args/cents",
    // @ts-expect-error SEQ123 at cents
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "counted", args: { cents: 1.5 } }] }),
  ],
  [
    "/steps/0/args/by/a",
    // @ts-expect-error SEQ123 there
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "deep", args: { by: { a: 1.5 } } }] }),
  ],
  [
    "/steps/0/args/pair/1",
    // @ts-expect-error SEQ123 there
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "deep", args: { pair: ["", 1.5] } }] }),
  ],
  [
    "/steps/0/args/either",
    // @ts-expect-error SEQ123 there
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "deep", args: { either: 1.5 } }] }),
  ],
  [
    "/steps/0/args/by/a",
    // @ts-expect-error SEQ123 there
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "deepTypebox", args: { by: { a: 1.5 } } }] }),
  ],
  [
    "/steps/0/args/pair/1",
    // @ts-expect-error SEQ123 there
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "deepTypebox", args: { pair: ["", 1.5] } }] }),
  ],
  [
    "/steps/0/args/either",
    // @ts-expect-error SEQ123 there
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "deepTypebox", args: { either: 1.5 } }] }),
  ],
  [
    "/steps/1/args/either/where/~1n",
    definePlan(catalog, {
      version: 1,
      steps: [
        { id: "a", tool: "deep", args: {} },
        // @ts-expect-error SEQ212: no line has such an `n`
        { id: "b", tool: "deep", args: { either: { $from: "a", path: "/lines", where: { "/n": 1.5 }, pick: "/n" } } },
      ],
    }),
  ],
]

test("integers are right", () => expect(right.diagnostics).toEqual([]))

test.each(wrong)("a fraction at %s is not", (at, { diagnostics }) => {
  expect(diagnostics.map((one) => [one.code, one.at])).toContainEqual([expect.stringMatching(/^SEQ(12[23]|212)$/), at])
})
